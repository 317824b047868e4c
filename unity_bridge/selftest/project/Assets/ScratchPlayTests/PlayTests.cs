using System.Collections;
using NUnit.Framework;
using UnityEngine;
using UnityEngine.TestTools;

namespace Scratch.PlayTests
{
    public class PlayTests
    {
        [UnityTest]
        public IEnumerator ThePlayerRuns()
        {
            yield return null;
            Assert.IsTrue(Application.isPlaying);
        }
    }
}
