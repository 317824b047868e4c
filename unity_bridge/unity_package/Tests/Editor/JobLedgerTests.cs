using System;
using System.IO;
using NUnit.Framework;
using UnityBridge.Jobs;
using UnityBridge.Json;

namespace UnityBridge.Tests
{
    public class JobLedgerTests
    {
        [Test]
        public void AnEndIsSetOnce()
        {
            using var project = new Project();
            var ledger = project.Ledger();
            var job = Accept(ledger, "a");
            Assert.IsTrue(ledger.End(job, JobEnd.Succeeded(null)));
            Assert.IsFalse(ledger.End(job, JobEnd.Stopped(JobState.Cancelled)));
            Assert.AreEqual(JobState.Succeeded, ledger.Status("a").Text("state"));
        }

        [Test]
        public void OnlyEndedJobsAreForgotten()
        {
            using var project = new Project();
            var ledger = project.Ledger();
            Accept(ledger, "open");
            for (var i = 0; i < 100; i++)
            {
                ledger.End(Accept(ledger, "job " + i), JobEnd.Succeeded(null));
            }
            Assert.IsNotNull(ledger.Status("open"));
            Assert.IsNotNull(ledger.Status("job 99"));
            Assert.IsNull(ledger.Status("job 0"));
        }

        [Test]
        public void ALineThatWasCutOffTakesNothingElseWithIt()
        {
            using var project = new Project();
            var ledger = project.Ledger();
            Accept(ledger, "a");
            File.AppendAllText(project.File, "{\"revision\":9,\"requ");
            var next = project.Ledger();
            next.Load();
            Assert.AreEqual(1, next.Listed().Count);
            Accept(next, "b");
            var afterIt = project.Ledger();
            afterIt.Load();
            Assert.AreEqual(2, afterIt.Listed().Count);
            Assert.IsNotNull(afterIt.Status("b"));
        }

        [Test]
        public void AJobCostsTheSameHoweverManyThereAre()
        {
            using var project = new Project();
            var ledger = project.Ledger();
            for (var i = 0; i < 200; i++)
            {
                Accept(ledger, "job " + i);
            }
            var before = new FileInfo(project.File).Length;
            Accept(ledger, "one more");
            Assert.IsTrue(new FileInfo(project.File).Length - before < 1000);
        }

        private static Job Accept(JobLedger ledger, string id)
        {
            var job = New(id);
            ledger.Accept(job);
            return job;
        }

        private static Job New(string id) => new Job(
            JobRequest.Read("request of " + id, new JsonObject { { "job_id", id }, { "tool_name", "run_tests" } },
                false, out _, out _), 0);

        private sealed class Project : IDisposable, IJobConsole
        {
            private readonly string _folder =
                Path.Combine(Path.GetTempPath(), "unity-bridge-" + Guid.NewGuid().ToString("N"));

            public string File => Path.Combine(_folder, "Library", "UnityBridge", "jobs.jsonl");

            long IJobConsole.NewestSeq => 0;

            public JobLedger Ledger() => new JobLedger(_folder, "editor", this, () => null);

            JsonObject IJobConsole.Summary(long afterSeq) => new JsonObject();

            public void Dispose() => Directory.Delete(_folder, true);
        }
    }
}
