using System;
using System.Collections.Generic;
using System.Linq;
using UnityEditor;
using UnityBridge.EditorLife;
using UnityBridge.Json;
using UnityBridge.Objects;
using UnityBridge.Wire;

namespace UnityBridge.Tools
{
    /// <summary>Assets by a query of the Project window's search field, in the folder <c>path</c> if one is given.</summary>
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
            if (_query.Path != null && !AssetDatabase.IsValidFolder(_query.Path.TrimEnd('/')))
            {
                Fault = "There is no folder '" + Quoted.Of(_query.Path) + "'. " + FoldersNear(_query.Path.TrimEnd('/'));
                yield break;
            }
            yield return null;
            var guids = _search.Find(_query);
            Total = guids.Length;
            if (guids.Length == 0 && _query.Query?.IndexOfAny(new[] { '*', '.' }) >= 0)
            {
                Hint = "No asset matches. A query has words of a name and t:Type, as in the Project window; no wildcards and no extensions.";
            }
            yield return null;
            for (var i = from == null ? 0 : from[0]; i < guids.Length; i++)
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
            var same = Array.FindAll(folders, folder => string.Equals(folder, path, StringComparison.OrdinalIgnoreCase));
            var shown = same.Length > 0 ? same : folders.Length > MaxNamed ? new ArraySegment<string>(folders, 0, MaxNamed).ToArray() : folders;
            return shown.Length == 0 ? "'" + Quoted.Of(parent) + "' has no folders; query searches in it."
                : "There is '" + Quoted.Of(string.Join("', '", shown)) + (shown.Length < folders.Length && same.Length == 0 ? "', ..." : "'.");
        }

        private static JsonObject Describe(string guid)
        {
            var path = AssetDatabase.GUIDToAssetPath(guid);
            var type = AssetDatabase.GetMainAssetTypeAtPath(path);
            return new JsonObject { { "path", path }, { "type", type == null ? null : TypeNames.Of(type) }, { "guid", guid } };
        }
    }

    /// <summary>The last search, kept for its further pages until the project changes. Main thread.</summary>
    /// <remarks>Unity searches in one call, which cannot be divided; it is made once for all pages.</remarks>
    internal sealed class AssetSearch
    {
        private string _question;
        private string[] _guids;
        private bool _listens;

        public string[] Find(InspectQuery query)
        {
            if (!_listens)
            {
                _listens = true;
                Action forget = () => _question = null;
                DomainEnd.Subscribe(() => EditorApplication.projectChanged += forget, () => EditorApplication.projectChanged -= forget);
            }
            if (_question != query.Question)
            {
                var folders = query.Path == null ? null : new[] { query.Path.TrimEnd('/') };
                _guids = AssetDatabase.FindAssets(query.Query ?? "", folders);
                _question = query.Question;
            }
            return _guids;
        }
    }
}
