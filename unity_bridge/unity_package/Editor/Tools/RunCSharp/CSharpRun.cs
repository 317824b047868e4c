using System;
using System.Collections.Generic;
using System.IO;
using System.Linq;
using System.Reflection;
using System.Threading.Tasks;
using UnityBridge.EditorLife;
using UnityBridge.Framework;
using UnityBridge.Jobs;
using UnityBridge.Json;
using UnityBridge.Wire;

namespace UnityBridge.Tools
{
    /// <summary>One job of <c>run_csharp</c>: compiled in another process, then run on its main thread, once.</summary>
    internal sealed class CSharpRun : IJobRun
    {
        /// <summary>In the memo: whether anything of the snippet may have run.</summary>
        public const string HasRunMember = "has_run";

        private const int MostErrors = 50;

        private readonly ToolContext _context;
        private readonly Job _job;
        private readonly string _projectPath;
        private readonly List<string> _usings;
        private string _logFile;
        private SnippetCompiler _compiler;
        private Task<CompiledSnippet> _compilation;
        private bool _hasBegun;
        private SnippetExecution _execution;

        public CSharpRun(ToolContext context, Job job, string projectPath, List<string> usings)
        {
            _context = context;
            _job = job;
            _projectPath = projectPath;
            _usings = usings;
        }

        public JobEnd Advance()
        {
            if (_hasBegun)
            {
                // Null while code that runs makes the editor update.
                return _execution == null ? null : AwaitEnd();
            }
            if (_job.StopWanted != null)
            {
                Leave();
                return JobEnd.Stopped(_job.StopWanted);
            }
            var entry = Compile(out var end);
            return entry == null ? end : Execute(entry);
        }

        public JsonObject Memo() => new JsonObject { { HasRunMember, _hasBegun } };

        /// <summary>The domain goes: a compiler that still runs ends.</summary>
        public void Leave()
        {
            _compiler?.Stop();
            _execution?.Dispose();
        }

        // The method to run, once there is one. Whatever goes wrong until then, nothing has run.
        private MethodInfo Compile(out JobEnd end)
        {
            try
            {
                if (_compilation == null)
                {
                    end = BeginCompilation();
                    return null;
                }
                end = null;
                return _compilation.IsCompleted ? EntryOf(_compilation.GetAwaiter().GetResult(), out end) : null;
            }
            catch (Exception failure)
            {
                end = JobEnd.Failed(NotCompiled(
                    "compiler_failed", "The code could not be compiled: " + Quoted.Text(failure.Message)));
                return null;
            }
        }

        private MethodInfo EntryOf(CompiledSnippet compiled, out JobEnd end)
        {
            end = compiled.Trouble != null ? JobEnd.Failed(NotCompiled("compiler_failed", compiled.Trouble))
                : !compiled.IsOk ? JobEnd.Faulty(Errors(compiled.Errors)) : null;
            if (end != null)
            {
                return null;
            }
            var entry = SnippetExecution.EntryOf(compiled, out var fault);
            end = entry == null ? JobEnd.Failed(new Refusal(ErrorCode.InvalidParams, fault)) : null;
            return entry;
        }

        private JobEnd BeginCompilation()
        {
            // After a reload Unity may still be at it.
            if (EditorReadiness.IsBusy)
            {
                return null;
            }
            _context.Ledger.ReportStep(_job, JobStep.Compiling);
            var roots = EditorToolchain.Roots();
            var toolchain = EditorToolchain.FindBelow(roots);
            if (toolchain == null)
            {
                return JobEnd.Failed(NotCompiled(
                    "compiler_missing", "The C# compiler of this Unity was not found, so run_csharp cannot work here. "
                    + "Use run_command or scripts of the project, and report this Unity's version.").With(
                    "looked_at", roots));
            }
            var code = _job.Parameters.Text("code").Replace("\r\n", "\n");
            _logFile = SnippetLog.Keep(_projectPath, _job, code);
            _compiler = new SnippetCompiler(
                toolchain, EditorReferences.ForProject(_projectPath),
                Path.Combine(SnippetLog.FolderIn(_projectPath), "build"));
            _compilation = Task.Run(() =>
            {
                var compiled = _compiler.Compile(code, _usings);
                _context.MainThread.Wake();
                return compiled;
            });
            return null;
        }

        private JobEnd Execute(MethodInfo entry)
        {
            _context.Ledger.ReportStep(_job, JobStep.Running);
            // On disk before anything runs: a domain that goes without a word must not have it run twice.
            _context.Ledger.Keep(_job, new JsonObject { { HasRunMember, true } });
            _hasBegun = true;
            _execution = SnippetExecution.Begin(entry);
            return AwaitEnd();
        }

        private JobEnd AwaitEnd()
        {
            if (!_execution.IsCompleted)
            {
                // Code that awaits may well never come back; nothing can stop it, but the job need not wait for it.
                return _job.DeadlinePassed
                    ? Ended(JobEnd.Stopped(JobState.Timeout, _execution.Finish(_logFile)))
                    : null;
            }
            var result = _execution.Finish(_logFile);
            return Ended(_execution.Failure == null
                ? JobEnd.Succeeded(result)
                : JobEnd.Failed(CommandFailure.ToRefusal("run_csharp", _execution.Failure), result));
        }

        private JobEnd Ended(JobEnd end)
        {
            _execution.Dispose();
            return end;
        }

        private JsonObject Errors(List<JsonObject> errors) => new JsonObject
        {
            { "ok", false },
            { "error_count", errors.Count },
            { "errors", errors.Take(MostErrors).ToList() },
            { "truncated", errors.Count > MostErrors },
            { "log_file", _logFile },
        };

        private static Refusal NotCompiled(string reason, string message) => Refusal.NotExecuted(reason, message);
    }
}
