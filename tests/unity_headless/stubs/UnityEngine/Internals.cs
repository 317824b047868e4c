using System.Runtime.CompilerServices;

[assembly: InternalsVisibleTo("UnityEditor")]
[assembly: InternalsVisibleTo("UnityEngine.UI")]
[assembly: InternalsVisibleTo("HeadlessHost")]
