using System;
using System.Collections.Generic;
using System.Linq;
using System.Text;
using UnityBridge.Json;
using UnityBridge.Wire;

namespace UnityBridge.Tools
{
    /// <summary>One item of an answer.</summary>
    internal sealed class Found
    {
        public Found(JsonObject item, string mark, params int[] position)
        {
            Item = item;
            Mark = mark;
            Position = position;
        }

        public JsonObject Item { get; }

        /// <summary>What it is known by at its place, such as its path.</summary>
        public string Mark { get; }

        /// <summary>Its place in the walk.</summary>
        public int[] Position { get; }
    }

    /// <summary>What can be asked: a walk over items, in small steps.</summary>
    internal abstract class Question
    {
        /// <summary>How many items there are in all; counted by the walk where it was not known.</summary>
        public long? Total { get; set; }

        /// <summary>What would find more than this question has: a sentence, or null.</summary>
        public string Hint { get; protected set; }

        /// <summary>Why there is no answer: a sentence. Null while nothing is wrong.</summary>
        public string Fault { get; protected set; }

        /// <summary>Why the editor cannot answer now, although nothing is wrong with the question. Null while it can.</summary>
        public Refusal Refused { get; protected set; }

        /// <summary>Adds what the answer as a whole has besides its items.</summary>
        public virtual void AddTo(JsonObject answer)
        {
        }

        /// <summary>
        /// The items from the place <paramref name="from"/> on (null: all), and a null for every step in between, each of them short.
        /// Counts first if <see cref="Total"/> is null. What Unity destroys between two steps is passed over.
        /// </summary>
        public abstract IEnumerable<Found> Walk(int[] from);
    }

    /// <summary>The page that answers one call, read over as many updates as it takes.</summary>
    internal sealed class InspectPage : IDisposable
    {
        // Far from what an item has: the values in it are cut long before.
        private const int MaxItemBytes = 200 * 1000;
        private const int MaxMemberChars = 500;
        private const int EnvelopeBytes = 1000;

        private readonly InspectQuery _query;
        private readonly KeptWalks _kept;
        private Question _question;
        private IEnumerator<Found> _steps;      // null before the first step, and once the walk is kept
        private readonly List<RawJson> _items = new List<RawJson>();
        private int _bytes = EnvelopeBytes;
        private bool _hasFoundPlace;
        private Found _last;

        public InspectPage(InspectQuery query, Question question, KeptWalks kept)
        {
            _query = query;
            _question = question;
            _kept = kept;
        }

        /// <summary>Main thread. Reads on until the call is answered (true), or the budget of this update is spent.</summary>
        public bool GoOn(ToolCall call, Func<bool> isBudgetSpent)
        {
            if (_steps == null)
            {
                Begin(call);
            }
            do
            {
                if (!_steps.MoveNext())
                {
                    AnswerAtTheEnd(call);
                    return true;
                }
                if (_steps.Current is { } found && Take(call, found))
                {
                    return true;
                }
            }
            while (!isBudgetSpent());
            return false;
        }

        public void Dispose() => _steps?.Dispose();

        private void Begin(ToolCall call)
        {
            var kept = _query.Cursor == null ? null : _kept.Take(_query.CursorText);
            _hasFoundPlace = _query.Cursor == null || kept != null;
            if (kept == null)
            {
                _question.Total = _query.Cursor?.Total;
                _steps = _question.Walk(_query.Cursor?.Position).GetEnumerator();
                return;
            }
            _question = kept.Question;
            _steps = kept.Steps;
            Take(call, kept.Next);
        }

        // True when the call is answered.
        private bool Take(ToolCall call, Found found)
        {
            if (!_hasFoundPlace)
            {
                _hasFoundPlace = found.Position.SequenceEqual(_query.Cursor.Position) && InspectCursor.HashOf(found.Mark) == _query.Cursor.Mark;
                if (!_hasFoundPlace)
                {
                    RefuseOutdated(call);
                }
                return !_hasFoundPlace;
            }
            var text = TextOf(found.Item);
            var bytes = Unseen.BytesOf(text) + 1;
            if (_items.Count == _query.Limit || (_items.Count > 0 && _bytes + bytes > _query.MaxBytes))
            {
                var cursor = InspectCursor.Write(_query.Question, _question.Total ?? 0, _last);
                Answer(call, cursor);
                if (_question is HierarchyQuestion)
                {
                    _kept.Keep(cursor, _question, _steps, found);
                    _steps = null;
                }
                return true;
            }
            _items.Add(new RawJson(text));
            _bytes += bytes;
            _last = found;
            return false;
        }

        private void AnswerAtTheEnd(ToolCall call)
        {
            if (_question.Refused != null)
            {
                call.Refuse(_question.Refused);
            }
            else if (_question.Fault != null)
            {
                call.Refuse(new Refusal(ErrorCode.InvalidParams, _question.Fault));
            }
            else if (!_hasFoundPlace)
            {
                RefuseOutdated(call);
            }
            else
            {
                Answer(call, null);
            }
        }

        private void Answer(ToolCall call, string nextCursor)
        {
            var content = new JsonObject
            {
                { "what", _query.What },
                { "items", _items },
                { "total", _question.Total ?? _items.Count },
            };
            if (nextCursor != null)
            {
                content["next_cursor"] = nextCursor;
            }
            _question.AddTo(content);
            if (_question.Hint != null)
            {
                content["hint"] = _question.Hint;
            }
            call.Succeed(content);
        }

        private static void RefuseOutdated(ToolCall call) => call.Refuse(new Refusal(ErrorCode.InvalidParams,
            "The cursor is outdated: what it points to has changed. Ask again without cursor."));

        // An item that would not fit keeps what is short.
        private static string TextOf(JsonObject item)
        {
            // Around it are the message, its result and the items.
            var text = JsonWriter.WriteForMessage(item, levelsAround: 3);
            if (text.Length < MaxItemBytes / 4 || Encoding.UTF8.GetByteCount(text) <= MaxItemBytes)
            {
                return text;
            }
            var cut = new JsonObject();
            foreach (var member in item)
            {
                if (member.Value is int or long or bool)
                {
                    cut[member.Key] = member.Value;
                }
                else if (member.Value is string words)
                {
                    cut[member.Key] = words.Length <= MaxMemberChars ? words : words.Substring(0, MaxMemberChars);
                }
            }
            cut["truncated"] = true;
            return JsonWriter.Write(cut);
        }
    }
}
