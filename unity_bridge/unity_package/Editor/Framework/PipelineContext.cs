using System;
using System.IO;
using System.Linq;
using System.Reflection;
using System.Text;
using System.Threading;

namespace UnityBridge.Framework
{
    /// <summary>The <c>CommandContext</c> of com.unity.pipeline, made by reflection for one run of a command.</summary>
    /// <remarks>Unity's documentation shows its member Result, which a command writes to, and not how one is made or
    /// read. A context is made by the constructor with the fewest parameters that can all be made the same way; a type
    /// that cannot be made is a fault of its command.</remarks>
    internal static class PipelineContext
    {
        // Constructors of constructors of constructors.
        private const int MostDepth = 3;

        private static readonly Type[] Holders =
            { typeof(object), typeof(string), typeof(StringBuilder), typeof(TextWriter), typeof(StringWriter) };

        private const BindingFlags Any = BindingFlags.Instance | BindingFlags.Public | BindingFlags.NonPublic;

        public static bool IsOne(Type type) => type.Name == "CommandContext";

        /// <summary>Whether a context can be made, and what is written to it can be read.</summary>
        public static bool CanBeUsed(Type type) =>
            ConstructorOf(type, 0) != null && ResultOf(type) is { } result && ReadingOf(result.PropertyType) != null;

        public static object Make(Type type, CancellationToken stop) => Make(type, stop, 0);

        /// <summary>What the command has written, or null.</summary>
        public static object Written(object context)
        {
            var result = context == null ? null : ResultOf(context.GetType())?.GetValue(context, null);
            var written = result == null ? null : ReadingOf(result.GetType())?.Invoke(result);
            return written is StringBuilder or TextWriter ? written.ToString() : written;
        }

        // A property of that name; or else the only field that can hold a result.
        private static Func<object, object> ReadingOf(Type type)
        {
            var property = type.GetProperty("Value", Any) ?? type.GetProperty("Result", Any);
            if (property != null)
            {
                return owner => property.GetValue(owner, null);
            }
            var fields = Array.FindAll(type.GetFields(Any), field => Array.IndexOf(Holders, field.FieldType) >= 0);
            return fields.Length == 1 ? fields[0].GetValue : (Func<object, object>)null;
        }

        private static PropertyInfo ResultOf(Type type) => type.GetProperty("Result", Any);

        private static object Make(Type type, CancellationToken stop, int depth)
        {
            if (type == typeof(CancellationToken))
            {
                return stop;
            }
            if (type == typeof(string))
            {
                return "";
            }
            if (type.IsValueType)
            {
                return Activator.CreateInstance(type);
            }
            var constructor = ConstructorOf(type, depth);
            return constructor.Invoke(
                constructor.GetParameters().Select(parameter => Make(parameter.ParameterType, stop, depth + 1))
                .ToArray());
        }

        private static ConstructorInfo ConstructorOf(Type type, int depth) =>
            type.IsAbstract || depth > MostDepth ? null
            : type.GetConstructors(Any).OrderBy(candidate => candidate.GetParameters().Length)
                .FirstOrDefault(candidate => candidate.GetParameters()
                    .All(parameter => CanBeMade(parameter.ParameterType, depth + 1)));

        private static bool CanBeMade(Type type, int depth) =>
            type == typeof(string) || (type.IsValueType && !type.IsByRef)
            || (!typeof(Delegate).IsAssignableFrom(type) && ConstructorOf(type, depth) != null);
    }
}
