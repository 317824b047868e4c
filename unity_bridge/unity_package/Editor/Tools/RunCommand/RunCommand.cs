using System;
using System.Collections.Generic;
using System.IO;
using UnityEngine;
using UnityBridge.Commands;
using UnityBridge.EditorLife;
using UnityBridge.Framework;
using UnityBridge.Jobs;
using UnityBridge.Json;
using UnityBridge.Wire;

namespace UnityBridge.Tools
{
    /// <summary>The tool <c>run_command</c>: runs a command by its name, or lists them (SPEC §16.5).</summary>
    internal sealed class RunCommand : IJobKind, IMayRunDuring, IMayTakeNoTurn
    {
        // Each of them is checked in every frame.
        private const int MostNextToOthers = 8;

        private readonly ToolContext _context;

        /// <param name="testsRun">Whether a test run is under way, also one that the user started: commands that write
        /// wait for it.</param>
        public RunCommand(ToolContext context)
        {
            _context = context;
            context.MainThread.Post(() =>
            {
                OnlyCSharp.Start();
                CommandsFile.Write(Path.GetDirectoryName(Application.dataPath), List);
            });
        }

        public string ToolName => "run_command";

        private static CommandList List => CommandList.OfThisDomain;

        public string FaultIn(JsonObject parameters) =>
            parameters.Get("name") is not (null or string) ? "name is a text."
            : parameters.Get("query") is not (null or string) ? "query is a text."
            : !string.IsNullOrEmpty(parameters.Text("query")) && !string.IsNullOrEmpty(parameters.Text("name"))
            ? "query goes without name: it searches the list."
            : parameters.Get("arguments") is not (null or JsonObject) ? "arguments is an object."
            : null;

        public bool TakesNoTurn(Job job) => CloseEditor.IsMeant(job) || IsNextToOthers(job);

        public Turn MayBegin(Job job)
        {
            if (CloseEditor.IsMeant(job))
            {
                return CloseEditor.MayBegin(job);
            }
            var command = CommandOf(job, out var refusal);
            if (command != null)
            {
                CommandArguments.Convert(command, ArgumentsOf(job, command), out refusal);
            }
            if (refusal != null)
            {
                return Turn.Never(refusal);
            }
            if (command is { IsNextToOthers: true } && WhyNotAnother() is { } busy)
            {
                return Turn.Never(busy);
            }
            if (EditorReadiness.IsBusy || (WaitsForTests(command) && _context.AreTestsRunning()))
            {
                return Turn.Later;
            }
            return command == null || command.TakesToken ? Turn.Now : Turn.NowToItsEnd;
        }

        public bool MayRunDuring(Job job, string runningTool) =>
            runningTool == "run_tests" && !(CommandOf(job, out var refusal) is { } command && WaitsForTests(command))
            && refusal == null;

        public IJobRun Begin(Job job)
        {
            if (CloseEditor.IsMeant(job))
            {
                return new CloseEditor(_context, job);
            }
            var command = CommandOf(job, out _);
            var remarks = new List<string>();
            return command == null
                ? (IJobRun)new EndedRun(JobEnd.Succeeded(List.ToJson(job.Parameters.Text("query"))))
                : new CommandRun(_context, job, command,
                    CommandArguments.Convert(command, ArgumentsOf(job, command), out _, remarks), remarks);
        }

        public IJobRun GoOn(Job job, JsonObject memo) =>
            new CommandAfterReload(() => CommandOf(job, out _)?.GoOn(_context, memo),
                job.Parameters.Text("name"), memo);

        private bool IsNextToOthers(Job job) =>
            job.Request.ToolName == ToolName && CommandOf(job, out _) is { IsNextToOthers: true };

        private Refusal WhyNotAnother()
        {
            var running = _context.Ledger.Running().FindAll(IsNextToOthers).ConvertAll(job => job.JobId);
            return running.Count < MostNextToOthers
                ? null
                : Refusal.NotExecuted("busy", MostNextToOthers + " commands run next to others, and no more are taken. "
                + "Wait for one of them, or cancel it.").With("jobs", running);
        }

        /// <summary>Null for the list, and where there is no such command.</summary>
        private Command CommandOf(Job job, out Refusal refusal)
        {
            refusal = null;
            var name = job.Parameters.Text("name");
            return string.IsNullOrEmpty(name) ? null : List.Get(name, out refusal);
        }

        // A test run and the list of tests share the framework's tree, and listing changes what is above the tests that
        // run (UnityTestAssemblyBuilder.BuildAsync, 1.4.6).
        private static bool WaitsForTests(Command command) =>
            command != null && (command.Writes || command.Method.DeclaringType == typeof(ListTests));

        // What a page may have comes from the server, next to the arguments (SPEC §8.7).
        private static JsonObject ArgumentsOf(Job job, Command command)
        {
            var arguments = job.Parameters.Object("arguments") ?? new JsonObject();
            var maxBytes = job.Parameters.Get("max_bytes");
            if (command.Method.DeclaringType != typeof(ListTests) || maxBytes == null
                || arguments.ContainsKey("max_bytes"))
            {
                return arguments;
            }
            return new JsonObject(arguments) { { "max_bytes", maxBytes } };
        }
    }

    /// <summary>A job whose command went with its domain. Nobody knows how far it had come, and it is not run again,
    /// unless it is one of ours that can go on.</summary>
    internal sealed class CommandAfterReload : IJobRun, INeedsEveryUpdate
    {
        private readonly Func<IJobRun> _goOn;
        private readonly string _name;
        private readonly JsonObject _memo;
        private IJobRun _own;

        public CommandAfterReload(Func<IJobRun> goOn, string name, JsonObject memo)
        {
            _goOn = goOn;
            _name = name;
            _memo = memo;
        }

        // Commands can be found from the first update on, and not while the domain is being loaded.
        public JobEnd Advance() =>
            _memo == null ? Lost() : (_own ??= _goOn())?.Advance() ?? (_own == null ? Lost() : null);

        public JsonObject Memo() => _own == null ? _memo : _own.Memo();

        bool INeedsEveryUpdate.NeedsEveryUpdate => _own is INeedsEveryUpdate { NeedsEveryUpdate: true };

        private JobEnd Lost() => JobEnd.Lost("Unity reloaded its scripts while " + Quoted.Text(_name)
            + " ran. Its changes so far are kept. Check them before you run it again.");
    }
}
