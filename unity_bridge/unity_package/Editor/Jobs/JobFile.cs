using System;
using System.Collections.Generic;
using System.IO;
using System.Linq;
using System.Text;
using System.Threading;
using UnityBridge.Json;
using UnityBridge.Platform;

namespace UnityBridge.Jobs
{
    /// <summary>
    /// The file below <c>Library</c> in which jobs outlive a reload and a crash: a line that names the editor process,
    /// then one line for each change of a job. Any thread; each call opens and closes the file.
    /// </summary>
    /// <remarks>A record is the job as JSON, a tab, and its result as JSON: neither has a raw tab or line break in it.
    /// So a result of a megabyte is neither parsed nor escaped on its way over a reload. A line that was cut off by a
    /// crash is passed over. The line break comes before a record, so that the next one does not become part of such a
    /// line.</remarks>
    internal sealed class JobFile
    {
        // More records than this make the file worth rewriting.
        private const int ManyRecords = 2000;
        private const int ManyChars = 16 * 1024 * 1024;

        private const int Retries = 5;
        private const int RetryPauseMs = 20;

        private readonly string _path;
        private readonly string _editorId;
        private readonly object _lock = new object();
        private int _records;   // guarded by _lock, as is the one below
        private int _chars;

        public JobFile(string path, string editorId)
        {
            _path = path;
            _editorId = editorId;
        }

        /// <summary>A write failed, and no whole one has succeeded since: the file lacks a record. (The disk is full or
        /// may not be written to, or another program holds the file.)</summary>
        public bool IsBroken { get; private set; }

        /// <summary>What the system said about the last failed write.</summary>
        public string Trouble { get; private set; }

        public bool IsLong
        {
            get
            {
                lock (_lock)
                {
                    return _records > ManyRecords || _chars > ManyChars;
                }
            }
        }

        public static string Record(Job job) => JsonWriter.Write(job.NextRecord()) + "\t" + (job.Result ?? "null");

        /// <summary>Does nothing if the file <see cref="IsBroken"/>: then only a whole write repairs it.</summary>
        public void Append(string record)
        {
            lock (_lock)
            {
                if (IsBroken)
                {
                    return;
                }
                _records++;
                _chars += record.Length;
                Write(() =>
                {
                    var isNew = !File.Exists(_path);
                    using var file = new FileStream(_path, FileMode.Append, FileAccess.Write, FileShare.Read);
                    var bytes = Encoding.UTF8.GetBytes((isNew ? Head() : "") + "\n" + record);
                    file.Write(bytes, 0, bytes.Length);
                });
            }
        }

        /// <summary>Rewrites the file; <paramref name="records"/> is asked while nobody can append.</summary>
        public void Rewrite(Func<List<string>> records)
        {
            lock (_lock)
            {
                var text = new StringBuilder(Head());
                var all = records();
                all.ForEach(record => text.Append('\n').Append(record));
                _records = all.Count;
                _chars = text.Length;
                // Never a half-written file.
                Write(() =>
                {
                    File.WriteAllText(_path + ".new", text.ToString());
                    FilesOnDisk.PutInPlace(_path + ".new", _path);
                });
            }
        }

        /// <summary>What the file has, oldest job first; <paramref name="sameEditor"/> is whether this editor process
        /// wrote it.</summary>
        public List<Job> Read(out bool sameEditor)
        {
            lock (_lock)
            {
                var lines = ReadLines();
                sameEditor = lines.Length > 0 && IsMine(lines[0]);
                _records = lines.Length;
                return Parse(lines);
            }
        }

        public static List<Job> Parse(IEnumerable<string> records) =>
            records.Select(Parse).Where(job => job != null).ToList();

        // Null for a line that is no record.
        private static Job Parse(string record)
        {
            var tab = record.IndexOf('\t');
            if (tab < 0 || !JsonReader.TryRead(record.Substring(0, tab), out var read, out _)
                || read is not JsonObject json || json.Object("request") == null || json.Text("state") == null)
            {
                return null;
            }
            var result = record.Substring(tab + 1);
            return Job.FromRecord(json, result == "null" ? null : result);
        }

        private bool IsMine(string head) =>
            JsonReader.TryRead(head, out var read, out _) && read is JsonObject json
            && json.Text("editor") == _editorId;

        private string Head() => JsonWriter.Write(new JsonObject { { "editor", _editorId } });

        private string[] ReadLines()
        {
            try
            {
                return File.Exists(_path) ? File.ReadAllLines(_path) : new string[0];
            }
            catch (Exception failure) when (failure is IOException or UnauthorizedAccessException)
            {
                return new string[0];
            }
        }

        // A scanner or an indexer holds the file for a moment. What cannot be written for longer is not waited for
        // again and again.
        private void Write(Action write)
        {
            for (var left = IsBroken ? 0 : Retries; ; left--)
            {
                try
                {
                    Directory.CreateDirectory(Path.GetDirectoryName(_path));
                    write();
                    IsBroken = false;
                    return;
                }
                catch (Exception failure)
                {
                    // A full disk shows itself in many exceptions, and none may cost the connection.
                    if (left == 0)
                    {
                        IsBroken = true;
                        Trouble = failure.Message;
                        return;
                    }
                }
                Thread.Sleep(RetryPauseMs);
            }
        }
    }
}
