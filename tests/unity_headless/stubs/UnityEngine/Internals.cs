using System.Runtime.CompilerServices;

[assembly: InternalsVisibleTo("UnityEditor")]
[assembly: InternalsVisibleTo("HeadlessHost")]
