using System.Collections.Generic;
using UnityEditor;
using UnityEditor.Compilation;
using UnityBridge.EditorLife;
using UnityBridge.Framework;
using UnityBridge.Jobs;
using UnityBridge.Json;
using UnityBridge.Platform;

namespace UnityBridge.Tools
{
    /// <summary>
    /// Brings what is on disk into the editor: import, compile, reload (SPEC §16.1). It begins once and then only
    /// observes, so it goes on in the next domain wherever the last one left it. Main thread.
    /// </summary>
    internal sealed class Refresh
    {
        // How long nothing must happen before nothing will.
        private const long NoCompilationMs = 500;
        private const long NoReloadMs = 10000;
        private const long NoReloadOfTheSameMs = 2000;
        private const long NoFurtherPassMs = 1000;

        private readonly ToolContext _context;
        private readonly long _startedUtcMs;
        private readonly int _firstError;
        private readonly int _compilationsBefore;
        private Stage _stage;
        private long _quietSinceMs;
        private int _quietTicks;
        private bool _forced;
        private bool _compiled;
        private bool _reloaded;
        private bool _isTheSame;
        private ImportedScripts _imported;
        private List<string> _scenesReloaded = new List<string>();

        private Refresh(ToolContext context, long startedUtcMs, int firstError, Stage stage)
        {
            _context = context;
            _startedUtcMs = startedUtcMs;
            _firstError = firstError;
            _compilationsBefore = context.Compiler.Started;
            Enter(stage);
        }

        private enum Stage
        {
            /// <summary>Refresh was called; whether anything is to compile is not known yet.</summary>
            Importing,
            Compiling,

            /// <summary>Everything compiles; Unity is about to reload the scripts.</summary>
            AwaitingReload,

            /// <summary>In the new domain, which may begin a further pass.</summary>
            Settling,
            Done,
        }

        /// <summary>The value of <c>progress.step</c>.</summary>
        public string Step => _stage switch
        {
            Stage.Importing => JobStep.Importing,
            Stage.Compiling => JobStep.Compiling,
            _ => JobStep.Reloading,
        };

        /// <summary>Null until <see cref="Advance"/> has answered true.</summary>
        public RefreshOutcome Outcome { get; private set; }

        public static Refresh Begin(ToolContext context, JsonObject parameters)
        {
            var force = parameters.Is("force");
            var refresh = new Refresh(
                context, Clock.UtcMs, context.Window?.CountErrors() ?? 0, Stage.Importing) { _forced = force };
            refresh._scenesReloaded = ChangedScenes.Resolve(context.SceneFiles, parameters, out var prefab);
            AssetDatabase.Refresh(ImportAssetOptions.ForceSynchronousImport);
            ChangedScenes.OpenPrefab(prefab);
            if (force)
            {
                EditorReadiness.Code.NoteForced();
                CompilationPipeline.RequestScriptCompilation();
            }
            // What the import took does not count as silence after it.
            refresh.Enter(Stage.Importing);
            return refresh;
        }

        /// <summary>In the next domain.</summary>
        /// <param name="memo">What <see cref="Memo"/> said in the last one; null if it could not say anything any
        /// more.</param>
        public static Refresh GoOn(ToolContext context, JsonObject memo) =>
            new Refresh(context, memo?.Integer("started") ?? Clock.UtcMs, memo?.Whole("first_error") ?? 0,
                Stage.Settling)
            {
                _forced = memo?.Flag("forced") ?? false,
                _compiled = memo?.Flag("compiled") ?? true,
                _reloaded = true,
                _scenesReloaded = memo?.Array("scenes_reloaded")?.ConvertAll(path => path as string)
                ?? new List<string>(),
            };

        public JsonObject Memo() => new JsonObject
        {
            { "started", _startedUtcMs }, { "first_error", _firstError }, { "forced", _forced },
            { "compiled", HasCompiled },
            { "scenes_reloaded", _scenesReloaded },
        };

        /// <summary>In every update. True once it is over.</summary>
        public bool Advance()
        {
            switch (_stage)
            {
                case Stage.Importing: AwaitCompilation(); break;
                case Stage.Compiling: AwaitOutcome(); break;
                case Stage.AwaitingReload: AwaitReload(); break;
                case Stage.Settling: AwaitQuiet(); break;
            }
            return _stage == Stage.Done;
        }

        private static bool Compiles => EditorReadiness.Code.IsCompiling;

        private bool HasCompiled => _compiled || _context.Compiler.Started > _compilationsBefore;

        private long QuietMs => _context.Ticks.Ms - _quietSinceMs;

        private void AwaitCompilation()
        {
            if (HasCompiled || Compiles)
            {
                Enter(Stage.Compiling);
            }
            else if (IsQuietFor(NoCompilationMs) && _quietTicks >= 2)
            {
                End();
            }
        }

        private void AwaitOutcome()
        {
            if (Compiles)
            {
                _compiled = true;
            }
            else if (EditorUtility.scriptCompilationFailed)
            {
                End();
            }
            else
            {
                Enter(Stage.AwaitingReload);
                AwaitReload();
            }
        }

        private void AwaitReload()
        {
            // Compiled to the same as before: Unity raises no event for any assembly, and has nothing to reload.
            var isTheSame = !_forced && !_context.Compiler.ChangedAnything && !EditorReadiness.Code.AwaitsReload;
            if (Compiles)
            {
                Enter(Stage.Compiling);
            }
            else if (EditorReadiness.Code.PendingReason == WhyPending.ReloadLocked
                || IsQuietFor(isTheSame ? NoReloadOfTheSameMs : NoReloadMs))
            {
                _isTheSame = isTheSame;
                End();
            }
        }

        private void AwaitQuiet()
        {
            if (Compiles)
            {
                Enter(Stage.Compiling);
            }
            else if (IsQuietFor(NoFurtherPassMs))
            {
                End();
            }
        }

        private bool IsQuietFor(long ms)
        {
            _imported ??= new ImportedScripts(_startedUtcMs);
            if (EditorApplication.isUpdating)
            {
                _quietSinceMs = _context.Ticks.Ms;
                _quietTicks = 0;
                return false;
            }
            _quietTicks++;
            return QuietMs >= ms;
        }

        private void Enter(Stage stage)
        {
            _stage = stage;
            _quietSinceMs = _context.Ticks.Ms;
            _quietTicks = 0;
        }

        private void End()
        {
            var pending = EditorReadiness.Code.PendingReason;
            if (pending == null && !_imported.IsKnown)
            {
                // The next update asks again.
                return;
            }
            // If there were several passes, the last one may well have had nothing to reload.
            Outcome = new RefreshOutcome(
                _context, _startedUtcMs, _firstError, HasCompiled, _reloaded && pending == null, pending, _isTheSame
                && !_reloaded, _scenesReloaded,
                pending == null ? _imported.NotImported() : new List<string>());
            Enter(Stage.Done);
        }
    }
}
