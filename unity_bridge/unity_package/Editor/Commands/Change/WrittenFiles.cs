using System;
using System.Collections.Generic;
using System.IO;
using System.Linq;
using System.Security.Cryptography;
using UnityEditor;
using UnityEngine;
using UnityBridge.EditorLife;

namespace UnityBridge.Commands
{
    /// <summary>
    /// The files that one call wrote, moved or deleted, and how each is taken back when a later part of the call fails: only if it still is
    /// as the call left it, so that nothing of a person's or of a script's is lost. Main thread.
    /// </summary>
    internal sealed class WrittenFiles
    {
        private readonly List<Entry> _entries = new List<Entry>();

        /// <summary>In the order in which they were touched, each once.</summary>
        public List<string> Paths { get; } = new List<string>();

        /// <summary>After a failure: what could not be taken back.</summary>
        public List<string> Stays { get; } = new List<string>();

        public static string OnDisk(string path) => Path.Combine(Path.GetDirectoryName(Application.dataPath), path);

        public void Made(string path) => Add(path, () => AssetDatabase.DeleteAsset(path));

        public void Moved(string from, string to)
        {
            Note(from);
            Add(to, () => AssetDatabase.MoveAsset(to, from) == "");
        }

        /// <summary>It was written again; <paramref name="before"/> is what it was.</summary>
        public void Rewritten(string path, byte[] before) => Add(path, () =>
        {
            File.WriteAllBytes(OnDisk(path), before);
            AssetDatabase.ImportAsset(path);
            return true;
        });

        /// <summary>It was written or deleted by what nobody can take back.</summary>
        public void Note(string path)
        {
            if (!Paths.Contains(path))
            {
                Paths.Add(path);
            }
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
