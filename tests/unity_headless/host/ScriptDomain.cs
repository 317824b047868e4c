using System;
using System.Collections.Generic;
using System.IO;
using System.Linq;
using System.Reflection;
using System.Text;
using System.Threading;
using UnityEditor;
using UnityEditor.Compilation;
using UnityEditor.TestTools.TestRunner.Api;
using UnityEngine;
using Assembly = System.Reflection.Assembly;

namespace Headless
{
    /// <summary>One script domain: lives in its own AppDomain with the stubs and the unmodified plugin, and is unloaded
    /// with it. All calls come from the host's main thread.</summary>
    public sealed class ScriptDomain : MarshalByRefObject
    {
        private readonly MainThreadContext _context = new MainThreadContext();
        private Assembly _plugin;
        private Type _input;

        public override object InitializeLifetimeService()
        {
            return null;
        }

        public void Load(Native native, IntPtr shared)
        {
            Native.Editor = native;
            Native.Shared = shared;
            Native.MainThreadId = Thread.CurrentThread.ManagedThreadId;
            World.EditorObjects = Quitting.Objects;
            SynchronizationContext.SetSynchronizationContext(_context);
            // The project's own scripts, and then the plugin: Unity promises no order among those that do not reference
            // each other.
            var game = Assembly.Load("Game.Editor");
            if (Native.Editor.Quirk("pipeline"))
            {
                Array.ForEach(new[] { "Unity.Pipeline.Editor", "Game.Pipeline" }, name => Assembly.Load(name));
            }
            if (Native.Editor.Quirk("ugui")) Assembly.Load("UnityEngine.UI");
            if (Native.Editor.Quirk("sprite-package")) Assembly.Load("Unity.2D.Sprite.Editor");
            if (Native.Editor.Quirk("input-system"))
            {
                _input = Assembly.Load("Unity.InputSystem").GetType("UnityEngine.InputSystem.InputSystem", true);
            }
            _plugin = Assembly.Load("UnityBridge.Editor");
            var own = native.ScriptAssemblies().Select(line => line.Split('|'))
                .Select(parts => new { Code = Assembly.Load(File.ReadAllBytes(parts[0])), Mode = parts[1] }).ToList();
            if (own.Count > 0) native.FoundTests(own.SelectMany(one => TestsIn(one.Code, one.Mode)).ToArray());
            var types = game.GetTypes().Concat(own.SelectMany(one => one.Code.GetTypes())).Concat(_plugin.GetTypes());
            foreach (var type in types.Where(type => type.IsDefined(typeof(InitializeOnLoadAttribute), false)))
            {
                System.Runtime.CompilerServices.RuntimeHelpers.RunClassConstructor(type.TypeHandle);
            }
            // As an [InitializeOnLoadMethod] of the framework's.
            FakeRunner.ResumeRunningJobs();
            AssemblyReloadEvents.RaiseAfter();
            TypeCache.IsComplete = true;
        }

        private static IEnumerable<string> TestsIn(Assembly assembly, string mode)
        {
            return from type in assembly.GetTypes()
                from method in type.GetMethods()
                where method.GetCustomAttributes(false)
                .Any(one => one.GetType().Name == "TestAttribute" || one.GetType().Name == "UnityTestAttribute")
                select mode + "|" + type.FullName + "." + method.Name + "|call|0|"
                + string.Join(",", method.GetCustomAttributes(typeof(NUnit.Framework.CategoryAttribute), false)
                    .Cast<NUnit.Framework.CategoryAttribute>().Select(category => category.Name).ToArray());
        }

        public void BeforeReload()
        {
            Enter();
            AssemblyReloadEvents.RaiseBefore();
            UnityEditor.Undo.Keep();
            foreach (var left in UnityEngine.LowLevel.PlayerLoop.Added())
            {
                Native.Editor.Say("VIOLATION left in the player loop: " + left);
            }
            foreach (var left in LeftSubscriptions())
            {
                Native.Editor.Say("VIOLATION after its end the plugin is still subscribed to " + left);
            }
        }

        // Unity's statics outlive a reload with CoreCLR, and most of its events are not cleared there (264 members
        // carry [AutoStaticsCleanupOnCodeReload] in 6000.7; EditorApplication.cs:198ff, AssemblyReloadEvents.cs:11-27,
        // CompilationPipeline.cs:237-242 do not).
        private IEnumerable<string> LeftSubscriptions()
        {
            var unity = new[] { typeof(Native).Assembly, typeof(EditorApplication).Assembly };
            return unity.SelectMany(assembly => assembly.GetTypes()).Where(type => !type.ContainsGenericParameters)
                .SelectMany(type => type.GetFields(BindingFlags.Static | BindingFlags.Public | BindingFlags.NonPublic))
                .Where(field => typeof(Delegate).IsAssignableFrom(field.FieldType) && field.GetValue(null) != null)
                .SelectMany(field => ((Delegate)field.GetValue(null)).GetInvocationList(),
                    (field, one) => new { field, one })
                .Where(pair => pair.one.Method.DeclaringType.Assembly == _plugin)
                .Select(pair => pair.field.DeclaringType.Name + "." + pair.field.Name + " with " + pair.one.Method.Name)
                .ToList();
        }

        public int AllReads { get { return World.AllReads; } }

        /// <summary>The serialized objects that were not disposed of.</summary>
        public int Serialized { get { return World.Serialized; } }

        public void Tick()
        {
            Enter();
            World.BeginTick();
            _context.RunPosted();
            // So the state that scripts of the editor see is the editor's (InputManager.OnUpdate).
            Input("NativeUpdate", "Editor");
            CallUpdateFunctions();
            UnityEditor.SceneManagement.PrefabStage.Tick();
            if (Native.Focused) CallDelayed();
            World.EndTick();
            EditorWindow.DrawAll();
        }

        /// <summary>A frame of the game begins.</summary>
        public void BeginFrame()
        {
            Enter();
            Input("NativeUpdate", "Dynamic");
        }

        private void Input(string method, params object[] arguments)
        {
            if (_input != null)
            {
                _input.GetMethod(method, BindingFlags.Static | BindingFlags.NonPublic).Invoke(null, arguments);
            }
        }

        // One after the other, so that one that throws keeps the later ones from being called; the native side logs the
        // exception (EditorApplication.Internal_CallUpdateFunctions, 2021.3 to 6000.7).
        private static void CallUpdateFunctions()
        {
            try
            {
                if (EditorApplication.update != null) EditorApplication.update();
            }
            catch (Exception thrown)
            {
                Debug.LogException(thrown);
            }
        }

        // Unity calls these only while the editor is the active application (com.unity.test-framework 1.7.0,
        // TestRun/TestJobRunner.cs:107-128).
        private static void CallDelayed()
        {
            var delayed = EditorApplication.delayCall;
            EditorApplication.delayCall = null;
            if (delayed != null) delayed();
        }

        /// <summary>A script asks for calls later on; the first of them throws.</summary>
        public void DelayCalls(string text)
        {
            Enter();
            EditorApplication.delayCall += () => { throw new InvalidOperationException("thrown in delayCall"); };
            EditorApplication.delayCall += () => Native.Editor.Say("delayed " + text);
        }

        /// <summary>A person opens a scene in addition to the others.</summary>
        public void Opened(string path)
        {
            Enter();
            Native.Editor.OpenedFile(path);
            UnityEditor.SceneManagement.EditorSceneManager.RaiseOpened(path);
        }

        public void OpenedPrefab()
        {
            Enter();
            Native.Editor.OpenedFile(Native.Editor.OpenPrefab);
            UnityEditor.SceneManagement.PrefabStage.RaiseOpened();
        }

        /// <summary>Code of Unity's own that writes to Editor.log (UnityLogWriter.bindings.cs).</summary>
        public void WriteToConsole(string text)
        {
            Enter();
            Console.WriteLine(text);
        }

        /// <summary>A person presses Ctrl+Z.</summary>
        public void Undo()
        {
            Enter();
            UnityEditor.Undo.PerformUndo();
        }

        /// <summary>A person does something that Undo takes back.</summary>
        public void PersonDoes(string name)
        {
            Enter();
            UnityEditor.Undo.PersonDoes(name);
        }

        public void PersonSelects(string id)
        {
            Enter();
            UnityEditor.Undo.IncrementCurrentGroup();
            Selection.Select(id.Length == 0
                ? new List<UnityEngine.Object>()
                : new List<UnityEngine.Object> { World.ById[id] });
        }

        public void PersonAnimates(string what, string path)
        {
            Enter();
            UnityEditor.Animations.Person.Animates(what, path);
        }

        public void PackageDoes(string name)
        {
            Enter();
            UnityEditor.Undo.PackageDoes(name);
        }

        /// <summary>A field that the stub has not: the object's class, then name, kind, type and value.</summary>
        public void SettingsField(string[] words)
        {
            Enter();
            var settings = words[0] == "RenderSettings"
                ? UnityEditor.Unsupported.GetRenderSettings()
                : UnityEditor.ProjectSettings.OfClass(words[0]);
            if (settings.Fields.Root.Find(words[1]) == null)
            {
                settings.Fields.Set(words[1], words[2], words[3], words[4]);
            }
        }

        public string UndoStack()
        {
            Enter();
            return UnityEditor.Undo.Shown();
        }

        public void Quit()
        {
            Enter();
            EditorApplication.RaiseQuitting();
        }

        public void PlayMode(string change)
        {
            Enter();
            // The package was loaded first (InputSystem.OnPlayModeChange).
            if (change == "EnteredEditMode") Input("LeavePlayMode");
            if (change == "ExitingEditMode") ScriptExecutionOrderInspector.ExitingEditMode();
            EditorApplication.RaisePlayMode((PlayModeStateChange)Enum.Parse(typeof(PlayModeStateChange), change));
        }

        public void Log(string type, string text, string stack, bool onMainThread)
        {
            Enter();
            var logType = (LogType)Enum.Parse(typeof(LogType), type, true);
            if (onMainThread)
            {
                Debug.LogWithStack(text, stack, logType);
                return;
            }
            var thread = new Thread(() => Debug.LogWithStack(text, stack, logType)) { Name = "user-code" };
            thread.Start();
            thread.Join();
        }

        public void CompilationStarted()
        {
            Enter();
            CompilationPipeline.RaiseStarted();
        }

        public void AssemblyCompiled(string path, string[] errors, string[] warnings)
        {
            Enter();
            CompilationPipeline.RaiseAssembly(path, errors.Select(error => Message(error, CompilerMessageType.Error))
                .Concat(warnings.Select(warning => Message(warning, CompilerMessageType.Warning))).ToArray());
        }

        private static CompilerMessage Message(string text, CompilerMessageType type)
        {
            var place = Scripts.PlaceOf(text);
            return new CompilerMessage { message = text, file = place.Item1, line = place.Item2, column = place.Item3,
                type = type };
        }

        /// <summary>As from the Test Runner window.</summary>
        public void PersonRuns(string mode)
        {
            Enter();
            FakeRunner.Execute(new Filter { testMode = mode == "play" ? TestMode.PlayMode : TestMode.EditMode });
        }

        public void CompilationFinished()
        {
            Enter();
            CompilationPipeline.RaiseFinished();
        }

        /// <summary>Draws the settings page as Unity does, with a layout pass before each other one: a click if given,
        /// then the repaint, whose controls are the answer.</summary>
        public string[] Draw(int? port, string click)
        {
            Enter();
            HeadlessGui.TypedInt = port;
            if (_page == null)
            {
                var method = _plugin.GetTypes()
                    .SelectMany(type => type.GetMethods(
                        BindingFlags.Static | BindingFlags.Public | BindingFlags.NonPublic))
                    .Single(candidate => candidate.IsDefined(typeof(SettingsProviderAttribute), false));
                _page = (SettingsProvider)method.Invoke(null, null);
            }
            if (click != null) DrawTwice(EventType.Used, click);
            return DrawTwice(EventType.Repaint, null);
        }

        private string[] DrawTwice(EventType second, string click)
        {
            Draw(EventType.Layout, null);
            var laidOut = HeadlessGui.Drawn.Count;
            Draw(second, click);
            if (HeadlessGui.Drawn.Count != laidOut)
            {
                Native.Editor.Say("VIOLATION the passes of the settings page differ");
            }
            if (HeadlessGui.Rows != 0) Native.Editor.Say("VIOLATION a row of the settings page does not end");
            return HeadlessGui.Drawn.ToArray();
        }

        private void Draw(EventType pass, string click)
        {
            HeadlessGui.Drawn.Clear();
            HeadlessGui.Click = click;
            Event.current.type = pass;
            _page.guiHandler("");
        }

        private SettingsProvider _page;

        /// <summary>The ids of the plugin's jobs that run, with spaces between.</summary>
        public string RunningJobs()
        {
            const BindingFlags any =
                BindingFlags.Static | BindingFlags.Instance | BindingFlags.Public | BindingFlags.NonPublic;
            var bridge = _plugin.GetType("UnityBridge.Startup.Bootstrap", true).GetProperty("Bridge", any)
                .GetValue(null, null);
            if (bridge == null) return "";
            var ledger = bridge.GetType().GetField("_ledger", any).GetValue(bridge);
            var running = (System.Collections.IEnumerable)ledger.GetType().GetMethod("Running", any)
                .Invoke(ledger, null);
            return string.Join(" ", running.Cast<object>()
                .Select(job => (string)job.GetType().GetProperty("JobId", any).GetValue(job, null)));
        }

        /// <summary>As if the last request of a proven server had come so long ago.</summary>
        public void AgeRequest(int ms)
        {
            const BindingFlags any =
                BindingFlags.Static | BindingFlags.Instance | BindingFlags.Public | BindingFlags.NonPublic;
            var bridge = _plugin.GetType("UnityBridge.Startup.Bootstrap", true).GetProperty("Bridge", any)
                .GetValue(null, null);
            var game = bridge.GetType().GetField("_game", any).GetValue(bridge);
            var request = game.GetType().GetField("_requestUtcMs", any);
            request.SetValue(game, (long)request.GetValue(game) - ms);
        }

        /// <summary>Moves the plugin's clock of editor updates on, as if updates had come for so long.</summary>
        public void AddTime(int ms)
        {
            const BindingFlags any =
                BindingFlags.Static | BindingFlags.Instance | BindingFlags.Public | BindingFlags.NonPublic;
            var bridge = _plugin.GetType("UnityBridge.Startup.Bootstrap", true).GetProperty("Bridge", any)
                .GetValue(null, null);
            var clock = bridge.GetType().GetField("_clock", any).GetValue(bridge);
            var time = clock.GetType().GetProperty("Ms", any);
            time.SetValue(clock, (long)time.GetValue(clock, null) + ms, null);
        }

        /// <summary>Reads a text with the plugin's JSON reader and writes it again with its writer.</summary>
        public string Json(string text)
        {
            var reader = _plugin.GetType("UnityBridge.Json.JsonReader", true);
            var read = reader.GetMethod("TryRead");
            var write = _plugin.GetType("UnityBridge.Json.JsonWriter", true).GetMethod("Write");
            var arguments = new[] { text, null, null, reader.GetField("MaxDepth").GetValue(null) };
            return (bool)read.Invoke(null, arguments)
                ? "ok " + write.Invoke(null, new[] { arguments[1] })
                : "no " + arguments[2];
        }

        /// <summary>A project's path as the plugin writes it on <paramref name="platform"/>, and the port that follows
        /// from it.</summary>
        public string Canonical(string platform, string path)
        {
            var projectPath = _plugin.GetType("UnityBridge.Settings.ProjectPath", true);
            var canonical = projectPath.GetMethod("Canonical").Invoke(null, new object[] { path, platform });
            return projectPath.GetMethod("PortOf").Invoke(null, new[] { canonical }) + " " + canonical;
        }

        /// <summary>Runs the package's own EditMode tests: one line per failure, then the count of those that
        /// passed.</summary>
        public string[] RunPackageTests()
        {
            Enter();
            var lines = new List<string>();
            var passed = 0;
            foreach (var method in Assembly.Load("UnityBridge.Editor.Tests").GetTypes()
                .SelectMany(type => type.GetMethods())
                .Where(method => method.IsDefined(typeof(NUnit.Framework.TestAttribute), false)))
            {
                try
                {
                    method.Invoke(Activator.CreateInstance(method.DeclaringType), null);
                    passed++;
                }
                catch (TargetInvocationException failure)
                {
                    lines.Add("failed " + method.DeclaringType.Name + "." + method.Name + ": "
                        + failure.InnerException.Message);
                }
            }
            lines.Add("passed " + passed);
            return lines.ToArray();
        }

        private void Enter()
        {
            SynchronizationContext.SetSynchronizationContext(_context);
        }
    }

    /// <summary>As Unity's: what is awaited on the main thread goes on there, at the next update, so a main thread that
    /// waits for itself hangs here as it would in Unity.</summary>
    internal sealed class MainThreadContext : SynchronizationContext
    {
        private readonly Queue<Action> _posted = new Queue<Action>();

        public override void Post(SendOrPostCallback callback, object state)
        {
            lock (_posted) _posted.Enqueue(() => callback(state));
        }

        public void RunPosted()
        {
            while (true)
            {
                Action next;
                lock (_posted)
                {
                    if (_posted.Count == 0) return;
                    next = _posted.Dequeue();
                }
                next();
            }
        }
    }
}
