using System;
using UnityEditor;
using UnityEngine;

namespace Game.Editor
{
    /// <summary>A script of the project that throws in each update, as one does that has lost what it works
    /// on.</summary>
    [InitializeOnLoad]
    internal static class BrokenTool
    {
        static BrokenTool()
        {
            if (Native.Editor.Quirk("broken-tool"))
            {
                EditorApplication.update += () => { throw new NullReferenceException("Broken tool"); };
            }
        }
    }
}
