using System.Runtime.CompilerServices;

[assembly: InternalsVisibleTo("HeadlessHost")]
[assembly: InternalsVisibleTo("Unity.2D.Sprite.Editor")]
[assembly: InternalsVisibleTo("UnityEditor.TestRunner")]
