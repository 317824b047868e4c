using System;
using System.Collections.Generic;
using System.IO;
using System.Linq;
using UnityEngine;
using UnityBridge.Json;
using UnityBridge.Platform;
using UnityBridge.Wire;

namespace UnityBridge.EditorLife
{
    /// <summary>
    /// What calls have left in <see cref="KeptCopies"/>: of an editor that was killed in a batch, and of a file that
    /// could not be restored. It warns once after a killed editor, restores nothing, and deletes what is older than
    /// seven days. Main thread.
    /// </summary>
    internal sealed class KeptJournals
    {
        private const int MostBytes = 1024 * 1024;
        private const int MostNamed = 10;
        private const long LookEveryMs = 2000;
        private static readonly TimeSpan Keep = TimeSpan.FromDays(7);

        // A journal may have come with the project: it names no other files than those next to it.
        private static readonly Pattern FolderName = new Pattern(@"^\d{8}-\d{6}-[0-9a-f]{8}$");
        private static readonly Pattern CopyName = new Pattern(@"^\d{1,9}(\.\w{1,40})?$");

        private readonly string _project;
        private readonly Func<long> _now;
        private long _lookedMs = -LookEveryMs;
        private int _changes;

        public KeptJournals(string project, Func<long> now)
        {
            _project = project;
            _now = now;
        }

        /// <summary>Any thread: <c>{file, copy}</c> for each file that may be another one than before. Another list if
        /// it is not the same.</summary>
        public IReadOnlyList<JsonObject> Copies => _copies;

        private volatile IReadOnlyList<JsonObject> _copies = new List<JsonObject>();

        /// <summary>At load.</summary>
        public void Start()
        {
            foreach (var folder in Folders())
            {
                Guard.Run(() => Look(folder));
            }
            Tick();
        }

        /// <summary>In each update.</summary>
        public void Tick()
        {
            if (_now() - _lookedMs < LookEveryMs && _changes == KeptCopies.Changes)
            {
                return;
            }
            _lookedMs = _now();
            _changes = KeptCopies.Changes;
            var copies = Folders().SelectMany(folder => Entries(folder).Select(entry => CopyIn(folder, entry)))
                .Where(copy => copy != null).ToList();
            if (JsonWriter.Write(copies) != JsonWriter.Write(_copies))
            {
                _copies = copies;
            }
        }

        private void Look(string folder)
        {
            if (DateTime.UtcNow - File.GetLastWriteTimeUtc(JournalOf(folder)) > Keep)
            {
                Delete(folder);
                return;
            }
            var entries = Entries(folder);
            foreach (var entry in entries.Where(entry => IsUntouched(folder, entry)))
            {
                File.Delete(Path.Combine(Whole(folder), entry.Text("copy")));
            }
            var traces = entries.Select(entry => TraceOf(folder, entry)).Where(trace => trace != null).ToList();
            if (traces.Count == 0)
            {
                Delete(folder);
            }
            else if (!entries.Exists(entry => entry.ContainsKey("reported")))
            {
                Debug.LogWarning(
                    "[Unity Bridge] The editor ended while a batch changed files, and nothing was restored. "
                    + string.Join(" ", traces.Take(MostNamed))
                    + (traces.Count > MostNamed
                        ? " " + (traces.Count - MostNamed) + " more are in " + folder + "."
                        : "")
                    + " Put back what you want to have back. The copies are deleted after seven days.");
                File.AppendAllText(JournalOf(folder), "\n{\"reported\": true}\n");
            }
        }

        // One sentence for what is not as it was; null for what is.
        private string TraceOf(string folder, JsonObject entry)
        {
            var copy = CopyIn(folder, entry);
            if (copy != null)
            {
                return Quoted.Text(copy.Text("file")) + " as it was before is " + Quoted.Text(copy.Text("copy")) + ".";
            }
            var made = entry.Text("from") == null ? entry.Text("to") : null;
            return made != null && IsThere(made) ? Quoted.Text(made) + " is new, and may be unfinished." : null;
        }

        // Of a file or folder that was moved the copy is where it was moved to.
        private JsonObject CopyIn(string folder, JsonObject entry)
        {
            var file = entry.Text("file") ?? entry.Text("from");
            var copy = entry.Text("file") == null ? entry.Text("to") : folder + "/" + entry.Text("copy");
            var isMoved = entry.Text("file") == null;
            return file != null && copy != null && IsThere(copy) && !(isMoved && IsThere(file))
                ? new JsonObject { { "file", file }, { "copy", copy } }
                : null;
        }

        private bool IsUntouched(string folder, JsonObject entry) =>
            entry.Text("file") is { } file
            && FilesOnDisk.AreEqual(Whole(file), Whole(folder + "/" + entry.Text("copy")));

        private List<string> Folders()
        {
            var homes = KeptCopies.Homes.Where(
                home => Directory.Exists(Whole(home)) && !FilesOnDisk.IsLink(Whole(home)));
            return homes.SelectMany(home => Directory.GetDirectories(Whole(home)).Select(Path.GetFileName)
                .Where(name => FolderName.Value.IsMatch(name)).OrderBy(name => name, StringComparer.Ordinal)
                .Select(name => home + "/" + name)).Where(folder => !FilesOnDisk.IsLink(Whole(folder))).ToList();
        }

        private List<JsonObject> Entries(string folder)
        {
            var entries = new List<JsonObject>();
            if (!File.Exists(JournalOf(folder)) || FilesOnDisk.IsLink(JournalOf(folder))
                || new FileInfo(JournalOf(folder)).Length > MostBytes)
            {
                return entries;
            }
            foreach (var line in File.ReadAllLines(JournalOf(folder)))
            {
                if (JsonReader.TryRead(line, out var value, out _) && value is JsonObject entry
                    && (entry.Text("file") == null || CopyName.Value.IsMatch(entry.Text("copy") ?? "")))
                {
                    entries.Add(entry);
                }
            }
            return entries;
        }

        private void Delete(string folder)
        {
            foreach (var name in Directory.GetFiles(Whole(folder)).Select(Path.GetFileName).Where(IsOurs))
            {
                File.Delete(Whole(folder + "/" + name));
            }
            Directory.Delete(Whole(folder));
        }

        private static bool IsOurs(string name) => name == KeptCopies.JournalName || CopyName.Value.IsMatch(name);

        private bool IsThere(string path) => File.Exists(Whole(path)) || Directory.Exists(Whole(path));

        private string JournalOf(string folder) => Whole(folder + "/" + KeptCopies.JournalName);

        private string Whole(string path) => Path.Combine(_project, path);
    }
}
