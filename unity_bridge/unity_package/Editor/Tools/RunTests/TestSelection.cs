using System.Collections.Generic;
using UnityEditor.TestTools.TestRunner.Api;

namespace UnityBridge.Tools
{
    /// <summary>
    /// The tests of one phase that a run is to run, in as few names as possible: where all tests of a fixture or a
    /// namespace are selected, its name stands for them.
    /// </summary>
    /// <remarks>The framework compares every name with every test and all that is above it. Thousands of names would
    /// freeze the editor for minutes.</remarks>
    internal sealed class TestSelection
    {
        // Of a test no tests; of a suite those that its name stands for.
        private readonly List<(string Name, List<string> Tests)> _terms = new List<(string, List<string>)>();
        private readonly HashSet<string> _partial = new HashSet<string>();

        /// <summary>Every test there is: no names are needed.</summary>
        public bool IsWhole { get; set; }

        /// <summary>How many tests.</summary>
        public int Count { get; private set; }

        /// <summary>Names of tests and of suites; together they select these tests and no others.</summary>
        public List<string> Names()
        {
            var names = new List<string>();
            foreach (var term in _terms)
            {
                // A suite of the same name in another assembly is selected in part only: its name would run the rest of
                // it.
                if (term.Tests == null || !_partial.Contains(term.Name))
                {
                    names.Add(term.Name);
                }
                else
                {
                    names.AddRange(term.Tests);
                }
            }
            return names;
        }

        /// <summary>The selected tests, with the categories of each and of what is above it.</summary>
        public List<(ITestAdaptor Test, List<string> Categories)> Tests { get; } =
            new List<(ITestAdaptor, List<string>)>();

        /// <param name="test">As the framework's filters know it.</param>
        public void Add(string test)
        {
            Count++;
            _terms.Add((test, null));
        }

        /// <summary>Where the tests of a suite begin, for <see cref="Close"/>.</summary>
        public int Mark() => _terms.Count;

        /// <summary>The end of a suite: all that was added since the mark is in it.</summary>
        public void Close(string suite, int mark, bool isAll)
        {
            if (!isAll)
            {
                _partial.Add(suite);
            }
            else if (_terms.Count - mark > 0)
            {
                var tests = new List<string>();
                for (var i = mark; i < _terms.Count; i++)
                {
                    if (_terms[i].Tests == null)
                    {
                        tests.Add(_terms[i].Name);
                    }
                    else
                    {
                        tests.AddRange(_terms[i].Tests);
                    }
                }
                _terms.RemoveRange(mark, _terms.Count - mark);
                _terms.Add((suite, tests));
            }
        }
    }
}
