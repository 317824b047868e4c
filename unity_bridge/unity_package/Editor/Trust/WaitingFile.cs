using System.Diagnostics;
using System.IO;
using System.Text;
using UnityBridge.Platform;

namespace UnityBridge.Trust
{
    /// <summary>An empty file in the user's state folder, by which a server that has taken the port calls this editor
    /// (SPEC §11.2). For one thread.</summary>
    /// <remarks>It has no content, and nothing is believed because of it. Where it cannot be made, nobody
    /// calls.</remarks>
    internal sealed class WaitingFile
    {
        private const string FolderName = "waiting";
        private const int SpaceDigits = 16;

        private readonly string _state = StateFolder.Find(out _);
        private readonly string _folder;
        private readonly string _path;

        public WaitingFile(int port)
        {
            if (_state != null)
            {
                using var process = Process.GetCurrentProcess();
                _folder = Path.Combine(_state, FolderName);
                _path = Path.Combine(_folder, port + "-" + process.Id + "-" + PidSpace());
            }
        }

        public bool IsMade { get; private set; }

        /// <summary>Before an attempt to connect: a server that listens later than the attempt finds the
        /// file.</summary>
        public void Make()
        {
            if (!IsMade && _path != null)
            {
                IsMade = FilesOnDisk.Try(MakeNow);
            }
        }

        /// <summary>Whether a server has removed the file since it was made; true once.</summary>
        public bool TakeCall()
        {
            if (!IsMade || File.Exists(_path))
            {
                return false;
            }
            IsMade = false;
            return true;
        }

        public void Remove()
        {
            if (IsMade)
            {
                IsMade = false;
                FilesOnDisk.Try(() => File.Delete(_path));
            }
        }

        private void MakeNow()
        {
            var files = SharedSecret.Files;
            files.MakeFolder(_state);
            files.MakeFolder(_folder);
            if (!IsPrivate(_folder))
            {
                throw new IOException("others can write to it");
            }
            // An editor keeps its file while it reloads.
            if (!File.Exists(_path))
            {
                var share = FileShare.ReadWrite | FileShare.Delete;
                new FileStream(_path, FileMode.CreateNew, FileAccess.Write, share).Dispose();
            }
        }

        private static bool IsPrivate(string folder)
        {
            if (Host.Name != Host.Windows)
            {
                return Posix.IsPrivateFolder(folder);
            }
            var kinds = FileAttributes.Directory | FileAttributes.ReparsePoint;
            return (File.GetAttributes(folder) & kinds) == FileAttributes.Directory;
        }

        // The server computes the same (unity_bridge/trust/waiting_editors.py).
        private static string PidSpace()
        {
            string boot = "", pidNamespace = "";
            if (Host.Name == Host.Linux && !FilesOnDisk.Try(() =>
                {
                    boot = File.ReadAllText("/proc/sys/kernel/random/boot_id").Trim();
                    pidNamespace = Posix.LinkTarget("/proc/self/ns/pid");
                }))
            {
                return new string('0', SpaceDigits);
            }
            var hash = Cryptography.Sha256(Encoding.UTF8.GetBytes(boot + "\n" + pidNamespace));
            return Cryptography.Hex(hash, SpaceDigits / 2);
        }
    }
}
