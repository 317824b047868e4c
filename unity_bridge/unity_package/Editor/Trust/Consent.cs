using System;
using System.Collections.Generic;
using System.IO;
using System.Linq;
using UnityBridge.Json;
using UnityBridge.Platform;

namespace UnityBridge.Trust
{
    /// <summary>What this user allows clients to do in which projects: <c>allowed.json</c> in the state folder (SPEC
    /// §16.6).</summary>
    /// <remarks>It is not kept in the project, because a repository could bring such a file. The server does the same
    /// in Python (<c>unity_bridge/trust/consent.py</c>).</remarks>
    internal sealed class Consent
    {
        public const string FileName = "allowed.json";
        public const string CSharp = "csharp";

        /// <summary>For pipelines: what is allowed in this editor's process, whatever the file says.</summary>
        public const string Variable = "UNITY_BRIDGE_ALLOW";

        private readonly string _project;

        /// <param name="project">The project's canonical path.</param>
        public Consent(string project)
        {
            _project = project;
        }

        /// <summary>As file and variable are now. A file that cannot be read allows nothing.</summary>
        public bool IsGiven => IsGivenByVariable(Environment.GetEnvironmentVariable(Variable))
            || Projects(out _)?.Contains(_project) == true;

        public static bool IsGivenByVariable(string value) =>
            value != null && value.Split(',').Any(word => word.Trim().Equals(CSharp, StringComparison.Ordinal));

        /// <summary>Gives it or takes it back; answers why it could not, or null.</summary>
        public string Set(bool isGiven)
        {
            try
            {
                var folder = StateFolder.Find(out var fault);
                if (folder == null)
                {
                    return fault;
                }
                SharedSecret.Files.MakeFolder(folder);
                // Another editor or a command may be about to write its own list.
                using var alone = FileLock.Take(Path.Combine(folder, FileName + ".lock"));
                var projects = Projects(out fault);
                if (projects == null)
                {
                    return fault;
                }
                projects.Remove(_project);
                if (isGiven)
                {
                    projects.Add(_project);
                }
                var all = new JsonObject { [CSharp] =
                    projects.OrderBy(path => path, StringComparer.Ordinal).Cast<object>().ToList() };
                OrdinaryFile.Replace(Path.Combine(folder, FileName), JsonWriter.Write(all) + "\n");
                return null;
            }
            catch (Exception failure) when (
                failure is IOException or UnauthorizedAccessException or DllNotFoundException
                or EntryPointNotFoundException)
            {
                return failure.Message;
            }
        }

        // Null where there is a file that cannot be used, or no folder; fault says why.
        private static HashSet<string> Projects(out string fault)
        {
            var folder = StateFolder.Find(out fault);
            var path = folder == null ? null : Path.Combine(folder, FileName);
            var text = path == null ? null : OrdinaryFile.Read(path, true, out fault);
            if (text == null)
            {
                fault = fault == null || path == null ? fault : path + " cannot be used: " + fault.TrimEnd('.') + ".";
                return fault == null ? new HashSet<string>() : null;
            }
            if (!JsonReader.TryRead(text, out var read, out _) || read is not JsonObject all
                || all.Get(CSharp) is not (null or List<object>))
            {
                fault = path + " is not as unity-bridge writes it: correct it or remove it.";
                return null;
            }
            return new HashSet<string>(
                all.Items(CSharp).OfType<string>());
        }
    }
}
