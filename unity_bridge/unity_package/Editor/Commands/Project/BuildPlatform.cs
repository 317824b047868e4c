using System;
using System.Collections.Generic;
using System.Linq;
using UnityEditor;
using UnityBridge.Framework;
using UnityBridge.Wire;

namespace UnityBridge.Commands
{
    /// <summary>The platform that a name means, if this Unity has its module. Main thread.</summary>
    internal static class BuildPlatform
    {
        // As people say it, next to the names of BuildTarget.
        private static readonly Dictionary<string, BuildTarget> Spoken =
            new Dictionary<string, BuildTarget>(StringComparer.OrdinalIgnoreCase)
            {
                { "Windows", BuildTarget.StandaloneWindows64 }, { "macOS", BuildTarget.StandaloneOSX },
                { "Mac", BuildTarget.StandaloneOSX }, { "Linux", BuildTarget.StandaloneLinux64 },
                { "Web", BuildTarget.WebGL },
            };

        /// <summary>Throws <see cref="CommandRefused"/> for a name that is none, or a module that is not
        /// installed.</summary>
        public static BuildTarget Find(string name)
        {
            var isKnown = Spoken.TryGetValue(name, out var target)
                || (Enum.TryParse(name, true, out target) && Enum.IsDefined(typeof(BuildTarget), target));
            if (!isKnown)
            {
                throw Refuse.Argument("Unity has no build target " + Quoted.Text(name)
                    + ". Some are StandaloneWindows64, StandaloneOSX, StandaloneLinux64, Android, iOS, WebGL.");
            }
            if (!IsInstalled(target))
            {
                throw NotInstalled(target);
            }
            return target;
        }

        private static CommandRefused NotInstalled(BuildTarget target)
        {
            var package = target + " Build Support";
            var installed = Enum.GetValues(typeof(BuildTarget)).Cast<BuildTarget>().Where(IsInstalled).Distinct();
            return Refuse.WithoutPackage(package, "A person can add the module " + package
                + " in Unity Hub (Installs > Add modules): this Unity does not have it. Installed are "
                + string.Join(", ", installed) + ".");
        }

        private static bool IsInstalled(BuildTarget target) =>
            BuildPipeline.IsBuildTargetSupported(BuildPipeline.GetBuildTargetGroup(target), target);
    }
}
