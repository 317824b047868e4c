// As UnityEditor/Names.cs.
namespace UnityEngine
{
    public sealed class Ping
    {
    }

    public enum PlayMode
    {
    }

    public enum ThreadPriority
    {
    }
}
