using System;
using System.IO;
using UnityEditor;
using UnityEngine;
using UnityBridge.Connection;
using UnityBridge.Console;
using UnityBridge.EditorLife;
using UnityBridge.Framework;
using UnityBridge.Jobs;
using UnityBridge.Json;
using UnityBridge.Settings;
using UnityBridge.Tools;

namespace UnityBridge.Startup
{
    /// <summary>
    /// The whole plugin of one script domain: the only class that knows every other. Built when the domain is loaded,
    /// gone when it is unloaded; what must outlive it is saved in <see cref="Leave"/>.
    /// </summary>
    internal sealed class Bridge : ISessionHost
    {
        // A domain reload waits for this goodbye at most so long.
        private const int GoodbyeMs = 300;

        private const int WorkingMs = 10;
        private const int WaitingMs = 200;

        private readonly EditorIdentity _identity;
        private readonly MainThread _mainThread = new MainThread();
        private readonly TickClock _clock = new TickClock();
        private readonly CompilerLog _compiler;
        private readonly ConsoleCapture _console;
        private readonly JobLedger _ledger;
        private readonly SceneFiles _sceneFiles;
        private readonly ToolList _tools;
        private readonly JobQueue _jobs;
        private readonly RunningGame _game;
        private readonly RequestRouter _router;
        private readonly Action[] _steps;   // of an update; made once, since there are hundreds of updates in a second
        private volatile bool _leaves;

        public Bridge()
        {
            _identity = Identify();
            var buffer = new ConsoleBuffer(_identity.InstanceId.Substring(0, 8));
            var window = ConsoleWindow.Find();
            _compiler = new CompilerLog(
                () => window?.Obstacles(int.MaxValue).ConvertAll(row => CompilerLog.FirstLine(row.Message)));
            _console = new ConsoleCapture(buffer, window, _compiler);
            EditorReadiness.Code = new LoadedCode(_compiler, () => _clock.Ms);
            Editor = new EditorStateTracker(
                _compiler, EditorReadiness.Code, new KeptJournals(_identity.ProjectPath, () => _clock.Ms), () =>
                buffer.CompileErrorCount);
            _ledger = new JobLedger(_identity.ProjectPath, _identity.InstanceId, buffer, () => Editor.StalledMs);
            Recent.EndOf = _ledger.EndOf;
            _sceneFiles = new SceneFiles(_identity.ProjectPath);
            _tools = ToolList.Create(
                new ToolContext(buffer, window, _compiler, _ledger, _mainThread, _clock, _sceneFiles));
            _jobs = new JobQueue(_ledger, _tools.FindJob, EditorReadiness.WhatItDoes);
            _game = new RunningGame(_mainThread, () => _ledger.Unended().Exists(job => !job.Request.IsUntrusted));
            _router = new RequestRouter(_tools, _ledger, _mainThread, Recent, _game);
            _steps = new Action[]
            {
                EventRecord.Tick, _compiler.Tick, Editor.Tick, _mainThread.RunPosted, _ledger.Tick, Work, _game.Tick,
                _mainThread.EndUpdate,
            };
            Port = new PortChange(new BridgeSettings(_identity.ProjectPath), this);
        }

        public EditorStateTracker Editor { get; }

        public PortChange Port { get; }

        public RecentCalls Recent { get; } = new RecentCalls();

        /// <summary>Main thread, once.</summary>
        public void Start()
        {
            _console.Start();
            _compiler.Start();
            Guard.Run(_sceneFiles.Start);
            _mainThread.Post(_sceneFiles.NoteOpen);
            Guard.Run(EventRecord.GoOn);
            Guard.Run(_ledger.Load);
            Guard.Run(Recent.Load);
            Guard.Run(_jobs.GoOn);
            Guard.Run(_game.Start);
            Editor.Start();
            Editor.Changed += () => Port.SendStatus();
            // In front of all others: one that throws keeps the later ones from being called, and a broken script of
            // the project may do so in each update (EditorApplication.Internal_CallUpdateFunctions, 2021.3 to 6000.7).
            DomainEnd.Subscribe(() =>
                EditorApplication.update = (EditorApplication.CallbackFunction)Update + EditorApplication.update,
                () => EditorApplication.update -= Update);
            AssemblyReloadEvents.AssemblyReloadCallback reloads = () =>
                Leave("domain reload", Editor.ReloadBegins, true);
            DomainEnd.Subscribe(() => AssemblyReloadEvents.beforeAssemblyReload += reloads,
                () => AssemblyReloadEvents.beforeAssemblyReload -= reloads);
            // Not "reloading": the server would keep calls waiting for an editor that does not come back.
            Action quits = () => Leave("the editor is closing", _game.PutBack, false);
            DomainEnd.Subscribe(() => EditorApplication.quitting += quits, () => EditorApplication.quitting -= quits);
            Warn("UnityBridge.port_warnings", string.Join(" ", Port.Choice.Warnings));
            Guard.Run(() => new CSharpPermission(_identity.ProjectPath).Announce());
            Port.Link.Start();
        }

        JsonObject ISessionHost.Hello() =>
            EditorMessages.Hello(Editor, _identity, _tools.Names, JoinedCommands.Names, _ledger.Listed(),
                _ledger.Keys());

        // What comes after the state was saved is left without an answer: the server asks again on the next connection,
        // while an answer would be a promise that dies with this domain.
        void ISessionHost.Handle(ServerSession session, JsonObject message)
        {
            if (!_leaves)
            {
                _router.Handle(session, message);
            }
        }

        void ISessionHost.Watch() => _router.Watch();

        void ISessionHost.Doubt(string warning) => _mainThread.Post(() => Warn("UnityBridge.doubt", warning));

        int ISessionHost.DisownedJobs => _ledger.Unended().FindAll(job => job.IsDisowned).Count;

        void ISessionHost.DisownJobs()
        {
            _ledger.Disown();
            _mainThread.Wake();
        }

        private void Update()
        {
            if (_leaves)
            {
                return;
            }
            _clock.Tick();
            foreach (var step in _steps)
            {
                Guard.Run(step);
            }
        }

        private void Work()
        {
            // A job goes on in an editor without focus, which may leave out updates for a second. The focus is never
            // taken.
            switch (_jobs.Tick())
            {
                case Pace.EveryUpdate: _mainThread.Wake(); break;
                case Pace.Working: _mainThread.WakeIn(WorkingMs); break;
                case Pace.Waiting: _mainThread.WakeIn(WaitingMs); break;
                default: return;
            }
            if (_ledger.Running().Count > 0)
            {
                DelayedCalls.RunWithoutFocus();
            }
        }

        // The state is saved first: the goodbye may take its time, and the reload waits for nobody. (The status is
        // sent, and sent for sure, before the socket closes: one that is lost would look like a crash to the server.)
        private void Leave(string reason, Action notify, bool reloads)
        {
            if (_leaves)
            {
                return;
            }
            _leaves = true;
            Guard.Run(_jobs.Leave);
            Guard.Run(_compiler.Leave);
            Guard.Run(_sceneFiles.Leave);
            Guard.Run(_console.Save);
            Guard.Run(() => EventRecord.Leave(reloads));
            Guard.Run(notify);
            Guard.Run(() => Port.Close(reason, GoodbyeMs, reloads));
            // After the last socket thread: what one was at when the rest was saved is answered, or may be.
            Guard.Run(_ledger.Leave);
            Guard.Run(Recent.Leave);
            Guard.Run(_tools.Leave);
            Guard.Run(_mainThread.Leave);
            Guard.Run(DomainEnd.Leave);
        }

        // Once in an editor, not once in each of its domains.
        private static void Warn(string key, string text)
        {
            if (text.Length > 0 && text != SessionState.GetString(key, ""))
            {
                Debug.LogWarning("[Unity Bridge] " + text);
            }
            SessionState.SetString(key, text);
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
            return new EditorIdentity(
                id, Application.unityVersion, Application.productName,
                ProjectPath.Resolved(Path.GetDirectoryName(Application.dataPath)));
        }
    }
}
