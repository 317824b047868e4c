using System;
using System.Collections.Generic;
using System.IO;
using System.Linq;
using System.Reflection;
using System.Runtime.CompilerServices;
using System.Text;
using System.Threading;
using UnityEditor;
using UnityEngine;
using Assembly = System.Reflection.Assembly;

namespace Headless
{
    /// <summary>
    /// The package on .NET as Unity on CoreCLR has it: the stubs, as Unity's own assemblies, stay with all their
    /// statics, and each generation of the package is in a collectible AssemblyLoadContext of its own. Arguments: the
    /// project's folder, the package's assembly, how many generations, in how many of them a snippet logs "snippet N"
    /// before they go, and where the editor has its compiler. The next one after those goes while all threads of the
    /// pool are blocked. Each line on stdin lets one more go; what is left of all of them is said at the end.
    /// </summary>
    public static class Generations
    {
        private const int TicksOfEach = 40;
        private const int MostTicks = 12000;

        // By name: the class libraries that this is compiled against do not have the type.
        private static readonly Type Context =
            Type.GetType("System.Runtime.Loader.AssemblyLoadContext, System.Private.CoreLib", true);
        private static MainThreadContext _posted;
        private static NativeEditor _native;
        private static int _mayGo;

        public static int Main(string[] args)
        {
            _native = new NativeEditor(new StreamWriter(Console.OpenStandardOutput(), new UTF8Encoding(false)));
            _native.DataPath = Path.Combine(Path.GetFullPath(args[0]), "Assets");
            _native.ProductName = "Game";
            _native.CommandLine = "";
            _native.Scripts = new Scripts(_native, null);
            Native.Editor = _native;
            Native.MainThreadId = Thread.CurrentThread.ManagedThreadId;
            _native.ContentsPath = args[4];
            TypeCache.IsComplete = true;
            var image = File.ReadAllBytes(args[1]);
            var symbols = File.ReadAllBytes(Path.ChangeExtension(args[1], ".pdb"));
            new Thread(ReadLines) { IsBackground = true, Name = "stdin" }.Start();
            var old = new List<WeakReference>();
            for (var i = 0; i < int.Parse(args[2]); i++)
            {
                old.Add(LoadAndUnload(image, symbols, i, i < int.Parse(args[3]) ? "snippet " + i : null,
                    i == int.Parse(args[3])));
            }
            // A timer of a snippet keeps its generation until it fires.
            for (var i = 0; i < 500 && old.Any(generation => generation.IsAlive); i++)
            {
                GC.Collect();
                GC.WaitForPendingFinalizers();
                Tick();
                Thread.Sleep(20);
            }
            _native.Say("alive " + old.Count(generation => generation.IsAlive) + " of " + old.Count);
            return 0;
        }

        private static void ReadLines()
        {
            while (Console.In.ReadLine() != null) Interlocked.Increment(ref _mayGo);
        }

        // Not inlined: a local of the caller would keep the context.
        [MethodImpl(MethodImplOptions.NoInlining)]
        private static WeakReference LoadAndUnload(
            byte[] image, byte[] symbols, int number, string awaited, bool blocksPool)
        {
            // What awaits on the main thread is not continued after a reload: each domain has a context of its own
            // (UnitySynchronizationContext).
            SynchronizationContext.SetSynchronizationContext(_posted = new MainThreadContext());
            var context = Activator.CreateInstance(Context, "generation", true);
            var load = Context.GetMethod("LoadFromStream", new[] { typeof(Stream), typeof(Stream) });
            UnityEngine.Assemblies.CurrentAssemblies.Loader = (code, debug) => (Assembly)load.Invoke(context,
                new object[] { new MemoryStream(code), debug == null ? null : new MemoryStream(debug) });
            var package = UnityEngine.Assemblies.CurrentAssemblies.Loader(image, symbols);
            foreach (var type in package.GetTypes()
                .Where(type => type.IsDefined(typeof(InitializeOnLoadAttribute), false)))
            {
                RuntimeHelpers.RunClassConstructor(type.TypeHandle);
            }
            for (var i = 0; i < TicksOfEach || (i < MostTicks && !IsOver(number, awaited)); i++) Tick();
            var ends = new ManualResetEvent(!blocksPool);
            if (blocksPool) BlockPool(ends);
            AssemblyReloadEvents.RaiseBefore();
            ends.Set();
            UnityEngine.Assemblies.CurrentAssemblies.Loader = null;
            if (EditorApplication.update != null) _native.Say("VIOLATION an update of an old generation is left");
            Context.GetMethod("Unload").Invoke(context, null);
            return new WeakReference(context);
        }

        private static bool IsOver(int number, string awaited)
        {
            return Volatile.Read(ref _mayGo) > number && (awaited == null || _native.Rows().Contains(awaited));
        }

        // As scripts do that wait in tasks: nothing that awaits goes on.
        private static void BlockPool(WaitHandle ends)
        {
            for (var i = 0; i < 50; i++) ThreadPool.QueueUserWorkItem(_ => ends.WaitOne());
            Thread.Sleep(50);
        }

        private static void Tick()
        {
            _posted.RunPosted();
            if (EditorApplication.update != null) EditorApplication.update();
            Thread.Sleep(5);
        }
    }
}
