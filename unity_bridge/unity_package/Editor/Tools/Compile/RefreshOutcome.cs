using System.Collections.Generic;
using UnityEditor;
using UnityBridge.EditorLife;
using UnityBridge.Jobs;
using UnityBridge.Json;

namespace UnityBridge.Tools
{
    /// <summary>What came of a <see cref="Refresh"/>; the <c>result</c> of <c>compile</c> (SPEC §16).</summary>
    internal sealed class RefreshOutcome
    {
        public const string SameAssemblies = "The compiled assemblies are the same as before.";

        private const int MostListed = 50;

        private readonly List<CompilerFault> _errors;
        private readonly List<CompilerFault> _warnings;
        private readonly bool _changed;
        private readonly bool _reloaded;
        private readonly long _durationMs;
        private readonly string _whyNotReloaded;

        private RefreshOutcome(
            List<CompilerFault> errors, List<CompilerFault> warnings, bool changed, bool reloaded, long durationMs, string whyNotReloaded)
        {
            _errors = errors;
            _warnings = warnings;
            _changed = changed;
            _reloaded = reloaded;
            _durationMs = durationMs;
            _whyNotReloaded = whyNotReloaded;
        }

        public bool IsOk => _errors.Count == 0;

        /// <summary>What is loaded is what is on disk.</summary>
        public bool IsLoaded => IsOk && _whyNotReloaded is null or SameAssemblies;

        /// <summary>Main thread, at the end of the refresh.</summary>
        /// <param name="firstRow">How many rows the console had at its start.</param>
        public static RefreshOutcome Of(
            ToolContext context, long startedUtcMs, int firstRow, bool changed, bool reloaded, string whyNotReloaded) => new RefreshOutcome(
                ErrorsNow(context, firstRow), context.Compiler.Warnings(startedUtcMs), changed, reloaded, Clock.UtcMs - startedUtcMs, whyNotReloaded);

        public JsonObject ToJson(bool withWarnings)
        {
            var result = new JsonObject
            {
                { "ok", IsOk },
                { "changed", _changed },
                { "reloaded", _reloaded },
                { "duration_ms", _durationMs },
                { "error_count", _errors.Count },
                { "warning_count", _warnings.Count },
                { "errors", ErrorsToJson() },
            };
            if (withWarnings)
            {
                result["warnings"] = Listed(_warnings);
            }
            result["truncated"] = _errors.Count > MostListed || (withWarnings && _warnings.Count > MostListed);
            if (_whyNotReloaded != null)
            {
                result["reason"] = _whyNotReloaded;
            }
            return result;
        }

        public List<JsonObject> ErrorsToJson() => Listed(_errors);

        private static List<JsonObject> Listed(List<CompilerFault> faults) =>
            faults.GetRange(0, System.Math.Min(MostListed, faults.Count)).ConvertAll(fault => fault.ToJson());

        // Errors of the compiler are remembered over reloads, so that "nothing has changed" never hides scripts that are broken.
        // Errors of assembly definitions and of imports have no event: the console shows them.
        private static List<CompilerFault> ErrorsNow(ToolContext context, int firstRow)
        {
            var errors = EditorUtility.scriptCompilationFailed ? context.Compiler.Errors() : new List<CompilerFault>();
            var known = new HashSet<string>(errors.ConvertAll(error => error.Text));
            foreach (var row in context.Window?.Obstacles(firstRow) ?? new List<Console.ConsoleEntry>())
            {
                if (known.Add(row.Message))
                {
                    errors.Add(CompilerFault.Shown(row.Message, row.File, row.Line));
                }
            }
            if (errors.Count == 0 && EditorUtility.scriptCompilationFailed)
            {
                errors.Add(CompilerFault.Shown("Unity says that scripts do not compile, and not why. Look at the editor's console.", null, 0));
            }
            return errors;
        }
    }
}
