using System;
using System.Collections.Generic;
using System.Diagnostics;
using System.Linq;
using System.Threading;
using UnityBridge.Framework;
using UnityBridge.Jobs;
using UnityBridge.Json;
using UnityBridge.Platform;

namespace UnityBridge.Commands
{
    /// <summary>The command <c>find_api</c>: what the loaded assemblies offer, by name (SPEC §16.5).</summary>
    internal static class FindApi
    {
        private const int MostMatches = 200;

        [BridgeCommand("find_api",
            "Finds Unity's and the project's API by name. A type gives its members with whole signatures (and the "
            + "fields for set_fields), Type.member its overloads, other words the types and members that have all of "
            + "them, or the nearest.",
            Write = false, NextToOthers = true)]
        private static IJobRun Run(CancellationToken stop, string query, int limit = 30)
        {
            if (string.IsNullOrWhiteSpace(query) || query.Length > 200 || limit < 1 || limit > MostMatches)
            {
                throw Refuse.Argument("query is a name or some words, of at most 200 characters, and limit 1 to "
                    + MostMatches + ".");
            }
            return new ApiSearch(query.Trim(), limit, stop);
        }

        /// <summary>In the next domain: it only reads, so it begins again.</summary>
        private static IJobRun GoOn(ToolContext context, JsonObject memo) =>
            new ApiSearch(memo.Text("query"), (int)(memo.Integer("limit") ?? 1), CancellationToken.None);
    }

    /// <summary>One search, in steps that share the main thread with the editor.</summary>
    internal sealed class ApiSearch : IJobRun
    {
        private const int BudgetMs = 8;
        private const int MostNear = 10;

        private readonly string _query;
        private readonly int _limit;
        private readonly CancellationToken _stop;
        private readonly IEnumerator<JsonObject> _steps;

        public ApiSearch(string query, int limit, CancellationToken stop)
        {
            _query = query;
            _limit = limit;
            _stop = stop;
            _steps = Search().GetEnumerator();
        }

        public JobEnd Advance()
        {
            var spent = Stopwatch.StartNew();
            do
            {
                _stop.ThrowIfCancellationRequested();
                _steps.MoveNext();
            }
            while (_steps.Current == null && spent.ElapsedMilliseconds < BudgetMs);
            return _steps.Current == null ? null : JobEnd.Value(_steps.Current);
        }

        public JsonObject Memo() => new JsonObject { { "query", _query }, { "limit", (long)_limit } };

        // Every null is a step; the answer is the last.
        private IEnumerable<JsonObject> Search()
        {
            foreach (var assembly in ApiIndex.Unread())
            {
                ApiIndex.Read(assembly);
                yield return null;
            }
            if (_query.Split((char[])null).Length == 1)
            {
                var answer = OfType(ApiIndex.Named(_query)) ?? OfMember();
                if (answer != null)
                {
                    yield return answer;
                    yield break;
                }
            }
            var words = _query.Split(new[] { ' ', '.', '\t', '\n', '(', ')' }, StringSplitOptions.RemoveEmptyEntries);
            var wanted = ApiWords.Split(_query);
            var matches = new List<ApiMatch>();
            var near = new List<ApiMatch>();
            // Another search may add to it meanwhile.
            for (var i = 0; i < ApiIndex.OfUnityAndProject.Count; i++)
            {
                foreach (var match in ApiMatch.In(ApiIndex.OfUnityAndProject[i]))
                {
                    if (match.HasAll(words))
                    {
                        matches.Add(match);
                    }
                    else if (matches.Count == 0 && match.Rate(wanted))
                    {
                        near.Add(match);
                    }
                }
                yield return null;
            }
            yield return matches.Count > 0
                ? Answer(matches.OrderBy(match => match.Rank(words)).ThenBy(match => match.Name, StringComparer.Ordinal)
                    .ToList(), _limit)
                : Nearest(near);
        }

        private JsonObject OfType(List<Type> types)
        {
            if (types.Count == 0)
            {
                return null;
            }
            var answer = Answer(types.ConvertAll(type => new ApiMatch(type, null)), _limit);
            if (types.Count == 1)
            {
                var members = ApiMatch.MembersOf(types[0]);
                answer["members"] = members.Take(_limit).Select(member => member.ToMember(types[0])).ToList();
                answer["total"] = (long)members.Count;
                answer.AddIfAny("fields", ApiFields.NamesOf(types[0]));
            }
            return answer;
        }

        // Type.member; of a type without it, the nearest of its members.
        private JsonObject OfMember()
        {
            var dot = _query.LastIndexOf('.');
            var types = dot <= 0 ? new List<Type>() : ApiIndex.Named(_query.Substring(0, dot));
            var name = _query.Substring(dot + 1);
            if (dot > 0 && types.Count == 0 && NearestTypes(_query.Substring(0, dot)) is { Count: > 0 } nearTypes)
            {
                var named = ApiWords.Split(name);
                var nearMembers = nearTypes.SelectMany(match => ApiMatch.MembersOf(match.Type))
                    .Where(member => member.RateMember(named)).ToList();
                return Nearest(nearMembers.Count > 0 ? nearMembers : nearTypes);
            }
            var all = types.SelectMany(ApiMatch.MembersOf).ToList();
            var exact = all.FindAll(member => member.MemberName == name);
            exact = exact.Count > 0
                ? exact
                : all.FindAll(member => member.MemberName.EqualsAnyCase(name));
            if (exact.Count > 0)
            {
                return Answer(exact, _limit);
            }
            var wanted = ApiWords.Split(name);
            var near = all.FindAll(member => member.RateMember(wanted));
            return near.Count == 0 ? null : Nearest(near);
        }

        // The type is misspelt.
        private static List<ApiMatch> NearestTypes(string name)
        {
            var wanted = ApiWords.Split(name);
            return ApiIndex.OfUnityAndProject.Select(type => new ApiMatch(type, null))
                .Where(match => match.Rate(wanted)).ToList();
        }

        private JsonObject Nearest(List<ApiMatch> near)
        {
            var best = near.OrderByDescending(match => match.Likeness).ThenBy(match => match.Name.Length)
                .ThenBy(match => match.Name, StringComparer.Ordinal).ToList();
            var answer = Answer(best, Math.Min(_limit, MostNear));
            answer["total"] = 0L;
            answer["nearest"] = true;
            return answer;
        }

        private static JsonObject Answer(List<ApiMatch> matches, int limit) => new JsonObject
        {
            { "matches", matches.Take(limit).Select(match => match.ToJson()).ToList() },
            { "total", (long)matches.Count },
        };
    }
}
