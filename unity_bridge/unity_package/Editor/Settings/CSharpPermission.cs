using UnityEditor;
using UnityEngine;
using UnityBridge.Wire;

namespace UnityBridge.Settings
{
    /// <summary>Whether run_csharp may run code in this project: the user's own switch, off until it is ticked (SPEC §16.6). Main
    /// thread.</summary>
    internal sealed class CSharpPermission
    {
        public const string Member = "allow_csharp";
        public const string Label = "Allow clients to run C# (run_csharp)";

        private readonly SettingsFile _file;
        private bool? _shown;
        private string _trouble;

        public CSharpPermission(string projectPath)
        {
            _file = SettingsFile.OfUser(projectPath);
        }

        /// <summary>As the file is now. One that cannot be read allows nothing.</summary>
        public bool IsGiven => _file.Read(out _)?.Flag(Member) ?? false;

        /// <summary>Null where it is given.</summary>
        public Refusal WhyNot() => IsGiven ? null : Refusal.NotExecuted("not_allowed",
            "run_csharp is switched off in this project. Only its user can switch it on: in Unity, Project Settings > Unity Bridge > \""
            + Label + "\", or with \"" + Member + "\": true in " + _file.Name + ". Ask for it; meanwhile use the other tools.");

        /// <summary>Draws the switch; Unity's two passes show the same.</summary>
        public void Draw()
        {
            if (_shown == null || Event.current.type == EventType.Layout)
            {
                _shown = IsGiven;
            }
            var wanted = EditorGUILayout.ToggleLeft(Label, _shown.Value);
            if (wanted != _shown.Value)
            {
                _trouble = _file.Set(Member, wanted);
                _shown = wanted && _trouble == null;
            }
            else if (_trouble != null)
            {
                EditorGUILayout.HelpBox("The switch could not be kept: " + _trouble, MessageType.Error);
            }
        }
    }
}
