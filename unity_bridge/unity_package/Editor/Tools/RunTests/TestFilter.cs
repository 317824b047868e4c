using System;
using System.Collections.Generic;
using UnityEditor.TestTools.TestRunner.Api;
using UnityBridge.Platform;

namespace UnityBridge.Tools
{
    /// <summary>
    /// What <c>run_tests</c> means by a filter: a full test name, a namespace or fixture prefix, or category:NAME;
    /// several separated by ';', any may match. Applied by us to the list of tests, so that every version of the test
    /// framework means the same by it.
    /// </summary>
    /// <remarks>It remembers which of its parts have selected nothing so far (SPEC §16).</remarks>
    internal sealed class TestFilter
    {
        private const string CategoryPrefix = "category:";

        // What the list of tests adds to the name of a generated case, and a person copies from the Test Runner. The
        // framework's own filters do not know it (TestExtensions.GetFullName, 1.1.31 to 1.4.6).
        private static readonly Pattern CaseNumber = new Pattern(@" GeneratedTestCase\d+(?=\)?$)");

        private readonly HashSet<string> _names = new HashSet<string>();
        private readonly HashSet<string> _categories = new HashSet<string>();
        private readonly HashSet<string> _used = new HashSet<string>();
        private readonly List<string> _parts = new List<string>();
        private readonly bool _hasOpenPrefix;

        /// <param name="text">As the caller wrote it.</param>
        public TestFilter(string text) : this(NameParts.Split(text ?? ""))
        {
        }

        /// <param name="terms">Each a name, a prefix or a category.</param>
        public TestFilter(IEnumerable<string> terms)
        {
            foreach (var part in terms)
            {
                var term = part.Trim();
                if (term.Length == 0)
                {
                    continue;
                }
                _parts.Add(term);
                if (IsCategory(term, out var category))
                {
                    _categories.Add(category);
                }
                else
                {
                    _names.Add(WithoutCaseNumber(term));
                    _hasOpenPrefix |= term.Ends(".");
                }
            }
        }

        /// <summary>The parts as they were written.</summary>
        public IReadOnlyList<string> Parts => _parts;

        /// <summary>Whether a part names a category, and which.</summary>
        public static bool IsCategory(string part, out string category)
        {
            var isOne = part.StartsWith(CategoryPrefix, StringComparison.OrdinalIgnoreCase);
            category = isOne ? part.Substring(CategoryPrefix.Length).Trim() : null;
            return isOne;
        }

        /// <summary>The part that names a category.</summary>
        public static string OfCategory(string category) => CategoryPrefix + category;

        /// <summary>Whether a part has selected a test, of all that <see cref="Select(ITestAdaptor)"/> was
        /// given.</summary>
        public bool HasUsed(string part) =>
            _used.Contains(IsCategory(part, out var category) ? OfCategory(category) : WithoutCaseNumber(part));

        /// <summary>No term at all: every test.</summary>
        public bool IsEmpty => _names.Count == 0 && _categories.Count == 0;

        public static string WithoutCaseNumber(string fullName) => CaseNumber.Value.Replace(fullName, "");

        /// <summary>The tests below <paramref name="root"/> that a run with this filter runs.</summary>
        /// <param name="mayRun">Which tests of them; null for all.</param>
        public TestSelection Select(ITestAdaptor root, Predicate<ITestAdaptor> mayRun = null)
        {
            var selection = new TestSelection();
            var all = Select(root, false, false, new List<string>(), selection, mayRun);
            selection.IsWhole = all && IsEmpty;
            return selection;
        }

        // Answers whether all was selected that a run of this suite, by the name of one above it, would run.
        private bool Select(ITestAdaptor test, bool underExplicit, bool underNamed,
            List<string> categoriesAbove, TestSelection selection, Predicate<ITestAdaptor> mayRun)
        {
            var categories = categoriesAbove;
            if (test.Categories?.Length > 0)
            {
                categories = new List<string>(categoriesAbove);
                categories.AddRange(test.Categories);
            }
            var name = WithoutCaseNumber(test.FullName);
            // An explicit test runs only for who names it, or its fixture, in full.
            var isExplicit = underExplicit || test.RunState == RunState.Explicit;
            var isHidden = isExplicit && !_names.Contains(name);
            if (!test.IsSuite)
            {
                if (!isHidden && (Matches(name, categories) || underNamed))
                {
                    if (mayRun != null && !mayRun(test))
                    {
                        return false;
                    }
                    selection.Add(name);
                    selection.Tests.Add((test, categories));
                    return !isExplicit;
                }
                // A run that names a suite leaves its explicit tests out too.
                return isHidden;
            }
            // The root and an assembly have other names in the framework's filters.
            var isNameable = test.Parent != null && !test.IsTestAssembly;
            // Of a namespace with a [SetUpFixture] the name is no beginning of its tests' names.
            var isNamed = isNameable && _names.Contains(name);
            var before = selection.Mark();
            var countBefore = selection.Count;
            var all = true;
            foreach (var child in test.Children ?? new ITestAdaptor[0])
            {
                all &= Select(child, isHidden, underNamed || isNamed, categories, selection, mayRun);
            }
            if (isNamed && selection.Count > countBefore)
            {
                Uses(name);
            }
            if (isNameable)
            {
                selection.Close(name, before, all);
            }
            // By the name of what is above it an explicit fixture does not run.
            return all && (isHidden || !isExplicit);
        }

        private bool Matches(string fullName, List<string> categories)
        {
            var isNamed = IsNamed(fullName);
            return IsInCategory(categories) || isNamed || IsEmpty;
        }

        private bool IsInCategory(List<string> categories)
        {
            var isIn = false;
            foreach (var category in categories)
            {
                if (_categories.Contains(category))
                {
                    isIn = true;
                    _used.Add(OfCategory(category));
                }
            }
            return isIn;
        }

        // "A.B" stands for A.B itself, A.B.Test, the nested A.B+Inner, A.B("fixture argument") and A.B<T>; not for
        // A.Bc. A filter may have thousands of terms: what is looked up is each place where one may end.
        private bool IsNamed(string fullName)
        {
            if (_names.Count == 0)
            {
                return false;
            }
            var isNamed = Uses(fullName);
            for (var i = 1; i < fullName.Length; i++)
            {
                if (".+(<".IndexOf(fullName[i]) >= 0)
                {
                    isNamed |= Uses(fullName.Substring(0, i));
                    isNamed |= _hasOpenPrefix && Uses(fullName.Substring(0, i + 1));
                }
            }
            return isNamed;
        }

        private bool Uses(string name)
        {
            if (!_names.Contains(name))
            {
                return false;
            }
            _used.Add(name);
            return true;
        }
    }
}
