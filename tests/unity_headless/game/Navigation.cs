using System.Collections.Generic;
using System.Diagnostics;
using UnityEngine;

// The package com.unity.ai.navigation 2.0, as far as baking goes; a quirk puts a surface into the scene.

namespace Unity.AI.Navigation
{
    public class NavMeshSurface : Object
    {
        private static readonly List<NavMeshSurface> One = new List<NavMeshSurface> { new NavMeshSurface() };

        public static List<NavMeshSurface> activeSurfaces
        {
            get { return Native.Editor.Quirk("navmesh-surface") ? One : new List<NavMeshSurface>(); }
        }
    }
}

namespace Unity.AI.Navigation.Editor
{
    /// <summary>A ScriptableSingleton there.</summary>
    public class NavMeshAssetManager
    {
        private static readonly NavMeshAssetManager Only = new NavMeshAssetManager();
        private readonly List<AsyncBakeOperation> _operations = new List<AsyncBakeOperation>();
        private Stopwatch _baking;

        internal struct AsyncBakeOperation
        {
            internal UnityEngine.AI.NavMeshData bakeData;
        }

        public static NavMeshAssetManager instance { get { return Only; } }

        internal List<AsyncBakeOperation> GetBakeOperations()
        {
            return _operations;
        }

        public void StartBakingSurfaces(Object[] surfaces)
        {
            Native.Editor.Say("bake-navmesh surfaces " + surfaces.Length);
            _baking = Stopwatch.StartNew();
            _operations.Add(new AsyncBakeOperation { bakeData = new UnityEngine.AI.NavMeshData() });
        }

        public bool IsSurfaceBaking(NavMeshSurface surface)
        {
            var bakes = _baking != null && _baking.ElapsedMilliseconds < Native.Editor.QuirkValue("bake-ms")
                && !UnityEngine.AI.NavMeshBuilder.IsCancelled;
            if (bakes) return true;
            _operations.Clear();
            _baking = null;
            return false;
        }
    }
}

namespace UnityEngine.AI
{
    public class NavMeshData
    {
    }

    public static class NavMeshBuilder
    {
        internal static bool IsCancelled;

        public static void Cancel(NavMeshData data)
        {
            IsCancelled = true;
            Native.Editor.Say("bake-cancelled");
        }
    }
}
