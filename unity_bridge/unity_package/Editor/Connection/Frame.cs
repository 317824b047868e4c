using System.Text;
using UnityBridge.Platform;

namespace UnityBridge.Connection
{
    /// <summary>A frame of a WebSocket that this side sends: whole, and masked, since this side is the client (RFC 6455
    /// §5).</summary>
    internal sealed class Frame
    {
        public const int Continuation = 0;
        public const int Text = 1;
        public const int Binary = 2;
        public const int Close = 8;
        public const int Ping = 9;
        public const int Pong = 10;

        /// <summary>Of a control frame: close, ping or pong.</summary>
        public const int MostControlBytes = 125;

        /// <summary>It throws a <see cref="DecoderFallbackException"/> for bytes that are not UTF-8.</summary>
        public static readonly UTF8Encoding StrictUtf8 = new UTF8Encoding(false, true);

        private const int MaskBytes = 4;
        private const int OwnSize = 64;

        private readonly int _opcode;
        private readonly string _text;
        private readonly byte[] _payload;

        public Frame(string text)
        {
            _opcode = Text;
            _text = text;
        }

        public Frame(int opcode, byte[] payload)
        {
            _opcode = opcode;
            _payload = payload;
        }

        /// <param name="reason">At most 123 bytes.</param>
        public static Frame Closing(int code, string reason)
        {
            var payload = Encoding.UTF8.GetBytes("  " + reason);
            payload[0] = (byte)(code >> 8);
            payload[1] = (byte)code;
            return new Frame(Close, payload);
        }

        /// <summary>About what it costs to keep it.</summary>
        public int Size => OwnSize + (_text?.Length ?? _payload.Length);

        public byte[] ToBytes()
        {
            var payload = _payload ?? Encoding.UTF8.GetBytes(_text);
            var head = payload.Length <= MostControlBytes ? 2 : payload.Length <= ushort.MaxValue ? 4 : 10;
            var bytes = new byte[head + MaskBytes + payload.Length];
            bytes[0] = (byte)(0x80 | _opcode);
            bytes[1] = (byte)(0x80 | (head == 2 ? payload.Length : head == 4 ? 126 : 127));
            if (head > 2)
            {
                for (int at = head - 1, rest = payload.Length; at > 1; at--, rest >>= 8)
                {
                    bytes[at] = (byte)rest;
                }
            }
            var mask = Cryptography.Random(MaskBytes);
            mask.CopyTo(bytes, head);
            for (var i = 0; i < payload.Length; i++)
            {
                bytes[head + MaskBytes + i] = (byte)(payload[i] ^ mask[i % MaskBytes]);
            }
            return bytes;
        }
    }

    /// <summary>Why a WebSocket is closed (RFC 6455 §7.4.1).</summary>
    internal static class CloseCode
    {
        public const int Normal = 1000;
        public const int GoingAway = 1001;
        public const int ProtocolError = 1002;
        public const int NoText = 1003;
        public const int NoUtf8 = 1007;
        public const int TooBig = 1009;

        /// <summary>The code that answers a close frame: its payload is empty, or a code that RFC 6455 and IANA's
        /// register let a peer send, with a reason in UTF-8. Throws a <see cref="DecoderFallbackException"/> for
        /// another reason.</summary>
        public static int AnswerTo(byte[] payload)
        {
            if (payload.Length == 0)
            {
                return Normal;
            }
            var code = payload.Length == 1 ? 0 : payload[0] << 8 | payload[1];
            if (code is not ((>= 1000 and <= 1003) or (>= 1007 and <= 1014) or (>= 3000 and <= 4999)))
            {
                return ProtocolError;
            }
            Frame.StrictUtf8.GetCharCount(payload, 2, payload.Length - 2);
            return Normal;
        }
    }
}
