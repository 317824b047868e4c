using System;
using System.Security.Cryptography;

// .NET 6 and newer advise the Create methods.
#pragma warning disable SYSLIB0021, SYSLIB0023

namespace UnityBridge.Platform
{
    /// <summary>Algorithms by their class. On Mono a Create method looks for a name in a table of some hundred, which
    /// is made again in each domain that needs it, while the editor waits.</summary>
    internal static class Cryptography
    {
        /// <summary>Bytes that nobody can predict.</summary>
        public static byte[] Random(int count)
        {
            using var random = new RNGCryptoServiceProvider();
            var bytes = new byte[count];
            random.GetBytes(bytes);
            return bytes;
        }

        public static byte[] Sha256(byte[] content)
        {
            using var sha256 = new SHA256Managed();
            return sha256.ComputeHash(content);
        }

        /// <summary>The first bytes in lower case.</summary>
        public static string Hex(byte[] bytes, int count) =>
            BitConverter.ToString(bytes, 0, count).Replace("-", "").ToLowerInvariant();

        public static byte[] Sha1(byte[] content)
        {
            using var sha1 = new SHA1Managed();
            return sha1.ComputeHash(content);
        }
    }
}
