using System;
using System.Collections.Generic;
using System.Globalization;
using System.Linq;
using System.Threading;
using UnityEditor;
using UnityBridge.EditorLife;
using UnityBridge.Framework;
using UnityBridge.Jobs;
using UnityBridge.Json;
using UnityBridge.Objects;
using UnityBridge.Wire;
using Object = UnityEngine.Object;

namespace UnityBridge.Commands
{
    internal enum SearchedIn
    {
        open,
        project,
    }

    /// <summary>Who refers to what, and which references are missing (SPEC §16.8). Reads only.</summary>
    internal static class ReferenceCommands
    {
        [BridgeCommand("find_references", "Which objects of the open scenes refer to an object or asset (in: open), "
            + "or which files to an asset (in: project). path may be tag:Name or layer:Name "
            + "too.", Write = false, NextToOthers = true)]
        private static IJobRun References(ToolContext context, CommandCall call, CancellationToken stop,
            IProgress<float> progress, string path, SearchedIn @in = SearchedIn.open,
            int limit = 100, string cursor = null) => new ReferenceSearch(context, call, stop, progress, path, @in,
            limit, cursor);

        [BridgeCommand("find_missing", "Missing scripts and references of the open scenes (in: open), or of the "
            + "project's files.",
            Write = false, NextToOthers = true)]
        private static IJobRun Missing(ToolContext context, CommandCall call, CancellationToken stop,
            IProgress<float> progress, SearchedIn @in = SearchedIn.open, int limit = 100,
            string cursor = null) => new ReferenceSearch(context, call, stop, progress, null, @in, limit, cursor);

        /// <summary>In the next domain: it only reads, so it begins again.</summary>
        private static IJobRun GoOn(ToolContext context, JsonObject memo) =>
            new ReferenceSearch(context, new CommandCall(), CancellationToken.None, null, memo.Text("path"),
            memo.Text("in") == "open" ? SearchedIn.open : SearchedIn.project, (int)(memo.Integer("limit") ?? 1),
            memo.Text("cursor"));
    }

    /// <summary>One search, in steps that share the main thread with the editor. Its rows are kept for its further
    /// pages.</summary>
    internal sealed class ReferenceSearch : IJobRun
    {
        private const int MostOnPage = 1000;
        private const int MostRows = 20000;

        private static string _keptQuestion;
        private static JsonObject _kept;
        private static List<JsonObject> _keptRows;

        private readonly ToolContext _context;
        private readonly CommandCall _call;
        private readonly CancellationToken _stop;
        private readonly IProgress<float> _progress;
        private readonly string _path;
        private readonly SearchedIn _in;
        private readonly int _limit;
        private readonly string _cursor;
        private readonly int _first;
        private readonly List<JsonObject> _rows = new List<JsonObject>();
        private readonly List<string> _sources = new List<string>();
        private readonly List<string> _remarks = new List<string>();
        private readonly IEnumerator<bool> _steps;
        private bool _isComplete = true;

        /// <param name="path">What is referred to; null for references that are missing.</param>
        public ReferenceSearch(ToolContext context, CommandCall call, CancellationToken stop,
            IProgress<float> progress, string path, SearchedIn @in, int limit, string cursor)
        {
            if (limit < 1 || limit > MostOnPage)
            {
                throw Refuse.Argument("limit is a whole number from 1 to " + MostOnPage + ".");
            }
            if (cursor != null && !int.TryParse(cursor, NumberStyles.None, CultureInfo.InvariantCulture, out _first))
            {
                throw Refuse.Argument("cursor is the next_cursor of an earlier answer, unchanged.");
            }
            (_context, _call, _stop, _progress, _path, _in, _limit, _cursor) = (context, call, stop, progress, path,
                @in, limit, cursor);
            var isKept = cursor != null && _keptQuestion == Question;
            _steps = (isKept ? Enumerable.Empty<bool>() : @in == SearchedIn.open ? SearchOpen()
                : SearchFiles()).GetEnumerator();
            if (!isKept)
            {
                _keptQuestion = null;
            }
        }

        private string Question => _path + "\n" + _in;

        public JobEnd Advance()
        {
            try
            {
                do
                {
                    _stop.ThrowIfCancellationRequested();
                    if (!_steps.MoveNext())
                    {
                        return JobEnd.Value(Page());
                    }
                }
                while (!_context.MainThread.IsBudgetSpent && !_steps.Current);
                return null;
            }
            catch (Exception)
            {
                _steps.Dispose();
                throw;
            }
        }

        public JsonObject Memo() => new JsonObject { { "path", _path }, { "in", _in.ToString() },
            { "limit", (long)_limit }, { "cursor", _cursor } };

        private JsonObject Page()
        {
            if (_keptQuestion == null)
            {
                (_keptQuestion, _keptRows) = (Question, _rows);
                _kept = new JsonObject { { "total", _rows.Count }, { "sources", _sources },
                    { "complete", _isComplete && _rows.Count < MostRows } };
                if (_remarks.Count > 0)
                {
                    _kept["remarks"] = _remarks;
                }
            }
            var page = new JsonObject { { "items", _keptRows.Skip(_first).Take(_limit).ToList() } };
            foreach (var member in _kept)
            {
                page[member.Key] = member.Value;
            }
            if (_first + _limit < _keptRows.Count)
            {
                page["next_cursor"] = (_first + _limit).ToString();
            }
            return page;
        }

        private void Add(string path, string component, string field)
        {
            var row = new JsonObject { { "path", path } };
            row.AddIfAny("component", component);
            row.AddIfAny("field", field);
            if (_rows.Count < MostRows)
            {
                _rows.Add(row);
            }
        }

        // True ends the update.
        private IEnumerable<bool> SearchOpen()
        {
            var target = _path == null ? null : ReferenceTarget.Find(_call, _path);
            var scenes = OpenScenes.All().FindAll(open => open.Scene.isLoaded);
            _sources.Add("the components of objects in " + string.Join(", ", scenes.Select(open => open.Path))
                + ", as they are in the editor");
            if (scenes.Count(open => open.Kind == "scene") > 1)
            {
                _isComplete = false;
                _remarks.Add("Of scenes that are not active the lighting settings were not searched.");
            }
            foreach (var owner in OpenObjects.Walk(scenes, _progress))
            {
                if (owner == null)
                {
                    yield return false;
                    continue;
                }
                if (target == null ? OpenObjects.IsPrefabMissing(owner) : target.IsInstance(owner))
                {
                    Add(ObjectPath.PathOf(owner.transform), null, "prefab");
                }
                if (target?.Marks(owner) is { } mark)
                {
                    Add(ObjectPath.PathOf(owner.transform), null, mark);
                }
                foreach (var part in ObjectPart.PartsOf(owner))
                {
                    if (part.Target == null && target == null && owner != null)
                    {
                        Add(ObjectPath.PathOf(owner.transform), TypeNames.MissingScript, null);
                    }
                    foreach (var _ in Fields(part.Target, target, () => ObjectPath.PathOf(owner.transform), part.Name))
                    {
                        yield return false;
                    }
                }
            }
            if (UnityEditor.SceneManagement.PrefabStageUtility.GetCurrentPrefabStage() == null)
            {
                foreach (var _ in Fields(Unsupported.GetRenderSettings(), target, () => "RenderSettings", null))
                {
                    yield return false;
                }
            }
        }

        private IEnumerable<bool> Fields(Object part, ReferenceTarget target, Func<string> path, string component)
        {
            foreach (var field in OpenObjects.References(part))
            {
                if (field != null && (target == null ? FieldValue.IsMissing(field)
                    : target.Is(field.objectReferenceValue)))
                {
                    Add(path(), component, ObjectPart.FromUnity(field.propertyPath));
                }
                yield return false;
            }
        }

        private IEnumerable<bool> SearchFiles()
        {
            var target = _path == null ? null : ReferenceTarget.Find(_call, _path);
            if (target is { Guid: "" })
            {
                throw Refuse.Argument(Quoted.Text(_path) + " is an object of a scene, and no other file can refer to "
                    + "it. in: open searches the open scenes.");
            }
            using var search = new FileSearch(AssetDatabase.GetAllAssetPaths(), target,
                CancellationTokenSource.CreateLinkedTokenSource(_stop, DomainEnd.Token).Token);
            while (!search.IsDone)
            {
                _progress?.Report(search.Progress);
                yield return true;
            }
            search.Finish();
            var isThere = new Dictionary<string, bool>();
            foreach (var hit in search.Hits)
            {
                if (target == null && !isThere.ContainsKey(hit.Value))
                {
                    // Unity answers the old path of an asset that was deleted in this session.
                    var file = AssetDatabase.GUIDToAssetPath(hit.Value);
                    isThere[hit.Value] = AssetDatabase.GetMainAssetTypeAtPath(file) != null;
                    yield return false;
                }
                if (target == null ? !isThere[hit.Value] : hit.File != target.File)
                {
                    Add(hit.File, null, hit.Key);
                }
            }
            Describe(search, target);
        }

        private void Describe(FileSearch search, ReferenceTarget target)
        {
            _isComplete = false;
            _sources.Add("the text of " + search.Searched + " files of Assets, ProjectSettings and the project's "
                + "own packages, as saved");
            _remarks.Add(target == null ? "Open a scene or prefab and search with in: open for the object's path."
                : "What code loads by name (Resources, Addressables) is not found. Open a scene or prefab and "
                + "search with in: open for the object's path.");
            if (search.Binary.Count > 0)
            {
                _remarks.Add(search.Binary.Count + " files are binary and were not searched: "
                    + Cut.Names(search.Binary) + ".");
            }
            if (UnsavedWork.Find().Concat(UnsavedWork.FindAssets()).ToList() is { Count: > 0 } unsaved)
            {
                _remarks.Add("Unsaved changes were not searched: " + Cut.Names(unsaved) + ".");
            }
        }
    }
}
