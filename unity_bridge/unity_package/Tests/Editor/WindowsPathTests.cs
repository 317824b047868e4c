using NUnit.Framework;
using UnityBridge.Console;
using UnityBridge.EditorLife;
using UnityEditor.Compilation;

namespace UnityBridge.Tests
{
    /// <summary>Paths as Windows writes them, in messages to the server.</summary>
    public class WindowsPathTests
    {
        private const string Message =
            @"Assets\Items\ItemTable.cs(12,42): error CS0117: 'math' does not contain a definition for 'reverse'";

        [Test]
        public void TheFileOfACompilerErrorIsAnAssetsPath()
        {
            var fault = CompilerFault.FromMessage(new CompilerMessage
            {
                message = Message, file = @"Assets\Items\ItemTable.cs", line = 12, column = 42, type =
                    CompilerMessageType.Error,
            }, "Game").ToJson();
            Assert.AreEqual("Assets/Items/ItemTable.cs", fault["file"]);
            Assert.AreEqual("CS0117", fault["code"]);
            Assert.AreEqual("'math' does not contain a definition for 'reverse'", fault["message"]);
        }

        [Test]
        public void TheFileOfAConsoleEntryIsAnAssetsPathAndTheMessageStaysAsItIs()
        {
            var entry = new ConsoleEntry("error", Message, "", "", @"Assets\Items\ItemTable.cs", 12);
            Assert.AreEqual("Assets/Items/ItemTable.cs", entry.File);
            Assert.AreEqual(Message, entry.Message);
        }
    }
}
