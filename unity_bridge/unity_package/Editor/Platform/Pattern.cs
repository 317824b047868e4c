using System;
using System.Text.RegularExpressions;

namespace UnityBridge.Platform
{
    /// <summary>A regular expression that is built when it is first used, because each static one would cost time at
    /// every reload.</summary>
    internal sealed class Pattern : Lazy<Regex>
    {
        public Pattern(string expression)
            : base(() => new Regex(expression, RegexOptions.CultureInvariant))
        {
        }
    }
}
