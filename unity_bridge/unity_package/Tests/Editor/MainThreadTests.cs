using System;
using System.Threading;
using NUnit.Framework;
using UnityBridge.EditorLife;

namespace UnityBridge.Tests
{
    public class MainThreadTests
    {
        [Test]
        public void AStepRunsOnceInEveryUpdateUntilItIsDone()
        {
            var mainThread = new MainThread();
            var runs = 0;
            mainThread.EachUpdate(() => ++runs == 3);
            Assert.AreEqual(0, runs);
            for (var update = 1; update <= 5; update++)
            {
                mainThread.RunPosted();
                Assert.AreEqual(Math.Min(update, 3), runs);
            }
        }

        [Test]
        public void StepsThatUseUpTheBudgetTakeTurns()
        {
            var mainThread = new MainThread();
            var order = "";
            Func<string, Func<bool>> spender = name => () =>
            {
                order += name;
                SpendTheBudget(mainThread);
                return false;
            };
            mainThread.EachUpdate(spender("a"));
            mainThread.EachUpdate(spender("b"));
            for (var update = 0; update < 4; update++)
            {
                mainThread.RunPosted();
            }
            Assert.AreEqual("abab", order);
        }

        [Test]
        public void PostedWorkGoesFirstAndKeepsNoStepFromGoingOn()
        {
            var mainThread = new MainThread();
            var order = "";
            mainThread.EachUpdate(() =>
            {
                order += "s";
                return false;
            });
            for (var update = 0; update < 2; update++)
            {
                mainThread.Post(() =>
                {
                    order += "p";
                    SpendTheBudget(mainThread);
                });
                mainThread.RunPosted();
            }
            Assert.AreEqual("psps", order);
        }

        [Test]
        public void AStepMayAskForAnother()
        {
            var mainThread = new MainThread();
            var runs = 0;
            mainThread.EachUpdate(() =>
            {
                mainThread.EachUpdate(() => ++runs == 1);
                return true;
            });
            mainThread.RunPosted();
            Assert.AreEqual(0, runs);
            mainThread.RunPosted();
            mainThread.RunPosted();
            Assert.AreEqual(1, runs);
        }

        [Test]
        public void TheBudgetIsNewInEveryUpdate()
        {
            var mainThread = new MainThread();
            SpendTheBudget(mainThread);
            var wasSpent = true;
            mainThread.EachUpdate(() =>
            {
                wasSpent = mainThread.IsBudgetSpent;
                return true;
            });
            mainThread.RunPosted();
            Assert.IsFalse(wasSpent);
        }

        private static void SpendTheBudget(MainThread mainThread)
        {
            while (!mainThread.IsBudgetSpent)
            {
                Thread.Yield();
            }
        }
    }
}
