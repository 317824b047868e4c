using System;
using System.Collections.Generic;
using System.Linq;
using System.Text;
using UnityBridge.Json;
using UnityBridge.Wire;

namespace UnityBridge.Tools
{
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

        /// <summary>Main thread. Reads on until the call is answered (true), or the budget of this update is
        /// spent.</summary>
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
                _steps = _question.Walk(_query.Cursor?.Position ?? new int[1]).GetEnumerator();
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
                _hasFoundPlace = found.Position.SequenceEqual(_query.Cursor.Position)
                    && InspectCursor.HashOf(found.Mark) == _query.Cursor.Mark;
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
                    _kept.Keep(new KeptWalk { Cursor = cursor, Question = _question, Steps = _steps, Next = found });
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
            else if (call.IsRefused(_question.Fault))
            {
                // It is answered.
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
            content.AddIfAny("next_cursor", nextCursor);
            _question.AddTo(content);
            if (_question.Remark != null)
            {
                content["remarks"] = new List<object> { _question.Remark };
            }
            content.AddIfAny("hint", _question.Hint);
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
