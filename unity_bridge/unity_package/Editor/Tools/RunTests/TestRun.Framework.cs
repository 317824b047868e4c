using UnityEditor.TestTools.TestRunner.Api;
using UnityBridge.Jobs;
using UnityBridge.Platform;

namespace UnityBridge.Tools
{
    // What the test framework says of this run, from its start to its end.
    internal sealed partial class TestRun
    {
        public void RunStarted()
        {
            _runReported = true;
            HearWord();
        }

        public void TestStarted(string fullName)
        {
            _currentTest = fullName;
            HearWord();
        }

        public void TestFinished(ITestResultAdaptor result)
        {
            Record(result);
            HearWord();
        }

        public void RunFinished(ITestResultAdaptor result)
        {
            // A test that ended while the domain was reloading was heard by nobody; here it is again.
            RecordAll(result);
            _durationMs += result.Duration * 1000;
            var cutShort = _job.CancelRequested && _outcomes.Count < _plan.Total;
            Conclude(cutShort ? JobEnd.Stopped(JobState.Cancelled, Result()) : null);
        }

        public void RunFailed(string message) => Conclude(_job.StopWanted != null
            ? Stopped()
            : JobEnd.Failed(CouldNotRun("Unity's test framework could not carry out the run: " + message),
                _outcomes.Count > 0 ? Result() : null));

        private void HearWord()
        {
            _lastWordMs = _context.Ticks.Ms;
            ReportCount();
        }

        // An explicit test that nobody named is none of this run's, though the framework reports it as skipped.
        private void Record(ITestResultAdaptor result)
        {
            var outcome = TestOutcome.FromResult(_plan.ModeOf(_phase), result);
            var isLeftOut = result.ResultState?.Begins("Skipped:Explicit") == true;
            // A suite that failed by itself may be the set-up of a whole namespace, which is no fixture of the list.
            if (!isLeftOut && (result.Test.IsSuite || _plan.Includes(outcome.Place)))
            {
                _outcomes.Record(_phase, result.Test.UniqueName, outcome);
            }
        }

        // Answers whether anything failed.
        private bool RecordAll(ITestResultAdaptor result)
        {
            var failedBelow = false;
            foreach (var child in result.Children ?? new ITestResultAdaptor[0])
            {
                failedBelow |= RecordAll(child);
            }
            var failed = result.TestStatus == TestStatus.Failed;
            // A fixture that failed by itself, in its tear-down, is a failure that no test of it shows.
            if (!result.Test.IsSuite || (failed && (!failedBelow || BrokeInTearDown(result))))
            {
                Record(result);
            }
            return failed || failedBelow;
        }

        // The state of a suite that failed only by what is in it ends with (Child).
        private static bool BrokeInTearDown(ITestResultAdaptor result) =>
            result.ResultState?.Ends("(TearDown)") == true;
    }
}
