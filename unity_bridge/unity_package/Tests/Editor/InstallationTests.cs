using NUnit.Framework;
using UnityBridge.Console;
using UnityBridge.Tools;

namespace UnityBridge.Tests
{
    /// <summary>Checks that need a real Unity: whether its internals are where this package looks for them.</summary>
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
        public void TheTestFrameworkReportsWhetherARunIsActive()
        {
            var framework = new TestFramework();
            Assert.IsNotNull(framework.IsAnyActive());
            framework.Leave(null);
        }
    }
}
