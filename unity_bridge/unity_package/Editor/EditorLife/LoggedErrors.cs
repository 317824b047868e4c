using System;
using System.Collections.Generic;
using System.IO;
using UnityBridge.Platform;
using UnityBridge.Wire;

namespace UnityBridge.EditorLife
{
    /// <summary>The errors of the last compilation of the editor's scripts, from the editor's log.</summary>
    /// <remarks><c>projects/editor_log.py</c> reads the same lines by the same rules, while no package runs.</remarks>
    internal static class LoggedErrors
    {
        private const int MostBytes = 4 * 1024 * 1024;
        private const int MostErrors = 500;
        private const int MostChars = 2000;

        // "Assets/A.cs(1,2): error CS0103: TEXT"; "error CS0006: TEXT"; "NAME: (0,0): error TEXT"; "tundra: error: X".
        private static readonly Pattern Line = new Pattern(
            @"^(?:(?<file>.+?)\((?<line>\d+),(?<column>\d+)\): |.*?: )?error(?: (?<code>[A-Za-z]+\d+)(?=: ))?:? ");

        private static readonly string[] EditorGraphs = { "E.dag", "EDbg.dag" };

        // After these lines anything may be logged, and only a compiler's own errors, which have a code, are repeated.
        private static readonly string[] Ends =
        {
            "*** Tundra build failed", "## Script Compilation Error for: ", "Backend exited with code ",
            "ILPostProcessor has thrown an exception",
        };

        /// <summary>Empty where the log cannot be read, or does not show the start of a compilation.</summary>
        public static List<CompilerFault> Read(string log)
        {
            try
            {
                using var file = FilesOnDisk.Open(log);
                file.Seek(Math.Max(0, file.Length - MostBytes), SeekOrigin.Begin);
                using var reader = new StreamReader(file);
                return Read(reader);
            }
            // NotSupported: it is a terminal or a pipe. Argument: Unity has no log.
            catch (Exception failure) when (failure is IOException or UnauthorizedAccessException
                or NotSupportedException or ArgumentException)
            {
                return new List<CompilerFault>();
            }
        }

        private static List<CompilerFault> Read(TextReader log)
        {
            var errors = new List<CompilerFault>();
            var (isOfEditor, hasEnded) = (false, false);
            while (log.ReadLine() is { } line)
            {
                if (line.Begins("Starting: ") && line.Contains("bee_backend"))
                {
                    // A player's scripts are compiled by graphs of other names.
                    isOfEditor = Array.Exists(EditorGraphs, line.Contains);
                    if (isOfEditor)
                    {
                        errors.Clear();
                        hasEnded = false;
                    }
                }
                else if (isOfEditor && errors.Count < MostErrors && ErrorIn(line, !hasEnded) is { } error
                    && !errors.Exists(earlier => earlier.Text == error.Text))
                {
                    errors.Add(error);
                }
                hasEnded |= Array.Exists(Ends, line.Contains);
            }
            return errors;
        }

        private static CompilerFault ErrorIn(string line, bool mayLackCode)
        {
            var match = Line.Value.Match(Cut.To(line, MostChars));
            if (!match.Success || !(mayLackCode || match.Groups["code"].Success))
            {
                return null;
            }
            int.TryParse(match.Groups["line"].Value, out var row);
            int.TryParse(match.Groups["column"].Value, out var column);
            return CompilerFault.Shown(line, row > 0 ? match.Groups["file"].Value : null, row, column);
        }
    }
}
