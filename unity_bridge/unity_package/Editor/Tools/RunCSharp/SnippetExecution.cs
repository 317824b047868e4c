using System;
using System.Collections.Generic;
using System.Linq;
using System.Reflection;
using System.Threading.Tasks;
using UnityEditor;
using UnityBridge.Changes;
using UnityBridge.EditorLife;
using UnityBridge.Json;
using UnityBridge.Objects;
using UnityBridge.Platform;

namespace UnityBridge.Tools
{
    /// <summary>
    /// A compiled snippet that runs: in one Undo group, with what it prints taken down. Main thread.
    /// </summary>
    /// <remarks>Its assembly stays in memory until the next reload: no single one is unloaded.</remarks>
    internal sealed class SnippetExecution : IDisposable
    {
        private static readonly string[] EntryNames = { "Run", "Main", "Execute" };

        private readonly SnippetOutput _output;
        private readonly HashSet<string> _dirtyBefore;
        private readonly string _undoName = UndoSteps.NewName("run_csharp");
        private readonly int _undoGroup;
        private Task _task;
        private object _value;
        private bool _isUndoGroupClosed;
        private bool _isDisposed;

        private SnippetExecution()
        {
            _dirtyBefore = new HashSet<string>(UnsavedWork.Find());
            Undo.IncrementCurrentGroup();
            Undo.SetCurrentGroupName(_undoName);
            _undoGroup = Undo.GetCurrentGroup();
            _output = SnippetOutput.Begin();
        }

        /// <summary>False while it awaits something.</summary>
        public bool IsCompleted => _task == null || _task.IsCompleted;

        /// <summary>What it threw; null if nothing, or if it has not ended.</summary>
        public Exception Failure { get; private set; }

        /// <summary>The method to call; or null, and what is missing.</summary>
        public static MethodInfo EntryOf(CompiledSnippet compiled, out string fault)
        {
            fault = null;
            var assembly = LoadedAssemblies.Load(compiled.Assembly, compiled.Symbols);
            var entry = assembly.GetType(SnippetSource.EntryType)?.GetMethod(SnippetSource.EntryMethod);
            if (entry != null)
            {
                return entry;
            }
            const BindingFlags anyStatic =
                BindingFlags.Static | BindingFlags.Public | BindingFlags.NonPublic | BindingFlags.DeclaredOnly;
            var found = assembly.GetTypes().SelectMany(type => type.GetMethods(anyStatic))
                .Where(method => EntryNames.Contains(method.Name) && method.GetParameters().Length == 0
                    && !method.ContainsGenericParameters).ToList();
            if (found.Count != 1)
            {
                fault = "Code that consists of types needs one static method "
                    + string.Join(", ", EntryNames.Take(EntryNames.Length - 1))
                    + " or " + EntryNames.Last() + " without parameters; there are " + found.Count
                    + ". Or add statements that use the types.";
            }
            return found.Count == 1 ? found[0] : null;
        }

        public static SnippetExecution Begin(MethodInfo entry)
        {
            var execution = new SnippetExecution();
            try
            {
                execution._value = execution._output.Run(() => entry.Invoke(null, null));
                execution._task = execution._value as Task;
            }
            catch (Exception thrown)
            {
                execution.Failure = thrown;
            }
            if (!execution.IsCompleted)
            {
                execution.CloseUndoGroup();
            }
            return execution;
        }

        /// <summary>The members of the result (SPEC §16), at the end of it or at a deadline.</summary>
        public JsonObject Finish(string logFile)
        {
            var isCut = false;
            object json = null;
            if (Failure == null && IsCompleted)
            {
                // Lists may be made only while they are read, and belong to the code as much as the rest.
                json = Value(ref isCut);
            }
            CloseUndoGroup();
            var result = new JsonObject
            {
                { "ok", Failure == null },
                { "value", json },
                { "output", _output.Text },
                { "scenes_dirtied", UnsavedWork.Find().Where(scene => !_dirtyBefore.Contains(scene)).ToList() },
                { "log_file", logFile },
            };
            if (isCut)
            {
                result["truncated"] = true;
            }
            return result;
        }

        public void Dispose()
        {
            if (!_isDisposed)
            {
                _isDisposed = true;
                _output.Dispose();
            }
        }

        // Collapsing takes in whatever came since, so it is done before anybody else can do anything: while code
        // awaits, a person works on.
        private void CloseUndoGroup()
        {
            if (!_isUndoGroupClosed)
            {
                _isUndoGroupClosed = true;
                Undo.SetCurrentGroupName(_undoName);
                Undo.CollapseUndoOperations(_undoGroup);
                Undo.IncrementCurrentGroup();
                UndoSteps.Note(_undoName, true);
            }
        }

        private object Value(ref bool isCut)
        {
            try
            {
                var wasCut = false;
                var value = _output.Run(() => ResultJson.ToJson(_task == null ? _value : ResultOf(_task), out wasCut));
                isCut = wasCut;
                return value;
            }
            catch (Exception thrown)
            {
                Failure = thrown;
                return null;
            }
        }

        // A task that was awaited for its end alone has a result of an internal type.
        private static object ResultOf(Task task)
        {
            task.GetAwaiter().GetResult();
            var result = Members.Get(task, "Result");
            return result?.GetType().Name == "VoidTaskResult" ? null : result;
        }
    }
}
