using System.Collections.Generic;
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

        /// <summary>What its path was taken for: a sentence, or null.</summary>
        public string Remark { get; protected set; }

        /// <summary>Why there is no answer: a sentence. Null while nothing is wrong.</summary>
        public string Fault { get; protected set; }

        /// <summary>Why the editor cannot answer now, although nothing is wrong with the question. Null while it
        /// can.</summary>
        public Refusal Refused { get; protected set; }

        /// <summary>Adds what the answer as a whole has besides its items.</summary>
        public virtual void AddTo(JsonObject answer)
        {
        }

        /// <summary>
        /// The items from the place <paramref name="from"/> on, and a null for every step in between, each of them
        /// short. Counts first if <see cref="Total"/> is null. What Unity destroys between two steps is passed
        /// over.
        /// </summary>
        public abstract IEnumerable<Found> Walk(int[] from);
    }
}
