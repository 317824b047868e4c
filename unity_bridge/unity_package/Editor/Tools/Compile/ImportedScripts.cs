using System;
using System.Collections.Generic;
using System.Diagnostics;
using System.IO;
using System.Linq;
using System.Text;
using System.Threading.Tasks;
using UnityEditor;
using UnityEngine;
using UnityBridge.EditorLife;
using UnityBridge.Platform;

namespace UnityBridge.Tools
{
    /// <summary>Whether Unity has imported the scripts that were on disk when a refresh began (SPEC §16.1). Main
    /// thread.</summary>
    /// <remarks><c>AssetDatabase.Refresh</c> does nothing, and does not say so, while some script holds
    /// <c>StartAssetEditing</c>; no member of AssetDatabase shows that (AssetDatabase.bindings.cs, 2021.3 to 6000.7).
    /// So the files are compared with what Unity knows of them: their paths, and the text of those that changed since
    /// the editor was started. One that was changed with an older time is not noticed.</remarks>
    internal sealed class ImportedScripts
    {
        private const int MostCompared = 500;
        private const int MostLevels = 64;
        private const long LongestWalkMs = 10000;

        // Folders that are one asset each; nothing in them is imported by itself (manual, "Import and configure
        // plug-ins").
        private static readonly string[] NativePlugins =
            ".androidlib .bundle .framework .xcframework .plugin .app".Split(' ');

        // Path and time of those whose text was the imported one.
        private static readonly HashSet<string> Compared = new HashSet<string>();

        private readonly Stopwatch _since = Stopwatch.StartNew();
        private readonly Dictionary<string, string> _folders;   // by asset path
        private readonly DateTime _refreshed;
        private readonly Task<Dictionary<string, ScriptFile>> _walk;

        public ImportedScripts(long refreshedUtcMs)
        {
            _refreshed = DateTimeOffset.FromUnixTimeMilliseconds(refreshedUtcMs).UtcDateTime;
            _folders = Folders();
            _walk = Task.Run(Walk);
        }

        /// <summary>Whether <see cref="NotImported"/> can answer; the folders of a large project take a
        /// moment.</summary>
        public bool IsKnown => _walk.IsCompleted || _since.ElapsedMilliseconds > LongestWalkMs;

        /// <summary>The asset paths of scripts that Unity has not imported, or still knows though they are
        /// gone.</summary>
        public List<string> NotImported()
        {
            var missed = new List<string>();
            if (_walk.Status != TaskStatus.RanToCompletion)
            {
                return missed;
            }
            var files = _walk.Result;
            var known = new HashSet<string>(
                AssetDatabase.GetAllAssetPaths().Where(path => IsScript(path) && FileOf(path) != null)
                .Select(Same), StringComparer.OrdinalIgnoreCase);
            missed.AddRange(known.Where(path => !files.ContainsKey(path) && !File.Exists(FileOf(path))));
            var recent = files.Values.Where(file => file.Changed >= EditorStart() && file.Changed < _refreshed)
                .OrderByDescending(file => file.Changed).Take(MostCompared).ToList();
            missed.AddRange(recent.Where(file => !known.Contains(file.AssetPath) && File.Exists(file.Path))
                .Select(file => file.AssetPath));
            var differing = recent.Where(file => known.Contains(file.AssetPath) && !IsAsImported(file)).ToList();
            if (differing.Count > 0 && IsTextKept(files.Values, known, differing))
            {
                missed.AddRange(differing.Select(file => file.AssetPath));
            }
            missed.Sort(StringComparer.Ordinal);
            return missed;
        }

        // Of a Unity that does not keep the text of scripts nothing is concluded.
        private static bool IsTextKept(
            IEnumerable<ScriptFile> files, ICollection<string> known, ICollection<ScriptFile> differing) =>
            files.Where(file => known.Contains(file.AssetPath) && !differing.Contains(file))
            .OrderBy(file => file.Changed).Take(3).Any(file => IsAsImported(file));

        private static bool IsAsImported(ScriptFile file)
        {
            var key = file.AssetPath + "|" + file.Changed.Ticks;
            if (Compared.Contains(key))
            {
                return true;
            }
            var imported = AssetDatabase.LoadAssetAtPath<TextAsset>(file.AssetPath);
            // For Unity it may be no script, as in StreamingAssets; and one that cannot be read is not known to have
            // changed.
            if (imported != null && Read(file.Path) is { } text && text != imported.text)
            {
                var isUtf8 = text.IndexOf('\uFFFD') < 0;
                if (Plain(text, isUtf8) != Plain(imported.text, isUtf8))
                {
                    return false;
                }
            }
            Compared.Add(key);
            return true;
        }

        private static string Read(string file)
        {
            try
            {
                return File.ReadAllText(file);
            }
            catch (Exception failure) when (failure is IOException or UnauthorizedAccessException)
            {
                return null;
            }
        }

        // Line ends, a byte order mark, and text in another encoding than UTF-8 may be kept in another form.
        private static string Plain(string text, bool isUtf8)
        {
            var plain = new StringBuilder(text.Length);
            foreach (var character in text)
            {
                if (character != '\r' && character != '\uFEFF' && (isUtf8 || character < '\u0080'))
                {
                    plain.Append(character);
                }
            }
            return plain.ToString();
        }

        // Assets, and the packages that are not immutable.
        private static Dictionary<string, string> Folders()
        {
            var folders = new Dictionary<string, string>(
                StringComparer.OrdinalIgnoreCase) { ["Assets"] = Application.dataPath };
            Guard.Run(() =>
            {
                foreach (var package in UnsavedWork.ChangeablePackages())
                {
                    folders[package.assetPath] = package.resolvedPath;
                }
            });
            return folders;
        }

        // Null for an asset of an immutable package.
        private string FileOf(string assetPath)
        {
            var parts = assetPath.Split('/');
            var levels = parts[0] == "Packages" ? 2 : 1;
            return parts.Length > levels && _folders.TryGetValue(string.Join("/", parts.Take(levels)), out var folder)
                ? Path.Combine(folder, Path.Combine(parts.Skip(levels).ToArray()))
                : null;
        }

        // Not on the main thread.
        private Dictionary<string, ScriptFile> Walk()
        {
            var files = new Dictionary<string, ScriptFile>(StringComparer.OrdinalIgnoreCase);
            foreach (var folder in _folders)
            {
                Walk(folder.Value, folder.Key, 0, files);
            }
            return files;
        }

        private static void Walk(string folder, string assetPath, int level, Dictionary<string, ScriptFile> files)
        {
            if (level > MostLevels || DomainEnd.Token.IsCancellationRequested)
            {
                return;
            }
            try
            {
                foreach (var file in Directory.GetFiles(folder))
                {
                    var name = Path.GetFileName(file);
                    if (IsScript(name) && !IsHidden(name))
                    {
                        var path = Same(assetPath + "/" + name);
                        files[path] = new ScriptFile
                        {
                            AssetPath = path, Path = file, Changed = File.GetLastWriteTimeUtc(file),
                        };
                    }
                }
                foreach (var below in Directory.GetDirectories(folder))
                {
                    var name = Path.GetFileName(below);
                    if (!IsHidden(name) && Array.IndexOf(NativePlugins, Path.GetExtension(name).ToLowerInvariant()) < 0)
                    {
                        Walk(below, assetPath + "/" + name, level + 1, files);
                    }
                }
            }
            catch (Exception failure) when (failure is IOException or UnauthorizedAccessException)
            {
                // A folder that was just removed, or may not be read.
            }
        }

        private static bool IsScript(string name) => name.EndsWith(".cs", StringComparison.OrdinalIgnoreCase)
            || name.EndsWith(".asmdef", StringComparison.OrdinalIgnoreCase)
            || name.EndsWith(".asmref", StringComparison.OrdinalIgnoreCase);

        // Unity leaves these out (manual, "Special folder names", Hidden assets).
        private static bool IsHidden(string name) =>
            name[0] == '.' || name[name.Length - 1] == '~' || name.EqualsAnyCase("cvs");

        // A file system may decompose what the asset database composes.
        private static string Same(string path) => path.Normalize();

        private static DateTime EditorStart()
        {
            using var editor = Process.GetCurrentProcess();
            return editor.StartTime.ToUniversalTime();
        }

        private sealed class ScriptFile
        {
            public string AssetPath;
            public string Path;
            public DateTime Changed;
        }
    }
}
