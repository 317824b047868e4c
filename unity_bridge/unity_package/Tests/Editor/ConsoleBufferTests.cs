using System.Collections.Generic;
using NUnit.Framework;
using UnityBridge.Console;
using UnityBridge.Json;
using UnityBridge.Tools;

namespace UnityBridge.Tests
{
    public class ConsoleBufferTests
    {
        [Test]
        public void ACursorBringsWhatIsNewerAndNothingTwice()
        {
            var buffer = new ConsoleBuffer("s");
            buffer.Add(Entry("one"));
            var cursor = Read(buffer, null).Text("next_cursor");
            Assert.AreEqual(0, Read(buffer, cursor).Integer("count"));
            buffer.Add(Entry("two"));
            Assert.AreEqual(1, Read(buffer, cursor).Integer("count"));
            Assert.AreEqual(2, Read(buffer, null).Integer("count"));
        }

        [Test]
        public void OnlyTheOldestEntriesAreForgottenAndACursorBeforeThemIsReported()
        {
            var buffer = new ConsoleBuffer("s");
            buffer.Add(Entry("first"));
            var cursor = Read(buffer, null).Text("next_cursor");
            for (var i = 0; i < 6000; i++)
            {
                buffer.Add(Entry("more " + i));
            }
            bool lost;
            long newest;
            var kept = buffer.After(0, out lost, out newest);
            Assert.IsTrue(lost);
            Assert.AreEqual(6001, newest);
            Assert.AreEqual("more 5999", kept[kept.Count - 1].Message);
            Assert.AreEqual(true, Read(buffer, cursor).Flag("truncated"));
        }

        [Test]
        public void WhatIsSavedAtAReloadIsThereAfterIt()
        {
            var buffer = new ConsoleBuffer("s");
            buffer.Add(new ConsoleEntry(EntryType.Error, "broken", "", "Game.dll", "Assets/A.cs", 4));
            buffer.Add(Entry("text"));
            object saved;
            string why;
            Assert.IsTrue(JsonReader.TryRead(JsonWriter.Write(buffer.ToJson()), out saved, out why));
            var restored = new ConsoleBuffer("s");
            restored.Restore((JsonObject)saved);
            Assert.AreEqual(JsonWriter.Write(buffer.ToJson()), JsonWriter.Write(restored.ToJson()));
            Assert.AreEqual(1, restored.CompileErrorCount);
        }

        [Test]
        public void ARecompiledAssemblyTakesItsOldErrorsWithIt()
        {
            var buffer = new ConsoleBuffer("s");
            buffer.ReplaceCompilerMessages("A.dll", new[] { Error("A.dll", "a1"), Error("A.dll", "a2") });
            buffer.ReplaceCompilerMessages("B.dll", new[] { Error("B.dll", "b1") });
            buffer.ReplaceCompilerMessages("A.dll", new[] { Error("A.dll", "a3") });
            Assert.AreEqual(new List<string> { "b1", "a3" },
                buffer.After(0, out _, out _).ConvertAll(entry => entry.Message));
            Assert.AreEqual(2, buffer.CompileErrorCount);
            buffer.DropCompileErrors(text => text == "b1");
            Assert.AreEqual(1, buffer.CompileErrorCount);
            buffer.DropCompileErrors(_ => false);
            Assert.AreEqual(0, buffer.CompileErrorCount);
        }

        private static JsonObject Read(ConsoleBuffer buffer, string since)
        {
            var query = new ConsoleQuery(buffer);
            Assert.IsNull(query.FaultIn(new JsonObject { { "since", since } }));
            Assert.IsTrue(JsonReader.TryRead(JsonWriter.Write(query.Page()), out var read, out _));
            return (JsonObject)read;
        }

        private static ConsoleEntry Entry(string text)
        {
            return new ConsoleEntry(EntryType.Log, text, "");
        }

        private static ConsoleEntry Error(string assembly, string text)
        {
            return new ConsoleEntry(EntryType.Error, text, "", assembly, "Assets/A.cs", 1);
        }
    }
}
