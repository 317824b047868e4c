using System;
using System.Collections.Generic;
using System.Reflection;
using System.Threading;
using UnityBridge.Json;
using UnityBridge.Tools;

namespace UnityBridge.Commands
{
    /// <summary>One parameter of a command's method.</summary>
    internal sealed class CommandParameter
    {
        private CommandParameter(string name, Type type, bool isOptional, object defaultValue)
        {
            Name = name;
            Type = type;
            IsOptional = isOptional;
            Default = defaultValue;
        }

        /// <summary>As callers give it.</summary>
        public string Name { get; }

        public Type Type { get; }

        public bool IsOptional { get; }

        /// <summary>What the method gets where the caller says nothing.</summary>
        public object Default { get; }

        /// <summary>Lets the command be stopped.</summary>
        public bool IsToken => Type == typeof(CancellationToken);

        /// <summary>Tells how far the command is.</summary>
        public bool IsProgress => Type == typeof(IProgress<float>);

        /// <summary>What commands of ours may need of the bridge.</summary>
        public bool IsContext => Type == typeof(ToolContext);

        /// <summary>The bridge fills it in; callers never see it.</summary>
        public bool IsOurs => IsToken || IsProgress || IsContext;

        /// <summary><c>count: int = 3</c></summary>
        public string Signature => Name + ": " + ArgumentType.NameOf(Type) + (IsOptional ? " = " + Shown(Default) : "");

        public static CommandParameter Of(ParameterInfo parameter)
        {
            var hasDefault = parameter.HasDefaultValue;
            var fallback = hasDefault ? Typed(parameter.DefaultValue, parameter.ParameterType) : null;
            var unitys = CustomAttributeData.GetCustomAttributes(parameter)
                .Find(candidate => candidate.AttributeType.Name == "CliArgAttribute");
            if (unitys == null)
            {
                return new CommandParameter(parameter.Name, parameter.ParameterType, hasDefault, fallback);
            }
            // Unity's [CliArg(name, description, Required = false, DefaultValue = null)]: optional unless it says otherwise.
            var name = unitys.Argument(0) as string;
            var isRequired = unitys.Named("Required") is true;
            if (unitys.Named("DefaultValue") is { } said)
            {
                fallback = Typed(said, parameter.ParameterType);
            }
            return new CommandParameter(string.IsNullOrEmpty(name) ? parameter.Name : name, parameter.ParameterType,
                !isRequired || hasDefault, fallback ?? Nothing(parameter.ParameterType));
        }

        // Compilers keep the default of an enum as its number, and that of a structure as null.
        private static object Typed(object value, Type type)
        {
            var plain = Nullable.GetUnderlyingType(type) ?? type;
            if (value == null || value == DBNull.Value || value == Missing.Value)
            {
                return Nothing(type);
            }
            return plain.IsEnum ? Enum.ToObject(plain, value) : value;
        }

        private static object Nothing(Type type) => type.IsValueType ? Activator.CreateInstance(type) : null;

        private static string Shown(object value)
        {
            var written = value is Enum ? value.ToString() : JsonWriter.Write(ResultJson.Of(value, out _));
            return written.Length <= 60 ? written : written.Substring(0, 60) + "...";
        }
    }

    /// <summary>Attributes as they are written in the metadata: nothing of the attribute's own code runs.</summary>
    internal static class AttributeReading
    {
        public static CustomAttributeData Find(this IList<CustomAttributeData> attributes, Predicate<CustomAttributeData> fits)
        {
            foreach (var attribute in attributes)
            {
                if (fits(attribute))
                {
                    return attribute;
                }
            }
            return null;
        }

        /// <summary>What stands in the constructor's call at that place, or null.</summary>
        public static object Argument(this CustomAttributeData attribute, int place) =>
            attribute.ConstructorArguments.Count > place ? attribute.ConstructorArguments[place].Value : null;

        /// <summary>What is set by name, or null.</summary>
        public static object Named(this CustomAttributeData attribute, string name)
        {
            foreach (var argument in attribute.NamedArguments ?? new List<CustomAttributeNamedArgument>())
            {
                if (argument.MemberInfo.Name == name)
                {
                    return argument.TypedValue.Value;
                }
            }
            return null;
        }
    }
}
