using System;
using System.IO;
using System.Runtime.InteropServices;
using System.Text;

namespace UnityBridge.Platform
{
    /// <summary>Where a path leads: links, and on Windows junctions, substituted drives and short names, are
    /// resolved.</summary>
    /// <remarks>.NET Standard has no word for it. The server calls the same functions.</remarks>
    internal static class RealPath
    {
        private const uint ShareAll = 7;
        private const uint OpenExisting = 3;
        private const uint FlagBackupSemantics = 0x02000000; // without it no folder can be opened
        private static readonly IntPtr InvalidHandle = new IntPtr(-1);

        /// <summary>The path itself, absolute, if the system cannot resolve it.</summary>
        public static string Resolve(string path)
        {
            var absolute = Path.GetFullPath(path);
            try
            {
                return (Host.Name == Host.Windows ? OnWindows(absolute) : OnPosix(absolute)) ?? absolute;
            }
            catch (Exception missing) when (missing is DllNotFoundException or EntryPointNotFoundException)
            {
                return absolute;
            }
        }

        private static string OnPosix(string path)
        {
            var resolved = new byte[4097]; // PATH_MAX is 4096 on Linux and 1024 on macOS
            if (realpath(Encoding.UTF8.GetBytes(path + "\0"), resolved) == IntPtr.Zero)
            {
                return null;
            }
            return Encoding.UTF8.GetString(resolved, 0, Array.IndexOf(resolved, (byte)0));
        }

        private static string OnWindows(string path)
        {
            var handle = CreateFileW(path, 0, ShareAll, IntPtr.Zero, OpenExisting, FlagBackupSemantics, IntPtr.Zero);
            if (handle == InvalidHandle)
            {
                return null;
            }
            try
            {
                var resolved = new StringBuilder(32768);
                var length = GetFinalPathNameByHandleW(handle, resolved, (uint)resolved.Capacity, 0);
                return length == 0 || length >= resolved.Capacity ? null : resolved.ToString();
            }
            finally
            {
                CloseHandle(handle);
            }
        }

        [DllImport("libc")]
        private static extern IntPtr realpath(byte[] path, [Out] byte[] resolved);

        [DllImport("kernel32.dll", CharSet = CharSet.Unicode, ExactSpelling = true)]
        private static extern IntPtr CreateFileW(
            string path, uint access, uint share, IntPtr security, uint disposition, uint flags, IntPtr template);

        [DllImport("kernel32.dll", CharSet = CharSet.Unicode, ExactSpelling = true)]
        private static extern uint GetFinalPathNameByHandleW(IntPtr file, StringBuilder path, uint chars, uint flags);

        [DllImport("kernel32.dll")]
        private static extern bool CloseHandle(IntPtr handle);
    }
}
