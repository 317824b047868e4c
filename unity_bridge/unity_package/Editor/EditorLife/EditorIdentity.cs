namespace UnityBridge.EditorLife
{
    /// <summary>Who this editor is; constant for the life of its process, the project's name aside.</summary>
    internal sealed class EditorIdentity
    {
        public EditorIdentity(string instanceId, string unityVersion, string projectName, string projectPath)
        {
            InstanceId = instanceId;
            UnityVersion = unityVersion;
            ProjectName = projectName;
            ProjectPath = projectPath;
        }

        /// <summary>The same for the whole life of one editor process, over domain reloads.</summary>
        public string InstanceId { get; }

        public string UnityVersion { get; }

        public string ProjectName { get; }

        public string ProjectPath { get; }

        /// <summary>By it a server on the same machine sees that this editor is gone (SPEC §5.6).</summary>
        public int ProcessId { get; } = CurrentProcessId();

        private static int CurrentProcessId()
        {
            using var process = System.Diagnostics.Process.GetCurrentProcess();
            return process.Id;
        }
    }
}
