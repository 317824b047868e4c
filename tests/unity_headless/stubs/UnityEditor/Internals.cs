using System.Runtime.CompilerServices;

[assembly: InternalsVisibleTo("HeadlessHost")]
[assembly: InternalsVisibleTo("UnityEditor.TestRunner")]
