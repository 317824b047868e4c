using System.IO;
using System.Runtime.InteropServices;

namespace UnityBridge.Platform
{
    /// <summary>The system that this editor runs on, as Python's <c>sys.platform</c> names it: both sides follow one
    /// table.</summary>
    internal static class Host
    {
        public const string Windows = "win32";
        public const string MacOS = "darwin";
        public const string Linux = "linux";

        public static string Name =>
            Path.DirectorySeparatorChar == '\\' ? Windows
            : RuntimeInformation.IsOSPlatform(OSPlatform.OSX) ? MacOS
            : Linux;
    }
}
