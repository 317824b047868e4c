using System;
using System.Collections.Generic;
using System.Diagnostics;
using System.Linq;
using System.Reflection;
using UnityBridge.Json;
using UnityBridge.Wire;

namespace UnityBridge.Framework
{
    /// <summary>An exception out of a command, as its caller sees it: what it says, and where in the project it comes
    /// from.</summary>
    internal static class CommandFailure
    {
        private const int MostFrames = 20;
        private const int MostMessageChars = 2000;

        private static readonly string[] NotOfTheProject =
            "UnityBridge. UnityEngine UnityEditor Unity. System.".Split(' ');

        /// <param name="what">What threw: a command's name, or a tool's.</param>
        public static Refusal ToRefusal(string what, Exception thrown)
        {
            var cause = Cause(thrown);
            return new Refusal(ErrorCode.UnityExecution,
                what + " threw " + cause.GetType().Name + ": " + Quoted.Text(cause.Message), new JsonObject
            {
                { "reason", "exception" },
                { "execution_guarantee", "completed_error" },
                { "exception", cause.GetType().FullName },
                { "message", cause.Message.Substring(0, Math.Min(cause.Message.Length, MostMessageChars)) },
                { "stack", Frames(cause) },
            });
        }

        /// <summary>What a command refused itself, or what threw out of it.</summary>
        public static Refusal RefusalOf(string what, Exception thrown) =>
            Cause(thrown) is CommandRefused refused ? refused.Refusal : ToRefusal(what, thrown);

        /// <summary>What was really thrown: reflection and tasks wrap it.</summary>
        public static Exception Cause(Exception thrown)
        {
            while (thrown is TargetInvocationException or AggregateException && thrown.InnerException != null)
            {
                thrown = thrown.InnerException;
            }
            return thrown;
        }

        private static List<string> Frames(Exception cause) =>
            new StackTrace(cause, true).GetFrames()?.Where(IsOfTheProject).Take(MostFrames)
            .Select(Line).ToList() ?? new List<string>();

        private static bool IsOfTheProject(StackFrame frame)
        {
            var assembly = frame.GetMethod()?.DeclaringType?.Assembly.GetName().Name ?? "mscorlib";
            return assembly is not ("mscorlib" or "netstandard" or "System")
                && !Array.Exists(NotOfTheProject, start => assembly.StartsWith(start, StringComparison.Ordinal));
        }

        private static string Line(StackFrame frame)
        {
            var method = frame.GetMethod();
            var file = frame.GetFileName();
            return method.DeclaringType?.FullName + "." + method.Name
                + (string.IsNullOrEmpty(file)
                    ? ""
                    : " (at " + Relative(file) + ":" + frame.GetFileLineNumber()
                    + ")");
        }

        private static string Relative(string file)
        {
            var path = file.Replace('\\', '/');
            var assets = path.LastIndexOf("/Assets/", StringComparison.Ordinal);
            return assets < 0 ? path : path.Substring(assets + 1);
        }
    }
}
