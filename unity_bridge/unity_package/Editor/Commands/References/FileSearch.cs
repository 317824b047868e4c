using System;
using System.Collections.Generic;
using System.IO;
using System.Linq;
using System.Threading;
using System.Threading.Tasks;
using UnityBridge.Changes;
using UnityBridge.EditorLife;
using UnityBridge.Platform;

namespace UnityBridge.Commands
{
    /// <summary>Searches the text of files for GUIDs on another thread: what a scene, prefab or asset refers to is its
    /// GUID there. Made and disposed of on the
    /// main thread.</summary>
    internal sealed class FileSearch : IDisposable
    {
        private const int GuidChars = 32;

        // Files that Unity writes as text or as binary. Others count if they begin as text of these forms does.
        private static readonly HashSet<string> OfUnity = new HashSet<string>(
            (".unity .prefab .asset .mat .anim .controller .overrideController .playable .mask .preset .lighting "
            + ".spriteatlas .terrainlayer .mixer .renderTexture .physicMaterial .physicsMaterial2D .guiskin .flare")
            .Split(' '), StringComparer.OrdinalIgnoreCase);

        private static readonly string[] TextStarts = { "%YAML", "fileFormatVersion", "{", "<" };

        private readonly CancellationTokenSource _stop;
        private readonly List<string> _files;
        private readonly ReferenceTarget _target;
        private readonly Task _task;
        private int _done;

        /// <param name="target">Null for every GUID.</param>
        public FileSearch(IEnumerable<string> assets, ReferenceTarget target, CancellationToken stop)
        {
            var folders = UnsavedWork.ChangeablePackages().Select(package => package.assetPath + "/")
                .Concat(new[] { "Assets/", "ProjectSettings/" }).ToList();
            _files = assets.Where(path => folders.Exists(path.Begins))
                .SelectMany(path => new[] { path, path + ".meta" }).ToList();
            _target = target;
            _stop = CancellationTokenSource.CreateLinkedTokenSource(stop);
            var root = WrittenFiles.OnDisk("");
            _task = Task.Run(() => _files.ForEach(file => Search(root, file)));
        }

        public bool IsDone => _task.IsCompleted;

        public float Progress => _files.Count == 0 ? 1 : Volatile.Read(ref _done) / (float)_files.Count;

        public int Searched { get; private set; }

        public List<string> Binary { get; } = new List<string>();

        /// <summary>Once it is done: each file once for each field and value.</summary>
        public List<(string File, string Key, string Value)> Hits { get; } = new List<(string, string, string)>();

        public void Dispose() => _stop.Cancel();

        /// <summary>Throws what the search threw.</summary>
        public void Finish() => _task.GetAwaiter().GetResult();

        private void Search(string root, string file)
        {
            _stop.Token.ThrowIfCancellationRequested();
            Interlocked.Increment(ref _done);
            try
            {
                using var reader = new StreamReader(Path.Combine(root, file));
                var line = reader.ReadLine() ?? "";
                if (!Array.Exists(TextStarts, line.Begins))
                {
                    if (OfUnity.Contains(Path.GetExtension(file)))
                    {
                        Binary.Add(file);
                    }
                    return;
                }
                Searched++;
                var found = new HashSet<string>();
                for (var key = ""; line != null; line = reader.ReadLine())
                {
                    _stop.Token.ThrowIfCancellationRequested();
                    key = KeyOf(line) ?? key;
                    foreach (var value in ValuesIn(line, key))
                    {
                        var isMeant = _target == null ? key is not ("m_TagString" or "m_Layer")
                            : _target.IsIn(key, value);
                        if (isMeant && found.Add(key + value))
                        {
                            Hits.Add((file.Ends(".meta")
                                ? file.Substring(0, file.Length - 5) : file, key, value));
                        }
                    }
                }
            }
            catch (Exception unreadable) when (unreadable is IOException or UnauthorizedAccessException)
            {
                // A folder, or a file that is gone by now.
            }
        }

        // "  - m_Material: {fileID: 2100000, guid: ..." is m_Material; "  - {fileID: ..." belongs to the line above.
        private static string KeyOf(string line)
        {
            var text = line.TrimStart(' ', '-', '"', '\t');
            var end = text.IndexOfAny(new[] { ':', '{', '"', ' ' });
            return end > 0 && text[end] is ':' or '"' && !text.StartsWith("guid", StringComparison.OrdinalIgnoreCase)
                ? text.Substring(0, end) : null;
        }

        // Unity's own objects have GUIDs that begin with sixteen zeros. A .meta file's own is the one without anything
        // before it.
        private static IEnumerable<string> ValuesIn(string line, string key)
        {
            if (key is "m_TagString" or "m_Layer")
            {
                yield return line.Substring(line.IndexOf(':') + 1).Trim();
            }
            for (var at = line.IndexOf("guid", Math.Min(1, line.Length),
                StringComparison.OrdinalIgnoreCase); at >= 0; at = line.IndexOf("guid", at + 4,
                StringComparison.OrdinalIgnoreCase))
            {
                var start = at + 4;
                while (start < line.Length && !char.IsLetterOrDigit(line[start]))
                {
                    start++;
                }
                if (start + GuidChars <= line.Length && line.Substring(start, GuidChars) is var guid
                    && guid.All(Uri.IsHexDigit)
                    && !guid.Begins("0000000000000000"))
                {
                    yield return guid;
                }
            }
        }
    }
}
