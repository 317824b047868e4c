using System;
using System.Collections.Generic;
using System.IO;
using System.Linq;
using UnityEditor;
using UnityEngine;
using UnityBridge.Platform;
using UnityBridge.Wire;
using Object = UnityEngine.Object;

namespace UnityBridge.EditorLife
{
    /// <summary>What a call makes Unity do.</summary>
    [Flags]
    internal enum Effect
    {
        None = 0,
        Selection = 1,
        Play = 2,
        Save = 4,
        Move = 8,
        Delete = 16,
        Import = 32,
    }

    /// <summary> The table of docs/after-the-call.md: where Unity, or a package, asks a person in a modal dialog,
    /// which nobody answers, because of what a call does; also where it asks after the call has returned. Each row is
    /// found before, and refused. Main thread. </summary>
    internal static class Reactions
    {
        private static readonly Reaction[] All =
        {
            // AssetImporterEditor.cs 2021.3.58f1:719-793, 2022.3.76f1 and 6000.7.0a1:
            // PropertyEditor.PrivateRequestRebuild.
            new Reaction(Effect.Selection, "Unapplied import settings", "Apply or revert them in the Inspector",
                _ => UnsavedEditors.Imports().FirstOrDefault()),
            // SpriteEditorWindow.cs of com.unity.2d.sprite: OnSelectionChange, OnPlayModeStateChanged, and after an
            // import of its texture RebuildCache, in a later update.
            new Reaction(Effect.Selection | Effect.Play | Effect.Import, "Unapplied import settings",
                "Apply or revert them in the Sprite Editor",
                _ => FlagOf("UnityEditor.U2D.Sprites.SpriteEditorWindow", "hasUnsavedChanges")),
            // ScriptExecutionOrderInspector.cs 2021.3.58f1:161-178, 6000.7.0a1:160-177.
            new Reaction(Effect.Play, "Unapplied execution order", "Apply or revert it in Project Settings",
                _ => FlagOf("UnityEditor.ScriptExecutionOrderInspector", "m_DirtyOrders")),
            // PlayerSettingsEditor.cs 2021.3.58f1:697, 6000.7.0a1:963, HandlePendingChangesBeforeEnterPlaymode.
            new Reaction(Effect.Play, "Scripting Define Symbols Have Been Modified",
                "Apply or revert them in Project Settings > Player",
                _ => FlagOf("UnityEditor.PlayerSettingsEditor", "hasScriptingDefinesBeenModified")),
            new Reaction(Effect.Play, "Additional Compiler Arguments Have Been Modified",
                "Apply or revert them in Project Settings > Player",
                _ => FlagOf("UnityEditor.PlayerSettingsEditor", "hasAdditionalCompilerArgumentsBeenModified")),
            // AssetModificationProcessor.cs 2021.3.58f1, 6000.7.0a1:146-156: a scene or a prefab that is saved by
            // itself is left out.
            new Reaction(Effect.Save, "Save Assets",
                "Switch the preference Verify Saving Assets off (Preferences > General), or save in Unity",
                _ => EditorPrefs.GetBool("VerifySavingAssets", false) ? "" : null),
            // VCAssetModificationHooks.cs 2021.3.58f1, 6000.7.0a1:96-104.
            new Reaction(Effect.Move, "Confirm version control operation", "Move the folder in Unity",
                path => IsVersioned(path) ? path : null),
            // RenderPipelineGlobalSettingsPostprocessor.cs 6000.0.78f1, 6000.7.0a1:14-37.
            new Reaction(Effect.Delete, "Deleting current RenderPipelineGlobalSettings", "Delete it in Unity",
                path => path == PipelineSettings() ? path : null),
            // BuilderToolbar.cs (com.unity.ui.builder in 2021.3, a module since 2022.2), OnWillDeleteAsset.
            new Reaction(Effect.Delete, "UI Builder: Notice", "Close the window UI Builder",
                path => HasBuilderDocument(path) ? path : null),
        };

        // What is always an effect of a command, whatever its arguments are. Others ask where they know more.
        private static readonly Dictionary<string, Effect> OfCommands = new Dictionary<string, Effect>
        {
            { "select", Effect.Selection }, { "open_prefab", Effect.Selection }, { "close_prefab", Effect.Selection },
            { "save_all", Effect.Save },
        };

        /// <summary>What a command of the package does in any case.</summary>
        public static Effect EffectsOf(string command) =>
            OfCommands.TryGetValue(command, out var effects) ? effects : Effect.None;

        /// <summary>Why a call with these effects would end in a dialog; null if it would not.</summary>
        /// <param name="path">What is moved or deleted.</param>
        public static Refusal WhyNot(Effect effects, string path = null)
        {
            // Without a person Unity takes an answer by itself (Application.isHumanControllingUs).
            if (effects == Effect.None || Application.isBatchMode)
            {
                return null;
            }
            foreach (var reaction in All.Where(reaction => (reaction.Effect & effects) != 0))
            {
                if (reaction.Detect(path) is { } subject)
                {
                    var about = subject.Length == 0 ? "" : " about " + Quoted.Text(subject);
                    return Refusal.NotExecuted(
                        "would_ask", "Unity would ask \"" + reaction.Title + "\"" + about + " in a dialog. "
                        + reaction.Remedy + ", then call again.");
                }
            }
            return null;
        }

        // A private flag of an editor that is open: its name if it is set.
        private static string FlagOf(string type, string flag)
        {
            var editor = LoadedAssemblies.TypeNamed(type);
            var isSet = editor != null
                && Resources.FindObjectsOfTypeAll(editor).Any(open => Members.Get(open, flag) is true);
            return isSet ? "" : null;
        }

        private static bool IsVersioned(string path)
        {
            var provider = LoadedAssemblies.TypeNamed("UnityEditor.VersionControl.Provider");
            return Members.Get(provider, "enabled") is true && Directory.Exists(
                Path.Combine(Path.GetDirectoryName(Application.dataPath), path ?? ""));
        }

        private static string PipelineSettings()
        {
            var settings = Members.Get(
                typeof(UnityEngine.Rendering.GraphicsSettings), "currentRenderPipelineGlobalSettings") as Object;
            return settings == null ? null : AssetDatabase.GetAssetPath(settings);
        }

        private static bool HasBuilderDocument(string path)
        {
            var builder = LoadedAssemblies.TypeNamed("Unity.UI.Builder.Builder");
            var isDocument = Path.GetExtension(path ?? "").ToLowerInvariant() is ".uxml" or ".uss";
            return isDocument && builder != null && Resources.FindObjectsOfTypeAll(builder).Length > 0;
        }

        private sealed class Reaction
        {
            public Reaction(Effect effect, string title, string remedy, Func<string, string> detect)
            {
                Effect = effect;
                Title = title;
                Remedy = remedy;
                Detect = detect;
            }

            public Effect Effect { get; }

            /// <summary>The dialog's.</summary>
            public string Title { get; }

            public string Remedy { get; }

            /// <summary>What it would ask about; null if it would not ask.</summary>
            public Func<string, string> Detect { get; }
        }
    }
}
