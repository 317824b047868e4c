using System;
using System.IO;
using System.Runtime.InteropServices;
using System.Text;

namespace UnityBridge.Platform
{
    /// <summary>The few calls of the C library that .NET Standard has no word for: modes, owners, links, files that
    /// begin private.</summary>
    /// <remarks>Unity's own editor code calls "libc" by that name on Linux and macOS (External/NiceIO/NiceIO.cs). None
    /// of these takes a variable number of arguments, which Apple's processors would be handed in another way: so files
    /// are made by mkstemp, and open only opens.</remarks>
    internal static class Posix
    {
        public const int NoEntry = 2;
        public const int Exists = 17;
        public const int OtherVolume = 18;
        public const int NotAFolder = 20;
        private const int NotPermitted = 1;
        private const int NoDevice = 6;
        private const int AccessDenied = 13;
        private const int TooManyLinks = 31;
        private const int LinuxLoop = 40;
        private const int MacLoop = 62;

        private const int LinuxAgain = 11;
        private const int MacAgain = 35;

        private const int ReadWrite = 2;
        private const int LockAlone = 2;
        private const int LockWithoutWaiting = 4;

        private const uint RegularFile = 0x8000;
        private const uint Folder = 0x4000;
        private const uint FileTypes = 0xF000;
        private const uint ModeBits = 0x1FF;
        private const uint Private = 0x1C0;
        private const uint WritableByOthers = 0x12;

        private static readonly bool IsMac = Host.Name == Host.MacOS;
        private static readonly bool IsArm = RuntimeInformation.ProcessArchitecture == Architecture.Arm64;

        /// <summary>Opens for reading; links are not followed, and a pipe is not waited for. The descriptor, or
        /// -1.</summary>
        public static int OpenToRead(string path, out int error) => Open(path, 0, out error);

        /// <summary>The same for a file that is there, for reading and writing.</summary>
        public static int OpenToWrite(string path, out int error) => Open(path, ReadWrite, out error);

        private static int Open(string path, int access, out int error)
        {
            const int macNoFollow = 0x100, macNonBlock = 0x4, macCloseOnExec = 0x1000000;
            const int linuxNonBlock = 0x800, linuxCloseOnExec = 0x80000;
            var linuxNoFollow = IsArm ? 0x8000 : 0x20000;
            var flags = IsMac
                ? macNoFollow | macNonBlock | macCloseOnExec
                : linuxNoFollow | linuxNonBlock | linuxCloseOnExec;
            var descriptor = open(Bytes(path), flags | access);
            error = descriptor < 0 ? Marshal.GetLastWin32Error() : 0;
            return descriptor;
        }

        /// <summary>What <see cref="OpenToRead"/> says of nothing, of a link, of a socket, and of a file that is closed
        /// to us.</summary>
        public static bool IsNoFileOfOurs(int error) =>
            error is NoEntry or NotPermitted or NoDevice or AccessDenied or TooManyLinks || IsLink(error);

        /// <summary>What <see cref="OpenToRead"/> says of a link.</summary>
        public static bool IsLink(int error) => error == (IsMac ? MacLoop : LinuxLoop);

        /// <summary>Up to <paramref name="most"/> bytes.</summary>
        public static byte[] Read(int descriptor, int most)
        {
            var content = new byte[most];
            var length = (long)read(descriptor, content, new IntPtr(most));
            if (length < 0)
            {
                throw Failure("it cannot be read");
            }
            Array.Resize(ref content, (int)length);
            return content;
        }

        /// <summary>An ordinary file of this user's, which nobody else can read or write.</summary>
        public static bool IsPrivateFile(int descriptor)
        {
            var (mode, owner) = ModeAndOwner(descriptor);
            return (mode & FileTypes) == RegularFile && owner == geteuid() && (mode & ModeBits & ~Private) == 0;
        }

        /// <summary>A folder of this user's, no link to one, in which nobody else can write.</summary>
        public static bool IsPrivateFolder(string path)
        {
            var descriptor = OpenToRead(path, out _);
            if (descriptor < 0)
            {
                return false;
            }
            try
            {
                var (mode, owner) = ModeAndOwner(descriptor);
                return (mode & FileTypes) == Folder && owner == geteuid() && (mode & WritableByOthers) == 0;
            }
            finally
            {
                close(descriptor);
            }
        }

        /// <summary>A file, and no folder, pipe, socket or device.</summary>
        public static bool IsOrdinaryFile(int descriptor) => (ModeAndOwner(descriptor).Mode & FileTypes) == RegularFile;

        private static (uint Mode, uint Owner) ModeAndOwner(int descriptor)
        {
            var found = new byte[512]; // struct stat has 144 bytes and less
            if (Stat(descriptor, found) != 0)
            {
                throw Failure("it cannot be looked at");
            }
            // Linux x86-64: device 8, inode 8, links 8, mode 4, owner 4. Linux arm64: device 8, inode 8, mode 4, links
            // 4, owner 4. macOS: device 4, mode 2, links 2, inode 8, owner 4.
            var mode = IsMac ? BitConverter.ToUInt16(found, 4) : BitConverter.ToUInt32(found, IsArm ? 16 : 24);
            var owner = BitConverter.ToUInt32(found, IsMac ? 16 : IsArm ? 24 : 28);
            return (mode, owner);
        }

        /// <summary>A new file that only this user can read and write, with this content on the disk.</summary>
        public static string WriteNew(string prefix, byte[] content)
        {
            var template = Bytes(prefix + "XXXXXX");
            var descriptor = mkstemp(template);
            if (descriptor < 0)
            {
                throw Failure("no file can be made next to it");
            }
            var path = Encoding.UTF8.GetString(template, 0, template.Length - 1);
            try
            {
                if ((long)write(descriptor, content, new IntPtr(content.Length)) != content.Length
                    || fsync(descriptor) != 0)
                {
                    var failure = Failure("it cannot be written");
                    unlink(template);
                    throw failure;
                }
            }
            finally
            {
                close(descriptor);
            }
            return path;
        }

        public static void Close(int descriptor) => close(descriptor);

        /// <summary>Locks the file against other programs for as long as the descriptor is open; 0, or why not. Never
        /// waits.</summary>
        public static int Lock(int descriptor) => Error(flock(descriptor, LockAlone | LockWithoutWaiting));

        /// <summary>What <see cref="Lock"/> says where another program has it.</summary>
        public static bool IsHeldByAnother(int error) => error == (IsMac ? MacAgain : LinuxAgain);

        /// <summary>0, or why not.</summary>
        public static int Link(string from, string to) => Error(link(Bytes(from), Bytes(to)));

        public static int Rename(string from, string to) => Error(rename(Bytes(from), Bytes(to)));

        public static int Unlink(string path) => Error(unlink(Bytes(path)));

        /// <summary>With mode 0700; 0, or why not.</summary>
        public static int MakeFolder(string path) => Error(mkdir(Bytes(path), Private));

        /// <summary>Whether anything is there; a link is not followed.</summary>
        public static bool IsThere(string path)
        {
            // readlink succeeds for a link; for anything else that exists it fails with another error than NoEntry.
            return IsLink(path) || Marshal.GetLastWin32Error() != NoEntry;
        }

        /// <summary>What a link leads to, in UTF-8.</summary>
        public static string LinkTarget(string path)
        {
            var target = new byte[4096];
            var length = (int)readlink(Bytes(path), target, new IntPtr(target.Length));
            return length >= 0 ? Encoding.UTF8.GetString(target, 0, length) : throw Failure("it is no link");
        }

        /// <summary>Whether the path itself is a link, wherever that leads.</summary>
        public static bool IsLink(string path) => (long)readlink(Bytes(path), new byte[1], new IntPtr(1)) >= 0;

        public static Exception Failure(string what, int? error = null)
        {
            var code = error ?? Marshal.GetLastWin32Error();
            var message = what + " (" + Words(code) + ")";
            return code is AccessDenied or NotPermitted ? (Exception)new UnauthorizedAccessException(message)
                : code == NoEntry ? new FileNotFoundException(message)
                : new IOException(message);
        }

        private static string Words(int error)
        {
            var words = Marshal.PtrToStringAnsi(strerror(error));
            return string.IsNullOrEmpty(words) ? "error " + error : words;
        }

        private static int Error(int result) => result == 0 ? 0 : Marshal.GetLastWin32Error();

        // Three names for one call: macOS on Intel has an older struct under the plain name, and glibc has had the
        // plain name only since 2.33 (Ubuntu 20.04 has 2.31).
        private static int Stat(int descriptor, byte[] found)
        {
            try
            {
                return IsMac ? fstat_inode64(descriptor, found) : fstat(descriptor, found);
            }
            catch (EntryPointNotFoundException)
            {
                return IsMac ? fstat(descriptor, found) : __fxstat(IsArm ? 0 : 1, descriptor, found);
            }
        }

        private static byte[] Bytes(string path) => Encoding.UTF8.GetBytes(path + "\0");

        [DllImport("libc", SetLastError = true)]
        private static extern int open(byte[] path, int flags);

        [DllImport("libc", SetLastError = true)]
        private static extern IntPtr read(int descriptor, [Out] byte[] content, IntPtr count);

        [DllImport("libc", SetLastError = true)]
        private static extern IntPtr write(int descriptor, byte[] content, IntPtr count);

        [DllImport("libc", SetLastError = true)]
        private static extern int fsync(int descriptor);

        [DllImport("libc", SetLastError = true)]
        private static extern int close(int descriptor);

        [DllImport("libc", SetLastError = true)]
        private static extern int flock(int descriptor, int operation);

        [DllImport("libc", SetLastError = true)]
        private static extern int mkstemp([In, Out] byte[] template);

        [DllImport("libc", SetLastError = true)]
        private static extern int fstat(int descriptor, [Out] byte[] found);

        [DllImport("libc", SetLastError = true, EntryPoint = "fstat$INODE64")]
        private static extern int fstat_inode64(int descriptor, [Out] byte[] found);

        [DllImport("libc", SetLastError = true)]
        private static extern int __fxstat(int version, int descriptor, [Out] byte[] found);

        [DllImport("libc")]
        private static extern uint geteuid();

        [DllImport("libc", SetLastError = true)]
        private static extern int link(byte[] from, byte[] to);

        [DllImport("libc", SetLastError = true)]
        private static extern int rename(byte[] from, byte[] to);

        [DllImport("libc", SetLastError = true)]
        private static extern int unlink(byte[] path);

        [DllImport("libc", SetLastError = true)]
        private static extern int mkdir(byte[] path, uint mode);

        [DllImport("libc", SetLastError = true)]
        private static extern IntPtr readlink(byte[] path, [Out] byte[] target, IntPtr size);

        [DllImport("libc")]
        private static extern IntPtr strerror(int error);
    }
}
