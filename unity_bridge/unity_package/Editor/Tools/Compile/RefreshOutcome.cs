using System.Collections.Generic;
using System.Linq;
using UnityEditor;
using UnityEngine;
using UnityBridge.Console;
using UnityBridge.EditorLife;
using UnityBridge.Framework;
using UnityBridge.Json;
using UnityBridge.Platform;
using UnityBridge.Wire;

namespace UnityBridge.Tools
{
    /// <summary>What came of a <see cref="Refresh"/>; the <c>result</c> of <c>compile</c> (SPEC §16).</summary>
    internal sealed class RefreshOutcome
    {
        private const int MostListed = 50;
        private const int MostNamed = 3;
        private const int MostImportErrors = 20;
        private const int MostImportChars = 1000;

        private readonly List<CompilerFault> _errors;
        private readonly List<CompilerFault> _warnings;
        private readonly List<ConsoleEntry> _importErrors = new List<ConsoleEntry>();
        private readonly bool _changed;
        private readonly bool _reloaded;
        private readonly long _durationMs;
        private readonly string _pendingReason;
        private readonly bool _isTheSame;
        private readonly List<string> _scenesReloaded;
        private readonly List<string> _notImported;

        /// <summary>Main thread, at the end of the refresh.</summary>
        /// <param name="firstError">How many errors the console had at its start.</param>
        /// <param name="isTheSame">It was compiled, and came out as it was before.</param>
        /// <param name="notImported">Scripts on disk that Unity does not know as they are.</param>
        public RefreshOutcome(
            ToolContext context, long startedUtcMs, int firstError, bool changed, bool reloaded, string pendingReason,
            bool isTheSame, List<string> scenesReloaded, List<string> notImported)
        {
            _errors = ErrorsNow(context, firstError, _importErrors);
            _warnings = context.Compiler.Warnings(startedUtcMs);
            _changed = changed;
            _reloaded = reloaded;
            _durationMs = Clock.UtcMs - startedUtcMs;
            _pendingReason = _errors.Count > 0
                ? WhyPending.CompileErrors
                : pendingReason ?? (notImported.Count > 0 ? WhyPending.Unknown : null);
            _isTheSame = isTheSame;
            _scenesReloaded = scenesReloaded;
            _notImported = notImported;
        }

        public bool IsOk => _errors.Count == 0;

        /// <summary>The editor runs the code that is on disk.</summary>
        public bool IsLoaded => _pendingReason == null;

        /// <summary>Null where <see cref="IsLoaded"/>.</summary>
        public string PendingReason => _pendingReason;

        /// <summary>Why the code is not loaded, and what to do. Null where <see cref="IsLoaded"/>.</summary>
        public string WhyNotLoaded => IsLoaded ? null
            : _pendingReason != WhyPending.Unknown || _notImported.Count == 0 ? WhyPending.Explain(_pendingReason)
            : "Unity did not import what changed on disk: "
            + string.Join(", ", _notImported.Take(MostNamed))
                + (_notImported.Count > MostNamed ? " and " + (_notImported.Count - MostNamed) + " more" : "")
                + ". A script may have called AssetDatabase.StartAssetEditing without StopAssetEditing. End it, or "
                + "restart the editor, then compile again.";

        public JsonObject ToJson(bool withWarnings)
        {
            var result = new JsonObject
            {
                { "ok", IsOk },
                { "changed", _changed },
                { "reloaded", _reloaded },
                { "loaded", IsLoaded },
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
            AddImportErrors(result);
            if (_scenesReloaded.Count > 0)
            {
                result["scenes_reloaded"] = _scenesReloaded;
            }
            if (!IsLoaded)
            {
                result["pending_reason"] = _pendingReason;
                result["reason"] = WhyNotLoaded;
            }
            else if (_isTheSame)
            {
                result["reason"] = "The compiled assemblies are the same as before.";
            }
            return result;
        }

        // They keep no code from being compiled or loaded.
        private void AddImportErrors(JsonObject result)
        {
            if (_importErrors.Count == 0)
            {
                return;
            }
            result["import_errors"] = _importErrors.Take(MostImportErrors).Select(entry => new JsonObject
            {
                { "file", entry.File }, { "message", Cut.To(entry.Message, MostImportChars) },
            }).ToList();
            if (_importErrors.Count > MostImportErrors)
            {
                result["omitted"] = new JsonObject { { "import_errors",
                    (long)(_importErrors.Count - MostImportErrors) } };
            }
        }

        public List<JsonObject> ErrorsToJson() => Listed(_errors);

        private static List<JsonObject> Listed(List<CompilerFault> faults) =>
            faults.Take(MostListed).Select(fault => fault.ToJson()).ToList();

        // Errors of the compiler are remembered over reloads, so that "nothing has changed" never hides scripts that
        // are broken. Errors of assembly definitions and of imports have no event: the console shows them.
        private static List<CompilerFault> ErrorsNow(
            ToolContext context, int firstError, List<ConsoleEntry> importErrors)
        {
            var errors = EditorUtility.scriptCompilationFailed ? context.Compiler.Errors() : new List<CompilerFault>();
            var known = new HashSet<string>(errors.ConvertAll(error => error.Text));
            foreach (var row in context.Window?.Obstacles(firstError, importErrors) ?? new List<ConsoleEntry>())
            {
                if (known.Add(row.Message))
                {
                    errors.Add(CompilerFault.Shown(row.Message, row.File, row.Line));
                }
            }
            if (errors.Count == 0 && EditorUtility.scriptCompilationFailed)
            {
                errors.Add(CompilerFault.Shown(
                    "Unity reports that scripts do not compile, without the reason. Read the editor's log, which has "
                    + "it: "
                    + Application.consoleLogPath, null, 0));
            }
            return errors;
        }
    }
}
