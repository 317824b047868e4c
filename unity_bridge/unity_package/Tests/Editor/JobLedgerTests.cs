using System;
using System.Collections.Generic;
using System.IO;
using NUnit.Framework;
using UnityBridge.Jobs;
using UnityBridge.Json;
using UnityBridge.Wire;

namespace UnityBridge.Tests
{
    public class JobLedgerTests
    {
        [Test]
        public void AnEndIsSetOnce()
        {
            using var project = new Project();
            var ledger = project.Ledger("editor");
            var job = Accept(ledger, "a");
            Assert.IsTrue(ledger.End(job, Failed()));
            Assert.IsFalse(ledger.End(job, JobEnd.Succeeded(null)));
            Assert.AreEqual(JobState.Failed, ledger.Status("a").Text("state"));
        }

        [Test]
        public void ACancelAnswersByWhereTheJobStands()
        {
            using var project = new Project();
            var ledger = project.Ledger("editor");
            ledger.Start(Accept(ledger, "running"));
            Accept(ledger, "queued");
            Assert.AreEqual("cancel_requested", ledger.Cancel("running", null));
            Assert.AreEqual("cancelled", ledger.Cancel("queued", null));
            Assert.AreEqual("rejected", ledger.Cancel("queued", null));
            Assert.AreEqual("rejected", ledger.Cancel(null, "request of queued"));
            Assert.IsNull(ledger.Cancel("nobody", null));
        }

        [Test]
        public void JobsThatRunAndJobsThatWaitAreApartAndInOrder()
        {
            using var project = new Project();
            var ledger = project.Ledger("editor");
            var first = Accept(ledger, "first");
            var second = Accept(ledger, "second");
            Assert.AreEqual("first", ledger.Next().JobId);
            Assert.AreEqual(0, ledger.Running().Count);
            ledger.Start(second);
            Assert.AreEqual("first", ledger.Next().JobId);
            Assert.AreEqual("second", ledger.Running()[0].JobId);
            ledger.End(second, JobEnd.Succeeded(null));
            ledger.End(first, JobEnd.Succeeded(null));
            Assert.IsNull(ledger.Next());
            Assert.AreEqual(0, ledger.Running().Count);
        }

        [Test]
        public void ACancelIsRejectedWhereNothingCanStopTheJobAndTakenWhileItWaits()
        {
            using var project = new Project();
            var ledger = project.Ledger("editor");
            var job = Accept(ledger, "runs");
            ledger.Start(job, refusesCancel: true);
            Assert.AreEqual("rejected", ledger.Cancel("runs", null));
            Assert.IsFalse(job.CancelRequested);
        }

        [Test]
        public void AnIdThatIsSubmittedAgainIsTheSameJob()
        {
            using var project = new Project();
            var ledger = project.Ledger("editor");
            ledger.End(Accept(ledger, "a"), Failed());
            Assert.IsTrue(ledger.Accept(New("a")));
            Assert.AreEqual(1, ledger.Listed().Count);
            Assert.AreEqual(JobState.Failed, ledger.Status("a").Text("state"));
        }

        [Test]
        public void OnlyEndedJobsAreForgotten()
        {
            using var project = new Project();
            var ledger = project.Ledger("editor");
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
        public void WhatWasSaidAboutAJobIsFoundInTheNextDomain()
        {
            using var project = new Project();
            var ledger = project.Ledger("editor");
            var running = Accept(ledger, "running");
            ledger.Start(running);
            ledger.Keep(running, new JsonObject { { "half", "way" } });
            Accept(ledger, "waiting");
            ledger.End(Accept(ledger, "ended"), JobEnd.Succeeded(new JsonObject { { "text", "tab\tand\nline" } }));
            var next = project.Ledger("editor");
            next.Load();
            Assert.AreEqual(new List<string> { "running", "waiting", "ended" }, Ids(next));
            Assert.AreEqual("way", next.Running()[0].Memo.Text("half"));
            Assert.AreEqual(JsonWriter.Write(ledger.Status("ended")), JsonWriter.Write(next.Status("ended")));
            Assert.AreEqual(JobState.Queued, next.Status("waiting").Text("state"));
        }

        [Test]
        public void AfterACrashAStartedJobIsNotReportedAsNotExecuted()
        {
            using var project = new Project();
            var ledger = project.Ledger("editor");
            ledger.Start(Accept(ledger, "started"));
            Accept(ledger, "accepted");
            var next = project.Ledger("another editor");
            next.Load();
            Assert.AreEqual("unknown",
                next.Status("started").Object("error").Object("details").Text("execution_guarantee"));
            Assert.AreEqual("not_executed",
                next.Status("accepted").Object("error").Object("details").Text("execution_guarantee"));
        }

        [Test]
        public void ALineThatWasCutOffTakesNothingElseWithIt()
        {
            using var project = new Project();
            var ledger = project.Ledger("editor");
            Accept(ledger, "a");
            File.AppendAllText(project.File, "{\"revision\":9,\"requ");
            var next = project.Ledger("editor");
            next.Load();
            Assert.AreEqual(1, next.Listed().Count);
            Accept(next, "b");
            var afterIt = project.Ledger("editor");
            afterIt.Load();
            Assert.AreEqual(new List<string> { "a", "b" }, Ids(afterIt));
        }

        [Test]
        public void WhatCouldNotBeWrittenIsInTheNextWrite()
        {
            using var project = new Project();
            var ledger = project.Ledger("editor");
            var job = Accept(ledger, "a");
            using (project.Unwritable())
            {
                ledger.End(job, JobEnd.Succeeded(null));
            }
            Accept(ledger, "b");
            var next = project.Ledger("editor");
            next.Load();
            Assert.AreEqual(JobState.Succeeded, next.Status("a").Text("state"));
            Assert.AreEqual(JobState.Queued, next.Status("b").Text("state"));
        }

        [Test]
        public void WhatCouldNotBeWrittenIsRepairedInAnUpdate()
        {
            using var project = new Project();
            var ledger = project.Ledger("editor");
            var job = Accept(ledger, "a");
            using (project.Unwritable())
            {
                ledger.End(job, JobEnd.Succeeded(null));
            }
            ledger.Tick();
            var next = project.Ledger("editor");
            next.Load();
            Assert.AreEqual(JobState.Succeeded, next.Status("a").Text("state"));
        }

        [Test]
        public void WhatCannotBeWrittenOutlivesAReloadThatNobodyAnnounces()
        {
            using var project = new Project();
            var ledger = project.Ledger("editor");
            var job = Accept(ledger, "a");
            using (project.Unwritable())
            {
                ledger.End(job, JobEnd.Succeeded(null));
                var next = project.Ledger("editor");
                next.Load();
                Assert.AreEqual(JobState.Succeeded, next.Status("a").Text("state"));
            }
            ledger.Tick();
        }

        [Test]
        public void AJobCostsTheSameHoweverManyThereAre()
        {
            using var project = new Project();
            var ledger = project.Ledger("editor");
            for (var i = 0; i < 200; i++)
            {
                Accept(ledger, "job " + i);
            }
            var before = new FileInfo(project.File).Length;
            Accept(ledger, "one more");
            Assert.IsTrue(new FileInfo(project.File).Length - before < 1000);
        }

        private static JobEnd Failed() => JobEnd.Failed(new Refusal(ErrorCode.UnityExecution, "no"));

        private static List<string> Ids(JobLedger ledger) =>
            ledger.Listed().ConvertAll(entry => entry as string ?? ((JsonObject)entry).Text("job_id"));

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

            public JobLedger Ledger(string editorId) => new JobLedger(_folder, editorId, this, () => null);

            /// <summary>As while another program holds the file.</summary>
            public IDisposable Unwritable() => new Held(File);

            JsonObject IJobConsole.Summary(long afterSeq) => new JsonObject();

            public void Dispose() => Directory.Delete(_folder, true);
        }

        private sealed class Held : IDisposable
        {
            private readonly string _file;

            public Held(string file)
            {
                _file = file;
                System.IO.File.Move(file, file + ".aside");
                Directory.CreateDirectory(file);
            }

            public void Dispose()
            {
                Directory.Delete(_file);
                System.IO.File.Move(_file + ".aside", _file);
            }
        }
    }
}
