using NUnit.Framework;
using UnityBridge.Console;
using UnityBridge.TestRuns;

namespace UnityBridge.Tests
{
    /// <summary>What only the Unity at hand can tell: whether its internals are where this package looks for them.</summary>
    public class InstallationTests
    {
        [Test]
        public void UnitysConsoleCanBeRead()
        {
            var window = ConsoleWindow.Find();
            Assert.IsNotNull(window);
            Assert.IsTrue(window.RowsFrom(0).Count <= window.Count());
        }

        [Test]
        public void AFrameworkThatCancelsAlsoTellsWhetherARunIsActive()
        {
            var framework = new TestFramework();
            Assert.AreEqual(framework.CanCancel, framework.CanTellActive);
        }
    }
}
