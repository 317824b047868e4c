using System.Collections.Generic;
using System.IO;
using UnityEditor;
using UnityEngine;
using UnityBridge.EditorLife;
using UnityBridge.Framework;
using UnityBridge.Jobs;
using UnityBridge.Json;
using UnityBridge.Platform;
using UnityBridge.Settings;
using UnityBridge.Wire;

namespace UnityBridge.Tools
{
    /// <summary>The tool <c>run_csharp</c>: runs a client's C# in the editor, where the user allows it (SPEC
    /// §16.6).</summary>
    internal sealed class RunCSharp : IJobKind, ILeaving
    {
        private const int MaxCodeChars = 500 * 1000;
        private const int MaxUsings = 100;

        // "System.Xml", "static System.Math", "Json = Newtonsoft.Json.JsonConvert".
        private static readonly Pattern Using =
            new Pattern(@"^(?:static +|[A-Za-z_]\w* *= *)?[A-Za-z_][\w.]{0,200}$");

        private readonly ToolContext _context;
        private readonly string _projectPath = Path.GetDirectoryName(Application.dataPath);
        private readonly CSharpPermission _permission;
        private CSharpRun _run;

        /// <param name="testsRun">Whether a test run is under way, also one that the user started: the job waits for
        /// it.</param>
        public RunCSharp(ToolContext context)
        {
            _context = context;
            _permission = new CSharpPermission(_projectPath);
        }

        public string ToolName => "run_csharp";

        public string FaultIn(JsonObject parameters)
        {
            var code = parameters.Text("code");
            if (string.IsNullOrWhiteSpace(code) || code.Length > MaxCodeChars)
            {
                return "code is C# text of at most " + MaxCodeChars + " characters.";
            }
            return UsingsOf(parameters) == null ? "usings is a list of namespaces, such as \"System.Xml\"." : null;
        }

        public Turn MayBegin(Job job)
        {
            var refusal = _permission.WhyNot() ?? (BuildPipeline.isBuildingPlayer
                ? Refusal.NotExecuted("building",
                    "The editor is building a player. Wait for the end of the build, then run the code again.") : null);
            return refusal != null
                ? Turn.Never(refusal)
                : _context.AreTestsRunning() || EditorReadiness.IsBusy
                ? Turn.Later
                : Turn.NowToItsEnd;
        }

        public IJobRun Begin(Job job) =>
            _run = new CSharpRun(_context, job, _projectPath, UsingsOf(job.Parameters));

        // What was only compiled has done nothing, and is compiled again. What ran is not run again, whatever became of
        // it.
        public IJobRun GoOn(Job job, JsonObject memo) =>
            memo?.Flag(CSharpRun.HasRunMember) == false ? Begin(job) : new EndedRun(JobEnd.Lost(
                "Unity reloaded its scripts while " + ToolName
                + " ran. It may have run in part, and is not run again. Check what it changed first."));

        public void Leave() => _run?.Leave();

        // Null where it is not a list of namespaces.
        private static List<string> UsingsOf(JsonObject parameters)
        {
            var usings = new List<string>();
            if (parameters.Get("usings") is not (null or List<object>))
            {
                return null;
            }
            foreach (var item in parameters.Items("usings"))
            {
                if (item is not string name || !Using.Value.IsMatch(name) || usings.Count >= MaxUsings)
                {
                    return null;
                }
                usings.Add(name);
            }
            return usings;
        }
    }
}
