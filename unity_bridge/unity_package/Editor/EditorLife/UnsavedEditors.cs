using System;
using System.Collections.Generic;
using System.Linq;
using UnityEditor;
using UnityEditor.AssetImporters;
using UnityEngine;
using UnityBridge.Platform;

namespace UnityBridge.EditorLife
{
    /// <summary>Work that a person has in windows: what a graph or a document keeps until it is saved, and import
    /// settings that an Inspector has changed and not applied. EditorApplication.Exit asks about neither. Main
    /// thread.</summary>
    internal static class UnsavedEditors
    {
        /// <summary>The titles of editor windows with unsaved changes (EditorWindow.hasUnsavedChanges, 2021.3 to
        /// 6000.7).</summary>
        /// <remarks>From 2022.2 on an Inspector has them too, for import settings, which are named by their assets
        /// here.</remarks>
        public static List<string> Windows()
        {
            var imports = Imports();
            return OpenWindows().Where(window => imports.Count == 0 || !IsInspector(window))
                .Select(window => window.titleContent.text).ToList();
        }

        /// <summary>The assets whose import settings an Inspector has changed and not applied, sorted.</summary>
        public static List<string> Imports()
        {
            var paths = new SortedSet<string>(StringComparer.Ordinal);
            foreach (var editor in ModifiedImportEditors())
            {
                paths.UnionWith(editor.targets.OfType<AssetImporter>().Select(importer => importer.assetPath));
            }
            return new List<string>(paths);
        }

        /// <summary>Discards both. What a window does not let go of is in <see cref="Windows"/> still.</summary>
        public static void Discard()
        {
            foreach (var editor in ModifiedImportEditors())
            {
                // Public since 2022.2; 2021.3 has only what it calls, which is protected (AssetImporterEditor.cs).
                var revert = Members.Method(editor.GetType(), "DiscardChanges")
                    ?? Members.Method(editor.GetType(), "ResetValues");
                Try(() => revert?.Invoke(editor, null));
            }
            foreach (var window in OpenWindows())
            {
                Try(window.DiscardChanges);
            }
        }

        // It is code of a package or of the project. What it has not done shows afterwards.
        private static void Try(Action discard)
        {
            try
            {
                discard();
            }
            catch (Exception failure)
            {
                Debug.LogException(failure);
            }
        }

        private static List<EditorWindow> OpenWindows() =>
            Resources.FindObjectsOfTypeAll<EditorWindow>().Where(window => window != null && window.hasUnsavedChanges)
            .ToList();

        private static List<AssetImporterEditor> ModifiedImportEditors() =>
            Resources.FindObjectsOfTypeAll<AssetImporterEditor>().Where(editor => editor != null && IsModified(editor))
            .ToList();

        // One that is being taken down has no targets any more, and throws.
        private static bool IsModified(AssetImporterEditor editor)
        {
            try
            {
                return editor.targets.All(target => target != null) && editor.HasModified();
            }
            catch (Exception)
            {
                return false;
            }
        }

        private static bool IsInspector(EditorWindow window) =>
            Members.Bases(window.GetType()).Any(type => type.FullName == "UnityEditor.PropertyEditor");
    }
}
