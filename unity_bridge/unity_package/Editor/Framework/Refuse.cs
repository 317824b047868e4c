using System.Collections.Generic;
using System.Linq;
using UnityEditor;
using UnityEngine.SceneManagement;
using UnityBridge.EditorLife;
using UnityBridge.Wire;

namespace UnityBridge.Framework
{
    /// <summary>What keeps commands of ours from doing anything (SPEC §15.8). Each throws <see cref="CommandRefused"/>.
    /// Main thread.</summary>
    internal static class Refuse
    {
        /// <param name="what">What it would do, as in "open the scene".</param>
        public static void OutsideEditMode(string what) => For(EditorReadiness.WhyNotInEditMode(what));

        /// <param name="what">What it would do, as in "click".</param>
        public static void OutsideGame(string what) => For(EditorReadiness.WhyNotInGame(what));

        /// <param name="refusal">Null if nothing is in the way.</param>
        public static void For(Refusal refusal)
        {
            if (refusal != null)
            {
                throw new CommandRefused(refusal);
            }
        }

        /// <summary>Before anything that refreshes or imports.</summary>
        public static void WithChangedScenes(ToolContext context) =>
            For(ChangedScenes.WhyNotAsked(context.SceneFiles, "Call compile first: it opens them again."));

        public static void WithCompileErrors(string what)
        {
            if (EditorUtility.scriptCompilationFailed)
            {
                throw new CommandRefused(
                    "compile_errors", "The project's scripts do not compile. Fix them, call compile, then " + what
                    + ".");
            }
        }

        /// <summary>Before anything that writes assets or import settings; a scene or a prefab by itself is never
        /// asked about.</summary>
        public static void WhereSavingAsks() => WhereUnityAsks(Effect.Save);

        /// <summary>Before anything that has these effects (docs/after-the-call.md).</summary>
        /// <param name="path">What is moved or deleted; null for other effects.</param>
        public static void WhereUnityAsks(Effect effects, string path = null) => For(Reactions.WhyNot(effects, path));

        /// <param name="remedy">What to do about them.</param>
        public static void WithUnsavedWork(string remedy) => With(UnsavedWork.Find(), remedy);

        /// <param name="unsaved">The paths of what is not saved; empty where nothing is.</param>
        /// <param name="remedy">What to do about them.</param>
        public static void With(List<string> unsaved, string remedy)
        {
            if (unsaved.Count > 0)
            {
                throw new CommandRefused(Refusal.NotExecuted("unsaved_scenes",
                    "There are unsaved changes. " + remedy + " They are in " + Cut.Names(unsaved) + ".")
                    .With("scenes", unsaved));
            }
        }

        /// <summary>Unity can keep no other scene open next to one that has no file, and asks for its name in a dialog:
        /// also for a new one that nobody has touched, which is not dirty.</summary>
        public static void WithUntitledScene(string what)
        {
            if (Enumerable.Range(0, SceneManager.sceneCount)
                .Any(place => string.IsNullOrEmpty(SceneManager.GetSceneAt(place).path)))
            {
                throw new CommandRefused(
                    "unsaved_scenes", "A scene was never saved, and Unity would ask for its name in a dialog. "
                    + "Save it (save_scene path=...), then " + what + ".");
            }
        }

        /// <summary>The arguments are of the right type, and still make no sense.</summary>
        public static CommandRefused Argument(string message) =>
            new CommandRefused(new Refusal(ErrorCode.InvalidParams, message));

        public static CommandRefused Argument(string message, string member, IEnumerable<object> values) =>
            new CommandRefused(new Refusal(ErrorCode.InvalidParams, message).With(member, values));

        /// <param name="package">Of Unity's package manager, or the module of a platform.</param>
        public static CommandRefused WithoutPackage(string package, string message)
        {
            var refusal = Refusal.NotExecuted("package_missing", message);
            refusal.Details["package"] = package;
            return new CommandRefused(refusal);
        }

        /// <summary>It was carried out, and did not come to what it was for.</summary>
        public static CommandRefused Failed(string reason, string message) =>
            new CommandRefused(Refusal.Completed(reason, message));
    }
}
