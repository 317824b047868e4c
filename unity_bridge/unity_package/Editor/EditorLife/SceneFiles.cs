using System;
using System.Collections.Generic;
using System.IO;
using System.Linq;
using System.Reflection;
using System.Security.Cryptography;
using UnityEditor.SceneManagement;
using UnityEngine;
using UnityEngine.SceneManagement;
using UnityBridge.Json;
using UnityBridge.Platform;

namespace UnityBridge.EditorLife
{
    /// <summary>An open scene, or the open prefab, whose file is not what it was when it was opened or last
    /// saved.</summary>
    internal sealed class ChangedFile
    {
        public ChangedFile(string path, bool isDirty, bool isReadable)
        {
            Path = path;
            IsDirty = isDirty;
            IsReadable = isReadable;
        }

        /// <summary>In the project, as in Assets/Main.unity.</summary>
        public string Path { get; }

        /// <summary>It has changes that are not saved.</summary>
        public bool IsDirty { get; }

        /// <summary>False for a file that is gone, or that is no scene any more.</summary>
        public bool IsReadable { get; }
    }

    /// <summary>
    /// What the files of the open scenes and of the open prefab were when they were opened or last saved, over reloads.
    /// Main thread.
    /// </summary>
    /// <remarks><c>AssetDatabase.Refresh</c> raises a modal dialog about each that somebody else has changed (SPEC
    /// §16.1).</remarks>
    internal sealed class SceneFiles
    {
        private const string SessionKey = "UnityBridge.scene_files";
        private const string Absent = "absent";
        private static readonly byte[] TextHead = { (byte)'%', (byte)'Y', (byte)'A', (byte)'M', (byte)'L' };

        // Internal from 2021.3 to 6000.7. Unity has loaded the open prefab again, since its file changed.
        private static readonly EventInfo PrefabReloaded =
            typeof(PrefabStage).GetEvent("prefabStageReloaded", Members.Any);

        private readonly string _projectPath;
        private readonly Dictionary<string, string> _known = new Dictionary<string, string>();

        public SceneFiles(string projectPath)
        {
            _projectPath = projectPath;
        }

        /// <summary>At load.</summary>
        public void Start()
        {
            foreach (var file in SavedState.Read(SessionKey) ?? new JsonObject())
            {
                _known[file.Key] = file.Value as string;
            }
            DomainEnd.Subscribe(() => EditorSceneManager.sceneOpened += OnOpened,
                () => EditorSceneManager.sceneOpened -= OnOpened);
            DomainEnd.Subscribe(() => EditorSceneManager.sceneSaved += OnSaved,
                () => EditorSceneManager.sceneSaved -= OnSaved);
            DomainEnd.Subscribe(() => PrefabStage.prefabStageOpened += OnPrefabOpened,
                () => PrefabStage.prefabStageOpened -= OnPrefabOpened);
            if (PrefabReloaded is { } reloaded)
            {
                Action<PrefabStage> note = OnPrefabOpened;
                DomainEnd.Subscribe(() => reloaded.GetAddMethod(true).Invoke(null, new object[] { note }),
                    () => reloaded.GetRemoveMethod(true).Invoke(null, new object[] { note }));
            }
            DomainEnd.Subscribe(() => PrefabStage.prefabSaved += OnPrefabSaved,
                () => PrefabStage.prefabSaved -= OnPrefabSaved);
        }

        /// <summary>Before the domain goes.</summary>
        public void Leave()
        {
            var saved = new JsonObject();
            foreach (var file in _known)
            {
                saved[file.Key] = file.Value;
            }
            SavedState.Write(SessionKey, saved);
        }

        /// <summary>In the first update: what was open before the bridge was there is taken to be as on disk.</summary>
        public void NoteOpen()
        {
            foreach (var open in Open())
            {
                if (!_known.ContainsKey(open.Key))
                {
                    Note(open.Key);
                }
            }
        }

        public List<ChangedFile> FindChanged()
        {
            NoteOpen();
            var changed = new List<ChangedFile>();
            // Without unsaved changes it is left to Unity, which loads it again without a word
            // (PrefabStage.HandlePrefabChangedOnDisk).
            var prefab = PrefabStageUtility.GetCurrentPrefabStage()?.assetPath;
            foreach (var open in Open())
            {
                var now = Read(open.Key);
                var before = _known[open.Key];
                // One that cannot be read now is not known to have changed.
                if (now != null && now != before && !(open.Key == prefab && !open.Value))
                {
                    var isScene = now != Absent && !(before[0] == 'y' && now[0] != 'y');
                    changed.Add(new ChangedFile(open.Key, open.Value, isScene));
                }
            }
            return changed;
        }

        public bool IsThere(string path) => File.Exists(System.IO.Path.Combine(_projectPath, path));

        /// <summary>The file as it is now is what the editor has.</summary>
        public void Note(string path)
        {
            if (!string.IsNullOrEmpty(path))
            {
                _known[path] = Read(path) ?? Absent;
            }
        }

        // Path, and whether it has unsaved changes.
        private static IEnumerable<KeyValuePair<string, bool>> Open()
        {
            var open = new Dictionary<string, bool>();
            foreach (var scene in UnsavedWork.Scenes())
            {
                if (!string.IsNullOrEmpty(scene.path) && scene.isLoaded)
                {
                    open[scene.path] = scene.isDirty;
                }
            }
            var prefab = PrefabStageUtility.GetCurrentPrefabStage();
            if (prefab != null && !string.IsNullOrEmpty(prefab.assetPath))
            {
                open[prefab.assetPath] = prefab.scene.isDirty;
            }
            return open.ToList();
        }

        // Text or binary, and the hash; null for a file that another program holds.
        private string Read(string path)
        {
            try
            {
                var file = System.IO.Path.Combine(_projectPath, path);
                if (!File.Exists(file))
                {
                    return Absent;
                }
                using var stream = FilesOnDisk.Open(file);
                var head = new byte[TextHead.Length];
                var isText = stream.Read(head, 0, head.Length) == head.Length && head.SequenceEqual(TextHead);
                stream.Position = 0;
                using var hash = SHA256.Create();
                return (isText ? "y" : "b") + Convert.ToBase64String(hash.ComputeHash(stream));
            }
            catch (Exception failure) when (failure is IOException or UnauthorizedAccessException)
            {
                return null;
            }
        }

        private void OnOpened(Scene scene, OpenSceneMode mode) => Guard.Run(() => Note(scene.path));

        private void OnSaved(Scene scene) => Guard.Run(() => Note(scene.path));

        private void OnPrefabOpened(PrefabStage stage) => Guard.Run(() => Note(stage.assetPath));

        private void OnPrefabSaved(GameObject root) =>
            Guard.Run(() => Note(PrefabStageUtility.GetCurrentPrefabStage()?.assetPath));
    }
}
