using System;
using System.Collections.Generic;
using System.IO;
using System.Net;
using System.Threading;
using NUnit.Framework;
using UnityBridge.Platform;
using UnityBridge.Trust;

namespace UnityBridge.Tests
{
    public class TrustTests
    {
        private const string Home = "/home/me";
        private const string Profile = @"C:\Users\me";

        [Test]
        public void TheFolderIsTheServers()
        {
            Assert.AreEqual("/home/me/.local/state/unity-bridge", Folder(Host.Linux, Home));
            Assert.AreEqual("/var/me/unity-bridge", Folder(Host.Linux, Home, "XDG_STATE_HOME", "/var/me"));
            Assert.AreEqual("/var/me/unity-bridge", Folder(Host.Linux, "", "XDG_STATE_HOME", "/var/me"));
            Assert.AreEqual("/home/me/.local/state/unity-bridge", Folder(Host.Linux, Home, "XDG_STATE_HOME", ""));
            Assert.AreEqual("/home/me/.local/state/unity-bridge", Folder(Host.Linux, Home, "XDG_STATE_HOME", "state"));
            Assert.AreEqual("/Users/me/Library/Application Support/unity-bridge",
                Folder(Host.MacOS, "/Users/me", "XDG_STATE_HOME", "/x"));
            Assert.AreEqual(@"C:\Users\me\.unity-bridge",
                Folder(Host.Windows, Profile, "LOCALAPPDATA", @"C:\Users\me\AppData\Local"));
            Assert.AreEqual("/mnt/c/state", Folder(Host.Linux, Home, StateFolder.Variable, "/mnt/c/state"));
            Assert.AreEqual(@"\\wsl$\home\state",
                Folder(Host.Windows, Profile, StateFolder.Variable, @"\\wsl$\home\state"));
            Assert.AreEqual("D:/state", Folder(Host.Windows, Profile, StateFolder.Variable, "D:/state"));
        }

        [Test]
        public void TheHomeOnWindowsIsTheOneThatTheServerTakes()
        {
            // test_state_folder.py has the same cases.
            Assert.AreEqual(Profile, HomeOnWindows(Profile, "H:", @"\me"));
            Assert.AreEqual(@"H:\me", HomeOnWindows(null, "H:", @"\me"));
            Assert.AreEqual(@"H:\me", HomeOnWindows("", "H:", @"\me"));
            Assert.IsNull(HomeOnWindows(null, "H:", null));
            Assert.IsNull(HomeOnWindows(null, null, null));
        }

        [Test]
        public void WithoutAnAbsoluteHomeItIsThatOfTheSystem()
        {
            Assert.AreEqual("/home/me", StateFolder.Home(name => "/home/me", Host.Linux));
            foreach (var named in new[] { null, "", ".", "home" })
            {
                Assert.IsTrue(StateFolder.Home(name => named, Host.Linux)?.StartsWith("/") ?? true);
            }
            Assert.IsNull(StateFolder.Home(name => name == "USERPROFILE" ? "me" : null, Host.Windows));
        }

        private static string HomeOnWindows(string profile, string drive, string path) => StateFolder.Home(
            name => name switch { "USERPROFILE" => profile, "HOMEDRIVE" => drive, "HOMEPATH" => path, _ => null },
            Host.Windows);

        [Test]
        public void AFolderThatWouldBeAnotherOneToEachProgramIsRefused()
        {
            foreach (var named in new[] { "state", "~/state" })
            {
                Assert.AreEqual(StateFolder.Variable + " is not an absolute path: set one",
                    Folder(Host.Linux, Home, StateFolder.Variable, named));
            }
            foreach (var named in new[] { "state", @"D:state", @"\state", "/state" })
            {
                Assert.AreEqual(StateFolder.Variable + " is not an absolute path: set one",
                    Folder(Host.Windows, Profile, StateFolder.Variable, named));
            }
            Assert.IsTrue(Folder(Host.Linux, "").Contains("no home folder"));
        }

        [Test]
        public void AProofIsTheServers()
        {
            var secret = new byte[32];
            for (byte i = 0; i < secret.Length; i++)
            {
                secret[i] = i;
            }
            const string ours = "00112233445566778899aabbccddeeff", theirs = "ffeeddccbbaa99887766554433221100";
            var ends = new Ends(new IPEndPoint(IPAddress.Loopback, 50001),
                new IPEndPoint(IPAddress.Loopback.MapToIPv6(), 8091));
            // Of unity_bridge/trust/proof.py.
            Assert.AreEqual("4543fc4c59012e2debe9b667e34d3f6a870d5c67e594d628c4dca8052e60f1b4",
                Proof.Compute(secret, Proof.Server, ends, ours, theirs));
            Assert.AreEqual("710e37df291601a47759d01fbe3ffca65549a4c60a51f0430770db2be126906f",
                Proof.Compute(secret, Proof.Plugin, ends, theirs, ours));
            Assert.AreEqual("127.0.0.1:50001 127.0.0.1:8091", ends.Client + " " + ends.Server);
            var relayed = new Ends(new IPEndPoint(IPAddress.Loopback, 50002), new IPEndPoint(IPAddress.Loopback, 8091));
            Assert.IsFalse(Proof.Compute(secret, Proof.Server, relayed, ours, theirs) == Proof.Compute(
                secret, Proof.Server, ends, ours, theirs));
        }

        [Test]
        public void ProofsAndNoncesAreCompared()
        {
            Assert.IsTrue(Proof.AreEqual("ab12", "ab12"));
            foreach (var other in new[] { "", "ab1", "ab13", "AB12", "ab12\0", "ab122" })
            {
                Assert.IsFalse(Proof.AreEqual(other, "ab12"));
            }
            Assert.IsTrue(Proof.IsNonce(Proof.NewNonce()) && Proof.IsNonce(new string('f', 128)));
            foreach (var none in new[] { null, "", "0123456789abcde", "0123456789abcdeF", "0123456789abcdeg",
                new string('f', 129) })
            {
                Assert.IsFalse(Proof.IsNonce(none));
            }
        }

        [Test]
        public void TheSecretIsMadeOnceAndThenTheSame()
        {
            InFolder((folder, files) =>
            {
                var below = Path.Combine(folder, "new", "state");
                var first = SecretIn(below, files);
                Assert.AreEqual(SharedSecret.Bytes, first.Length);
                Assert.AreEqual(first, SecretIn(below, files));
                Assert.AreEqual(first, File.ReadAllBytes(Path.Combine(below, SharedSecret.FileName)));
                Assert.AreEqual(1, Directory.GetFiles(below).Length);
            });
        }

        [Test]
        public void ASecretThatIsTooShortOrTooLongIsReplaced()
        {
            foreach (var length in new[] { 0, 31, 1025, 2000 })
            {
                InFolder((folder, files) =>
                {
                    var first = SecretIn(folder, files);
                    Overwrite(folder, new byte[length]);
                    var second = SecretIn(folder, files);
                    Assert.AreEqual(SharedSecret.Bytes, second.Length);
                    Assert.IsFalse(Convert.ToBase64String(first) == Convert.ToBase64String(second));
                });
            }
            InFolder((folder, files) =>
            {
                SecretIn(folder, files);
                Overwrite(folder, new byte[90]);
                Assert.AreEqual(new byte[90], SecretIn(folder, files));
            });
        }

        [Test]
        public void MakersAtTheSameMomentAgree()
        {
            InFolder((folder, files) =>
            {
                var made = new List<string>();
                var makers = new List<Thread>();
                for (var i = 0; i < 8; i++)
                {
                    makers.Add(new Thread(() =>
                    {
                        var secret = Convert.ToBase64String(SecretIn(folder, files));
                        lock (made)
                        {
                            made.Add(secret);
                        }
                    }));
                }
                makers.ForEach(maker => maker.Start());
                makers.ForEach(maker => maker.Join());
                Assert.AreEqual(8, made.FindAll(secret => secret == made[0]).Count);
            });
        }

        [Test]
        public void AFolderInItsPlaceIsMovedAsideWithWhatItHolds()
        {
            InFolder((folder, files) =>
            {
                var path = Path.Combine(folder, SharedSecret.FileName);
                Directory.CreateDirectory(path);
                File.WriteAllText(Path.Combine(path, "kept"), "x");
                Assert.AreEqual(SharedSecret.Bytes, SecretIn(folder, files).Length);
                var aside = Directory.GetDirectories(folder, SharedSecret.FileName + ".folder-*");
                Assert.AreEqual(1, aside.Length);
                Assert.AreEqual("x", File.ReadAllText(Path.Combine(aside[0], "kept")));
            });
        }

        private static byte[] SecretIn(string folder, ISecretFiles files)
        {
            var secret = new SharedSecret(folder, files).ReadOrMake(CancellationToken.None, out var fault);
            Assert.AreEqual(null, fault);
            return secret;
        }

        // Its mode stays as it is.
        private static void Overwrite(string folder, byte[] content)
        {
            using var file = new FileStream(Path.Combine(folder, SharedSecret.FileName), FileMode.Truncate);
            file.Write(content, 0, content.Length);
        }

        private static string Folder(string platform, string home, string variable = "", string value = "") =>
            StateFolder.Locate(name => name == variable ? value : null, platform, home, out var fault) ?? fault;

        // The kind of files that Windows has works everywhere.
        private static void InFolder(Action<string, ISecretFiles> test)
        {
            foreach (var files in Host.Name == Host.Windows
                ? new ISecretFiles[] { new WindowsSecretFiles() }
                : new ISecretFiles[] { new PosixSecretFiles(), new WindowsSecretFiles() })
            {
                var folder = Path.Combine(Path.GetTempPath(), "unity-bridge-" + Guid.NewGuid().ToString("N"));
                Directory.CreateDirectory(folder);
                try
                {
                    test(folder, files);
                }
                finally
                {
                    Directory.Delete(folder, true);
                }
            }
        }
    }
}
