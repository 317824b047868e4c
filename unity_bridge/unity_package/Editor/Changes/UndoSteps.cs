using System;
using System.Collections.Generic;
using System.Linq;
using System.Reflection;
using UnityEditor;
using UnityBridge.Jobs;
using UnityBridge.Json;
using UnityBridge.Platform;

namespace UnityBridge.Changes
{
    /// <summary>
    /// Whose the steps on Unity's Undo stack are. The name of each step of ours has a number that no other step has,
    /// and SessionState has the client, so
    /// the newest step is recognised before anything is undone, also after a reload. A step that is not noted here is a
    /// person's, a package's or the
    /// selection's. Main thread.
    /// </summary>
    internal static class UndoSteps
    {
        private const string NumberKey = "UnityBridge.undo_number";
        private const string NotesKey = "UnityBridge.undo_steps";
        private const int MostNotes = 200;
        private const int MostNameChars = 100;

        // As the Undo History window reads it. Internal: two parameters up to 2022.3, a third that is optional since
        // (Undo.bindings.cs, 2021.3 to 6000.7).
        private static readonly MethodInfo UndoList = typeof(Undo)
            .GetMethods(Members.Any)
            .FirstOrDefault(method => method.Name == "GetUndoList" && method.GetParameters() is { Length: 2 or 3 });

        /// <summary>The name of a new step.</summary>
        public static string NewName(string name)
        {
            var number = SessionState.GetInt(NumberKey, 0) + 1;
            SessionState.SetInt(NumberKey, number);
            return Line(name) + " (bridge " + number + ")";
        }

        /// <summary>The step belongs to the client whose job runs.</summary>
        /// <param name="isWhole">Undo takes all of it back, files too.</param>
        public static void Note(string name, bool isWhole)
        {
            var request = JobQueue.Current?.Request;
            var note = string.Join("\t", name, ClientOf(request), Line(request?.ClientName), Clock.UtcMs, isWhole);
            var notes = Notes();
            notes.Add(note);
            SessionState.SetString(NotesKey, string.Join("\n", notes.Skip(notes.Count - MostNotes)));
        }

        /// <summary>Runs something that Unity records by itself, as a step of its own.</summary>
        public static void Make(string name, Action change)
        {
            name = NewName(name);
            Undo.IncrementCurrentGroup();
            change();
            Undo.SetCurrentGroupName(name);
            Undo.IncrementCurrentGroup();
            Note(name, true);
        }

        /// <summary>The names of the steps that can be undone, the newest last; null where this Unity's stack cannot be
        /// read.</summary>
        public static List<string> Stack()
        {
            var names = new List<string>();
            var arguments = new object[] { names, 0, false }.Take(UndoList?.GetParameters().Length ?? 0).ToArray();
            UndoList?.Invoke(null, arguments);
            return UndoList != null && arguments[1] is int cursor && cursor <= names.Count ? names.GetRange(0, cursor)
                : null;
        }

        /// <summary>Null for a step that no call has made in this session of the editor.</summary>
        public static UndoStep Find(string name)
        {
            var words = Notes().Select(note => note.Split('\t')).LastOrDefault(note => note[0] == name);
            return words == null ? null : new UndoStep(words, ClientOf(JobQueue.Current?.Request));
        }

        private static List<string> Notes() => SessionState.GetString(NotesKey, "").Split(new[] { '\n' },
            StringSplitOptions.RemoveEmptyEntries).ToList();

        // Each command of the shell has an id of its own, and all of them are one client here.
        private static string ClientOf(JobRequest request) =>
            request?.ClientName is { } name && (name == "unity-bridge"
                || name.Begins("unity-bridge ")) ? "shell" : request?.Client;

        private static string Line(string text) => string.Concat((text ?? "").Take(MostNameChars)
            .Select(letter => char.IsControl(letter) ? ' ' : letter));
    }

    /// <summary>A step that a call has made.</summary>
    internal sealed class UndoStep
    {
        private readonly string _clientName;
        private readonly long _madeUtcMs;

        public UndoStep(string[] note, string client)
        {
            IsOfThisClient = note[1] == (client ?? "");
            _clientName = note[2];
            _madeUtcMs = long.Parse(note[3]);
            IsWhole = note[4] == bool.TrueString;
        }

        public bool IsOfThisClient { get; }

        public bool IsWhole { get; }

        public JsonObject HeldBy => new JsonObject
        {
            { "client", _clientName }, { "tool", "run_command" }, { "since_ms", Math.Max(0, Clock.UtcMs - _madeUtcMs) },
        };
    }
}
