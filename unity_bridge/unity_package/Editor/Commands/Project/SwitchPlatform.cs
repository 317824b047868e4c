using UnityEditor;
using UnityEngine;
using UnityBridge.EditorLife;
using UnityBridge.Framework;
using UnityBridge.Jobs;
using UnityBridge.Json;
using UnityBridge.Objects;

namespace UnityBridge.Commands
{
    internal static class SwitchPlatform
    {
        [BridgeCommand("switch_platform",
            "Switches to target, as in BuildTarget, and answers after the reload: allow it a long timeout_ms.",
            Keywords = "build android ios webgl")]
        private static IJobRun Run(ToolContext context, string target)
        {
            Refuse.OutsideEditMode("switch the platform");
            var platform = BuildPlatform.Find(target);
            Refuse.WithUnsavedWork("Save them (save_all), then switch the platform.");
            Refuse.WithChangedScenes(context);
            Refuse.WhereSavingAsks();
            if (Application.isBatchMode)
            {
                // Manual, EditorUserBuildSettings.SwitchActiveBuildTarget.
                throw Refuse.Argument("Unity switches no platform in batch mode. Start it with -buildTarget "
                    + platform + ".");
            }
            return PlatformSwitch.Begin(context, platform);
        }

        /// <summary>In the domain after the reload.</summary>
        private static IJobRun GoOn(ToolContext context, JsonObject memo) => new PlatformSwitch(context.Ticks, memo);
    }

    /// <summary>Waits until the platform is the active one, and compiled. Main thread.</summary>
    internal sealed class PlatformSwitch : IJobRun
    {
        // Unity switches in a later update; from then on it imports and compiles.
        private const long QuietMs = 2000;
        private const long NotSwitchedMs = 20000;

        private readonly JsonObject _memo;
        private readonly QuietSpell _quiet;

        public PlatformSwitch(TickClock ticks, JsonObject memo)
        {
            _quiet = new QuietSpell(ticks);
            _memo = memo;
        }

        public static PlatformSwitch Begin(ToolContext context, BuildTarget target)
        {
            var before = EditorUserBuildSettings.activeBuildTarget;
            var profile = SettingsObject.ActiveProfile;
            var isWanted = before == target || EditorUserBuildSettings.SwitchActiveBuildTargetAsync(
                BuildPipeline.GetBuildTargetGroup(target), target);
            return isWanted ? new PlatformSwitch(context.Ticks, new JsonObject
            {
                { "target", target.ToString() }, { "before", before.ToString() },
                { "profile", profile == null ? null : AssetDatabase.GetAssetPath(profile) },
            }) : throw NotSwitched(target.ToString());
        }

        public JsonObject Memo() => _memo;

        public JobEnd Advance()
        {
            var target = _memo.Text("target");
            if (target == _memo.Text("before"))
            {
                return Ended(target, target + " is the active platform already.");
            }
            if (EditorUserBuildSettings.activeBuildTarget.ToString() != target)
            {
                return _quiet.HasLasted(NotSwitchedMs) ? throw NotSwitched(target) : (JobEnd)null;
            }
            if (!_quiet.HasLasted(QuietMs))
            {
                return null;
            }
            var profile = _memo.Text("profile");
            var isLeft = profile != null && SettingsObject.ActiveProfile == null;
            return Ended(target, isLeft ? "The build profile " + profile + " is not active any more." : null);
        }

        private JobEnd Ended(string target, string remark)
        {
            var compiles = !EditorUtility.scriptCompilationFailed;
            var value = new JsonObject
            {
                { "target", target }, { "before", _memo.Text("before") }, { "compiles", compiles },
            };
            if (!compiles)
            {
                remark = "The scripts do not compile for " + target + ": compile shows the errors.";
            }
            if (remark != null)
            {
                value["remarks"] = new[] { remark };
            }
            return JobEnd.Value(value);
        }

        private static CommandRefused NotSwitched(string target) =>
            Refuse.Failed("exception", "Unity did not switch to " + target + ". The console says why (read_console).");
    }
}
