using System;
using System.Collections.Generic;
using System.Linq;
using System.Reflection;
using UnityBridge.Json;
using UnityBridge.Platform;

namespace UnityBridge.Commands
{
    /// <summary>A type, or a public member of one, as find_api lists it.</summary>
    internal sealed class ApiMatch
    {
        private const BindingFlags Declared =
            BindingFlags.Public | BindingFlags.Instance | BindingFlags.Static | BindingFlags.DeclaredOnly;

        private readonly Type _type;
        private readonly MemberInfo _member;
        private string _name;

        /// <param name="member">Null for the type itself.</param>
        public ApiMatch(Type type, MemberInfo member)
        {
            _type = type;
            _member = member;
        }

        public Type Type => _type;

        /// <summary>The short name of the type and the member's.</summary>
        public string Name => _name ??= ApiText.ShortName(_type) + (_member == null ? "" : "." + MemberName);

        public string MemberName => _member == null ? "" : _member is ConstructorInfo ? "new" : _member.Name;

        /// <summary>How like it is to what was asked for, from 0 to 1.</summary>
        public double Likeness { get; private set; }

        /// <summary>The type, and the members that it declares.</summary>
        public static IEnumerable<ApiMatch> In(Type type)
        {
            yield return new ApiMatch(type, null);
            foreach (var member in DeclaredBy(type))
            {
                yield return new ApiMatch(type, member);
            }
        }

        /// <summary>All of its members, its own first, without those that it overrides.</summary>
        public static List<ApiMatch> MembersOf(Type type)
        {
            var members = new List<ApiMatch>();
            var seen = new HashSet<string>();
            for (var at = type; at != null && (at == type || at != typeof(object)); at = at.BaseType)
            {
                var declaring = at;
                members.AddRange(DeclaredBy(at).Where(member => declaring == type || !(member is ConstructorInfo))
                    .Where(member => seen.Add(ApiText.Signature(member)))
                    .Select(member => new ApiMatch(declaring, member)));
            }
            return members;
        }

        /// <summary>Whether each of the words is in its full name, and the last of them in the name of the member, if
        /// it is one.</summary>
        public bool HasAll(string[] words) => words.Length > 0
            && Array.TrueForAll(words, Name.ContainsAnyCase)
            && (_member == null || Array.Exists(
                words, MemberName.ContainsAnyCase));

        /// <summary>The smaller, the better it fits the words that it has.</summary>
        public int Rank(string[] words) => Name.Length - words.Sum(word => word.Length) + (_member == null ? 0 : 1)
            + (Array.Exists(words, word =>
                word.EqualsAnyCase(_member == null ? Name : MemberName)) ? 0 : 100)
            + (Obsolete == null ? 0 : 200);

        public bool Rate(List<string> wanted) =>
            !(_member is ConstructorInfo)
            && (Likeness = ApiWords.Likeness(wanted, ApiWords.Split(Name))) >= ApiWords.Least;

        public bool RateMember(List<string> wanted) =>
            (Likeness = ApiWords.Likeness(wanted, ApiWords.Split(MemberName))) >= ApiWords.LeastOfMember;

        public JsonObject ToJson()
        {
            var json = new JsonObject { { "name",
                ApiText.FullName(_type) + (_member == null ? "" : "." + MemberName) },
                { "kind", ApiText.KindOf(_type, _member) } };
            json["signature"] = _member == null ? ApiText.Declaration(_type) : ApiText.Signature(_member);
            json["assembly"] = _type.Assembly.GetName().Name;
            return WithObsolete(json);
        }

        /// <summary>In the list of a type's members.</summary>
        public JsonObject ToMember(Type of)
        {
            var json = new JsonObject { { "kind", ApiText.KindOf(_type, _member) },
                { "signature", ApiText.Signature(_member) } };
            if (_type != of)
            {
                json["from"] = ApiText.ShortName(_type);
            }
            return WithObsolete(json);
        }

        private JsonObject WithObsolete(JsonObject json)
        {
            json.AddIfAny("obsolete", Obsolete);
            return json;
        }

        private string Obsolete => ApiText.ObsoleteMessage(_member ?? _type);

        private static IEnumerable<MemberInfo> DeclaredBy(Type type)
        {
            MemberInfo[] members;
            try
            {
                members = type.GetMembers(Declared);
            }
            catch (Exception)
            {
                // A type of an assembly that is missing is named in it.
                yield break;
            }
            foreach (var member in members)
            {
                // What the compiler makes of properties, events and operators; nested types are found by themselves.
                if (!(member is Type) && !(member is MethodInfo { IsSpecialName: true })
                    && !(member is FieldInfo { IsSpecialName: true }))
                {
                    yield return member;
                }
            }
        }
    }
}
