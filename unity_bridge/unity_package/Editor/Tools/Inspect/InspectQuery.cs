using System;
using UnityBridge.Json;
using UnityBridge.Wire;

namespace UnityBridge.Tools
{
    /// <summary>The arguments of one call.</summary>
    internal sealed class InspectQuery
    {
        // So that a value of that many levels fits into a message (SPEC §7.9).
        public const int MaxDepth = 40;

        private const long DefaultDepth = 2;
        private const long MaxLimit = 1000;
        private const long DefaultLimit = 100;
        private const int MaxTextChars = 4096;

        public string What { get; private set; }

        /// <summary>Null where none was given.</summary>
        public string Path { get; private set; }

        /// <summary>Null where none was given.</summary>
        public string Query { get; private set; }

        public int Depth { get; private set; }

        public int Limit { get; private set; }

        /// <summary>What a page may have, in bytes.</summary>
        public long MaxBytes { get; private set; }

        /// <summary>Where to go on, or null.</summary>
        public InspectCursor Cursor { get; private set; }

        /// <summary>As the caller sent it; null for none.</summary>
        public string CursorText { get; private set; }

        /// <summary>Takes the arguments; what is wrong with them, or null.</summary>
        public string FaultIn(JsonObject parameters) =>
            TakeTexts(parameters) ?? TakeNumbers(parameters) ?? FaultInQuestion() ?? TakeCursor(parameters);

        private string TakeTexts(JsonObject parameters)
        {
            What = parameters.Text("what");
            Path = Unseen.Decoded(parameters.Text("path"));
            Query = Unseen.Decoded(parameters.Text("query"));
            if (What is not ("scenes" or "hierarchy" or "object" or "assets" or "selection" or "ui"))
            {
                return "what is one of scenes, hierarchy, object, assets, selection, ui.";
            }
            if ((Path == null && parameters.Get("path") != null) || (Query == null && parameters.Get("query") != null)
                || Path?.Length > MaxTextChars || Query?.Length > MaxTextChars)
            {
                return "path and query are texts of at most 4096 characters.";
            }
            Path = Path == "" ? null : Path;
            Query = Query == "" ? null : Query;
            return null;
        }

        private string TakeNumbers(JsonObject parameters)
        {
            var depth = parameters.Get("depth") == null ? DefaultDepth : parameters.Integer("depth") ?? -1;
            var limit = parameters.Get("limit") == null ? DefaultLimit : parameters.Integer("limit") ?? 0;
            if (depth < 0 || depth > MaxDepth)
            {
                return "depth is a whole number from 0 to 40.";
            }
            if (limit < 1 || limit > MaxLimit)
            {
                return "limit is a whole number from 1 to 1000.";
            }
            MaxBytes = Math.Min(parameters.Integer("max_bytes") ?? Messages.MaxContentBytes, Messages.MaxContentBytes);
            Depth = (int)depth;
            Limit = (int)limit;
            return null;
        }

        private string FaultInQuestion()
        {
            if (What is "scenes" or "selection" && (Path ?? Query) != null)
            {
                return "path and query do not go with '" + What + "'.";
            }
            return What == "object" && Path == null
                ? "object needs a path, such as Main/Player, Assets/Data.asset or a GlobalObjectId."
                : null;
        }

        private string TakeCursor(JsonObject parameters)
        {
            if (parameters.Get("cursor") == null)
            {
                return null;
            }
            CursorText = parameters.Text("cursor");
            Cursor = InspectCursor.Read(CursorText);
            if (Cursor == null)
            {
                return "cursor is the next_cursor of an earlier answer, unchanged.";
            }
            return Cursor.Question == Question
                ? null
                : "This cursor belongs to another question. Ask again without cursor.";
        }

        /// <summary>What a cursor is bound to: everything but the size of the page.</summary>
        public string Question => InspectCursor.HashOf(What + "\n" + Path + "\n" + Query + "\n" + Depth);
    }
}
