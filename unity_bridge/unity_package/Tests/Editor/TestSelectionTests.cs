using System.Collections.Generic;
using System.Text.RegularExpressions;
using NUnit.Framework;
using UnityBridge.Tools;

namespace UnityBridge.Tests
{
    public class TestSelectionTests
    {
        [Test]
        public void ASuiteStandsForItsTestsOnlyWhereAllAreSelected()
        {
            var selection = new TestSelection();
            var fixture = selection.Mark();
            selection.Add("A.B.One");
            selection.Add("A.B.Two");
            selection.Close("A.B", fixture, true);
            selection.Add("A.C.One");
            selection.Close("A.C", fixture + 1, false);
            selection.Close("A", fixture, false);
            Assert.AreEqual(new List<string> { "A.B", "A.C.One" }, selection.Names());
            Assert.AreEqual(3, selection.Count);
        }

        [Test]
        public void ASuiteOfTheSameNameThatIsSelectedInPartIsNotRunWhole()
        {
            var selection = new TestSelection();
            selection.Add("A.B.One");
            selection.Close("A.B", 0, true);
            var second = selection.Mark();
            selection.Add("A.B.Two");
            selection.Close("A.B", second, false);
            Assert.AreEqual(new List<string> { "A.B.One", "A.B.Two" }, selection.Names());
        }

        [Test]
        public void AnExpressionMatchesItsNamesAndNothingElse()
        {
            var names = new List<string> { "A", "A.B", "A.B(1)", "A.B(\"x|y\")", "A.Bc", "Q+Z.T", "A.B[0]{2}^$" };
            var expression = new Regex(NameExpression.FromNames(names));
            names.ForEach(name => Assert.IsTrue(expression.IsMatch(name)));
            foreach (var other in new[] { "", "A.", "A.BB", "B", "A.B(1)x", "xA", "A.B(2)", "Q+Z" })
            {
                Assert.IsFalse(expression.IsMatch(other));
            }
        }
    }
}
