namespace UnityBridge.Tools
{
    /// <summary>A tool that only looks: it is answered once, and may be asked again after a lost connection.</summary>
    internal interface IReadTool
    {
        /// <summary>The tool's name on the wire.</summary>
        string ToolName { get; }

        /// <summary>A socket thread. Answers now, or hands the call to the main thread and answers there. An exception
        /// here is answered as a failure. What takes long goes on over several updates: <see
        /// cref="ToolCall.EachUpdate"/>.</summary>
        void Execute(ToolCall call);
    }
}
