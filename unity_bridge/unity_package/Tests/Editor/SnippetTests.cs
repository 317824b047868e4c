using System;
using System.IO;
using System.Linq;
using NUnit.Framework;
using UnityBridge.Tools;

namespace UnityBridge.Tests
{
    public class SnippetTests
    {
        [Test]
        public void PartsAreUsingsTypesAndStatements()
        {
            Assert.AreEqual("Using;|Using;|Statement;|Type}|Statement-", Parts(
                "using System.Xml;\nusing static System.Math; // a comment;\nvar a = 1;\n[Serializable] public "
                + "sealed class B<T> where T : new() { int x; }\na"));
            Assert.AreEqual("Statement;|Statement;", Parts("using var file = Open(); using var other = Open();"));
            Assert.AreEqual("Statement}|Statement;", Parts("using (Open()) { } Call();"));
            Assert.AreEqual("Type}", Parts("namespace A.B { class C { } }"));
            Assert.AreEqual("Type;|Type}", Parts("delegate int Reader(int a); enum Colour { Red }"));
            Assert.AreEqual("Statement;", Parts("record = 1;"));
        }

        [Test]
        public void BracketsInTextsAndCommentsAreNone()
        {
            Assert.AreEqual("Statement;|Statement-",
                Parts("var a = \"};{\" + '}' + @\"\\\" + $\"{(a ? \"}\" : $\"{{\")};\" + $@\"\"\"{b}\"; /* ; } */ a"));
            Assert.AreEqual("Statement;", Parts("#region a;\nvar x = 1;\n#endregion }"));
        }

        [Test]
        public void ABraceEndsAStatementUnlessAValueGoesOn()
        {
            Assert.AreEqual("Statement}|Statement-", Parts("if (a) { b(); } else { c(); } d"));
            Assert.AreEqual("Statement}|Statement}",
                Parts("try { } catch (Exception) { } finally { } foreach (var x in y) { }"));
            Assert.AreEqual("Statement;|Statement}", Parts("do { x++; } while (x < 3); switch (x) { case 1: break; }"));
            Assert.AreEqual("Statement-", Parts("new List<int> { 1, 2 }\n  .Count"));
            Assert.AreEqual("Statement;", Parts("var f = x switch { 1 => 2, _ => 3 };"));
            Assert.AreEqual("Statement}|Statement-", Parts("int F(int a) { return a; } F(1)"));
        }

        [Test]
        public void WhatMayHaveAValueIsTriedAsOne()
        {
            Assert.AreEqual("True,False", Ways("a + b"));
            Assert.AreEqual("False,True", Ways("a + b;"));
            Assert.AreEqual("True,False", Ways("new A { B = 1 }"));
            Assert.AreEqual("True,False", Ways("x switch { _ => 1 }"));
            Assert.AreEqual("False,True", Ways("int F() { return 1; }"));
            Assert.AreEqual("False", Ways("foreach (var x in y) { }"));
            Assert.AreEqual("False", Ways("class A { }"));
        }

        [Test]
        public void TheCompilerIsWhereEachUnityHasIt()
        {
            Assert.AreEqual("DotNetSdkRoslyn/csc.dll NetCoreRuntime/dotnet",
                Found("DotNetSdkRoslyn/csc.dll", "NetCoreRuntime/dotnet"));
            Assert.AreEqual("DotNetSdkRoslyn/csc.dll NetCoreRuntime/dotnet.exe",
                Found("DotNetSdkRoslyn/csc.dll", "NetCoreRuntime/dotnet.exe"));
            Assert.AreEqual("DotNetSdk/sdk/8.0.318/Roslyn/bincore/csc.dll DotNetSdk/dotnet",
                Found("DotNetSdk/sdk/8.0.318/Roslyn/bincore/csc.dll", "DotNetSdk/dotnet", "NetCoreRuntime/dotnet",
                    "DotNetSdk/sdk/NuGetFallbackFolder/x"));
            Assert.AreEqual("DotNetSdk/sdk/8.0.318/Roslyn/bincore/csc.dll NetCoreRuntime/dotnet",
                Found("DotNetSdk/sdk/8.0.318/Roslyn/bincore/csc.dll", "NetCoreRuntime/dotnet"));
            Assert.AreEqual("none", Found("DotNetSdkRoslyn/csc.dll"));
            Assert.AreEqual("none", Found("NetCoreRuntime/dotnet"));
        }

        private static string Parts(string code) => string.Join("|", SnippetParts.Read(code).All.Select(part =>
            part.Kind + (part.End == PartEnd.Semicolon ? ";" : part.End == PartEnd.Brace ? "}" : "-")));

        private static string Ways(string code) => string.Join(",", SnippetSource.Ways(SnippetParts.Read(code)));

        private static string Found(params string[] files)
        {
            var root = Path.Combine(Path.GetTempPath(), Guid.NewGuid().ToString("N"));
            try
            {
                foreach (var file in files)
                {
                    Directory.CreateDirectory(Path.GetDirectoryName(Path.Combine(root, file)));
                    File.WriteAllText(Path.Combine(root, file), "");
                }
                var found = EditorToolchain.FindBelow(new[] { Path.Combine(root, "absent"), root });
                return found == null ? "none"
                    : (found.Compiler + " " + found.Dotnet).Replace(root + Path.DirectorySeparatorChar, "")
                    .Replace(Path.DirectorySeparatorChar, '/');
            }
            finally
            {
                Directory.Delete(root, true);
            }
        }
    }
}
