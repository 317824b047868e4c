using System;
using System.Collections.Generic;
using System.Globalization;
using System.IO;
using System.Linq;
using UnityEngine;
using UnityBridge.Platform;
using IoPath = System.IO.Path;

namespace UnityBridge.GameUi
{
    /// <summary>The pictures of one recording, a file each below <c>Library/UnityBridge/Recordings</c>, so that a
    /// reload loses none. Main thread.</summary>
    internal sealed class FrameFolder
    {
        private const string Recordings = "Library/UnityBridge/Recordings";
        private const long MostBytes = 200L * 1024 * 1024;
        private static readonly TimeSpan Lifetime = TimeSpan.FromDays(1);

        /// <param name="path">Within the project.</param>
        public FrameFolder(string path)
        {
            Path = path;
        }

        public string Path { get; }

        private static string ProjectPath => IoPath.GetDirectoryName(Application.dataPath);

        private string OnDisk => IoPath.Combine(ProjectPath, Path);

        public static FrameFolder Create()
        {
            var name = DateTime.UtcNow.ToString("yyyyMMdd-HHmmss-fff", CultureInfo.InvariantCulture);
            var folder = new FrameFolder(Recordings + "/" + name);
            Directory.CreateDirectory(folder.OnDisk);
            return folder;
        }

        /// <summary>Deletes the folders that are older than a day, and the oldest of those that are too many
        /// together.</summary>
        public static void DeleteOld()
        {
            var root = new DirectoryInfo(IoPath.Combine(ProjectPath, Recordings));
            if (!root.Exists || FilesOnDisk.IsLink(root.FullName))
            {
                return;
            }
            var bytes = 0L;
            foreach (var folder in root.GetDirectories().Where(folder => !FilesOnDisk.IsLink(folder.FullName))
                .OrderByDescending(folder => folder.Name, StringComparer.Ordinal))
            {
                bytes += folder.GetFiles().Sum(file => file.Length);
                if (bytes > MostBytes || DateTime.UtcNow - folder.LastWriteTimeUtc > Lifetime)
                {
                    Delete(folder);
                }
            }
        }

        /// <summary>Writes a picture; a part of one is not left behind.</summary>
        public void Write(FrameTime time, byte[] picture)
        {
            var file = IoPath.Combine(OnDisk, time.FileName);
            try
            {
                File.WriteAllBytes(file, picture);
            }
            catch (Exception)
            {
                File.Delete(file);
                throw;
            }
        }

        /// <summary>The pictures in the order in which they were taken.</summary>
        public List<FrameTime> Frames()
        {
            var folder = new DirectoryInfo(OnDisk);
            return folder.Exists
                ? folder.GetFiles("*.jpg").Select(file => FrameTime.FromFileName(file.Name)).Where(time => time != null)
                .OrderBy(time => time.RealMs).ToList()
                : new List<FrameTime>();
        }

        public byte[] Read(FrameTime time) => File.ReadAllBytes(IoPath.Combine(OnDisk, time.FileName));

        public void Delete()
        {
            var folder = new DirectoryInfo(OnDisk);
            if (folder.Exists)
            {
                Delete(folder);
            }
        }

        // If a picture is open in another program, the next recording tries again.
        private static void Delete(DirectoryInfo folder) => FilesOnDisk.Try(() => folder.Delete(true));
    }

    /// <summary>When a picture was taken; its file is named after that.</summary>
    internal sealed class FrameTime
    {
        /// <param name="realMs">Since the recording began.</param>
        /// <param name="gameTimeS">The game's time.</param>
        public FrameTime(long realMs, double gameTimeS)
        {
            RealMs = realMs;
            GameTimeS = Math.Round(gameTimeS, 3);
        }

        public long RealMs { get; }

        public double GameTimeS { get; }

        public string FileName => RealMs.ToString("00000", CultureInfo.InvariantCulture) + "ms-"
            + GameTimeS.ToString("0.000", CultureInfo.InvariantCulture) + "s.jpg";

        /// <summary>Null for another file.</summary>
        public static FrameTime FromFileName(string name)
        {
            var parts = name.Split(new[] { "ms-", "s.jpg" }, StringSplitOptions.None);
            var isFrame = parts.Length == 3 && parts[2].Length == 0;
            return isFrame && long.TryParse(parts[0], NumberStyles.None, CultureInfo.InvariantCulture, out var realMs)
                && double.TryParse(parts[1], NumberStyles.Float, CultureInfo.InvariantCulture, out var gameTimeS)
                ? new FrameTime(realMs, gameTimeS) : null;
        }
    }
}
