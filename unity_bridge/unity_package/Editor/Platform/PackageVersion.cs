namespace UnityBridge.Platform
{
    /// <summary>The version of this package, as in package.json; sent to the server in <c>hello</c>.</summary>
    internal static class PackageVersion
    {
        public const string Current = "0.1.0";
    }
}
