using System;
using System.Collections.Generic;
using UnityEditor;
using UnityBridge.EditorLife;
using UnityBridge.Json;
using UnityBridge.Wire;

namespace UnityBridge.Tools
{
    /// <summary>Assets by a query of the Project window's search field, in the folder <c>path</c> if one is given.</summary>
    internal sealed class AssetsQuestion : Question
    {
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
                Fault = "There is no folder '" + Quoted.Of(_query.Path) + "'. path is a folder such as Assets/Art; query searches in it.";
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
