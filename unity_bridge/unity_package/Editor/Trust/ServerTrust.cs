using System.Threading;
using UnityBridge.Json;

namespace UnityBridge.Trust
{
    /// <summary>The plugin's side of what it and a server prove to each other in one session (SPEC §17.1).</summary>
    internal sealed class ServerTrust
    {
        private readonly Ends _ends;
        private string _ownProof;
        private volatile bool _isProven;
        private volatile string _doubt = "It has not said hello yet.";

        /// <param name="ends">Of this session's own connection.</param>
        public ServerTrust(Ends ends)
        {
            _ends = ends;
        }

        /// <summary>For our hello.</summary>
        public string Nonce { get; } = Proof.NewNonce();

        /// <summary>The server has proved that it runs as the same user.</summary>
        public bool IsProven => _isProven;

        /// <summary>Why it is not trusted and what to do, for a person; null once it is.</summary>
        public string Doubt => _doubt;

        /// <summary>What follows from the doubt, for a person; null once it is trusted.</summary>
        public string Warning => Doubt is { } doubt
            ? "Not trusted: the server may read the console and run tests, and no more. " + doubt
            + " Once a server of yours has the port, this editor moves to it."
            : null;

        /// <summary>A socket thread, at the server's hello. Reads a file.</summary>
        public void Check(JsonObject hello, CancellationToken ended) => _doubt = DoubtAbout(hello, ended);

        /// <summary>Our own proof, once, and only for a server that has proved itself; else null.</summary>
        public string TakeProof() => Interlocked.Exchange(ref _ownProof, null);

        private string DoubtAbout(JsonObject hello, CancellationToken ended)
        {
            var theirNonce = hello.Text("nonce");
            var theirProof = hello.Text("proof");
            if (!Proof.IsNonce(theirNonce) || theirProof == null)
            {
                return "It sent no proof that it runs as your user: update unity-bridge, and see in its log whether "
                    + "it can use its secret.";
            }
            var secret = SharedSecret.Read(ended, out var fault);
            if (secret == null)
            {
                return "This editor has no secret to compare with: " + fault.TrimEnd('.') + ".";
            }
            if (!Proof.AreEqual(theirProof, Proof.Compute(secret, Proof.Server, _ends, Nonce, theirNonce)))
            {
                return "Its proof is wrong: another secret, or a program between the editor and the server (a proxy, a "
                    + "forwarded port). Run both as one user, without a proxy, and set " + StateFolder.Variable
                    + " to the same folder for both; this editor's is "
                    + StateFolder.Find(out _) + ".";
            }
            Volatile.Write(ref _ownProof, Proof.Compute(secret, Proof.Plugin, _ends, theirNonce, Nonce));
            _isProven = true;
            return null;
        }
    }
}
