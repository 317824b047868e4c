using System.Linq;
using System.Security.Cryptography;
using System.Text;
using UnityBridge.Platform;

namespace UnityBridge.Trust
{
    /// <summary>What only a holder of the secret can say, so that nothing of the secret travels (SPEC §17.1).</summary>
    internal static class Proof
    {
        public const string Server = "server";
        public const string Plugin = "plugin";
        public const string Opening = "opening";

        private const int LeastNonce = 16;
        private const int MostNonce = 128;

        /// <summary>What <paramref name="role"/> proves to the side that chose <paramref
        /// name="othersNonce"/>.</summary>
        /// <remarks>The role keeps one side's proof from being sent back as the other's. The ends bind it to one
        /// connection, so that a program in between cannot pass it on. The nonces keep it from being used
        /// again.</remarks>
        public static string Compute(byte[] secret, string role, Ends ends, string othersNonce, string ownNonce)
        {
            using var hmac = new HMACSHA256(secret);
            var proof = hmac.ComputeHash(Encoding.ASCII.GetBytes(
                string.Join("\n", role, ends.Client, ends.Server, othersNonce, ownNonce)));
            return Cryptography.Hex(proof, proof.Length);
        }

        public static string NewNonce() => Cryptography.Hex(Cryptography.Random(LeastNonce), LeastNonce);

        /// <summary>16 to 128 characters of [0-9a-f]; anything else counts as none.</summary>
        public static bool IsNonce(string text)
        {
            return text?.Length is >= LeastNonce and <= MostNonce
                && text.All(c => c is >= '0' and <= '9' or >= 'a' and <= 'f');
        }

        /// <summary>Takes a time that reveals nothing about the expected value. (CryptographicOperations is missing in
        /// Unity's older profile.)</summary>
        public static bool AreEqual(string given, string expected)
        {
            var differences = given.Length ^ expected.Length;
            for (var i = 0; i < expected.Length; i++)
            {
                differences |= expected[i] ^ (i < given.Length ? given[i] : '\0');
            }
            return differences == 0;
        }
    }
}
