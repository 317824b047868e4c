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
using UnityBridge.Framework;
using UnityBridge.Platform;
using UnityBridge.Wire;

namespace UnityBridge.Changes
{
    /// <summary>
    /// The files that one call wrote, moved or deleted, and how each is taken back when a later part of the call fails:
    /// only if it still is as the call left it, so that nothing of a person's or of a script's is lost. Each method
    /// before a change throws
    /// <see cref="CommandRefused"/> if the change could not be taken back. Main thread.
    /// </summary>
    internal sealed class WrittenFiles
    {
        // Internal, from 2022.2 on (Undo.bindings.cs): one Undo writes the whole file as it was.
        private static readonly MethodInfo FileUndo = typeof(Undo).GetMethod(
            "RegisterFileChangeUndo", Members.Any);

        private readonly KeptCopies _copies = new KeptCopies(OnDisk(""));
        private readonly List<FileChange> _changes = new List<FileChange>();
        private readonly HashSet<string> _withUndo = new HashSet<string>();
        private readonly bool _hasJournal;

        /// <param name="hasJournal">Whether new and moved files are written down too, for an editor that is killed: in
        /// a batch.</param>
        public WrittenFiles(bool hasJournal)
        {
            _hasJournal = hasJournal;
        }

        private enum Kind { New, Moved, Rewritten }

        /// <summary>In the order in which they were touched, each once.</summary>
        public List<string> Paths { get; } = new List<string>();

        /// <summary>After a failure: what could not be taken back.</summary>
        public List<string> Stays { get; } = new List<string>();

        /// <summary>The same in words, each with its copy.</summary>
        public string StaysInWords { get; private set; } = "";

        /// <summary>Whether Undo takes all of it back.</summary>
        public bool HaveUndo => Paths.All(
            path => _withUndo.Contains(path) || (FileUndo != null && LastOf(path)?.Copy != null));

        public static string OnDisk(string path) => Path.Combine(Path.GetDirectoryName(Application.dataPath), path);

        /// <summary>Whether a file or folder is on disk.</summary>
        public static bool IsThere(string path) => File.Exists(OnDisk(path)) || Directory.Exists(OnDisk(path));

        /// <summary>Before a file or folder is made at a path that is free.</summary>
        public void Making(string path)
        {
            Journal(null, path);
            _changes.Add(new FileChange(Kind.New, path));
        }

        /// <summary>Before a file or folder is moved.</summary>
        public void Moving(string from, string to)
        {
            Journal(from, to);
            _changes.Add(new FileChange(Kind.Moved, to) { From = from });
        }

        public void Moved(string from, string to)
        {
            Note(from);
            Done(to);
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

        /// <summary>Before a file that is there is written again.</summary>
        public void Rewriting(string path)
        {
            if (LastOf(path) is { Kind: Kind.New or Kind.Rewritten } change)
            {
                change.State = null;
                return;
            }
            if (!File.Exists(OnDisk(path)))
            {
                return;
            }
            WithRoom(path, () =>
                _changes.Add(new FileChange(Kind.Rewritten, path) { Copy = _copies.Keep(path) }));
        }

        /// <summary>It was written again by what records Undo itself.</summary>
        public void RewrittenWithUndo(string path)
        {
            Done(path);
            _withUndo.Add(path);
        }

        /// <summary>It was written or deleted by what nobody can take back.</summary>
        public void Note(string path)
        {
            if (!Paths.Contains(path))
            {
                Paths.Add(path);
            }
        }

        /// <summary>At the end of the call, since what fails is taken back here and not by Undo.</summary>
        public void RegisterUndo()
        {
            foreach (var change in _changes.Where(
                change => change.Copy != null && !_withUndo.Contains(change.Path) && IsThere(change.Path)))
            {
                var content = File.ReadAllBytes(OnDisk(change.Path));
                FileUndo?.Invoke(null, new object[] { AssetDatabase.GUIDFromAssetPath(change.Path),
                    _copies.Content(change.Copy), content });
            }
        }

        /// <summary>After a failure, before Unity's Undo writes files: which of these somebody else has changed
        /// since.</summary>
        public void NoteForeign()
        {
            foreach (var change in _changes.Where(change => _withUndo.Contains(change.Path) && IsThere(change.Path)))
            {
                change.IsForeign = change.State != null && StateOf(change.Path) != change.State;
            }
        }

        /// <summary>After Unity's Undo, which has restored what it knows.</summary>
        public void TakeBack()
        {
            foreach (var change in Enumerable.Reverse(_changes))
            {
                var isTakenBack = false;
                Guard.Run(() => isTakenBack = TakeBack(change));
                if (!isTakenBack)
                {
                    Stays.Add(change.Path);
                    StaysInWords += (StaysInWords.Length == 0 ? "" : ", ") + change.Path
                        + (change.Copy == null ? "" : " (as it was: " + change.Copy + ")");
                }
            }
        }

        /// <summary>When the call is over, however it ended.</summary>
        public void End() => _copies.End(
            _changes.Where(change => change.Copy != null && Stays.Contains(change.Path)).Select(change => change.Copy)
            .ToList());

        private FileChange LastOf(string path) => _changes.FindLast(change => change.Path == path);

        /// <summary>It was made, moved or written.</summary>
        public void Done(string path)
        {
            Note(path);
            if (LastOf(path) is { } change)
            {
                change.State = StateOf(path);
            }
        }

        private void Journal(string from, string to)
        {
            if (_hasJournal)
            {
                WithRoom(to, () => _copies.Note(from, to));
            }
        }

        private static void WithRoom(string path, Action keep)
        {
            try
            {
                keep();
            }
            catch (IOException fault)
            {
                var refusal = Refusal.NotExecuted(
                    "disk_full", "Make room on the disk, then call again: " + Quoted.Text(path)
                    + " is not changed without a copy of what is there, and that cannot be written ("
                    + Quoted.Text(fault.Message) + ")." + ChangeTarget.Unchanged);
                refusal.Details["file"] = path;
                throw new CommandRefused(refusal);
            }
        }

        private bool TakeBack(FileChange change)
        {
            switch (change.Kind)
            {
                case Kind.New: return TakeBackNew(change);
                case Kind.Moved:
                    return IsThere(change.Path) ? MoveBack(change.Path, change.From) : IsThere(change.From);
                default: return TakeBackContent(change);
            }
        }

        private bool TakeBackContent(FileChange change)
        {
            var isForeign = _withUndo.Contains(change.Path)
                ? change.IsForeign
                : change.State != null && StateOf(change.Path) != change.State;
            if (isForeign || _copies.IsLikeFile(change.Copy))
            {
                return !isForeign;
            }
            if (!_copies.Restore(change.Copy))
            {
                return false;
            }
            var asset = change.Path.Ends(".meta")
                ? change.Path.Substring(0, change.Path.Length - 5)
                : change.Path;
            Guard.Run(() => AssetDatabase.ImportAsset(asset));
            return true;
        }

        // What a failed write has left of a new file is ours too.
        private static bool TakeBackNew(FileChange change)
        {
            if (change.State != null && IsThere(change.Path) && StateOf(change.Path) != change.State)
            {
                // Somebody else has put something into a folder that was copied, and finds it in the trash.
                return change.IsFullFolder && AssetDatabase.MoveAssetToTrash(change.Path);
            }
            if (IsThere(change.Path) && !AssetDatabase.DeleteAsset(change.Path) && File.Exists(OnDisk(change.Path)))
            {
                File.Delete(OnDisk(change.Path));
            }
            if (!IsThere(change.Path))
            {
                File.Delete(OnDisk(change.Path + ".meta"));
            }
            return !IsThere(change.Path);
        }

        private static string StateOf(string path)
        {
            var file = OnDisk(path);
            if (Directory.Exists(file))
            {
                return FileChange.Folder
                    + string.Join("", FilesOnDisk.Walk(file).OrderBy(entry => entry, StringComparer.Ordinal)
                        .Select(StateOfEntry));
            }
            if (!File.Exists(file))
            {
                return "none";
            }
            using var hash = SHA256.Create();
            using var content = File.OpenRead(file);
            return Convert.ToBase64String(hash.ComputeHash(content));
        }

        private static string StateOfEntry(string file)
        {
            var entry = new FileInfo(file);
            return "\n" + file + (entry.Exists ? " " + entry.Length + " " + entry.LastWriteTimeUtc.Ticks : "");
        }

        /// <summary>One file or folder that is changed.</summary>
        private sealed class FileChange
        {
            public const string Folder = "folder";

            public FileChange(Kind kind, string path)
            {
                Kind = kind;
                Path = path;
            }

            public Kind Kind { get; }

            public string Path { get; }

            /// <summary>Null unless it is moved.</summary>
            public string From { get; set; }

            /// <summary>Null unless it is rewritten.</summary>
            public string Copy { get; set; }

            /// <summary>What the call made of it; null while it is at it.</summary>
            public string State { get; set; }

            /// <summary>Whether somebody else has changed it before Undo did.</summary>
            public bool IsForeign { get; set; }

            public bool IsFullFolder => State != null && State.Begins(Folder + "\n");
        }
    }
}
