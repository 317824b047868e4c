using System;
using System.Collections.Generic;
using UnityBridge.Framework;
using UnityBridge.Jobs;

namespace UnityBridge.Tools
{
    /// <summary>
    /// The tools of this plugin: every <see cref="IReadTool"/> and <see cref="IJobKind"/> of this assembly. Router,
    /// queue and
    /// <c>hello.tools</c> find them here.
    /// </summary>
    /// <remarks>
    /// A tool is added like this. Make a folder <c>Tools/Name</c>. A tool that only looks is an <see
    /// cref="IReadTool"/>; one that changes something, or takes long, is an <see cref="IJobKind"/>, whose <see
    /// cref="IJobRun"/> carries out one job. Its constructor takes a <see cref="ToolContext"/> and nothing else. One
    /// that holds on to anything of Unity's beyond the domain is an <see cref="ILeaving"/> too. Nothing else has to
    /// know of it.
    /// </remarks>
    internal sealed class ToolList
    {
        private readonly Dictionary<string, IReadTool> _reads = new Dictionary<string, IReadTool>();
        private readonly Dictionary<string, IJobKind> _jobs = new Dictionary<string, IJobKind>();
        private readonly List<ILeaving> _leaving = new List<ILeaving>();
        private readonly List<string> _names = new List<string>();

        /// <summary>Main thread, at load.</summary>
        public static ToolList Create(ToolContext context)
        {
            var tools = new ToolList();
            // Not TypeCache: while the domain loads, types may still be missing in it.
            foreach (var type in typeof(ToolList).Assembly.GetTypes())
            {
                if (type.IsAbstract)
                {
                    continue;
                }
                if (typeof(IReadTool).IsAssignableFrom(type))
                {
                    tools.Add((IReadTool)Activator.CreateInstance(type, context));
                }
                else if (typeof(IJobKind).IsAssignableFrom(type))
                {
                    tools.Add((IJobKind)Activator.CreateInstance(type, context));
                }
            }
            tools._names.Sort(StringComparer.Ordinal);
            return tools;
        }

        /// <summary>Sorted.</summary>
        public IReadOnlyList<string> Names => _names;

        /// <summary>Null where there is none of that name.</summary>
        public IReadTool FindRead(string name) => _reads.TryGetValue(name ?? "", out var tool) ? tool : null;

        /// <summary>Null where there is none of that name.</summary>
        public IJobKind FindJob(string name) => _jobs.TryGetValue(name ?? "", out var tool) ? tool : null;

        /// <summary>Main thread, before the domain goes.</summary>
        public void Leave() => _leaving.ForEach(tool => EditorLife.Guard.Run(tool.Leave));

        private void Add(IReadTool tool)
        {
            _reads[tool.ToolName] = tool;
            Note(tool.ToolName, tool);
        }

        private void Add(IJobKind tool)
        {
            _jobs[tool.ToolName] = tool;
            Note(tool.ToolName, tool);
        }

        private void Note(string name, object tool)
        {
            _names.Add(name);
            if (tool is ILeaving leaving)
            {
                _leaving.Add(leaving);
            }
        }
    }

    /// <summary>A tool with something to give back before the domain goes.</summary>
    internal interface ILeaving
    {
        /// <summary>Main thread.</summary>
        void Leave();
    }
}
