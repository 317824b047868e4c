using System;
using System.Collections.Generic;
using System.Text.RegularExpressions;
using UnityEditor.TestTools.TestRunner.Api;

namespace UnityBridge.Tools
{
    /// <summary>
    /// What <c>run_tests</c> means by a filter: a full test name, a namespace or fixture prefix, or category:NAME; several
    /// separated by ';', any may match. Applied by us to the list of tests, so that every version of the test framework
    /// means the same by it.
    /// </summary>
    internal sealed class TestFilter
    {
        private const string CategoryPrefix = "category:";

        // What the list of tests adds to the name of a generated case, and a person copies from the Test Runner. The framework's
        // own filters do not know it (TestExtensions.GetFullName, 1.1.31 to 1.4.6).
        private static readonly Lazy<Regex> CaseNumber = new Lazy<Regex>(() => new Regex(@" GeneratedTestCase\d+(?=\)?$)", RegexOptions.CultureInvariant));

        private readonly HashSet<string> _names = new HashSet<string>(StringComparer.Ordinal);
        private readonly HashSet<string> _categories = new HashSet<string>(StringComparer.Ordinal);
        private readonly bool _hasOpenPrefix;

        /// <param name="text">As the caller wrote it.</param>
        public TestFilter(string text) : this((text ?? "").Split(';'))
        {
        }

        /// <param name="terms">Each a name, a prefix or a category.</param>
        public TestFilter(IEnumerable<string> terms)
        {
            foreach (var part in terms)
            {
                var term = part.Trim();
                if (term.StartsWith(CategoryPrefix, StringComparison.OrdinalIgnoreCase))
                {
                    _categories.Add(term.Substring(CategoryPrefix.Length).Trim());
                }
                else if (term.Length > 0)
                {
                    _names.Add(WithoutCaseNumber(term));
                    _hasOpenPrefix |= term.EndsWith(".", StringComparison.Ordinal);
                }
            }
        }

        /// <summary>No term at all: every test.</summary>
        public bool IsEmpty => _names.Count == 0 && _categories.Count == 0;

        public static string WithoutCaseNumber(string fullName) => CaseNumber.Value.Replace(fullName, "");

        /// <summary>The tests below <paramref name="root"/> that a run with this filter runs.</summary>
        public TestSelection Select(ITestAdaptor root)
        {
            var selection = new TestSelection();
            var all = Select(root, false, new List<string>(), selection);
            selection.IsWhole = all && IsEmpty;
            return selection;
        }

        // Answers whether all was selected that a run of this suite, by its name, would run.
        private bool Select(ITestAdaptor test, bool underExplicit, List<string> categoriesAbove, TestSelection selection)
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
                if (!isHidden && Matches(name, categories))
                {
                    selection.Add(name);
                    return !isExplicit;
                }
                // A run that names a suite leaves its explicit tests out too.
                return isHidden;
            }
            var before = selection.Mark();
            var all = true;
            foreach (var child in test.Children ?? new ITestAdaptor[0])
            {
                all &= Select(child, isHidden, categories, selection);
            }
            // The root and an assembly have other names in the framework's filters.
            if (test.Parent != null && !test.IsTestAssembly)
            {
                selection.Close(name, before, all);
            }
            return all;
        }

        private bool Matches(string fullName, List<string> categories) =>
            IsEmpty || IsNamed(fullName) || (_categories.Count > 0 && categories.Exists(_categories.Contains));

        // "A.B" stands for A.B itself, A.B.Test, the nested A.B+Inner, A.B("fixture argument") and A.B<T>; not for A.Bc.
        // A filter may have thousands of terms: what is looked up is each place where one may end.
        private bool IsNamed(string fullName)
        {
            if (_names.Contains(fullName))
            {
                return true;
            }
            for (var i = 1; i < fullName.Length; i++)
            {
                if (".+(<".IndexOf(fullName[i]) >= 0
                    && (_names.Contains(fullName.Substring(0, i)) || (_hasOpenPrefix && _names.Contains(fullName.Substring(0, i + 1)))))
                {
                    return true;
                }
            }
            return false;
        }
    }
}
