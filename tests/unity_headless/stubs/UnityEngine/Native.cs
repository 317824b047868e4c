using System;
using System.IO;
using System.Runtime.InteropServices;
using System.Threading;

namespace UnityEngine
{
    /// <summary>
    /// What Unity's C++ side is to its scripts: it outlives every script domain. The host implements it in the root
    /// AppDomain; the stubs call it from the script domain, through remoting.
    /// </summary>
    public abstract partial class Native : MarshalByRefObject
    {
        /// <summary>The editor, as this script domain sees it; the host sets both when it loads the domain.</summary>
        public static Native Editor;
        public static int MainThreadId;

        /// <summary>What every update reads, in memory that all domains see: a call from one to another is serialised,
        /// and those of one update took a tenth of the processor.</summary>
        public static IntPtr Shared;
        public static bool Compiling { get { return IsOn(0); } set { Switch(0, value); } }
        public static bool Updating { get { return IsOn(1); } set { Switch(1, value); } }
        public static bool CompilationFailed { get { return IsOn(2); } set { Switch(2, value); } }
        public static bool BuildingPlayer { get { return IsOn(3); } set { Switch(3, value); } }
        /// <summary>The editor is the active application.</summary>
        public static bool Focused { get { return IsOn(4); } set { Switch(4, value); } }
        public static bool Playing { get { return IsOn(5); } set { Switch(5, value); } }
        public static bool PlayingWanted { get { return IsOn(6); } set { Switch(6, value); } }
        public static bool Paused { get { return IsOn(7); } set { Switch(7, value); } }
        /// <summary>How many lines the world has.</summary>
        public static int WorldLines
        {
            get { return Marshal.ReadInt32(Shared, 8); }
            set { Marshal.WriteInt32(Shared, 8, value); }
        }

        // Properties: Mono reads a field of another domain by reflection and serialisation, and those are slow.
        public string UnityVersion { get; set; }
        public string ProductName { get; set; }
        public string DataPath { get; set; }
        public string CommandLine { get; set; }
        public bool BatchMode { get; set; }
        public bool ImportWorker { get; set; }
        /// <summary>How many LockReloadAssemblies are open: Unity counts them, and one that is not closed outlives a
        /// reload.</summary>
        public int ReloadLocks { get; set; }
        public bool ReloadLocked { get { return ReloadLocks > 0; } }
        /// <summary>How many StartAssetEditing are open.</summary>
        public int AssetEditing { get; set; }
        /// <summary>How often QueuePlayerLoopUpdate was called: each is a player loop of edit mode, with
        /// [ExecuteAlways] scripts and a repaint of all views (EditorApplication.bindings.cs 6000.3.19f1:339,
        /// SetSceneRepaintDirty).</summary>
        public int PlayerLoops { get; set; }
        /// <summary>Where this Unity's tools are; the second is null in versions before 6000.3.</summary>
        public string ContentsPath { get; set; }
        public string ScriptingPath { get; set; }
        /// <summary>What -logFile says; null for the project's own log.</summary>
        public string LogPath { get; set; }
        public int UndoGroup { get; set; }
        /// <summary>The stack of Undo while no domain is loaded: for each record its group, name and scene, apart by
        /// tabs.</summary>
        public string UndoSteps { get; set; }
        /// <summary>From where the Scene view looks; its camera is moved there when the view is drawn.</summary>
        public string LookFrom { get; set; } = "";
        /// <summary>The prefab that is open with unsaved changes, or null.</summary>
        public string DirtyPrefab { get; set; }
        /// <summary>Unity's default; a prefab that is not saved has it off.</summary>
        public bool AutoSave { get; set; } = true;
        /// <summary>Assets with unsaved changes, apart by semicolons.</summary>
        public string DirtyAssets
        {
            get { lock (_dirtyAssets) return string.Join(";", _dirtyAssets.ToArray()); }
            set
            {
                lock (_dirtyAssets)
                {
                    _dirtyAssets.Clear();
                    _dirtyAssets.AddRange(List(value));
                    _dirtyFiles.Clear();
                    foreach (var path in _dirtyAssets) _dirtyFiles.Add(path.Split(':')[0]);
                }
            }
        }

        private readonly System.Collections.Generic.List<string> _dirtyAssets =
            new System.Collections.Generic.List<string>();
        private readonly System.Collections.Generic.HashSet<string> _dirtyFiles =
            new System.Collections.Generic.HashSet<string>();

        /// <summary>By the path of its file: the list may be long, and goes from one domain to the other.</summary>
        public bool IsDirtyAsset(string path) { lock (_dirtyAssets) return _dirtyFiles.Contains(path.Split(':')[0]); }

        public void CleanAsset(string path)
        {
            lock (_dirtyAssets)
            {
                var file = path.Split(':')[0];
                if (_dirtyFiles.Remove(file))
                {
                    _dirtyAssets.RemoveAll(one => one == file || one.StartsWith(file + ":", StringComparison.Ordinal));
                }
            }
        }

        /// <summary>The prefab that is open without changes, or null.</summary>
        public string OpenPrefab { get; set; }
        /// <summary>Rises with every change of the project's tests.</summary>
        public int TestsVersion { get; set; }
        public int ConsoleFlags { get; set; }
        public string ConsoleFilter { get; set; }

        public abstract string GetSession(string key);
        public abstract void SetSession(string key, string value);
        public abstract void AddRow(string message, string stack, int mode, string file, int line);
        /// <summary>LogEntries.Clear: all but entries that stay until they are fixed.</summary>
        public abstract void ClearRows();
        /// <summary>The mutex of the console is taken or released, by the main thread.</summary>
        public abstract void HoldRows(bool isHeld);
        /// <summary>How many rows of the console were read.</summary>
        public int RowsRead { get; set; }
        /// <summary>Whether an import has found another file of the open prefab since it was last asked.</summary>
        public abstract bool TakeChangedPrefab();
        public abstract void SaveScene(string path);
        /// <summary>A scene, or the open prefab, has changes that are not saved.</summary>
        public abstract void MarkDirty(string path);
        /// <summary>Its unsaved changes are lost; the file stays as it is.</summary>
        public abstract void DiscardScene(string path);
        /// <summary>AssetDatabase.Refresh: takes up what is on disk, and asks for a compilation where it
        /// differs.</summary>
        public abstract void Refresh();
        public abstract void RequestCompilation();
        /// <summary>The paths of the scripts that were imported, a line each.</summary>
        public abstract string ImportedPaths();
        /// <summary>The text of a script as it was imported; null for one that was not.</summary>
        public abstract string ImportedText(string path);
        /// <summary>Objects that no reload takes away.</summary>
        public abstract void CountKept(int change);
        /// <summary>The console's rows, their fields apart by U+001F and each ended by U+001E: an array of arrays would
        /// be serialised on its way between the domains, which takes seconds.</summary>
        public abstract string Rows();
        public abstract string[] DirtyScenes();
        /// <summary>The open scenes without unsaved changes.</summary>
        public abstract string[] CleanScenes();
        /// <summary>CloseScene: its unsaved changes are lost. One that is kept stays in its place and is not
        /// loaded.</summary>
        public abstract void CloseScene(string path, bool isRemoved);
        /// <summary>The file is read, and the scene or prefab is as on disk.</summary>
        public abstract void OpenedFile(string path, bool isAdditive = false);
        public string ActiveScene { get; set; }
        public abstract bool IsUnloaded(string path);
        public abstract string[] Tests();
        /// <summary>The assemblies of the project's own scripts, each as "path|mode of its tests".</summary>
        public abstract string[] ScriptAssemblies();
        /// <summary>The tests of the project's own scripts, as the host's lines have them.</summary>
        public abstract void FoundTests(string[] lines);
        public abstract bool Quirk(string name);
        /// <summary>The number of the quirk "name number", 0 without one.</summary>
        public abstract int QuirkValue(string name);
        /// <summary>What stands after the name of a quirk; null without one.</summary>
        public abstract string QuirkText(string name);
        /// <summary>From now on no file of this process grows beyond so many bytes, as on a full disk; below zero:
        /// there is room again.</summary>
        public abstract void LimitFiles(long bytes);
        /// <summary>From this moment on the disk is full (the quirk "disk-full-MOMENT bytes"); the editor is killed
        /// ("die-MOMENT"); or a person writes a file ("person-adds-MOMENT path").</summary>
        public void DiskAt(string moment)
        {
            if (QuirkValue("disk-full-" + moment) > 0) LimitFiles(QuirkValue("disk-full-" + moment));
            if (Quirk("die-" + moment)) System.Diagnostics.Process.GetCurrentProcess().Kill();
            if (QuirkText("person-adds-" + moment) != null)
            {
                File.WriteAllText(Path.Combine(Path.GetDirectoryName(DataPath), QuirkText("person-adds-" + moment)),
                    "a person's");
            }
        }
        public abstract void Say(string line);
        public abstract void SignalTick();
        /// <summary>Holds the main thread so long, or until the test releases it.</summary>
        public abstract void Hold(int ms);

        private static bool IsOn(int place)
        {
            return Marshal.ReadByte(Shared, place) != 0;
        }

        private static void Switch(int place, bool value)
        {
            Marshal.WriteByte(Shared, place, (byte)(value ? 1 : 0));
        }

        public override object InitializeLifetimeService()
        {
            return null;
        }

        /// <summary>Unity throws in most of its API off the main thread; so does this, in all of it.</summary>
        public static void RequireMainThread(string api)
        {
            if (Thread.CurrentThread.ManagedThreadId != MainThreadId)
            {
                Editor.Say("VIOLATION " + api + " called off the main thread");
                throw new UnityException(api + " can only be called from the main thread.");
            }
        }
    }

    public class UnityException : Exception
    {
        public UnityException(string message) : base(message)
        {
        }
    }
}
