using System;
using System.Collections.Generic;
using System.IO;

namespace UnityBridge.Platform
{
    /// <summary>Files and folders of any size: copied, compared, put in place and walked. Links are not
    /// followed.</summary>
    internal static class FilesOnDisk
    {
        private const int BufferBytes = 81920;

        /// <summary>Copies a file, with its mode, and has the content on the disk.</summary>
        /// <exception cref="IOException">It could not, or <see cref="UnauthorizedAccessException"/>. A part of the copy
        /// may be there.</exception>
        public static void Copy(string from, string to)
        {
            File.Copy(from, to, false);
            using var copy = new FileStream(to, FileMode.Open, FileAccess.ReadWrite, FileShare.Read);
            copy.Flush(true);
            if (copy.Length != new FileInfo(from).Length)
            {
                throw new IOException("it was not copied whole");
            }
        }

        /// <summary>Renames a file over another one of the same volume.</summary>
        /// <exception cref="IOException">It could not, or <see cref="UnauthorizedAccessException"/>.</exception>
        public static void PutInPlace(string file, string target)
        {
            if (Host.Name != Host.Windows)
            {
                var error = Posix.Rename(file, target);
                if (error != 0)
                {
                    throw Posix.Failure("it cannot be put in place", error);
                }
                return;
            }
            if (File.Exists(target))
            {
                File.Replace(file, target, null);
            }
            else
            {
                File.Move(file, target);
            }
        }

        /// <summary>Whether a file of the folder can be renamed over the file. A bind mount is a volume of its own,
        /// though the device is the same: so a link is tried, which fails as a rename does.</summary>
        public static bool AreOnOneVolume(string file, string folder)
        {
            if (Host.Name == Host.Windows)
            {
                return Path.GetPathRoot(RealPath.Resolve(file))
                    .EqualsAnyCase(Path.GetPathRoot(RealPath.Resolve(folder)));
            }
            var probe = Path.Combine(folder, "probe-" + Guid.NewGuid().ToString("N"));
            var error = Posix.Link(file, probe);
            if (error == 0)
            {
                Posix.Unlink(probe);
            }
            return error != Posix.OtherVolume;
        }

        /// <summary>False for a file that is not there.</summary>
        public static bool AreEqual(string path, string otherPath)
        {
            if (!File.Exists(path) || !File.Exists(otherPath)
                || new FileInfo(path).Length != new FileInfo(otherPath).Length)
            {
                return false;
            }
            using var file = Open(path);
            using var other = Open(otherPath);
            for (var next = file.ReadByte(); next >= 0; next = file.ReadByte())
            {
                if (next != other.ReadByte())
                {
                    return false;
                }
            }
            return true;
        }

        /// <summary>A link, or on Windows a junction. Other reparse points, such as files of a cloud, are
        /// none.</summary>
        public static bool IsLink(string path)
        {
            if (Host.Name != Host.Windows)
            {
                return Posix.IsLink(path);
            }
            try
            {
                var isMarked = (File.GetAttributes(path) & FileAttributes.ReparsePoint) != 0;
                return isMarked && RealPath.Resolve(path) != Path.Combine(
                    RealPath.Resolve(Path.GetDirectoryName(path)), Path.GetFileName(path));
            }
            catch (Exception missing) when (missing is IOException or UnauthorizedAccessException)
            {
                return false;
            }
        }

        /// <summary>All files and folders below a folder; of a link the link alone.</summary>
        public static IEnumerable<string> Walk(string folder)
        {
            foreach (var entry in Directory.EnumerateFileSystemEntries(folder))
            {
                yield return entry;
                if (!Directory.Exists(entry) || IsLink(entry))
                {
                    continue;
                }
                foreach (var below in Walk(entry))
                {
                    yield return below;
                }
            }
        }

        /// <summary>Whether it could be done: another program may hold the file, or the system not allow it.</summary>
        public static bool Try(Action action)
        {
            try
            {
                action();
                return true;
            }
            catch (Exception failure) when (failure is IOException or UnauthorizedAccessException
                or DllNotFoundException or EntryPointNotFoundException)
            {
                return false;
            }
        }

        /// <summary>Up to so many bytes of a file that others may write.</summary>
        public static byte[] ReadUpTo(string path, int most)
        {
            using var file = Open(path);
            var content = new byte[most];
            var length = 0;
            for (var read = -1; read != 0 && length < most; length += read)
            {
                read = file.Read(content, length, most - length);
            }
            Array.Resize(ref content, length);
            return content;
        }

        /// <summary>A new file with this content on the disk.</summary>
        public static void WriteNew(string path, byte[] content)
        {
            using var file = new FileStream(path, FileMode.CreateNew, FileAccess.Write, FileShare.None);
            file.Write(content, 0, content.Length);
            file.Flush(true);
        }

        /// <summary>To be read while others write.</summary>
        public static FileStream Open(string path) =>
            new FileStream(path, FileMode.Open, FileAccess.Read, FileShare.ReadWrite | FileShare.Delete, BufferBytes);
    }
}
