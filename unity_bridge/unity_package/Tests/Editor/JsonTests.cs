using NUnit.Framework;
using UnityBridge.Json;

namespace UnityBridge.Tests
{
    public class JsonTests
    {
        [Test]
        public void WhatIsWrittenIsReadBackTheSame()
        {
            const string text =
                "{\"a\":[1,-2,18446744073709551615,0.5,true,false,null],"
                + "\"\u00e4\":{\"\u6f22\":\"\\\"\\\\\\n\\u0001\"}}";
            Assert.AreEqual(text, Rewritten(text));
        }

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
                object value;
                string why;
                Assert.IsFalse(JsonReader.TryRead(text, out value, out why));
                Assert.IsTrue(why.Length > 0);
            }
        }

        [Test]
        public void DeepNestingIsRefusedAndNotDied()
        {
            object value;
            string why;
            Assert.IsTrue(JsonReader.TryRead(new string('[', 64) + new string(']', 64), out value, out why));
            Assert.IsFalse(JsonReader.TryRead(new string('[', 100000), out value, out why));
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
            object value;
            string why;
            Assert.IsTrue(JsonReader.TryRead(text, out value, out why));
            return value;
        }
    }
}
