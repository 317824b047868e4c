using System;
using System.Threading;
using UnityEditor.Build.Reporting;
using UnityEngine;

namespace UnityEditor
{
    public enum BuildTargetGroup { Unknown, Standalone = 1, iOS = 4, Android = 7, WebGL = 13 }

    [Flags]
    public enum BuildOptions { None = 0, Development = 1, AllowDebugging = 512 }

    public struct BuildPlayerOptions
    {
        public string[] scenes { get; set; }
        public string locationPathName { get; set; }
        public BuildTargetGroup targetGroup { get; set; }
        public BuildTarget target { get; set; }
        public BuildOptions options { get; set; }
    }

    /// <summary>Editor/Mono/EditorUserBuildSettings.bindings.cs 2021.3.58f1 and 6000.7.0a1:864-872. Both forms answer
    /// false, and log why, for a module that is not installed. The asynchronous one has switched in a later update
    /// (manual); then scripts compile and the domain reloads, also after the call's end. A build profile is not active
    /// any more.</summary>
    public class EditorUserBuildSettings
    {
        private const string Key = "headless.platform";

        private static BuildTarget _wanted;

        public static BuildTarget activeBuildTarget
        {
            get
            {
                Native.RequireMainThread("EditorUserBuildSettings.activeBuildTarget");
                var name = Native.Editor.GetSession(Key);
                return name == null
                    ? BuildTarget.StandaloneLinux64
                    : (BuildTarget)Enum.Parse(typeof(BuildTarget), name);
            }
        }

        public static bool SwitchActiveBuildTargetAsync(BuildTargetGroup targetGroup, BuildTarget target)
        {
            Native.RequireMainThread("EditorUserBuildSettings.SwitchActiveBuildTargetAsync");
            if (Native.Playing || Native.Compiling || Native.Editor.DirtyScenes().Length > 0)
            {
                Native.Editor.Say("VIOLATION a platform was switched at the wrong time");
            }
            if (!BuildPipeline.IsBuildTargetSupported(targetGroup, target))
            {
                Debug.LogError("Error building Player because build target was unsupported");
                return false;
            }
            Native.Editor.Say("switch-platform " + target);
            _wanted = target;
            if (!Native.Editor.Quirk("switch-forgotten")) EditorApplication.update += Switch;
            return true;
        }

        private static void Switch()
        {
            EditorApplication.update -= Switch;
            Native.Editor.SetSession(Key, _wanted.ToString());
            Native.Editor.Say("switched-platform " + _wanted);
            Native.Editor.RequestCompilation();
        }
    }

    public partial class BuildPipeline
    {
        public static BuildTargetGroup GetBuildTargetGroup(BuildTarget platform)
        {
            return platform == BuildTarget.Android
                ? BuildTargetGroup.Android
                : platform == BuildTarget.iOS
                ? BuildTargetGroup.iOS
                : BuildTargetGroup.Standalone;
        }

        public static bool IsBuildTargetSupported(BuildTargetGroup buildTargetGroup, BuildTarget target)
        {
            Native.RequireMainThread("BuildPipeline.IsBuildTargetSupported");
            return target != BuildTarget.iOS && target != BuildTarget.NoTarget;
        }

        /// <summary>Holds the main thread until the build is over, and has no word of how far it is. An
        /// ArgumentException from within is logged, and the report is null (BuildPipeline.bindings.cs, 2021.3 to
        /// 6000.7); one of the options is thrown (2022.3.76f1:379, 6000.3.19f1:393).</summary>
        public static BuildReport BuildPlayer(BuildPlayerOptions options)
        {
            Native.RequireMainThread("BuildPipeline.BuildPlayer");
            if (Native.Editor.DirtyScenes().Length > 0)
            {
                Native.Editor.Say("VIOLATION a build of scenes with changes that are not saved");
            }
#if !UNITY_2021_3
            if (options.options == BuildOptions.AllowDebugging)
            {
                throw new ArgumentException("Non-development build cannot allow debugging.");
            }
#endif
            Native.Editor.Say("build " + options.target + " " + options.locationPathName + " " + options.options + " "
                + string.Join(";", options.scenes));
            Thread.Sleep(Native.Editor.QuirkValue("build-ms"));
            if (Native.Editor.Quirk("build-without-report"))
            {
                Debug.LogException(new System.ArgumentException("the player cannot be built there"));
                return null;
            }
            return new BuildReport(options, Native.Editor.Quirk("build-fails"));
        }
    }
}

namespace UnityEditor.Build.Reporting
{
    public enum BuildResult { Unknown, Succeeded, Failed, Cancelled }

    public struct BuildSummary
    {
        public BuildTarget platform { get; internal set; }
        public string outputPath { get; internal set; }
        public ulong totalSize { get; internal set; }
        public TimeSpan totalTime { get; internal set; }
        public int totalErrors { get; internal set; }
        public int totalWarnings { get; internal set; }
        public BuildResult result { get; internal set; }
    }

    public struct BuildStepMessage
    {
        public LogType type { get; internal set; }
        public string content { get; internal set; }
    }

    public struct BuildStep
    {
        public BuildStepMessage[] messages { get; internal set; }
    }

    public sealed class BuildReport : UnityEngine.Object
    {
        internal BuildReport(BuildPlayerOptions options, bool fails)
        {
            summary = new BuildSummary
            {
                platform = options.target, outputPath = options.locationPathName, totalSize = fails
                    ? 0UL
                    : 1234567890123UL, totalTime = TimeSpan.FromSeconds(1.5),
                totalErrors = fails
                ? 1
                : 0, totalWarnings = 2, result = fails
                ? BuildResult.Failed
                : BuildResult.Succeeded,
            };
            var error = new BuildStepMessage { type = LogType.Error,
                content = "Assets/Player.cs(3,1): error CS0246: no 'UnityEditor'" };
            var warning = new BuildStepMessage { type = LogType.Warning, content = "a warning" };
            steps = fails ? new[] { new BuildStep { messages = new[] { warning, error } },
                new BuildStep { messages = new[] { error } } } : new BuildStep[1];
        }

        public BuildSummary summary { get; private set; }
        public BuildStep[] steps { get; private set; }
    }
}
