using System;
using System.Linq;
using System.Reflection;
using System.Threading;
using UnityBridge.Json;
using UnityBridge.Objects;
using UnityBridge.Wire;

namespace UnityBridge.Framework
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

        /// <summary>Reports how far the command is.</summary>
        public bool IsProgress => Type == typeof(IProgress<float>);

        /// <summary>What commands of ours may need of the bridge.</summary>
        public bool IsContext => Type == typeof(ToolContext);

        /// <summary>The call itself.</summary>
        public bool IsCall => typeof(CommandCall).IsAssignableFrom(Type);

        /// <summary>What commands with Unity's attributes write their result to.</summary>
        public bool IsPipelineContext => PipelineContext.IsOne(Type);

        /// <summary>The bridge fills it in; callers never see it.</summary>
        public bool IsOurs => IsToken || IsProgress || IsContext || IsCall || IsPipelineContext;

        /// <summary><c>count: int = 3</c></summary>
        public string Signature => Name + ": " + ArgumentType.NameOf(Type) + (IsOptional ? " = " + Shown(Default) : "");

        /// <summary><c>count?</c></summary>
        public string ShortSignature => Name + (IsOptional ? "?" : "");

        public static CommandParameter FromParameter(ParameterInfo parameter)
        {
            var hasDefault = parameter.HasDefaultValue;
            var fallback = hasDefault ? Typed(parameter.DefaultValue, parameter.ParameterType) : null;
            var unitys = CustomAttributeData.GetCustomAttributes(parameter)
                .FirstOrDefault(candidate => candidate.AttributeType.Name == "CliArgAttribute");
            if (unitys == null)
            {
                return new CommandParameter(parameter.Name, parameter.ParameterType, hasDefault, fallback);
            }
            // Unity's [CliArg(name, description, Required = false, DefaultValue = null)]: Required goes before any
            // default, and a default of C# before the attribute's (CommandDiscovery in public copies of
            // com.unity.pipeline 0.3). Without any default it is needed too.
            var name = unitys.Said("Name") as string;
            if (unitys.Said("Required") is true)
            {
                hasDefault = false;
            }
            else if (!hasDefault && unitys.Said("DefaultValue") is { } said)
            {
                hasDefault = true;
                fallback = Typed(said, parameter.ParameterType);
            }
            return new CommandParameter(
                string.IsNullOrEmpty(name) ? parameter.Name : name, parameter.ParameterType, hasDefault,
                fallback ?? Nothing(parameter.ParameterType));
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
            var written = value is Enum ? value.ToString() : JsonWriter.Write(ResultJson.ToJson(value, out _));
            return Cut.To(written, 60);
        }
    }
}
