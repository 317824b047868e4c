using System;
using System.IO;
using UnityEditor;
using UnityEditor.Compilation;
using UnityEngine;
using UnityBridge.Connection;
using UnityBridge.Console;
using UnityBridge.EditorLife;
using UnityBridge.Json;
using UnityBridge.Settings;
using UnityBridge.TestRuns;
using UnityBridge.Wire;

namespace UnityBridge
{
    /// <summary>
    /// The whole plugin of one script domain: the only class that knows every other. Built when the domain is loaded,
    /// gone when it is unloaded; what must outlive it is saved in <see cref="Leave"/>.
    /// </summary>
    internal sealed class Bridge : ISessionHost
    {
        // A domain reload waits for this goodbye at most so long.
        private const int GoodbyeMs = 300;

        private readonly EditorIdentity _identity;
        private readonly MainThread _mainThread = new MainThread();
        private readonly RecentRequests _recent = new RecentRequests();
        private readonly ConsoleCapture _console;
        private readonly JobLedger _ledger;
        private readonly TestRunQueue _testRuns;
        private readonly RequestRouter _router;
        private volatile bool _leaves;

        public Bridge()
        {
            _identity = Identify();
            var buffer = new ConsoleBuffer(_identity.InstanceId.Substring(0, 8));
            _console = new ConsoleCapture(buffer);
            Editor = new EditorStateTracker(() => buffer.CompileErrors().Count);
            _ledger = new JobLedger(_identity.ProjectPath);
            _testRuns = new TestRunQueue(_ledger, new EditorReadiness(buffer));
            _router = new RequestRouter(buffer, _ledger, _testRuns, _mainThread, _recent);
            Port = new PortChange(new BridgeSettings(_identity.ProjectPath), this);
        }

        public EditorStateTracker Editor { get; private set; }

        public PortChange Port { get; private set; }

        public RecentRequests Recent
        {
            get { return _recent; }
        }

        /// <summary>Main thread, once.</summary>
        public void Start()
        {
            _console.Start();
            Guard.Run(_ledger.Restore);
            _testRuns.Start();
            Editor.Changed += () => Port.SendStatus();
            EditorApplication.update += Update;
            CompilationPipeline.compilationStarted += context => Guard.Run(Editor.CompilationStarted);
            CompilationPipeline.compilationFinished += context => Guard.Run(Editor.CompilationFinished);
            AssemblyReloadEvents.beforeAssemblyReload += () => Leave("domain reload", Editor.ReloadBegins);
            // Not "reloading": the server would keep calls waiting for an editor that does not come back.
            EditorApplication.quitting += () => Leave("the editor is closing", () => { });
            Port.Link.Start();
        }

        JsonObject ISessionHost.Hello()
        {
            return Messages.Hello(Editor.State, _identity, _ledger.Ids());
        }

        // What comes after the state was saved is left without an answer: the server asks again on the next connection,
        // while an answer would be a promise that dies with this domain.
        void ISessionHost.Handle(ServerSession session, JsonObject message)
        {
            if (!_leaves)
            {
                _router.Handle(session, message);
            }
        }

        private void Update()
        {
            Guard.Run(Editor.Tick);
            Guard.Run(_mainThread.RunPosted);
            Guard.Run(() =>
            {
                if (_testRuns.Tick())
                {
                    // Tests go on at full speed in an editor without focus.
                    _mainThread.Wake();
                }
            });
        }

        // The state is saved first: the goodbye may take its time, and the reload waits for nobody. (The status is sent,
        // and sent for sure, before the socket closes: one that is lost would look like a crash to the server.)
        private void Leave(string reason, Action tell)
        {
            _leaves = true;
            Guard.Run(_ledger.Save);
            Guard.Run(_console.Save);
            Guard.Run(tell);
            Guard.Run(() => Port.Close(reason, GoodbyeMs));
            // What a socket thread was at when the state was saved: it is answered, or may be.
            Guard.Run(_ledger.SaveIfChanged);
        }

        private static EditorIdentity Identify()
        {
            const string key = "UnityBridge.editor_instance_id";
            var id = SessionState.GetString(key, "");
            if (id.Length == 0)
            {
                id = Guid.NewGuid().ToString("N");
                SessionState.SetString(key, id);
            }
            return new EditorIdentity
            {
                InstanceId = id,
                UnityVersion = Application.unityVersion,
                ProjectName = Application.productName,
                ProjectPath = Path.GetDirectoryName(Application.dataPath),
            };
        }
    }
}
