using System.IO;
using System.Linq;
using Unity.CodeEditor;
using UnityEditor;
using UnityEngine;
using UnityBridge.Framework;
using UnityBridge.Json;

namespace UnityBridge.Commands
{
    internal static class GenerateCodeProjectWide
    {
        [BridgeCommand("generate_code_project_wide",
            "Writes the solution and project files that editors and language servers read.")]
        private static JsonObject Run(ToolContext context)
        {
            Refuse.OutsideEditMode("generate the project files");
            Refuse.WithChangedScenes(context);
            // As Assets > Open C# Project does (CodeEditorProjectSync.cs), which also opens it.
            AssetDatabase.Refresh(ImportAssetOptions.Default);
            CodeEditor.CurrentEditor.SyncAll();
            var files = Directory.GetFiles(Path.GetDirectoryName(Application.dataPath)).Select(Path.GetFileName)
                .Where(name => new[] { ".sln", ".slnx", ".csproj" }.Contains(Path.GetExtension(name)))
                .OrderBy(name => name).ToList();
            var editor = CodeEditor.CurrentEditor.GetType().Name;
            // The one that stands in where none is chosen; it writes nothing, and an earlier one may have left files
            // (DefaultExternalCodeEditor.cs).
            return files.Count > 0 && editor != "DefaultExternalCodeEditor"
                ? new JsonObject { { "files", files }, { "editor", editor } }
                : throw Refuse.Failed("no_code_editor",
                    "Unity's code editor here (" + editor + ") writes no project files. Choose one under Preferences > "
                    + "External Tools, and add its package: com.unity.ide.visualstudio or com.unity.ide.rider.");
        }
    }
}
