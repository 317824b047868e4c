using System;
using System.Collections.Generic;
using System.Linq;
using UnityEditor.TestTools.TestRunner.Api;
using UnityBridge.Framework;
using UnityBridge.Platform;

namespace UnityBridge.Tools
{
    /// <summary>The names of all tests that a run can choose from: what a part of a filter that matches nothing may
    /// stand for.</summary>
    /// <remarks>A name may be written short: a fixture without its namespace, a method without its fixture, or either
    /// with other letters in upper case. It stands for something only if there is one thing that it can stand
    /// for.</remarks>
    internal sealed class TestNames
    {
        public const int NearestShown = 3;

        // Comparing two names takes some microseconds, and this is the main thread: what a project of 50000 tests has
        // is not all compared.
        private const int MostCompared = 20000;

        // The terms of a filter that select what has this full name. The arguments of a fixture stand in the middle of
        // its tests' names, so one method of it may take several terms.
        private readonly Dictionary<string, HashSet<string>> _terms =
            new Dictionary<string, HashSet<string>>();
        private readonly Dictionary<string, SortedSet<string>> _short =
            new Dictionary<string, SortedSet<string>>();
        private readonly Dictionary<string, SortedSet<string>> _anyCase =
            new Dictionary<string, SortedSet<string>>(StringComparer.OrdinalIgnoreCase);
        private readonly List<(string Short, string Full)> _fixtures = new List<(string, string)>();
        private readonly List<(string Short, string Full)> _methods = new List<(string, string)>();
        private readonly SortedSet<string> _categories = new SortedSet<string>(StringComparer.Ordinal);
        private int _compared;

        /// <param name="roots">What the framework listed, one for each mode.</param>
        public TestNames(IEnumerable<ITestAdaptor> roots)
        {
            foreach (var root in roots)
            {
                Add(root);
            }
        }

        /// <summary>The full names that a part may stand for, in order; one if it is clear.</summary>
        public List<string> Meanings(string part)
        {
            if (TestFilter.IsCategory(part, out var category))
            {
                return _categories.Where(known => known.EqualsAnyCase(category))
                    .Select(TestFilter.OfCategory).ToList();
            }
            return _short.TryGetValue(part, out var exact) ? exact.ToList()
                : _anyCase.TryGetValue(part, out var alike) ? alike.ToList() : new List<string>();
        }

        /// <summary>The terms of a filter that select what is called so; <paramref name="fullName"/> is one of <see
        /// cref="Meanings"/>.</summary>
        public IEnumerable<string> TermsOf(string fullName) =>
            _terms.TryGetValue(fullName, out var terms) ? terms : (IEnumerable<string>)new[] { fullName };

        /// <summary>At most three names that are most like a part that stands for nothing, the most alike
        /// first.</summary>
        public List<string> Nearest(string part)
        {
            var names = TestFilter.IsCategory(part, out var category)
                ? _categories.Select(known => (Short: known, Full: TestFilter.OfCategory(known)))
                : _fixtures.Concat(_methods);
            var asked = category ?? part;
            var alike = new List<(int Distance, string Name)>();
            foreach (var name in names)
            {
                if (_compared++ > MostCompared)
                {
                    break;
                }
                var distance = Spelling.Distance(asked, name.Full);
                if (name.Short.Length > 2)
                {
                    distance = Math.Min(distance, Spelling.Distance(asked, name.Short));
                }
                if (distance <= Math.Max(2, Math.Min(asked.Length, name.Short.Length) / 2))
                {
                    alike.Add((distance, name.Full));
                }
            }
            return alike.OrderBy(near => near.Distance).ThenBy(near => near.Name.Length)
                .ThenBy(near => near.Name, StringComparer.Ordinal)
                .Select(near => near.Name).Distinct().Take(NearestShown).ToList();
        }

        private void Add(ITestAdaptor test)
        {
            foreach (var category in test.Categories ?? new string[0])
            {
                _categories.Add(category);
            }
            if (!test.IsSuite)
            {
                Add(TestFilter.WithoutCaseNumber(test.FullName));
            }
            foreach (var child in test.Children ?? new ITestAdaptor[0])
            {
                Add(child);
            }
        }

        // Game.Stack("deep").Splits(2, "a.b"): the fixture Game.Stack("deep"), bare Game.Stack; the method Splits(2,
        // "a.b"), bare Splits.
        private void Add(string test)
        {
            var dot = NameParts.LastDot(test);
            var fixture = dot < 0 ? "" : test.Substring(0, dot);
            var method = test.Substring(dot + 1);
            var bareFixture = NameParts.WithoutArguments(fixture);
            var bareMethod = NameParts.WithoutArguments(method);
            var above = bareFixture.Length == 0 ? "" : bareFixture + ".";
            if (AddMeaning(above + bareMethod, fixture.Length == 0 ? bareMethod : fixture + "." + bareMethod))
            {
                _methods.Add((bareMethod, above + bareMethod));
            }
            MayBeWritten(bareMethod, above + bareMethod);
            if (method != bareMethod)
            {
                AddMeaning(above + method, test);
                MayBeWritten(method, above + method);
                InAnyCase(test, above + method);
            }
            if (bareFixture.Length > 0)
            {
                AddFixture(fixture, bareFixture);
            }
        }

        private void AddFixture(string fixture, string bareFixture)
        {
            InAnyCase(fixture, fixture);
            if (!AddMeaning(bareFixture, bareFixture))
            {
                return;
            }
            var name = bareFixture.Substring(bareFixture.LastIndexOf('.') + 1);
            _fixtures.Add((name, bareFixture));
            MayBeWritten(name, bareFixture);
            for (var end = bareFixture.LastIndexOf('.'); end > 0; end = bareFixture.LastIndexOf('.', end - 1))
            {
                InAnyCase(bareFixture.Substring(0, end), bareFixture.Substring(0, end));
            }
        }

        // Whether the full name is new.
        private bool AddMeaning(string fullName, string term)
        {
            var isNew = !_terms.TryGetValue(fullName, out var terms);
            if (isNew)
            {
                _terms[fullName] = terms = new HashSet<string>();
                InAnyCase(fullName, fullName);
            }
            terms.Add(term);
            return isNew;
        }

        private void MayBeWritten(string name, string fullName)
        {
            Put(_short, name, fullName);
            InAnyCase(name, fullName);
        }

        private void InAnyCase(string name, string fullName) => Put(_anyCase, name, fullName);

        private static void Put(Dictionary<string, SortedSet<string>> meanings, string name, string fullName)
        {
            if (!meanings.TryGetValue(name, out var known))
            {
                meanings[name] = known = new SortedSet<string>(StringComparer.Ordinal);
            }
            known.Add(fullName);
        }
    }
}
