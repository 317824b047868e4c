using System;
using System.Collections.Generic;
using UnityEditor.TestTools.TestRunner.Api;

namespace UnityBridge.TestRuns
{
    /// <summary>
    /// What <c>run_tests</c> means by a filter: a full test name, a namespace or fixture prefix, or category:NAME; several
    /// separated by ';', any may match. Applied by us to the list of tests, so that every version of the test framework
    /// means the same by it.
    /// </summary>
    internal sealed class TestFilter
    {
        private const string CategoryPrefix = "category:";

        private readonly List<string> _names = new List<string>();
        private readonly List<string> _categories = new List<string>();

        public TestFilter(string text)
        {
            foreach (var part in (text ?? "").Split(';'))
            {
                var term = part.Trim();
                if (term.StartsWith(CategoryPrefix, StringComparison.OrdinalIgnoreCase))
                {
                    _categories.Add(term.Substring(CategoryPrefix.Length).Trim());
                }
                else if (term.Length > 0)
                {
                    _names.Add(term);
                }
            }
        }

        /// <summary>No term at all: every test.</summary>
        public bool IsEmpty
        {
            get { return _names.Count == 0 && _categories.Count == 0; }
        }

        /// <summary>The full names of the tests below <paramref name="root"/> that a run with this filter runs.</summary>
        public List<string> Select(ITestAdaptor root)
        {
            var selected = new List<string>();
            Select(root, false, new List<string>(), selected);
            return selected;
        }

        private void Select(ITestAdaptor test, bool underExplicit, List<string> categoriesAbove, List<string> selected)
        {
            var categories = new List<string>(categoriesAbove);
            categories.AddRange(test.Categories ?? new string[0]);
            // An explicit test runs only for who names it, or its fixture, in full.
            var isExplicit = (underExplicit || test.RunState == RunState.Explicit) && !_names.Contains(test.FullName);
            if (!test.IsSuite)
            {
                if (!isExplicit && Matches(test.FullName, categories))
                {
                    selected.Add(test.FullName);
                }
                return;
            }
            foreach (var child in test.Children ?? new ITestAdaptor[0])
            {
                Select(child, isExplicit, categories, selected);
            }
        }

        private bool Matches(string fullName, List<string> categories)
        {
            return IsEmpty
                || _names.Exists(name => IsNameOrPrefix(name, fullName))
                || _categories.Exists(wanted => categories.Contains(wanted));
        }

        // "A.B" stands for A.B itself, A.B.Test, the nested A.B+Inner, A.B("fixture argument") and A.B<T>; not for A.Bc.
        private static bool IsNameOrPrefix(string name, string fullName)
        {
            return fullName.StartsWith(name, StringComparison.Ordinal)
                && (fullName.Length == name.Length || name.EndsWith(".") || ".+(<".IndexOf(fullName[name.Length]) >= 0);
        }
    }
}
