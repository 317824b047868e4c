#if UNITY_CORECLR
using System;
using System.Reflection;

namespace UnityEngine.Assemblies
{
    /// <summary>Public from 6000.5 (CurrentAssemblies.cs, 6000.7.0a1:50-100). Code that is loaded here belongs to the
    /// present generation of the code, and goes away with it.</summary>
    public static class CurrentAssemblies
    {
        internal static Func<byte[], byte[], Assembly> Loader;

        public static Assembly LoadFromBytes(byte[] assembly, byte[] symbols)
        {
            Native.Editor.Say("loaded from bytes");
            return Loader(assembly, symbols);
        }
    }
}
#endif
