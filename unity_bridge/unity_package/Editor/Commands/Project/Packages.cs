using System.Collections.Generic;
using System.IO;
using System.Linq;
using System.Text.RegularExpressions;
using UnityEditor.PackageManager;
using UnityEditor.PackageManager.Requests;
using UnityEngine;
using UnityBridge.EditorLife;
using UnityBridge.Framework;
using UnityBridge.Jobs;
using UnityBridge.Json;
using UnityBridge.Settings;
using UnityBridge.Wire;

namespace UnityBridge.Commands
{
    /// <summary>What to do with packages.</summary>
    internal enum PackageAction
    {
        list,
        add,
        remove,
    }

    internal static class Packages
    {
        private const string RegistryName = @"\A[a-z0-9][a-z0-9._-]*(@[0-9A-Za-z.+-]+)?\z";

        [BridgeCommand("packages",
            "Lists, adds or removes packages (name, name@version; a URL or path needs the user's consent to C#), and "
            + "answers after the reload that follows.",
            Keywords = "package install")]
        private static IJobRun Run(
            ToolContext context, PackageAction action = PackageAction.list, string[] packages = null)
        {
            if (action == PackageAction.list)
            {
                return PackageRun.List(context);
            }
            Refuse.OutsideEditMode("change the packages");
            Refuse.WithChangedScenes(context);
            if (packages == null || packages.Length == 0 || packages.Any(string.IsNullOrWhiteSpace))
            {
                throw Refuse.Argument("packages names at least one, as in com.unity.ai.navigation.");
            }
            RefuseCodeFromAnywhere(action, packages);
            return PackageRun.Change(context, action, packages);
        }

        // Unity compiles a package and runs its code at once. What a registry serves by name is what the project's user
        // set up; a URL, git, file: or a path is the client's own choice, as code for run_csharp is (SPEC §16.6).
        private static void RefuseCodeFromAnywhere(PackageAction action, string[] packages)
        {
            var from = packages.FirstOrDefault(package => !Regex.IsMatch(package, RegistryName));
            var why = action != PackageAction.add || from == null ? null
                : new CSharpPermission(Path.GetDirectoryName(Application.dataPath))
                .WhyNot("Adding " + Quoted.Text(from) + ", which is no name of a registry,");
            Refuse.For(why);
        }

        /// <summary>In the domain after the reload. The request was accepted, and Unity carries it out whatever becomes
        /// of us.</summary>
        private static IJobRun GoOn(ToolContext context, JsonObject memo) => PackageRun.GoOn(memo);
    }

    /// <summary>One request to the package manager, and the quiet after it. Main thread.</summary>
    internal sealed class PackageRun : IJobRun
    {
        // Unity resolves packages, imports, compiles and reloads after it has said that a request is done.
        private const long QuietMs = 2000;
        private const long QuietAfterReloadMs = 1000;

        // A request that a reload overtook continues in Unity's own process, and nothing reports its end.
        private const long OvertakenMs = 20000;
        private const long LongestMs = 10 * 60 * 1000;

        private readonly TickClock _ticks;
        private readonly PackageAction _action;
        private readonly List<string> _wanted;
        private readonly QuietSpell _quiet;
        private AddAndRemoveRequest _change;
        private ListRequest _list;
        private bool _isOvertaken;
        private long? _startedMs;

        private PackageRun(TickClock ticks, PackageAction action, IEnumerable<string> wanted)
        {
            _ticks = ticks;
            _quiet = new QuietSpell(ticks);
            _action = action;
            _wanted = wanted.ToList();
        }

        public static PackageRun List(ToolContext context) =>
            new PackageRun(context.Ticks, PackageAction.list, new string[0]);

        public static PackageRun Change(ToolContext context, PackageAction action, string[] packages) =>
            new PackageRun(context.Ticks, action, packages)
        {
            _change = action == PackageAction.add
                ? Client.AddAndRemove(packages)
                : Client.AddAndRemove(null, packages.Select(NameOf).ToArray()),
        };

        public static PackageRun GoOn(JsonObject memo) =>
            new PackageRun(new TickClock(), memo.Text("action") == "add" ? PackageAction.add
            : memo.Text("action") == "remove"
            ? PackageAction.remove
            : PackageAction.list, memo.Items("packages").Cast<string>())
        {
            _isOvertaken = true,
        };

        public JsonObject Memo() => new JsonObject { { "action", _action.ToString() }, { "packages", _wanted } };

        public JobEnd Advance()
        {
            _ticks.Tick();
            _startedMs ??= _ticks.Ms;
            if (_ticks.Ms - _startedMs > LongestMs)
            {
                return JobEnd.Stopped(JobState.Timeout);
            }
            if (_change != null && !_change.IsCompleted)
            {
                return null;
            }
            if (_change?.Status == StatusCode.Failure)
            {
                return Failed(_change.Error);
            }
            if (_action != PackageAction.list && !_quiet.HasLasted(_isOvertaken ? QuietAfterReloadMs : QuietMs))
            {
                return null;
            }
            // Without the network: what is there is known.
            _list ??= Client.List(true, false);
            if (!_list.IsCompleted)
            {
                return null;
            }
            return _list.Status == StatusCode.Failure ? Failed(_list.Error) : Ended();
        }

        private JobEnd Ended()
        {
            var there = _list.Result.ToList();
            // Of a URL or a path the name is not known.
            var names = _wanted.Where(wanted => wanted.IndexOf(':') < 0).Select(NameOf).ToList();
            var wrong = names.Where(name =>
                there.Any(package => package.name == name) != (_action == PackageAction.add)).ToList();
            if (wrong.Count > 0 && _isOvertaken && _ticks.Ms - _startedMs < OvertakenMs)
            {
                _list = null;
                _quiet.Restart();
                return null;
            }
            return wrong.Count == 0 || _action == PackageAction.list
                ? JobEnd.Succeeded(new JsonObject { { "value",
                    new JsonObject { { "packages", there.ConvertAll(AsJson) } } } })
                : JobEnd.Failed(Refusal.Completed("package_manager",
                    "Unity did not " + _action + " " + string.Join(", ", wrong)
                    + "; its console says why."));
        }

        private static JobEnd Failed(Error error)
        {
            var refusal = Refusal.Completed("package_manager",
                "Unity's package manager says: " + Quoted.Text(error?.message ?? "nothing"));
            refusal.Details["message"] = error?.message;
            return JobEnd.Failed(refusal);
        }

        private static JsonObject AsJson(PackageInfo package) => new JsonObject
        {
            { "name", package.name }, { "version", package.version }, { "source", package.source.ToString() },
            { "direct", package.isDirectDependency },
        };

        private static string NameOf(string identifier) => identifier.Split('@')[0];
    }
}
