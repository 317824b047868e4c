// Public types of Unity's, 2021.3 to 6000.7, that the plugin does not use, and whose names it or the class libraries
// have, too: what is ambiguous in Unity does not compile here either.
namespace UnityEditor
{
    public static class Progress
    {
    }
}
