using UnityBridge.EditorLife;
using UnityBridge.Framework;
using UnityBridge.Jobs;
using UnityBridge.Json;

namespace UnityBridge.Tools
{
    /// <summary>The tool <c>compile</c>: imports what is on disk, compiles it, survives the reload, returns the errors
    /// (SPEC §16.1).</summary>
    internal sealed class Compile : IJobKind
    {
        private readonly ToolContext _context;

        /// <param name="testsRun">Whether a test run is under way, also one that the user started: the job waits for
        /// it.</param>
        public Compile(ToolContext context)
        {
            _context = context;
        }

        public string ToolName => "compile";

        public string FaultIn(JsonObject parameters) =>
            Flags.FaultIn(parameters, "force", "warnings") ?? ChangedScenes.FaultIn(parameters);

        public Turn MayBegin(Job job)
        {
            if (_context.AreTestsRunning() || EditorReadiness.IsBusy)
            {
                return Turn.Later;
            }
            var refusal = EditorReadiness.WhyNotInEditMode("compile")
                ?? ChangedScenes.WhyNot(_context.SceneFiles, "compile", job.Parameters, out _);
            return refusal == null ? Turn.Now : Turn.Never(refusal);
        }

        public IJobRun Begin(Job job) => new CompileRun(_context, job, Refresh.Begin(_context, job.Parameters));

        public IJobRun GoOn(Job job, JsonObject memo) => new CompileRun(_context, job, Refresh.GoOn(_context, memo));
    }

    /// <summary>One job of the tool.</summary>
    internal sealed class CompileRun : IJobRun
    {
        private readonly ToolContext _context;
        private readonly Job _job;
        private readonly Refresh _refresh;

        public CompileRun(ToolContext context, Job job, Refresh refresh)
        {
            _context = context;
            _job = job;
            _refresh = refresh;
        }

        // A cancel is not heard: what Unity compiles, it compiles to the end.
        public JobEnd Advance()
        {
            if (_refresh.Advance())
            {
                var withWarnings = _job.Parameters.Is("warnings");
                return _refresh.Outcome.IsOk
                    ? JobEnd.Succeeded(_refresh.Outcome.ToJson(withWarnings))
                    : JobEnd.Faulty(_refresh.Outcome.ToJson(withWarnings));
            }
            if (_job.DeadlinePassed)
            {
                return JobEnd.Stopped(JobState.Timeout);
            }
            _context.Ledger.ReportStep(_job, _refresh.Step);
            return null;
        }

        public JsonObject Memo() => _refresh.Memo();
    }
}
