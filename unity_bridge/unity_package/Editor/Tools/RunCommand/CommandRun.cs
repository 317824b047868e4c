using System;
using System.Collections.Generic;
using System.Linq;
using System.Threading;
using UnityBridge.Changes;
using UnityBridge.EditorLife;
using UnityBridge.Framework;
using UnityBridge.Jobs;
using UnityBridge.Json;
using UnityBridge.Wire;

namespace UnityBridge.Tools
{
    /// <summary>One run of a command. Main thread, but for its progress.</summary>
    internal sealed class CommandRun : IJobRun, IProgress<float>, INeedsEveryUpdate
    {
        // A command that heeds its token ends in this time; after it, at the deadline, it is left to itself.
        private const long StopGraceMs = 5000;

        private readonly ToolContext _context;
        private readonly Job _job;
        private readonly Command _command;
        private readonly object[] _arguments;
        private readonly ChangeCall _call;
        private readonly CancellationTokenSource _stop =
            CancellationTokenSource.CreateLinkedTokenSource(DomainEnd.Token);
        private object _pipelineContext;
        private IJobRun _own;           // of a command that lives through reloads
        private CommandSteps _steps;
        private UnsavedRemark _unsaved;
        private bool _began;
        private long? _leaveAtMs;

        /// <param name="remarks">What its arguments were taken for.</param>
        public CommandRun(ToolContext context, Job job, Command command, object[] arguments, List<string> remarks)
        {
            _call = new ChangeCall(remarks);
            _context = context;
            _job = job;
            _command = command;
            _arguments = arguments;
        }

        public JobEnd Advance()
        {
            try
            {
                var end = _began ? Continue() : Begin();
                if (end?.Result != null)
                {
                    Remark(end.Result);
                }
                return end;
            }
            catch (Exception thrown)
            {
                return Failed(CommandFailure.Cause(thrown));
            }
        }

        public JsonObject Memo() => _own?.Memo();

        bool INeedsEveryUpdate.NeedsEveryUpdate => _own is INeedsEveryUpdate { NeedsEveryUpdate: true };

        // Any thread.
        void IProgress<float>.Report(float value)
        {
            var percent = float.IsNaN(value) ? 0 : (long)Math.Round(Math.Max(0, Math.Min(1, value)) * 100);
            _context.Ledger.Report(_job, JobProgress.Counted(percent, 100, _command.Name));
        }

        private void Remark(JsonObject result)
        {
            _unsaved.AddTo(_call.Remarks, _call.HasChangedScene);
            if (_call.Remarks.Count > 0)
            {
                result["remarks"] = _call.Remarks;
            }
        }

        private JobEnd Begin()
        {
            // First: should the command make the editor update, this is asked again.
            _began = true;
            _context.Ledger.ReportStep(_job, JobStep.Running);
            _unsaved = new UnsavedRemark(_job.Request);
            if (_command.IsOfThisPackage)
            {
                Refuse.WhereUnityAsks(Reactions.EffectsOf(_command.Name));
            }
            var given = _command.Method.Invoke(null, _command.Parameters.Select(Argument).ToArray());
            _own = given as IJobRun;
            if (_own == null)
            {
                _steps = new CommandSteps(given);
            }
            else if (_command.IsNextToOthers)
            {
                // For a domain that goes without a word.
                _context.Ledger.Keep(_job, _own.Memo());
            }
            return Continue();
        }

        private object Argument(CommandParameter parameter, int place) =>
            parameter.IsToken ? _stop.Token : parameter.IsProgress ? this : parameter.IsContext ? _context
            : parameter.IsCall ? _call
            : parameter.IsPipelineContext
            ? _pipelineContext ??= PipelineContext.Make(parameter.Type, _stop.Token)
            : _arguments[place];

        private JobEnd Continue()
        {
            if (_job.StopWanted != null && !_stop.IsCancellationRequested)
            {
                _stop.Cancel();
            }
            if (_own != null)
            {
                return _own.Advance();
            }
            if (_steps == null)
            {
                return null;
            }
            if (_steps.Advance())
            {
                return CommandOutcome.ToJobEnd(_command.Name, _steps.Value, _pipelineContext);
            }
            return IsLeft() ? Leave() : null;
        }

        // Past its deadline nobody waits for it, and other jobs do: steps end here, a task goes on alone.
        private bool IsLeft()
        {
            if (!_job.DeadlinePassed)
            {
                return false;
            }
            _leaveAtMs ??= _context.Ticks.Ms + (_command.TakesToken ? StopGraceMs : 0);
            return _context.Ticks.Ms >= _leaveAtMs;
        }

        private JobEnd Leave()
        {
            _steps.Abandon();
            return JobEnd.Stopped(JobState.Timeout);
        }

        private Refusal WithArguments(Refusal refusal)
        {
            var taken = ArgumentMeaning.ValuesIn(_call.Remarks);
            return taken.Length == 0 || refusal.Code != ErrorCode.InvalidParams ? refusal
                : new Refusal(refusal.Code, refusal.Message + taken + " The command is " + _command.ShortSignature
                + ".", refusal.Details);
        }

        private JobEnd Failed(Exception cause)
        {
            Guard.Run(() => _steps?.Abandon());
            if (cause is CommandRefused refused)
            {
                return JobEnd.Failed(WithArguments(refused.Refusal));
            }
            return cause is OperationCanceledException && _job.StopWanted != null
                ? JobEnd.Stopped(_job.StopWanted)
                : JobEnd.Failed(CommandFailure.ToRefusal(_command.Name, cause));
        }
    }
}
