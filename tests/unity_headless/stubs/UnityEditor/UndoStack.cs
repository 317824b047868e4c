using System;
using System.Collections.Generic;
using System.Linq;
using UnityEngine;

namespace UnityEditor
{
    /// <summary>
    /// The stack of Undo. It is native: a reload keeps it, and closing a scene drops the records of its objects
    /// (ClearUndoSceneHandle). A change of the selection is a record like any other. What is recorded after an Undo
    /// drops what could be redone.
    /// </summary>
    public partial class Undo
    {
        private sealed class Operation
        {
            public int Group;
            public string Name;
            public string Scene = "";
            public Action Revert;
        }

        private static readonly List<Operation> Operations = new List<Operation>();
        private static readonly Dictionary<int, string> Names = new Dictionary<int, string>();
        private static readonly List<string> Redone = new List<string>();

        public static void SetCurrentGroupName(string name)
        {
            Native.RequireMainThread("Undo.SetCurrentGroupName");
            Names[GetCurrentGroup()] = name;
            Native.Editor.Say("undo-group " + GetCurrentGroup() + " " + name);
        }

        /// <summary>The name of the group is that of the newest of them.</summary>
        public static void CollapseUndoOperations(int groupIndex)
        {
            Native.RequireMainThread("Undo.CollapseUndoOperations");
            string name;
            if (Names.TryGetValue(GetCurrentGroup(), out name)) Names[groupIndex] = name;
            foreach (var operation in Operations.Where(operation => operation.Group > groupIndex))
            {
                operation.Group = groupIndex;
            }
            Native.Editor.Say("undo-collapsed " + groupIndex);
        }

        public static void RevertAllDownToGroup(int group)
        {
            Native.RequireMainThread("Undo.RevertAllDownToGroup");
            Native.Editor.Say("reverted-down-to " + group);
            Revert(group);
        }

        /// <summary>Undoes the newest group. (That a drag keeps it from doing anything is reported, and not in the
        /// sources.)</summary>
        public static void PerformUndo()
        {
            Native.RequireMainThread("Undo.PerformUndo");
            if (Operations.Count == 0 || Native.Editor.Quirk("person-drags"))
            {
                Native.Editor.Say("undone nothing");
                return;
            }
            var group = Operations.Last().Group;
            var name = NameOf(group);
            Revert(group);
            Redone.Add(name);
            // What it changes has changes to save again; of the stubs' operations no scene is known.
            if (Native.Editor.OpenPrefab != null) Native.Editor.MarkDirty(Native.Editor.OpenPrefab);
            Native.Editor.Say("undone " + name);
        }

        /// <summary>The names of the groups, the oldest first; those from the cursor on can be redone
        /// (UndoHistoryWindow.OnInspectorUpdate and OnUndoSelectionChange, 2021.3 to 6000.7). Names may have line
        /// feeds.</summary>
#if UNITY_2021_3
        internal static void GetUndoList(List<string> undoList, out int undoCursor)
        {
#else
        // 2022.3 has the form of 2021.3 still, 2023.1 and 6000.0 have this one.
        internal static void GetUndoList(List<string> undoList, out int undoCursor, bool serialized = false)
        {
            if (serialized) throw new NotSupportedException("the list that is kept in Library is another one");
#endif
            Native.RequireMainThread("Undo.GetUndoList");
            undoList.Clear();
            undoList.AddRange(Operations.Select(operation => operation.Group).Distinct().Select(NameOf));
            undoCursor = undoList.Count;
            undoList.AddRange(Enumerable.Reverse(Redone));
        }

        private static string NameOf(int group)
        {
            string name;
            return Names.TryGetValue(group, out name)
                ? name
                : Operations.Last(operation => operation.Group == group).Name ?? "a group without a name";
        }

        private static void Revert(int group)
        {
            while (Operations.Count > 0 && Operations.Last().Group >= group)
            {
                var last = Operations.Last();
                Operations.RemoveAt(Operations.Count - 1);
                last.Revert();
            }
        }

        internal static void Record(Action revert)
        {
            Record(revert, null);
        }

        internal static void Record(Action revert, string name)
        {
            Redone.Clear();
            Operations.Add(new Operation { Group = GetCurrentGroup(), Name = name, Revert = revert });
        }

        // Of the newest record.
        private static void NoteScene(string scene)
        {
            if (Operations.Count > 0) Operations.Last().Scene = scene;
        }

        internal static void ForgetScene(string scene)
        {
            Operations.RemoveAll(operation => operation.Scene == scene);
        }

        // The objects of another domain are made again from lines, so what an earlier domain has changed is gone
        // already.
        internal static void Keep()
        {
            Native.Editor.UndoSteps = string.Join(
                "\n", Operations.Select(operation =>
                    operation.Group + "\t" + NameOf(operation.Group) + "\t" + operation.Scene));
        }

        static Undo()
        {
            foreach (var line in (Native.Editor.UndoSteps ?? "").Split('\n').Where(line => line.Length > 0))
            {
                var words = line.Split('\t');
                Operations.Add(new Operation { Group = int.Parse(words[0]), Name = words[1], Scene = words[2],
                    Revert = () => { } });
            }
        }

        /// <summary>A person does something. Each event of the window begins a group.</summary>
        internal static void PersonDoes(string name)
        {
            IncrementCurrentGroup();
            Record(() => Native.Editor.Say("reverted-of-a-person " + name), name);
        }

        /// <summary>A package does something in an update, and begins no group (com.unity.localization,
        /// ScenePropertyTracker.cs; com.unity.probuilder, HierarchyListener.cs).</summary>
        internal static void PackageDoes(string name)
        {
            Record(() => Native.Editor.Say("reverted-of-a-package " + name), name);
        }

        internal static string Shown()
        {
            var names = new List<string>();
            int cursor;
            GetUndoList(names, out cursor);
            return cursor + ": " + string.Join("; ", names.Select(name => name.Replace('\n', ' ')));
        }
    }
}
