namespace UnityEngine
{
    /// <summary>What a coroutine yields to its player loop (Runtime/Export/Scripting/YieldInstruction.cs).</summary>
    public class YieldInstruction
    {
    }

    /// <summary>Runtime/Export/Scripting/AsyncOperation.bindings.cs.</summary>
    public class AsyncOperation : YieldInstruction
    {
        public virtual bool isDone { get { return false; } }
    }
}
