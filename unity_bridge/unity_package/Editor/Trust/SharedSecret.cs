using System;
using System.IO;
using System.Threading;
using UnityBridge.Platform;

namespace UnityBridge.Trust
{
    /// <summary>The secret by which one user's programs know each other: a file that only that user can read (SPEC
    /// §17.1).</summary>
    /// <remarks>The server does the same in Python (<c>unity_bridge/trust/secret.py</c>), and either may come first.
    /// The file appears whole or not at all, and the first of several makers wins. One that is broken, that others
    /// could read, or that is not a file of this user's has no worth and is replaced.</remarks>
    internal sealed class SharedSecret
    {
        public const string FileName = "attach-secret";
        public const int Bytes = 32;

        // Another maker may choose a longer one; a file beyond this is none.
        public const int MostBytes = 1024;

        // Others make, replace or read it at the same moment; on Windows each keeps the rest out while it does.
        private const int Attempts = 50;
        private const int PauseMs = 20;
        private static readonly TimeSpan DraftAge = TimeSpan.FromMinutes(1);

        private readonly string _folder;
        private readonly string _path;
        private readonly ISecretFiles _files;

        public SharedSecret(string folder, ISecretFiles files)
        {
            _folder = folder;
            _path = Path.Combine(folder, FileName);
            _files = files;
        }

        /// <summary>Reads it, or makes it if there is none. Null where there can be none; <paramref name="fault"/> says
        /// why. May take a second: not for the main thread. Read it again for each use.</summary>
        public static byte[] Read(CancellationToken givenUp, out string fault)
        {
            var folder = StateFolder.Find(out fault);
            return folder == null ? null : new SharedSecret(folder, Files).ReadOrMake(givenUp, out fault);
        }

        /// <summary>Those of this system.</summary>
        public static ISecretFiles Files =>
            Host.Name == Host.Windows ? (ISecretFiles)new WindowsSecretFiles() : new PosixSecretFiles();

        public byte[] ReadOrMake(CancellationToken givenUp, out string fault)
        {
            fault = null;
            try
            {
                _files.MakeFolder(_folder);
                return Agree(givenUp);
            }
            catch (Exception failure) when (
                failure is IOException or UnauthorizedAccessException or DllNotFoundException
                or EntryPointNotFoundException)
            {
                fault = _path + " cannot be used: " + failure.Message;
                return null;
            }
        }

        private byte[] Agree(CancellationToken givenUp)
        {
            for (var left = Attempts - 1; left >= 0; left--)
            {
                try
                {
                    if ((_files.Read(_path) ?? ReadAgainOrReplace()) is { } secret)
                    {
                        return secret;
                    }
                }
                catch (Exception busy) when (_files.IsBusy(busy) && left > 0)
                {
                    givenUp.WaitHandle.WaitOne(PauseMs);
                }
                catch (FileNotFoundException)
                {
                    // Another maker was faster to remove it.
                }
                if (givenUp.IsCancellationRequested)
                {
                    throw new IOException("the connection ended before the secret was read");
                }
            }
            throw new IOException("other programs keep replacing it");
        }

        // Null where it has to be read once more: the one that is there now may be another maker's.
        private byte[] ReadAgainOrReplace()
        {
            if (_files.Exists(_path))
            {
                // Looked at once more: another maker may have replaced it since.
                if (_files.Read(_path) is { } theirs)
                {
                    return theirs;
                }
                Clear();
            }
            Make();
            return null;
        }

        // A folder may hold something, so it is moved aside. A link to one is not followed.
        private void Clear()
        {
            var isFolder = (File.GetAttributes(_path) & (
                FileAttributes.Directory | FileAttributes.ReparsePoint)) == FileAttributes.Directory;
            if (isFolder)
            {
                Directory.Move(_path, _path + ".folder-" + Guid.NewGuid().ToString("N").Substring(0, 8));
            }
            else
            {
                _files.Delete(_path);
            }
        }

        private void Make()
        {
            ClearDrafts();
            var draft = _files.WriteDraft(_folder, Cryptography.Random(Bytes));
            try
            {
                _files.PutInPlace(draft, _path);
            }
            finally
            {
                FilesOnDisk.Try(() => _files.Delete(draft));
            }
        }

        // What makers that were killed have left: copies of a secret. One at work has its draft a moment.
        private void ClearDrafts()
        {
            foreach (var draft in Directory.GetFiles(_folder, FileName + "-*"))
            {
                FilesOnDisk.Try(() =>
                {
                    if (DateTime.UtcNow - File.GetLastWriteTimeUtc(draft) > DraftAge)
                    {
                        _files.Delete(draft);
                    }
                });
            }
        }
    }

    /// <summary>What the secret needs of a system's files. Failures are <see cref="IOException"/> or
    /// <see cref="UnauthorizedAccessException"/>.</summary>
    internal interface ISecretFiles
    {
        /// <summary>The user's alone, if it is made now.</summary>
        void MakeFolder(string path);

        /// <summary>What is in the file; null where it is missing or not fit to be the secret.</summary>
        byte[] Read(string path);

        /// <summary>Whether anything is there, a link that leads nowhere included.</summary>
        bool Exists(string path);

        void Delete(string path);

        /// <summary>Writes a new file that only the user can read, to the disk, and returns its path.</summary>
        string WriteDraft(string folder, byte[] content);

        /// <summary>Gives the draft its name, unless another maker was faster: then theirs counts.</summary>
        void PutInPlace(string draft, string path);

        /// <summary>Somebody else has the file open, and not for long.</summary>
        bool IsBusy(Exception failure);
    }
}
