using System;
using System.Collections.Generic;
using System.Linq;
using System.Reflection;
using UnityEditor;
using UnityEngine;
using UnityBridge.Platform;

namespace UnityBridge.Changes
{
    /// <summary>
    /// The names that code has for a number: many fields of Unity's components are numbers for the serializer and an
    /// enum for code, as
    /// <c>Camera.clearFlags</c> is (CameraEditor.cs). Only types are read; nothing is called.
    /// </summary>
    internal static class CodeEnum
    {
        /// <summary>The number that a name, or a list of names, stands for; null for any other value.</summary>
        public static long? NumberOf(SerializedProperty property, object value)
        {
            var names = NamesIn(value);
            var type = names.Count == 0 ? null : TypeOf(property);
            if (type == null)
            {
                return null;
            }
            long number = 0;
            foreach (var name in names)
            {
                number |= names.Count == 1 || type.IsDefined(typeof(FlagsAttribute), false)
                    ? Convert.ToInt64(Member(type, name))
                    : throw FieldFault.MustBeOneOf(Enum.GetNames(type), value);
            }
            return number;
        }

        /// <summary>The member of an enum that a text names.</summary>
        public static T Member<T>(object value) => (T)Member(typeof(T), value);

        public static object Member(Type type, object value)
        {
            var names = Enum.GetNames(type);
            var name = Array.Find(names, member => value is string text && IsSame(member, text));
            return name != null ? Enum.Parse(type, name) : throw FieldFault.MustBeOneOf(names, value);
        }

        /// <summary>The names in <c>"A, B"</c>, <c>"Type.A"</c>, <c>"A | B"</c> or a list of such texts; empty for any
        /// other value.</summary>
        public static List<string> NamesIn(object value)
        {
            var texts = value is string text ? new List<object> { text } : value as List<object> ?? new List<object>();
            var names = texts.OfType<string>().SelectMany(item => item.Split(',', '|')).Select(LastPart).ToList();
            var areNames = texts.TrueForAll(item => item is string)
                && names.TrueForAll(name => name.Length > 0 && (char.IsLetter(name[0]) || name[0] == '_'));
            return areNames ? names : new List<string>();
        }

        /// <summary>Whether two names of a member differ in case, blanks and underscores at most.</summary>
        public static bool IsSame(string member, string name) =>
            Bare(member).EqualsAnyCase(Bare(name));

        private static string Bare(string name) => string.Concat(name.Where(c => c != ' ' && c != '_' && c != '-'));

        // LightShadows.Soft, as code writes it.
        private static string LastPart(string name)
        {
            name = name.Trim();
            return name.Substring(name.LastIndexOf('.') + 1);
        }

        private static Type TypeOf(SerializedProperty property)
        {
            if (!(property.serializedObject.targetObject is Component component)
                || property.propertyPath != property.name)
            {
                return null;
            }
            var name = property.name.Begins("m_") ? property.name.Substring(2)
                : property.name;
            var member = component.GetType().GetProperties(BindingFlags.Instance | BindingFlags.Public)
                .FirstOrDefault(other => IsSame(other.Name, name));
            return member?.PropertyType.IsEnum == true ? member.PropertyType : null;
        }
    }
}
