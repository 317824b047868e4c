using System;
using System.Collections;
using System.Collections.Generic;
using System.Diagnostics;
using System.Linq;
using System.Threading;
using UnityBridge.Framework;
using UnityBridge.Json;
using UnityBridge.Platform;

namespace UnityBridge.Commands
{
    /// <summary>With the package AI Navigation each NavMeshSurface of the open scenes is baked; without one the scenes'
    /// own mesh. Both by name: the package need not be there, and Unity's module can be switched off and is obsolete in
    /// newer versions.</summary>
    internal static class BakeNavMesh
    {
        [BridgeCommand("bake_navmesh",
            "Bakes the NavMesh: every NavMeshSurface of the open scenes, or the scenes themselves.",
            Keywords = "navmesh navigation")]
        private static IEnumerator Run(CancellationToken stop)
        {
            Refuse.OutsideEditMode("bake");
            Refuse.WithUntitledScene("bake");
            var surfaces = Surfaces();
            var bake = surfaces.Count > 0 ? (IBake)new SurfaceBake(surfaces) : SceneBake.Find();
            if (bake == null)
            {
                throw new CommandRefused(
                    "no_navigation",
                    "There is no NavMeshSurface in the open scenes, and this Unity has no NavMesh baking of its own. "
                    + "Add the package com.unity.ai.navigation, and a NavMeshSurface.");
            }
            if (bake.IsRunning)
            {
                throw new CommandRefused("baking", "Unity bakes a NavMesh already. Wait for its end.");
            }
            var took = Stopwatch.StartNew();
            bake.Start();
            while (bake.IsRunning)
            {
                if (stop.IsCancellationRequested)
                {
                    bake.Cancel();
                    throw new OperationCanceledException(stop);
                }
                yield return null;
            }
            yield return new JsonObject { { "surfaces", surfaces.Count }, { "duration_ms", took.ElapsedMilliseconds } };
        }

        // NavMeshSurface.activeSurfaces: those that are on, in edit mode too.
        private static List<object> Surfaces()
        {
            var surface = LoadedAssemblies.TypeNamed("Unity.AI.Navigation.NavMeshSurface");
            return (Members.Get(surface, "activeSurfaces") as IEnumerable)?.Cast<object>().ToList()
                ?? new List<object>();
        }

        private interface IBake
        {
            bool IsRunning { get; }

            void Start();

            void Cancel();
        }

        /// <summary>UnityEditor.AI.NavMeshBuilder (2021.3 to 6000.7, obsolete in the newest).</summary>
        private sealed class SceneBake : IBake
        {
            private readonly Type _builder;

            private SceneBake(Type builder)
            {
                _builder = builder;
            }

            public bool IsRunning => (bool)Members.Get(_builder, "isRunning");

            public static IBake Find()
            {
                var builder = LoadedAssemblies.TypeNamed("UnityEditor.AI.NavMeshBuilder");
                return Members.Method(builder, "BuildNavMeshAsync") == null ? null : new SceneBake(builder);
            }

            public void Start() => Members.Method(_builder, "BuildNavMeshAsync").Invoke(null, null);

            public void Cancel() => Members.Method(_builder, "Cancel").Invoke(null, null);
        }

        /// <summary>As the inspector's button bakes (NavMeshAssetManager of com.unity.ai.navigation 1.0 and 2.0), which
        /// keeps the result as an asset; NavMeshSurface.BuildNavMesh would not.</summary>
        private sealed class SurfaceBake : IBake
        {
            private readonly List<object> _surfaces;
            private readonly object _manager;

            public SurfaceBake(List<object> surfaces)
            {
                _surfaces = surfaces;
                _manager = Members.Get(
                    LoadedAssemblies.TypeNamed("Unity.AI.Navigation.Editor.NavMeshAssetManager"), "instance")
                    ?? throw Refuse.Failed("no_navigation",
                        "This version of the package AI Navigation is not supported. Report its version.");
            }

            public bool IsRunning => _surfaces.Any(surface => (bool)Call("IsSurfaceBaking", surface));

            public void Start() => Call("StartBakingSurfaces", (object)_surfaces.Cast<UnityEngine.Object>().ToArray());

            // What the button in Unity's Background Tasks does.
            public void Cancel()
            {
                var cancel =
                    LoadedAssemblies.TypeNamed("UnityEngine.AI.NavMeshBuilder")?.GetMethod("Cancel", Members.Any);
                foreach (var operation in ((IEnumerable)Call("GetBakeOperations")).Cast<object>().ToList())
                {
                    cancel?.Invoke(null, new[] { Members.Get(operation, "bakeData") });
                }
            }

            private object Call(string name, params object[] arguments) =>
                _manager.GetType().GetMethod(name, Members.Any).Invoke(_manager, arguments);
        }
    }
}
