using System;
using System.Collections.Generic;
using System.IO;
using System.Text;
using UnityBridge.Json;
using UnityBridge.Platform;

namespace UnityBridge.EditorLife
{
    /// <summary>
    /// The files that one call rewrites, as they were before it: on the same volume as the file, so that a rename puts
    /// one back where a full disk lets nothing be written, and with a journal next to them, for an editor that is
    /// killed in between (SPEC §16.7). Main thread.
    /// </summary>
    internal sealed class KeptCopies
    {
        public const string JournalName = "journal";

        /// <summary>Where the copies of a call may lie, below the project: the second is for a Library on another
        /// volume.</summary>
        public static readonly string[] Homes = { "Library/UnityBridge/Kept", ".unity-bridge-kept" };

        private readonly string _project;
        private readonly string _name = DateTime.UtcNow.ToString("yyyyMMdd-HHmmss-")
            + Guid.NewGuid().ToString("N").Substring(0, 8);
        private readonly Dictionary<string, string> _files = new Dictionary<string, string>(); // by their copies
        private readonly List<string> _folders = new List<string>();
        private int _count;

        public KeptCopies(string project)
        {
            _project = project;
        }

        /// <summary>How often a call has changed what the journals say.</summary>
        public static int Changes { get; private set; }

        /// <summary>Copies a file. The path of the copy, below the project.</summary>
        /// <exception cref="IOException">Why there is no copy; nothing was changed.</exception>
        public string Keep(string file)
        {
            string copy = null;
            InFirstHome(home => copy = CopyTo(home, file));
            _files[copy] = file;
            return copy;
        }

        /// <summary>Writes down what happens to a file or folder that needs no copy: a new one, or one that is
        /// moved.</summary>
        /// <exception cref="IOException">It cannot be written.</exception>
        public void Note(string from, string to) =>
            InFirstHome(home => Write(Folder(home), new JsonObject { { "from", from }, { "to", to } }));

        public bool IsLikeFile(string copy) => FilesOnDisk.AreEqual(Whole(_files[copy]), Whole(copy));

        public byte[] Content(string copy) => File.ReadAllBytes(Whole(copy));

        /// <summary>Puts the copy in the place of its file, which needs no room. False if the system does not let
        /// it.</summary>
        public bool Restore(string copy)
        {
            try
            {
                FilesOnDisk.PutInPlace(Whole(copy), RealPath.Resolve(Whole(_files[copy])));
                _files.Remove(copy);
                return true;
            }
            catch (Exception)
            {
                return false;
            }
        }

        /// <summary>At the end of the call.</summary>
        /// <param name="needed">The copies that a person may need, which the answer names.</param>
        public void End(ICollection<string> needed)
        {
            foreach (var copy in new List<string>(_files.Keys))
            {
                if (!needed.Contains(copy))
                {
                    Guard.Run(() => File.Delete(Whole(copy)));
                    _files.Remove(copy);
                }
            }
            foreach (var folder in _folders)
            {
                Guard.Run(() => Close(folder));
            }
            Changes += _folders.Count;
        }

        // A full disk shows itself in many exceptions.
        private static void InFirstHome(Action<string> work)
        {
            Exception failure = null;
            foreach (var home in Homes)
            {
                try
                {
                    work(home);
                    Changes++;
                    return;
                }
                catch (Exception fault)
                {
                    failure ??= fault;
                }
            }
            throw new IOException(failure.Message);
        }

        private void Close(string folder)
        {
            if (_files.Count > 0)
            {
                // The answer has named them, so the next load need not.
                Write(folder, new JsonObject { { "reported", true } });
                return;
            }
            File.Delete(Path.Combine(Whole(folder), JournalName));
            Directory.Delete(Whole(folder));
        }

        private string CopyTo(string home, string file)
        {
            var folder = Folder(home);
            var source = RealPath.Resolve(Whole(file));
            if (!FilesOnDisk.AreOnOneVolume(source, Whole(folder)))
            {
                throw new IOException(home + " is on another volume than the file");
            }
            var copy = folder + "/" + ++_count + Path.GetExtension(file);
            try
            {
                FilesOnDisk.Copy(source, Whole(copy));
                Write(folder, new JsonObject { { "file", file }, { "copy", Path.GetFileName(copy) } });
                return copy;
            }
            catch (Exception)
            {
                Guard.Run(() => File.Delete(Whole(copy)));
                throw;
            }
        }

        private string Folder(string home)
        {
            var folder = home + "/" + _name;
            if (_folders.Contains(folder))
            {
                return folder;
            }
            RequireNoLink(home);
            Directory.CreateDirectory(Whole(folder));
            if (home == Homes[1])
            {
                // Not a person's, and not for version control.
                File.WriteAllText(Path.Combine(Whole(home), ".gitignore"), "*\n");
            }
            _folders.Add(folder);
            return folder;
        }

        // Library itself may be a link; what is ours in it may not.
        private void RequireNoLink(string home)
        {
            for (var folder = home; folder.Length > 0 && folder != "Library";
                folder = folder.Substring(0, Math.Max(0, folder.LastIndexOf('/'))))
            {
                if (FilesOnDisk.IsLink(Whole(folder)))
                {
                    throw new IOException(folder + " is a link");
                }
            }
        }

        // A line that a full disk has cut off is ended by the next one, and passed over.
        private void Write(string folder, JsonObject entry)
        {
            var line = Encoding.UTF8.GetBytes("\n" + JsonWriter.Write(entry) + "\n");
            using var file = new FileStream(
                Path.Combine(Whole(folder), JournalName), FileMode.Append, FileAccess.Write, FileShare.Read);
            file.Write(line, 0, line.Length);
            file.Flush(true);
        }

        private string Whole(string path) => Path.Combine(_project, path);
    }
}
