using System;
using System.Collections.Generic;
using System.Globalization;
using System.Linq;
using System.Reflection;
using UnityBridge.Framework;
using UnityBridge.Platform;
using UnityBridge.Wire;

namespace UnityBridge.Commands
{
    /// <summary>Types and members written as in C#, from their metadata.</summary>
    internal static class ApiText
    {
        private static readonly Dictionary<string, string> Words = NameTable.Read(
            "void: System.Void", "bool: System.Boolean", "int: System.Int32", "float: System.Single",
            "double: System.Double", "string: System.String", "object: System.Object", "long: System.Int64",
            "byte: System.Byte", "uint: System.UInt32", "char: System.Char", "short: System.Int16",
            "ulong: System.UInt64", "ushort: System.UInt16", "sbyte: System.SByte", "decimal: System.Decimal");

        /// <summary>Without its namespace: <c>List&lt;T&gt;</c> is List, a nested type Outer.Inner.</summary>
        public static string ShortName(Type type) =>
            (type.IsNested ? ShortName(type.DeclaringType) + "." : "") + Bare(type.Name);

        public static string FullName(Type type) =>
            (string.IsNullOrEmpty(type.Namespace) ? "" : type.Namespace + ".") + ShortName(type);

        /// <summary>As a parameter's or a result's type.</summary>
        public static string TypeText(Type type)
        {
            if (type.IsByRef || type.IsPointer)
            {
                return TypeText(type.GetElementType()) + (type.IsPointer ? "*" : "");
            }
            if (type.IsArray)
            {
                return TypeText(type.GetElementType()) + "[" + new string(',', type.GetArrayRank() - 1) + "]";
            }
            if (type.IsGenericParameter)
            {
                return type.Name;
            }
            var arguments = type.IsGenericType ? type.GetGenericArguments() : Type.EmptyTypes;
            if (type.FullName != null && type.FullName.Begins("System.Nullable`1["))
            {
                return TypeText(arguments[0]) + "?";
            }
            return Words.TryGetValue(type.FullName ?? "", out var word) ? word
                : ShortName(type) + (arguments.Length == 0
                    ? ""
                    : "<" + string.Join(", ", arguments.Select(TypeText)) + ">");
        }

        public static string KindOf(MemberInfo type, MemberInfo member) => member switch
        {
            null => type is Type { IsEnum: true }
                ? "enum"
                : type is Type { IsInterface: true }
                ? "interface"
                : type is Type { IsValueType: true }
                ? "struct"
                : typeof(Delegate).IsAssignableFrom((Type)type) ? "delegate" : "class",
            ConstructorInfo => "constructor",
            MethodInfo => "method",
            PropertyInfo => "property",
            EventInfo => "event",
            _ => "field",
        };

        /// <summary><c>public sealed class GameObject : Object</c></summary>
        public static string Declaration(Type type)
        {
            var kind = KindOf(type, null);
            var modifier = kind != "class" ? "" : type.IsAbstract && type.IsSealed ? "static " : type.IsAbstract
                ? "abstract " : type.IsSealed ? "sealed " : "";
            var above = kind == "class" && type.BaseType != null && type.BaseType != typeof(object)
                ? " : " + TypeText(type.BaseType)
                : "";
            return "public " + modifier + kind + " " + TypeText(type) + above;
        }

        public static string Signature(MemberInfo member)
        {
            try
            {
                return member switch
                {
                    MethodBase method => Signature(method),
                    PropertyInfo property =>
                    Modifier((property.GetGetMethod() ?? property.GetSetMethod())?.IsStatic)
                    + TypeText(property.PropertyType) + " "
                        + (property.GetIndexParameters().Length > 0
                            ? "this[" + Parameters(property.GetIndexParameters()) + "]"
                            : property.Name) + " {"
                        + (property.GetGetMethod() == null ? "" : " get;")
                        + (property.GetSetMethod() == null ? "" : " set;") + " }",
                    EventInfo raised => Modifier(raised.GetAddMethod()?.IsStatic) + "event "
                    + TypeText(raised.EventHandlerType) + " " + raised.Name,
                    FieldInfo { DeclaringType: { IsEnum: true } } value =>
                    value.Name + " = " + Convert.ToString(value.GetRawConstantValue(), CultureInfo.InvariantCulture),
                    FieldInfo field => (field.IsLiteral
                        ? "const "
                        : Modifier(field.IsStatic) + (field.IsInitOnly ? "readonly " : "")) + TypeText(field.FieldType)
                        + " "
                        + field.Name,
                    _ => member.Name,
                };
            }
            catch (Exception)
            {
                // A type of an assembly that is missing.
                return member.Name;
            }
        }

        /// <summary>Null for what is not obsolete. The attribute's own code does not run.</summary>
        public static string ObsoleteMessage(MemberInfo member)
        {
            try
            {
                var attribute = CustomAttributeData.GetCustomAttributes(member)
                    .FirstOrDefault(attribute => attribute.AttributeType == typeof(ObsoleteAttribute));
                return attribute == null ? null : attribute.Argument(0) as string ?? "obsolete";
            }
            catch (Exception)
            {
                return null;
            }
        }

        private static string Signature(MethodBase method)
        {
            var generic = method.IsGenericMethod
                ? "<" + string.Join(", ", method.GetGenericArguments().Select(TypeText)) + ">"
                : "";
            var head = method is MethodInfo info
                ? Modifier(info.IsStatic) + TypeText(info.ReturnType) + " " + info.Name
                : Bare(method.DeclaringType.Name);
            return head + generic + "(" + Parameters(method.GetParameters()) + ")";
        }

        private static string Parameters(ParameterInfo[] parameters) => string.Join(", ", parameters.Select(parameter =>
            (parameter.IsOut ? "out " : parameter.ParameterType.IsByRef ? parameter.IsIn ? "in " : "ref " : "")
            + (CustomAttributeData.GetCustomAttributes(parameter)
                .Any(attribute => attribute.AttributeType == typeof(ParamArrayAttribute)) ? "params " : "")
            + TypeText(parameter.ParameterType) + " " + parameter.Name
            + (parameter.HasDefaultValue ? " = " + Default(parameter) : "")));

        private static string Default(ParameterInfo parameter) => parameter.RawDefaultValue switch
        {
            null => parameter.ParameterType.IsValueType ? "default" : "null",
            string text => "\"" + text + "\"",
            bool flag => flag ? "true" : "false",
            var number when parameter.ParameterType.IsEnum => Enum.GetName(parameter.ParameterType, number) is { } name
                ? ShortName(parameter.ParameterType) + "." + name
                : "(" + ShortName(parameter.ParameterType) + ")"
                + Convert.ToString(number, CultureInfo.InvariantCulture),
            var value => Convert.ToString(value, CultureInfo.InvariantCulture),
        };

        private static string Modifier(bool? isStatic) => isStatic == true ? "static " : "";

        private static string Bare(string name) => name.IndexOf('`') is > 0 and var end ? name.Substring(0, end) : name;
    }
}
