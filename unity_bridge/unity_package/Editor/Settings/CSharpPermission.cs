using UnityEditor;
using UnityEngine;
using UnityBridge.Trust;
using UnityBridge.Wire;

namespace UnityBridge.Settings
{
    /// <summary>Whether run_csharp may run code in this project: the user's own switch, off until it is ticked (SPEC
    /// §16.6). Main thread.</summary>
    internal sealed class CSharpPermission
    {
        public const string Label = "Allow clients to run C# (run_csharp)";

        // Once for each editor session: SessionState outlives a reload.
        private const string SaidKey = "UnityBridge.SaidThatCSharpIsAllowed";

        private readonly Consent _consent;
        private bool? _shown;
        private string _trouble;
        private string _shownTrouble;

        public CSharpPermission(string projectPath)
        {
            _consent = new Consent(ProjectPath.CanonicalOf(projectPath));
        }

        public bool IsGiven => _consent.IsGiven;

        /// <summary>Null where it is given.</summary>
        public Refusal WhyNot(string what = "run_csharp") => IsGiven ? null : Refusal.NotExecuted("not_allowed",
            what + " is switched off in this project. Only its user can switch it on: with `unity-bridge allow csharp` "
            + "in a terminal, or in Unity, Project Settings > Unity Bridge. Ask for it.");

        /// <summary>Says in the console, once per editor session, that it is on.</summary>
        public void Announce()
        {
            if (IsGiven && SessionState.GetString(SaidKey, "") == "")
            {
                SessionState.SetString(SaidKey, "yes");
                Debug.Log(
                    "[Unity Bridge] Clients may run C# in this project (run_csharp). Switch it off in Project "
                    + "Settings > Unity Bridge.");
            }
        }

        /// <summary>Draws the switch; Unity's two passes show the same.</summary>
        public void Draw()
        {
            if (_shown == null || Event.current.type == EventType.Layout)
            {
                _shown = IsGiven;
                _shownTrouble = _trouble;
            }
            var wanted = EditorGUILayout.ToggleLeft(Label, _shown.Value);
            if (wanted != _shown.Value)
            {
                _trouble = _consent.Set(wanted);
                _shown = IsGiven;
                Announce();
            }
            if (_shownTrouble != null)
            {
                EditorGUILayout.HelpBox("The switch could not be kept: " + _shownTrouble, MessageType.Error);
            }
        }
    }
}
