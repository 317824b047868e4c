using System;
using System.Threading.Tasks;
using UnityBridge.Settings;
using UnityBridge.Wire;

namespace UnityBridge.Connection
{
    /// <summary>The link in use, and its change to another port (SPEC §11).</summary>
    /// <remarks>The new port is tried while the old link stays up, so a port that fails costs nothing: the roll-back is
    /// to drop the attempt. A domain reload in the middle does the same.</remarks>
    internal sealed class PortChange
    {
        private const int TrialMs = 6000;
        private const int GoodbyeMs = 300;

        private readonly BridgeSettings _settings;
        private readonly ISessionHost _host;
        private readonly object _lock = new object();
        private ServerLink _link;       // guarded by _lock, as are the three below
        private PortChoice _choice;
        private ServerLink _trial;
        private Task<Refusal> _change;

        public PortChange(BridgeSettings settings, ISessionHost host)
        {
            _settings = settings;
            _host = host;
            _choice = settings.ChoosePort();
            _link = new ServerLink(_choice.Port, host);
        }

        /// <summary>What decided the port that the next script domain begins with.</summary>
        public PortChoice Choice => Read(() => _choice);

        public ServerLink Link => Read(() => _link);

        public bool IsRunning => Read(() => _trial) != null;

        /// <summary>Any thread. Tries the port that the project has of itself, and keeps <c>"auto"</c>.</summary>
        public Task<Refusal> ApplyAutomatic() => Apply(_settings.AutomaticPort(), PortChoice.Automatic);

        /// <summary>Any thread. Tries <paramref name="port"/>; the task ends with null once it is in use and saved,
        /// else with the reason why the old one still is.</summary>
        public Task<Refusal> Apply(int port) => Apply(port, port);

        private Task<Refusal> Apply(int port, object kept)
        {
            if (!PortChoice.IsPort(port))
            {
                return Task.FromResult(new Refusal(ErrorCode.InvalidParams, "A port is a number from 1 to 65535."));
            }
            lock (_lock)
            {
                if (_choice.IsFixed)
                {
                    return Task.FromResult(new Refusal(ErrorCode.InvalidParams,
                        "The port of this editor comes from " + _choice.Source
                        + ". Change it there and start the editor again."));
                }
                if (_trial != null)
                {
                    return Task.FromResult(new Refusal(ErrorCode.ReconfigInProgress,
                        "The change to port " + _trial.Port + " is not finished. Wait for its end."));
                }
                if (port == _link.Port)
                {
                    return Task.FromResult(kept is PortChoice.Automatic ? Save(port, kept) : null);
                }
                var trial = _trial = new ServerLink(port, _host);
                trial.Start();
                _change = Task.Run(() => Try(trial, kept));
                return _change;
            }
        }

        /// <summary>Any thread. Reports the editor's state to the connected server.</summary>
        public void SendStatus()
        {
            var (link, trial) = Read(() => (_link, _trial));
            link.SendStatus();
            trial?.SendStatus();
        }

        /// <summary>Any thread. Closes whatever is open. An editor that is reloading will connect again.</summary>
        public void Close(string reason, int budgetMs, bool isReloading)
        {
            var (link, trial) = Read(() => (_link, _trial));
            trial?.Close(CloseCode.Normal, "port change abandoned", 50, false);
            // One that came through still closes the old link, and saves the port. It does not throw here, whatever
            // became of it.
            Task.WaitAny(new Task[] { _change ?? Task.CompletedTask }, budgetMs);
            link.Close(CloseCode.GoingAway, reason, budgetMs, isReloading);
        }

        private T Read<T>(Func<T> read)
        {
            lock (_lock)
            {
                return read();
            }
        }

        private Refusal Try(ServerLink trial, object kept)
        {
            if (!trial.WaitForHello(TrialMs))
            {
                lock (_lock)
                {
                    _trial = null;
                }
                trial.Close(CloseCode.Normal, "port change rolled back", GoodbyeMs, false);
                return new Refusal(ErrorCode.EditorNotReady,
                    (trial.LastFailure ?? trial.InWords) + " The bridge stays on port " + Link.Port + ".");
            }
            ServerLink old;
            lock (_lock)
            {
                old = _link;
                _link = trial;
                _trial = null;
            }
            old.Close(CloseCode.Normal, "moved to another port", GoodbyeMs, false);
            return Save(trial.Port, kept);
        }

        private Refusal Save(int port, object kept)
        {
            var unsaved = _settings.SavePort(kept);
            var choice = _settings.ChoosePort();
            lock (_lock)
            {
                _choice = choice;
            }
            return unsaved == null ? null : new Refusal(ErrorCode.UnityExecution,
                "Port " + port + " is in use until the editor restarts, but could not be saved: " + unsaved);
        }
    }
}
