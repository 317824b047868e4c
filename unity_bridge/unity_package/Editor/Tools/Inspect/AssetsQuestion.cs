using System;
using System.Collections.Generic;
using System.Linq;
using UnityEditor;
using UnityBridge.EditorLife;
using UnityBridge.Json;
using UnityBridge.Objects;
using UnityBridge.Platform;
using UnityBridge.Wire;

namespace UnityBridge.Tools
{
    /// <summary>Assets by a query of the Project window's search field, in the folder <c>path</c> if one is
    /// given.</summary>
    internal sealed class AssetsQuestion : Question
    {
        private const int MaxNamed = 5;

        private readonly InspectQuery _query;
        private readonly AssetSearch _search;

        public AssetsQuestion(InspectQuery query, AssetSearch search)
        {
            _query = query;
            _search = search;
        }

        public override IEnumerable<Found> Walk(int[] from)
        {
            var search = new AssetQuery(_query.Path, _query.Query);
            Fault = search.Fault ?? (search.Folder != null && !AssetDatabase.IsValidFolder(search.Folder)
                ? "There is no folder '" + Quoted.Text(_query.Path) + "'. " + FoldersNear(search.Folder) : null);
            if (Fault != null)
            {
                yield break;
            }
            yield return null;
            var guids = _search.Find(_query, search);
            Total = guids.Length;
            Hint = guids.Length > 0 || search.Text.Length == 0 ? null : "No asset matches. " + AssetQuery.Form;
            yield return null;
            for (var i = from[0]; i < guids.Length; i++)
            {
                yield return new Found(Describe(guids[i]), guids[i], i);
            }
        }

        // Those in the nearest folder that there is; if only the letter case is wrong, that one alone.
        private static string FoldersNear(string path)
        {
            var parent = path;
            do
            {
                parent = parent.LastIndexOf('/') is > 0 and var end ? parent.Substring(0, end) : "Assets";
            }
            while (parent != "Assets" && !AssetDatabase.IsValidFolder(parent));
            var folders = AssetDatabase.GetSubFolders(parent);
            var same = Array.FindAll(
                folders, folder => folder.EqualsAnyCase(path));
            var shown = same.Length > 0 ? same : folders.Take(MaxNamed).ToArray();
            return shown.Length == 0 ? "'" + Quoted.Text(parent) + "' has no folders; query searches in it."
                : "There is '" + Quoted.Text(string.Join("', '", shown))
                + (shown.Length < folders.Length && same.Length == 0 ? "', ..." : "'.");
        }

        private static JsonObject Describe(string guid)
        {
            var path = AssetDatabase.GUIDToAssetPath(guid);
            var type = AssetDatabase.GetMainAssetTypeAtPath(path);
            return new JsonObject { { "path", path }, { "type", type == null ? null : TypeNames.NameOf(type) },
                { "guid", guid } };
        }
    }

    /// <summary>A search of the Project window, as it was meant: a query that stands in the place of the folder, and
    /// <c>t=Material</c>.</summary>
    internal sealed class AssetQuery
    {
        /// <summary>What a query may be.</summary>
        public const string Form =
            "A query has words of a name and t:Type, as in the Project window; no wildcards and no extensions.";

        // Unity's own (SearchUtility.ParseSearchString, 2021.3 to 6000.7).
        private static readonly string[] Prefixes = "t l v s a b ref glob".Split(' ');

        public AssetQuery(string path, string query)
        {
            var isQuery = query == null && path != null && PrefixOf(path) is { } prefix
                && Array.IndexOf(Prefixes, prefix) >= 0;
            Folder = isQuery ? null : path?.TrimEnd('/');
            var words = (isQuery ? path : query ?? "").Split(' ');
            Text = string.Join(" ", words.Select(Written));
            var unknown = words.Select(PrefixOf)
                .FirstOrDefault(prefix => prefix != null && Array.IndexOf(Prefixes, prefix) < 0);
            Fault = unknown == null ? null : "Unity's search for assets has no " + Quoted.Text(unknown) + ":. " + Form;
        }

        /// <summary>As Unity takes it; "" for all.</summary>
        public string Text { get; }

        /// <summary>Null for the whole project.</summary>
        public string Folder { get; }

        /// <summary>What is wrong with it, or null.</summary>
        public string Fault { get; }

        private static string Written(string word) =>
            PrefixOf(word) is { } prefix && word[prefix.Length] == '=' ? prefix + ":"
                + word.Substring(prefix.Length + 1) : word;

        private static string PrefixOf(string word)
        {
            var end = word.IndexOf(':');
            end = end < 0 && word.Begins("t=") ? 1 : end;
            return end > 0 && word.Take(end).All(char.IsLetter) ? word.Substring(0, end) : null;
        }
    }

    /// <summary>The last search, kept for its further pages until the project changes. Main thread.</summary>
    /// <remarks>Unity searches in one call, which cannot be divided; it is made once for all pages.</remarks>
    internal sealed class AssetSearch
    {
        private string _question;
        private string[] _guids;
        private bool _listens;

        public string[] Find(InspectQuery query, AssetQuery search)
        {
            if (!_listens)
            {
                _listens = true;
                EditorEvents.OnProject(() => _question = null);
            }
            if (_question != query.Question)
            {
                _guids = AssetDatabase.FindAssets(search.Text, search.Folder == null ? null : new[] { search.Folder });
                _question = query.Question;
            }
            return _guids;
        }
    }
}
