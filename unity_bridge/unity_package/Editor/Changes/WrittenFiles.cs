using System;
using System.Collections.Generic;
using System.IO;
using System.Linq;
using System.Reflection;
using System.Security.Cryptography;
using UnityEditor;
using UnityEditor.SceneManagement;
using UnityEngine;
using UnityBridge.EditorLife;

namespace UnityBridge.Changes
{
    /// <summary>
    /// The files that one call wrote, moved or deleted, and how each is taken back when a later part of the call fails: only if it still is
    /// as the call left it, so that nothing of a person's or of a script's is lost. Main thread.
    /// </summary>
    internal sealed class WrittenFiles
    {
        // Internal, from 2022.2 on (Undo.bindings.cs): one Undo writes the whole file as it was.
        private static readonly MethodInfo FileUndo = typeof(Undo).GetMethod("RegisterFileChangeUndo", BindingFlags.Static | BindingFlags.Public | BindingFlags.NonPublic);

        private readonly List<Entry> _entries = new List<Entry>();
        private readonly Dictionary<string, byte[]> _rewritten = new Dictionary<string, byte[]>();
        private readonly HashSet<string> _withUndo = new HashSet<string>();

        /// <summary>In the order in which they were touched, each once.</summary>
        public List<string> Paths { get; } = new List<string>();

        /// <summary>After a failure: what could not be taken back.</summary>
        public List<string> Stays { get; } = new List<string>();

        /// <summary>Whether Undo takes all of it back.</summary>
        public bool HaveUndo => Paths.All(path => _withUndo.Contains(path) || (FileUndo != null && _rewritten.ContainsKey(path)));

        public static string OnDisk(string path) => Path.Combine(Path.GetDirectoryName(Application.dataPath), path);

        public void Made(string path) => Add(path, () => AssetDatabase.DeleteAsset(path));

        public void Moved(string from, string to)
        {
            Note(from);
            Add(to, () => MoveBack(to, from));
        }

        private static bool MoveBack(string path, string former)
        {
            var openBefore = PrefabStageUtility.GetCurrentPrefabStage()?.assetPath;
            if (AssetDatabase.MoveAsset(path, former) != "")
            {
                return false;
            }
            if (PrefabStageUtility.GetCurrentPrefabStage() is { } stage && stage.assetPath != openBefore)
            {
                PrefabMode.RenameRootLikeFile(stage);
            }
            return true;
        }

        /// <summary>It was written again; <paramref name="before"/> is what it was.</summary>
        public void Rewritten(string path, byte[] before)
        {
            if (!Paths.Contains(path))
            {
                _rewritten[path] = before;
            }
            Add(path, () =>
            {
                File.WriteAllBytes(OnDisk(path), before);
                AssetDatabase.ImportAsset(path);
                return true;
            });
        }

        /// <summary>At the end of the call, since what fails is taken back here and not by Undo.</summary>
        public void RegisterUndo()
        {
            foreach (var file in _rewritten)
            {
                FileUndo?.Invoke(null, new object[] { AssetDatabase.GUIDFromAssetPath(file.Key), file.Value, File.ReadAllBytes(OnDisk(file.Key)) });
            }
        }

        /// <summary>It was written or deleted by what nobody can take back.</summary>
        public void Note(string path)
        {
            if (!Paths.Contains(path))
            {
                Paths.Add(path);
            }
        }

        /// <summary>It was written or deleted by what records Undo itself.</summary>
        public void NoteWithUndo(string path)
        {
            Note(path);
            _withUndo.Add(path);
        }

        public void TakeBack()
        {
            foreach (var entry in Enumerable.Reverse(_entries))
            {
                var isTakenBack = false;
                Guard.Run(() => isTakenBack = StateOf(entry.Path) == entry.State && entry.TakeBack());
                if (!isTakenBack)
                {
                    Stays.Add(entry.Path);
                }
            }
        }

        private void Add(string path, Func<bool> takeBack)
        {
            Note(path);
            _entries.Add(new Entry(path, StateOf(path), takeBack));
        }

        // A folder that has anything in it is not as it was left.
        private static string StateOf(string path)
        {
            var file = OnDisk(path);
            if (Directory.Exists(file))
            {
                return Directory.EnumerateFileSystemEntries(file).Any() ? "full" : "empty";
            }
            using var hash = SHA256.Create();
            return File.Exists(file) ? Convert.ToBase64String(hash.ComputeHash(File.ReadAllBytes(file))) : "none";
        }

        private sealed class Entry
        {
            public Entry(string path, string state, Func<bool> takeBack)
            {
                Path = path;
                State = state;
                TakeBack = takeBack;
            }

            public string Path { get; }

            public string State { get; }

            public Func<bool> TakeBack { get; }
        }
    }
}
