using System.Collections.Generic;
using System.Diagnostics;
using System.Linq;
using System.Threading;
using UnityEditor;
using UnityEngine;
using UnityBridge.Changes;
using UnityBridge.EditorLife;
using UnityBridge.Framework;
using UnityBridge.Jobs;
using UnityBridge.Json;

namespace UnityBridge.Commands
{
    /// <summary>The command <c>wait_for</c>: ends when one condition holds (SPEC §16.5).</summary>
    internal static class WaitFor
    {
        private const int MostMs = 600000;

        [BridgeCommand("wait_for",
            "Waits until one condition holds, for at most within_ms: frames or seconds of the game have passed; the "
            + "object at path exists or, with field, compares (op ==, !=, <, <=, >, >=, changed) with value; a message "
            + "with the text log was logged since play mode began (since: now, since the call).",
            Write = false, NextToOthers = true,
            Keywords = "time")]
        private static IJobRun Run(
            ToolContext context, ChangeCall call, CancellationToken stop, int? frames = null,
            double? seconds = null, string path = null, bool exists = true,
            string field = null, string op = "==", object value = null, string log = null, string type = null,
                string since = null, int within_ms = 10000)
        {
            if (new object[] { frames, seconds, path, log }.Count(condition => condition != null) != 1)
            {
                throw Refuse.Argument("Give one condition: frames, seconds, path or log.");
            }
            if (within_ms < 1 || within_ms > MostMs || frames < 1 || !(seconds == null || seconds > 0))
            {
                throw Refuse.Argument("within_ms is 1 to " + MostMs + "; frames and seconds are more than 0.");
            }
            if ((field != null && (path == null || !exists)) || (field == null && (op != "==" || value != null))
                || ((type ?? since) != null && log == null))
            {
                throw Refuse.Argument(
                    "field goes with path, op and value with field, and type and since with log; exists: false takes "
                    + "no field.");
            }
            if (field != null && value == null && op != "changed")
            {
                throw Refuse.Argument("value is missing: what " + field
                    + " is compared with. Only op: changed needs none.");
            }
            if ((frames ?? seconds) != null && !EditorApplication.isPlaying)
            {
                Refuse.OutsideGame("wait");
            }
            return new Waiting(context.Ticks, stop, within_ms,
                frames != null ? new FramesPass(frames.Value) : seconds != null ? new SecondsPass(seconds.Value)
                : log != null ? new IsLogged(context.Console, log, type, since) : field != null
                ? new FieldCompares(call, path, field, op, value)
                : (WaitCondition)new IsThere(call, path, exists));
        }

        /// <summary>In the next domain.</summary>
        private static IJobRun GoOn(ToolContext context, JsonObject memo) =>
            new EndedRun(JobEnd.Value(memo), memo);
    }

    /// <summary>One wait. Its memo is the result that the next domain gives, should there be one.</summary>
    internal sealed class Waiting : IJobRun
    {
        // How long the game must stand still before it counts as standing still.
        private const long StillMs = 10000;

        private readonly TickClock _ticks;
        private readonly CancellationToken _stop;
        private readonly int _withinMs;
        private readonly WaitCondition _condition;
        private readonly Stopwatch _waited = Stopwatch.StartNew();
        private readonly bool _beganInGame = EditorReadiness.IsInPlayMode;
        private int? _frame;
        private long _movedAtMs;

        public Waiting(TickClock ticks, CancellationToken stop, int withinMs, WaitCondition condition)
        {
            _ticks = ticks;
            _stop = stop;
            _withinMs = withinMs;
            _condition = condition;
            _movedAtMs = ticks.Ms;
        }

        public JobEnd Advance()
        {
            _stop.ThrowIfCancellationRequested();
            var plays = EditorApplication.isPlaying && !PlayModeState.IsChanging;
            if (_beganInGame && !EditorReadiness.IsInPlayMode)
            {
                return End(false, "not_playing");
            }
            // Nothing of the game changes between two of its frames, but a person may change what stands still.
            if (!plays || EditorApplication.isPaused || _frame != Time.frameCount)
            {
                if (_condition.IsMet())
                {
                    return End(true, null);
                }
                if (_frame != Time.frameCount)
                {
                    _movedAtMs = _ticks.Ms;
                    _frame = Time.frameCount;
                }
            }
            if (_waited.ElapsedMilliseconds >= _withinMs)
            {
                return End(false, _condition.Missing);
            }
            return plays && (_ticks.Ms - _movedAtMs >= StillMs || _condition.CannotCome)
                ? End(false, "not_advancing")
                : null;
        }

        public JsonObject Memo() => Result(false, "reloaded");

        private JobEnd End(bool isMet, string reason) =>
            JobEnd.Value(Result(isMet, reason));

        private JsonObject Result(bool isMet, string reason)
        {
            var result = new JsonObject { { "met", isMet }, { "waited_ms", _waited.ElapsedMilliseconds } };
            if (EditorApplication.isPlaying)
            {
                var game = new GameMoment();
                result["game_time_s"] = game.TimeS;
                result["frame"] = game.Frame;
            }
            if (_condition.HasValue)
            {
                result["value"] = _condition.Value;
            }
            result.AddIfAny("reason", reason);
            if (isMet && _condition.Remark != null)
            {
                result["remarks"] = new List<object> { _condition.Remark };
            }
            return result;
        }
    }
}
