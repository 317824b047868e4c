using NUnit.Framework;
using UnityBridge.Json;
using UnityBridge.TestRuns;

namespace UnityBridge.Tests
{
    public class JobLedgerTests
    {
        [Test]
        public void AnEndIsSetOnce()
        {
            var ledger = new JobLedger("unused");
            var job = Add(ledger, "a");
            Assert.IsTrue(ledger.End(job, JobState.Failed, null));
            Assert.IsFalse(ledger.End(job, JobState.Succeeded, null));
            Assert.AreEqual(JobState.Failed, ledger.Status("a").Text("state"));
        }

        [Test]
        public void ACancelAnswersByWhereTheJobStands()
        {
            var ledger = new JobLedger("unused");
            var running = Add(ledger, "running");
            ledger.Change(running, job => job.State = JobState.Running);
            Add(ledger, "queued");
            Assert.AreEqual("cancel_requested", ledger.Cancel("running", null));
            Assert.AreEqual("cancelled", ledger.Cancel("queued", null));
            Assert.AreEqual("rejected", ledger.Cancel("queued", null));
            Assert.AreEqual("rejected", ledger.Cancel(null, "request of queued"));
            Assert.IsNull(ledger.Cancel("nobody", null));
        }

        [Test]
        public void TheRunningJobComesBeforeThoseThatWaitAndTheyInOrder()
        {
            var ledger = new JobLedger("unused");
            var first = Add(ledger, "first");
            var second = Add(ledger, "second");
            Assert.AreEqual("first", ledger.Current().JobId);
            ledger.Change(second, job => job.State = JobState.Running);
            Assert.AreEqual("second", ledger.Current().JobId);
            ledger.End(second, JobState.Succeeded, null);
            ledger.End(first, JobState.Succeeded, null);
            Assert.IsNull(ledger.Current());
        }

        [Test]
        public void OnlyEndedJobsAreForgotten()
        {
            var ledger = new JobLedger("unused");
            Add(ledger, "open");
            for (var i = 0; i < 60; i++)
            {
                ledger.End(Add(ledger, "job " + i), JobState.Succeeded, null);
            }
            Assert.IsTrue(ledger.Knows("open"));
            Assert.IsTrue(ledger.Knows("job 59"));
            Assert.IsFalse(ledger.Knows("job 0"));
        }

        [Test]
        public void AJobReadsItselfBackAsItWasWritten()
        {
            var job = TestJob.Create("a", "r", "all", "category:Slow", 12);
            job.State = JobState.Running;
            job.Step = JobStep.Started;
            job.Phase = 1;
            job.RunGuid = "g";
            job.Planned[0] = 3;
            job.DurationMs = 1.5;
            var text = JsonWriter.Write(job.ToJson());
            object read;
            string why;
            Assert.IsTrue(JsonReader.TryRead(text, out read, out why));
            Assert.AreEqual(text, JsonWriter.Write(TestJob.FromJson((JsonObject)read).ToJson()));
        }

        private static TestJob Add(JobLedger ledger, string id)
        {
            var job = TestJob.Create(id, "request of " + id, "edit", "", 0);
            ledger.Add(job);
            return job;
        }
    }
}
