using UnityEngine;

namespace UnityEditor.MPE
{
    /// <summary>Modules/UMPE/Editor/UMPE.bindings.cs; the same names from 2021.1 on.</summary>
    public enum ProcessLevel { Undefined = 0, Main = 1, Secondary = 2 }

    public class ProcessService
    {
        public static ProcessLevel level =>
            Native.Editor.CommandLine.Contains("--secondary") ? ProcessLevel.Secondary : ProcessLevel.Main;
    }
}
