using System.Collections;
using NUnit.Framework;
using UnityEditor;
using UnityEngine.TestTools;

namespace Scratch.Tests
{
    public class EditTests
    {
        [Test]
        public void Passes()
        {
            Assert.AreEqual(1, Value.Number);
        }

        [Test]
        [Category("ScratchCategory")]
        public void HasACategory()
        {
            Assert.IsTrue(true);
        }
    }

    public class DelayTests
    {
        [UnityTest]
        public IEnumerator ADelayedCallComes()
        {
            var came = false;
            EditorApplication.delayCall += () => came = true;
            for (var i = 0; i < 2000 && !came; i++) yield return null;
            Assert.IsTrue(came);
        }

        [UnityTest]
        public IEnumerator TakesManyUpdates()
        {
            for (var i = 0; i < 200; i++) yield return null;
        }
    }
}
