using NUnit.Framework;
using UnityBridge.Json;

namespace UnityBridge.Tests
{
    public class JsonTests
    {
        [Test]
        public void ALoneSurrogateNeverReachesTheLine()
        {
            Assert.AreEqual("\"\uFFFD\"", Rewritten("\"\\ud800\""));
            Assert.AreEqual("\"\U0001F600\"", Rewritten("\"\\ud83d\\ude00\""));
        }

        [Test]
        public void WhatIsNotJsonIsRefusedWithAReason()
        {
            foreach (var text in new[] { "", "{", "[1,]", "{\"a\"}", "nul", "01", "+1", "1.", "\"\t\"", "\"\\x\"",
                "{}{}", "'a'", "NaN" })
            {
                Assert.IsFalse(JsonReader.TryRead(text, out _, out var why));
                Assert.IsTrue(why.Length > 0);
            }
        }

        [Test]
        public void WhatIsNestedTooDeepIsLeftOutAndSaysSo()
        {
            foreach (var levels in new[] { 51, 52, 60 })
            {
                Assert.AreEqual(Nested(levels, "1"), Rewritten(Nested(levels, "1")));
                Assert.AreEqual(Nested(49, "{\"not_shown\":true}"),
                    JsonWriter.WriteForMessage(Read(Nested(levels, "1"))));
                Assert.AreEqual(Nested(46, "{\"not_shown\":true}"),
                    JsonWriter.WriteForMessage(Read(Nested(levels, "1")), levelsAround: 3));
            }
            Assert.AreEqual(Nested(50, "1"), JsonWriter.WriteForMessage(Read(Nested(50, "1"))));
        }

        private static string Nested(int levels, string inside)
        {
            return string.Concat(System.Linq.Enumerable.Repeat("{\"a\":", levels)) + inside + new string('}', levels);
        }

        private static string Rewritten(string text)
        {
            return JsonWriter.Write(Read(text));
        }

        private static object Read(string text)
        {
            Assert.IsTrue(JsonReader.TryRead(text, out var value, out _));
            return value;
        }
    }
}
