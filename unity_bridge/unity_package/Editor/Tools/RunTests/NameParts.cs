using System;
using System.Collections.Generic;

namespace UnityBridge.Tools
{
    /// <summary>Takes the names of tests and the parts of a filter apart. What stands in quotes or brackets is one
    /// piece: the arguments of a test may hold any character. A quote or bracket that is never closed is a character
    /// like any other.</summary>
    internal static class NameParts
    {
        /// <summary>The parts of a filter: a <c>;</c> separates them, unless it stands inside quotes or
        /// parentheses.</summary>
        public static List<string> Split(string filter)
        {
            var parts = new List<string>();
            var begin = 0;
            foreach (var at in Outside(filter, ';', "()"))
            {
                parts.Add(filter.Substring(begin, at - begin).Trim());
                begin = at + 1;
            }
            parts.Add(filter.Substring(begin).Trim());
            return parts;
        }

        /// <summary>The dot before the name of the method in a full name; -1 if there is none.</summary>
        public static int LastDot(string fullName)
        {
            var dots = Outside(fullName, '.', "()<>");
            return dots.Count == 0 ? -1 : dots[dots.Count - 1];
        }

        /// <summary>A fixture or a method without what stands in parentheses behind its name.</summary>
        public static string WithoutArguments(string name)
        {
            var open = name.IndexOf('(');
            return open > 0 ? name.Substring(0, open) : name;
        }

        // Where the character stands outside of quotes and of the brackets that are given as pairs. One pass: a filter
        // may have megabytes, and all of them brackets that are never closed.
        private static List<int> Outside(string text, char wanted, string brackets)
        {
            var found = new List<int>();
            var open = new Stack<(int Kind, int FoundBefore)>();
            var quotes = true;
            for (var i = 0; i < text.Length; i++)
            {
                if (text[i] == '"' && quotes)
                {
                    var end = EndOfQuotes(text, i);
                    quotes = end > 0;
                    i = Math.Max(i, end);
                }
                else if (text[i] == wanted)
                {
                    found.Add(i);
                }
                else if (brackets.IndexOf(text[i]) is var kind && kind >= 0)
                {
                    if (kind % 2 == 0)
                    {
                        open.Push((kind, found.Count));
                    }
                    else
                    {
                        Close(open, kind - 1, found);
                    }
                }
            }
            return found;
        }

        // What was found since the bracket was opened is inside it.
        private static void Close(Stack<(int Kind, int FoundBefore)> open, int kind, List<int> found)
        {
            while (open.Count > 0)
            {
                var bracket = open.Peek();
                if (bracket.Kind != kind && kind > 0)
                {
                    return; // `a < (b > c`: the parenthesis still holds
                }
                open.Pop();
                if (bracket.Kind == kind)
                {
                    found.RemoveRange(bracket.FoundBefore, found.Count - bracket.FoundBefore);
                    return;
                }
            }
        }

        private static int EndOfQuotes(string text, int i)
        {
            for (i++; i < text.Length; i++)
            {
                if (text[i] == '"')
                {
                    return i;
                }
                i += text[i] == '\\' ? 1 : 0;
            }
            return -1;
        }
    }
}
