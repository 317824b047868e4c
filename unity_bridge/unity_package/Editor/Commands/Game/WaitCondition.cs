using System;
using System.Collections.Generic;
using System.Diagnostics;
using System.Linq;
using UnityEditor;
using UnityEngine;
using UnityEngine.UIElements;
using UnityBridge.Changes;
using UnityBridge.Console;
using UnityBridge.Framework;
using UnityBridge.GameUi;
using UnityBridge.Json;
using UnityBridge.Objects;
using UnityBridge.Platform;
using UnityBridge.Wire;
using Object = UnityEngine.Object;

namespace UnityBridge.Commands
{
    /// <summary>What <c>wait_for</c> waits for. Main thread.</summary>
    internal abstract class WaitCondition
    {
        /// <summary>Whether it holds now.</summary>
        public abstract bool IsMet();

        /// <summary>What was not there at the last look, and the nearest of its kind; null if all was.</summary>
        public string Missing { get; protected set; }

        /// <summary>What a reader would want to know of how it was met; null for nothing.</summary>
        public string Remark { get; protected set; }

        /// <summary>It waits for time that does not pass.</summary>
        public virtual bool CannotCome => false;

        public bool HasValue { get; private set; }

        /// <summary>The field's value at the last look.</summary>
        public object Value { get; private set; }

        protected void Saw(object value)
        {
            HasValue = true;
            Value = value;
        }
    }

    internal sealed class FramesPass : WaitCondition
    {
        // A sum could be over the largest number.
        private readonly int _began = Time.frameCount;
        private readonly int _frames;

        public FramesPass(int frames)
        {
            _frames = frames;
        }

        public override bool IsMet() => Time.frameCount - _began >= _frames;
    }

    internal sealed class SecondsPass : WaitCondition
    {
        private readonly double _until;

        public SecondsPass(double seconds)
        {
            _until = Time.timeAsDouble + seconds;
        }

        public override bool IsMet() => Time.timeAsDouble >= _until;

        public override bool CannotCome => EditorApplication.isPaused || Time.timeScale == 0;
    }

    internal sealed class IsLogged : WaitCondition
    {
        private readonly ConsoleBuffer _console;
        private readonly string _text;
        private readonly string _type;
        private readonly long _newestAtCall;
        private long _seen;

        /// <param name="since">now, or null for all since play mode began.</param>
        public IsLogged(ConsoleBuffer console, string text, string type, string since)
        {
            if (text.Length == 0 || (type != null && !EntryType.IsKnown(type)) || !(since is null or "now" or "play"))
            {
                throw Refuse.Argument(
                    "log is a text, type is log, warning, error, assert or exception, and since is play or now.");
            }
            _console = console;
            _text = text;
            _type = type;
            _newestAtCall = console.NewestSeq;
            _seen = since == "now" ? _newestAtCall : ConsoleCapture.SeqBeforePlay(console);
        }

        public override bool IsMet()
        {
            var match = _console.NewestSeq <= _seen ? null : _console.After(_seen, out _, out _seen).Find(entry =>
                (_type == null || entry.Type == _type)
                    && entry.Message.ContainsAnyCase(_text));
            Remark = match?.Seq <= _newestAtCall
                ? "It was logged before this call, since play mode began. With since: now only what follows counts."
                : null;
            return match != null;
        }
    }

    /// <summary>How far a waiting command looks in this update: at any depth once a second at most.</summary>
    internal sealed class Lookout
    {
        private const long EveryMs = 1000;

        private readonly Stopwatch _since = new Stopwatch();
        private bool _isDeep;
        private string _reason;

        public PathUse Use
        {
            get
            {
                _isDeep = !_since.IsRunning || _since.ElapsedMilliseconds >= EveryMs;
                if (_isDeep)
                {
                    _since.Restart();
                }
                return _isDeep ? PathUse.Read : PathUse.Shallow;
            }
        }

        /// <summary>Why nothing is found: a search at depth says what may be meant, and those after it do
        /// not.</summary>
        public string Reason(string fault)
        {
            _reason = _isDeep || _reason == null ? fault : _reason;
            return _reason;
        }
    }

    internal sealed class IsThere : WaitCondition
    {
        private readonly ChangeCall _call;
        private readonly string _path;
        private readonly bool _exists;
        private readonly Lookout _lookout = new Lookout();
        private GameObject _object;
        private bool _isFirst = true;

        public IsThere(ChangeCall call, string path, bool exists)
        {
            _call = call;
            _path = path;
            _exists = exists;
        }

        public override bool IsMet()
        {
            if (_object != null)
            {
                // The object that was found once is meant, whatever comes to have its name.
                Missing = _exists && !_object.activeInHierarchy ? "'" + Quoted.Text(_path)
                    + "' is there, and is not active." : null;
                return _object.activeInHierarchy == _exists;
            }
            var place = UiPlace.Find(_call, _path, out var fault, _lookout.Use);
            _object = place?.Element == null ? place?.Node.Object : null;
            var isActive = place?.Element is { } element
                ? element.panel != null && element.resolvedStyle.display != DisplayStyle.None
                : place != null && (place.Node.Object == null || place.Node.Object.activeInHierarchy);
            Missing = !_exists || isActive ? null : _lookout.Reason(fault) ?? "'" + Quoted.Text(_path)
                + "' is there, and is not active.";
            Remark = !_exists && place == null && _isFirst ? "'" + Quoted.Text(_path) + "' was never there. " + fault
                : Remark;
            _isFirst = false;
            return isActive == _exists;
        }
    }

    internal sealed class FieldCompares : WaitCondition
    {
        private const string Changed = "changed";
        private const int Depth = 5;

        private static readonly string[] Orders = { "<", "<=", ">", ">=" };

        private readonly ChangeCall _call;
        private readonly string _path;
        private readonly string _field;
        private readonly string _op;
        private readonly object _wanted;
        private readonly Lookout _lookout = new Lookout();
        private Object _target;
        private string _first;

        public FieldCompares(ChangeCall call, string path, string field, string op, object wanted)
        {
            _call = call;
            if (!(op is "==" or "!=" or Changed) && Array.IndexOf(Orders, op) < 0)
            {
                throw Refuse.Argument("op is ==, !=, <, <=, >, >= or changed.");
            }
            if ((Array.IndexOf(Orders, op) >= 0 && SameJson.NumberOf(wanted) == null)
                || (op == Changed && wanted != null))
            {
                throw Refuse.Argument("<, <=, > and >= compare with a number in value; changed takes no value.");
            }
            _path = path;
            _field = field;
            _op = op;
            _wanted = wanted;
        }

        public override bool IsMet()
        {
            Missing = null;
            try
            {
                var target = _target != null ? _target : _target = _call.Find(_path, out _, _lookout.Use);
                var part = FieldAddress.PartOf(ChangeTarget.PartsOf(target), _field, out var name);
                using var serialized = new SerializedObject(part.Target);
                using var found = serialized.FindProperty(ObjectPart.ToUnity(name));
                if (TransformPlace.Has(part, name))
                {
                    Saw(TransformPlace.Read((Transform)part.Target, name));
                }
                else if (part.Target is Material material && new StagedMaterial(null, material) is var staged
                    && staged.PropertyOf(name) is { } ofMaterial)
                {
                    Saw(staged.Read(ofMaterial));
                }
                else if (found == null && EditorApplication.isPlaying
                    && UnserializedField.Find(part.Target, name) is { } hidden)
                {
                    Saw(ResultJson.OfField(hidden.GetValue(part.Target)));
                }
                else
                {
                    using var property = FieldAddress.Find(serialized, part.Name, name);
                    Saw(FieldValue.ToJson(property, Depth));
                }
            }
            catch (CommandRefused refused)
            {
                Missing = _lookout.Reason(refused.Message.Replace(ChangeTarget.Unchanged, ""));
                return false;
            }
            return _op switch
            {
                "==" => IsEqual(Value, _wanted),
                "!=" => !IsEqual(Value, _wanted),
                Changed => HasChanged(),
                _ => Compare(),
            };
        }

        private bool HasChanged()
        {
            var now = JsonWriter.Write(Value);
            _first ??= now;
            return now != _first;
        }

        // A reference by its path or id, and a vector as a list, as set_fields takes them.
        private static bool IsEqual(object now, object wanted) => (now, wanted) switch
        {
            (JsonObject members, string text) => members.Text("path") == text || members.Text("id") == text,
            (JsonObject members, List<object> given) => IsEqual(members.Values.ToList(), given),
            (List<object> items, List<object> given) =>
            items.Count == given.Count && items.Zip(given, IsEqual).All(same => same),
            _ => SameJson.Are(now, wanted),
        };

        private bool Compare()
        {
            if (!(SameJson.NumberOf(Value) is { } number))
            {
                Missing = _field + " is " + Quoted.Text(JsonWriter.Write(Value)) + ", and " + _op
                    + " compares numbers.";
                return false;
            }
            var order = number.CompareTo(SameJson.NumberOf(_wanted).Value);
            return _op switch { "<" => order < 0, "<=" => order <= 0, ">" => order > 0, _ => order >= 0 };
        }
    }
}
