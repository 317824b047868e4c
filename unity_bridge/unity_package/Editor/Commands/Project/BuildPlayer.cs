using System;
using System.Collections.Generic;
using System.IO;
using System.Linq;
using UnityEditor;
using UnityEditor.Build.Reporting;
using UnityEngine;
using UnityBridge.Changes;
using UnityBridge.Framework;
using UnityBridge.Json;
using UnityBridge.Platform;
using UnityBridge.Settings;
using UnityBridge.Wire;

namespace UnityBridge.Commands
{
    internal static class BuildPlayer
    {
        private static readonly HashSet<string> OfUnity =
            new HashSet<string>("Assets Packages Library ProjectSettings UserSettings Temp Logs".Split(' '),
                StringComparer.OrdinalIgnoreCase);

        private const int MostErrors = 50;
        private const int MostErrorChars = 2000;

        [BridgeCommand("build_player",
            "Builds a player: target (default the active one), path in the project, options as in BuildOptions. "
            + "Nothing stops it, and the editor stands still: allow it a long timeout_ms.",
            Keywords = "export")]
        private static JsonObject Run(
            string path, string target = "", BuildOptions[] options = null, string[] scenes = null)
        {
            Refuse.OutsideEditMode("build");
            Refuse.WithCompileErrors("build");
            Refuse.WithUnsavedWork("Save them (save_all), then build: a build has what is on disk.");
            var platform = target.Length == 0 ? EditorUserBuildSettings.activeBuildTarget : BuildPlatform.Find(target);
            var report = BuildPipeline.BuildPlayer(new BuildPlayerOptions
            {
                scenes = Scenes(scenes),
                locationPathName = Place(path) + Extension(path, platform),
                target = platform,
                targetGroup = BuildPipeline.GetBuildTargetGroup(platform),
                options = (options ?? new BuildOptions[0]).Aggregate(BuildOptions.None, (all, one) => all | one),
            });
            if (report == null)
            {
                throw new CommandRefused(
                    Failure("failed: Unity made no report, and its console says why", new List<string>()));
            }
            var summary = Summary(report.summary);
            return report.summary.result == BuildResult.Succeeded ? summary : throw Failed(report, summary);
        }

        private static string[] Scenes(string[] given)
        {
            var scenes = given ?? EditorBuildSettings.scenes.Where(scene => scene.enabled).Select(scene => scene.path)
                .ToArray();
            var missing = scenes.Where(scene => !File.Exists(WrittenFiles.OnDisk(scene))).ToList();
            return scenes.Length > 0 && missing.Count == 0 ? scenes
                : throw Refuse.Argument(scenes.Length == 0
                    ? "No scene is in the build. Name scenes, or enable some in the build settings."
                    : "These scenes are not there: " + string.Join(", ", missing.Take(5)) + ".", "missing", missing);
        }

        // Unity would import what is built into Assets, and git would run what is built into its hooks. A player
        // replaces what lies there.
        private static string Place(string path)
        {
            var whole = Path.GetFullPath(WrittenFiles.OnDisk(path)).TrimEnd(Path.DirectorySeparatorChar);
            var parts = PartsOf(whole, Path.GetFullPath(ProjectPath));
            // The same folder may have further names: through a link, in other letters, or shortened.
            var resolved = PartsOf(Resolved(whole), RealPath.Resolve(ProjectPath));
            if (path.Length == 0 || IsClosed(parts) || IsClosed(resolved))
            {
                throw Refuse.Argument(
                    "path is where the player goes, as in Builds/Game.exe: not the project itself, nor its own "
                    + "folders, nor one whose name begins with a dot.");
            }
            if (parts != null)
            {
                NewPath.RequireNoLinks(string.Join("/", parts), 0);
                NewPath.RequireGoodNames(string.Join("/", parts));
                return whole;
            }
            return new CSharpPermission(ProjectPath).IsGiven ? whole
                : throw Refuse.Argument(
                    "path leads out of the project, which is allowed only where its user lets clients run C#: give one "
                    + "below the project, as in Builds/Game.exe.");
        }

        private static bool IsClosed(string[] parts) => parts != null
            && (parts.Length == 0 || OfUnity.Contains(parts[0])
                || parts.Any(part => part.Begins(".")));

        // The names below the project; none for the project itself, and null for what lies elsewhere.
        private static string[] PartsOf(string path, string root)
        {
            var separator = Path.DirectorySeparatorChar;
            var start = root.TrimEnd(separator) + separator;
            return !(path + separator).Begins(start) ? null
                : path.Length < start.Length ? new string[0] : path.Substring(start.Length).Split(separator);
        }

        // The deepest folder that is there, without links, and the rest of the path.
        private static string Resolved(string path)
        {
            var there = path;
            while (!Directory.Exists(there) && Path.GetDirectoryName(there) is { } parent)
            {
                there = parent;
            }
            return RealPath.Resolve(there) + path.Substring(there.Length);
        }

        // What the Build window adds, and BuildPipeline does not: Windows starts no program without it.
        private static string Extension(string path, BuildTarget platform) =>
            platform is BuildTarget.StandaloneWindows or BuildTarget.StandaloneWindows64
            && Path.GetExtension(path).Length == 0 ? ".exe" : "";

        private static string ProjectPath => Path.GetDirectoryName(Application.dataPath);

        private static JsonObject Summary(BuildSummary summary) => new JsonObject
        {
            { "result", summary.result.ToString() },
            { "target", summary.platform.ToString() },
            { "output_path", summary.outputPath },
            { "total_size", summary.totalSize },
            { "duration_ms", (long)summary.totalTime.TotalMilliseconds },
            { "errors", summary.totalErrors },
            { "warnings", summary.totalWarnings },
        };

        private static CommandRefused Failed(BuildReport report, JsonObject summary)
        {
            var errors = report.steps.SelectMany(step => step.messages ?? new BuildStepMessage[0])
                .Where(message => message.type is LogType.Error or LogType.Exception or LogType.Assert)
                .Select(message => Cut.To(message.content, MostErrorChars))
                .Distinct().Take(MostErrors).ToList();
            var what = report.summary.result == BuildResult.Cancelled
                ? "was cancelled in Unity"
                : "failed: " + Quoted.Text(errors.FirstOrDefault() ?? "the console says why");
            var failure = Failure(what, errors);
            failure.Details["summary"] = summary;
            return new CommandRefused(failure);
        }

        private static Refusal Failure(string what, IEnumerable<object> errors) =>
            Refusal.Completed("build_failed", "The build " + what + ".").With("errors", errors);
    }
}
