using System;
using System.IO;
using UnityBridge.Platform;

namespace UnityBridge.Trust
{
    /// <summary>The secret's file on Linux and macOS, where its own mode keeps others out.</summary>
    internal sealed class PosixSecretFiles : ISecretFiles
    {
        public void MakeFolder(string path)
        {
            if (Directory.Exists(path))
            {
                return;
            }
            var parent = Path.GetDirectoryName(path.TrimEnd('/'));
            if (!string.IsNullOrEmpty(parent))
            {
                Directory.CreateDirectory(parent);
            }
            var error = Posix.MakeFolder(path);
            if (error is not (0 or Posix.Exists))
            {
                throw Posix.Failure("its folder cannot be made", error);
            }
        }

        // A link, a socket, a file that its owner or somebody else has closed to us is as good as none: it is replaced.
        public byte[] Read(string path)
        {
            var descriptor = Posix.OpenToRead(path, out var error);
            if (descriptor < 0)
            {
                return Posix.IsNoFileOfOurs(error) ? (byte[])null : throw Posix.Failure("it cannot be opened", error);
            }
            try
            {
                var content = Posix.IsPrivateFile(descriptor)
                    ? Posix.Read(descriptor, SharedSecret.MostBytes + 1)
                    : null;
                return content?.Length is >= SharedSecret.Bytes and <= SharedSecret.MostBytes ? content : null;
            }
            finally
            {
                Posix.Close(descriptor);
            }
        }

        public bool Exists(string path) => Posix.IsThere(path);

        public void Delete(string path)
        {
            var error = Posix.Unlink(path);
            if (error != 0)
            {
                throw Posix.Failure("it cannot be removed", error);
            }
        }

        public string WriteDraft(string folder, byte[] content) =>
            Posix.WriteNew(Path.Combine(folder, SharedSecret.FileName + "-"), content);

        public void PutInPlace(string draft, string path)
        {
            var error = Posix.Link(draft, path);
            if (error is 0 or Posix.Exists)
            {
                return;
            }
            // A file system without links, as some network homes have. There a rename may replace another's.
            error = Exists(path) ? 0 : Posix.Rename(draft, path);
            if (error != 0)
            {
                throw Posix.Failure("it cannot be put in place", error);
            }
        }

        public bool IsBusy(Exception failure) => false;
    }
}
