using System.Runtime.CompilerServices;

[assembly: InternalsVisibleTo("UnityBridge.Editor.Tests")]
