using System.Collections.Generic;
using System.Linq;
using UnityEditor.SceneManagement;
using UnityBridge.Wire;

namespace UnityBridge.EditorLife
{
    /// <summary>Everything that an editor loses when it ends now (SPEC §22.8), as it was found. Main thread.</summary>
    internal sealed class EverythingUnsaved
    {
        private EverythingUnsaved()
        {
            Scenes = UnsavedWork.Find();
            Imports = UnsavedEditors.Imports();
            Assets = UnsavedWork.FindAssets().Union(Imports).ToList();
            Settings = UnsavedWork.FindSettings();
            Windows = UnsavedEditors.Windows();
        }

        /// <summary>Open scenes and the open prefab.</summary>
        public List<string> Scenes { get; }

        /// <summary>Those of <see cref="Imports"/> too.</summary>
        public List<string> Assets { get; }

        /// <summary>Assets whose import settings an Inspector has not applied.</summary>
        public List<string> Imports { get; }

        /// <summary>Files below ProjectSettings.</summary>
        public List<string> Settings { get; }

        /// <summary>Titles.</summary>
        public List<string> Windows { get; }

        public List<string> All => Scenes.Concat(Assets).Concat(Settings).Concat(Windows).ToList();

        /// <summary>What nobody but a person can save.</summary>
        public bool NeedsAPerson => Windows.Count + Imports.Count > 0;

        public static EverythingUnsaved Find() => new EverythingUnsaved();

        /// <summary>Discards each, so that nothing asks about it, or saves it, while the editor quits.</summary>
        public void Discard()
        {
            UnsavedEditors.Discard();
            if (PrefabStageUtility.GetCurrentPrefabStage() is { } stage)
            {
                stage.ClearDirtiness();
                StageUtility.GoToMainStage();
            }
            UnsavedWork.Scenes().ToList().ForEach(UnsavedWork.Forget);
            UnsavedWork.ForgetAssets();
        }

        public Refusal Refused(string message) => Refusal.NotExecuted("unsaved_scenes", message)
            .With("scenes", Scenes).With("assets", Assets).With("settings", Settings).With("windows", Windows);
    }
}
