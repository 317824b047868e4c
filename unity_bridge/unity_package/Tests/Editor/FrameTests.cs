using System;
using System.Text;
using NUnit.Framework;
using UnityBridge.Connection;

namespace UnityBridge.Tests
{
    public class FrameTests
    {
        [Test]
        public void TheHeadHasTheLengthInTheFewestBytes()
        {
            foreach (var (length, head) in new[] { (0, 2), (125, 2), (126, 4), (65535, 4), (65536, 10) })
            {
                var bytes = new Frame(new string('x', length)).ToBytes();
                Assert.AreEqual(0x81, bytes[0]);
                Assert.AreEqual(0x80 | (head == 2 ? length : head == 4 ? 126 : 127), bytes[1]);
                var said = head == 2 ? length : 0;
                for (var at = 2; at < head; at++)
                {
                    said = said << 8 | bytes[at];
                }
                Assert.AreEqual(length, said);
                Assert.AreEqual(head + 4 + length, bytes.Length);
            }
        }

        [Test]
        public void ThePayloadIsMaskedWithAnotherMaskEachTime()
        {
            var first = new Frame("a payload").ToBytes();
            var second = new Frame("a payload").ToBytes();
            Assert.AreEqual("a payload", Unmasked(first));
            Assert.AreEqual("a payload", Unmasked(second));
            Assert.IsFalse(BitConverter.ToString(first) == BitConverter.ToString(second));
        }

        [Test]
        public void AClosingFrameHasCodeAndReason()
        {
            var payload = Unmasked(Frame.Closing(CloseCode.GoingAway, "domain reload").ToBytes());
            Assert.AreEqual("\u0003\u00e9domain reload", payload);
        }

        private static string Unmasked(byte[] frame)
        {
            var text = new StringBuilder();
            for (var i = 6; i < frame.Length; i++)
            {
                text.Append((char)(frame[i] ^ frame[2 + (i - 6) % 4]));
            }
            return text.ToString();
        }
    }
}
