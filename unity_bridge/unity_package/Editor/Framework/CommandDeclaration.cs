using System;
using System.Collections.Generic;
using System.Linq;
using System.Reflection;
using System.Text;

namespace UnityBridge.Framework
{
    /// <summary>What an attribute says of a command. Immutable.</summary>
    /// <remarks>The attributes of com.unity.pipeline have changed with its versions, so members count and places do
    /// not: CliCommand(name, description) to 0.8, with a dotted name also later; CliCommand(description) and
    /// CliGroupCommand(group, description) from 0.9 on; CliCommand(group: ..., description: ...) in Unity's naming
    /// conventions
    /// (docs.unity3d.com/Packages/com.unity.pipeline@1.0, changelog and "Creating commands";
    /// docs.unity.com/en-us/unity-cli, "Define and name Unity CLI commands").</remarks>
    internal sealed class CommandDeclaration
    {
        /// <summary>In this order: if a method has several of them, the first one counts.</summary>
        public static readonly string[] Attributes =
            { "BridgeCommandAttribute", "CliCommandAttribute", "CliGroupCommandAttribute" };

        private CommandDeclaration(string name, string description, bool writes, string fault = null)
        {
            Name = name;
            Description = description;
            Writes = writes;
            Fault = fault;
        }

        public string Name { get; }

        public string Description { get; }

        /// <summary>False only if the attribute says so.</summary>
        public bool Writes { get; }

        /// <summary>Words that a search finds it by, and no list shows.</summary>
        public string Keywords { get; private set; } = "";

        /// <summary>No list shows it.</summary>
        public bool IsHidden { get; private set; }

        /// <summary>A batch may carry it out, if it is one of this package.</summary>
        public bool IsStep { get; private set; }

        /// <summary>It runs next to others, if it is one of this package (SPEC §15.6).</summary>
        public bool IsNextToOthers { get; private set; }

        /// <summary>Why it cannot be read, or null.</summary>
        public string Fault { get; }

        /// <summary>Null for a command of a player, and for a method without the attribute.</summary>
        public static CommandDeclaration FromMethod(MethodInfo method, string attributeName)
        {
            // TypeCache also finds the methods with a derived attribute.
            var attribute = CustomAttributeData.GetCustomAttributes(method)
                .FirstOrDefault(candidate => candidate.AttributeType.Name == attributeName);
            if (attribute == null || attribute.Said("RuntimeOnly") is true || HasPlayersTag(attribute))
            {
                return null;
            }
            return attributeName == Attributes[0] ? OfOurs(method, attribute) : OfUnitys(method, attribute);
        }

        /// <summary>The declaration of a method that cannot be read.</summary>
        public static CommandDeclaration Faulty(MethodInfo method, string fault) =>
            new CommandDeclaration(Dotted(GroupOf(method.ReflectedType), SnakeCase(method.Name)), "", true, fault);

        // A project may have an attribute of that name itself, whose constructor's parameters have any names.
        private static CommandDeclaration OfOurs(MethodInfo method, CustomAttributeData attribute)
        {
            var name = (attribute.Said("Name") ?? attribute.Argument(0)) as string;
            var description = (attribute.Said("Description") ?? attribute.Argument(1)) as string ?? "";
            var isOfThisPackage = method.ReflectedType?.Assembly == typeof(CommandDeclaration).Assembly;
            return string.IsNullOrEmpty(name) ? Faulty(method, "Its attribute has no name.")
                : new CommandDeclaration(name, description, attribute.Said("Write") is not false)
                {
                    Keywords = attribute.Said("Keywords") as string ?? "",
                    IsHidden = attribute.Said("Hidden") is true,
                    IsStep = isOfThisPackage && attribute.Said("Step") is true,
                    IsNextToOthers = isOfThisPackage && attribute.Said("NextToOthers") is true,
                };
        }

        private static CommandDeclaration OfUnitys(MethodInfo method, CustomAttributeData attribute)
        {
            var name = attribute.Said("Name") as string;
            var group = attribute.Said("Group") as string;
            var description = attribute.Said("Description") as string;
            if (name == null && group == null && description == null)
            {
                return Faulty(method, "Its attribute has no name, group or description that can be read.");
            }
            // A name without a group is the whole name, as up to 0.8; neither of them is inferred unless both are
            // missing.
            var full = group == null && !string.IsNullOrEmpty(name) ? name
                : Dotted(group ?? GroupOf(method.ReflectedType),
                    string.IsNullOrEmpty(name) ? SnakeCase(method.Name) : name);
            return new CommandDeclaration(full, description ?? "", !IsReadOnly(attribute));
        }

        private static bool IsReadOnly(CustomAttributeData attribute)
        {
            var effect = attribute.Typed("Effect");
            return effect?.Value != null && effect.Value.ArgumentType.IsEnum
                && Enum.ToObject(effect.Value.ArgumentType, effect.Value.Value).ToString().Split(',')
                .Any(word => word.Trim() == "ReadOnly");
        }

        // RuntimeOnly up to 0.8; a tag, or one beneath it, since.
        private static bool HasPlayersTag(CustomAttributeData attribute) =>
            attribute.Said("Tags") is IEnumerable<CustomAttributeTypedArgument> tags
            && tags.Any(tag => tag.Value is string text
                && (text + "/").StartsWith("runtime/", StringComparison.OrdinalIgnoreCase));

        private static string Dotted(string group, string name) =>
            string.IsNullOrEmpty(group) ? name : group + "." + name;

        private static string GroupOf(Type type) =>
            string.Join(".", (type?.FullName ?? "").Split(new[] { '.', '+' }, StringSplitOptions.RemoveEmptyEntries)
                .Select(SnakeCase));

        /// <summary><c>get_ui_element</c> for <c>GetUIElement</c>, <c>vector3_field</c> for <c>Vector3Field</c>, as
        /// Unity's conventions have it.</summary>
        public static string SnakeCase(string name)
        {
            var words = new StringBuilder();
            for (var i = 0; i < name.Length; i++)
            {
                var endsWord = i > 0 && char.IsUpper(name[i]) && name[i - 1] != '_'
                    && (!char.IsUpper(name[i - 1]) || (i + 1 < name.Length && char.IsLower(name[i + 1])));
                words.Append(endsWord ? "_" : "").Append(char.ToLowerInvariant(name[i]));
            }
            return words.ToString();
        }
    }

    /// <summary>Attributes as they are written in the metadata: nothing of the attribute's own code runs.</summary>
    internal static class AttributeReading
    {
        /// <summary>The value at that place of the constructor's call, or null.</summary>
        public static object Argument(this CustomAttributeData attribute, int place) =>
            attribute.ConstructorArguments.Count > place ? attribute.ConstructorArguments[place].Value : null;

        /// <summary>The value for the property, the field or the constructor's parameter of that name, or
        /// null.</summary>
        public static object Said(this CustomAttributeData attribute, string name) => attribute.Typed(name)?.Value;

        public static CustomAttributeTypedArgument? Typed(this CustomAttributeData attribute, string name)
        {
            foreach (var argument in attribute.NamedArguments ?? new List<CustomAttributeNamedArgument>())
            {
                if (argument.MemberInfo.Name == name)
                {
                    return argument.TypedValue;
                }
            }
            var parameters = attribute.Constructor.GetParameters();
            var place = Array.FindIndex(
                parameters, parameter => string.Equals(parameter.Name, name, StringComparison.OrdinalIgnoreCase));
            return place < 0 ? (CustomAttributeTypedArgument?)null : attribute.ConstructorArguments[place];
        }
    }
}
