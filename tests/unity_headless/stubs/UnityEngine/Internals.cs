using System.Runtime.CompilerServices;

[assembly: InternalsVisibleTo("UnityEditor")]
[assembly: InternalsVisibleTo("UnityEngine.UI")]
[assembly: InternalsVisibleTo("HeadlessHost")]
[assembly: InternalsVisibleTo("Unity.2D.Sprite.Editor")]
