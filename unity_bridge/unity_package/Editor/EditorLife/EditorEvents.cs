using System;
using UnityEditor;
using UnityEditor.Compilation;

namespace UnityBridge.EditorLife
{
    /// <summary>Events of Unity, for as long as this domain lives. Main thread.</summary>
    /// <remarks>What a handler throws is logged, but for OnProject, whose handlers only forget.</remarks>
    internal static class EditorEvents
    {
        public static void OnPlayMode(Action<PlayModeStateChange> changed)
        {
            void Handle(PlayModeStateChange change) => Guard.Run(() => changed(change));
            DomainEnd.Subscribe(() => EditorApplication.playModeStateChanged += Handle,
                () => EditorApplication.playModeStateChanged -= Handle);
        }

        public static void OnProject(Action changed) => DomainEnd.Subscribe(
            () => EditorApplication.projectChanged += changed, () => EditorApplication.projectChanged -= changed);

        public static void OnCompilation(
            Action started, Action<string, CompilerMessage[]> compiled, Action finished)
        {
            void Start(object compilation) => Guard.Run(started);
            void Compile(string path, CompilerMessage[] messages) => Guard.Run(() => compiled(path, messages));
            void Finish(object compilation) => Guard.Run(finished);
            DomainEnd.Subscribe(() => CompilationPipeline.compilationStarted += Start,
                () => CompilationPipeline.compilationStarted -= Start);
            DomainEnd.Subscribe(() => CompilationPipeline.assemblyCompilationFinished += Compile,
                () => CompilationPipeline.assemblyCompilationFinished -= Compile);
            DomainEnd.Subscribe(() => CompilationPipeline.compilationFinished += Finish,
                () => CompilationPipeline.compilationFinished -= Finish);
        }
    }
}
