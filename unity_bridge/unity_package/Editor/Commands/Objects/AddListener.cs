using System;
using System.Collections.Generic;
using System.Linq;
using System.Reflection;
using UnityEditor;
using UnityEngine;
using UnityBridge.Changes;
using UnityBridge.Framework;
using UnityBridge.Json;
using UnityBridge.Objects;
using UnityBridge.Platform;
using UnityBridge.Wire;
using Object = UnityEngine.Object;

namespace UnityBridge.Commands
{
    /// <summary>
    /// Adds a persistent listener to an event, as the Inspector does (UnityEventDrawer.cs, 2021.3 to 6000.7). Its
    /// target is never null and its method one of a list, so that no event can be made to call any static method. Main
    /// thread.
    /// </summary>
    internal static class AddListener
    {
        private const string Calls = "m_PersistentCalls.m_Calls";
        private const int MostNamed = 12;
        private const int RuntimeOnly = 2;

        // UnityEngine.Events.PersistentListenerMode, and the field of the argument.
        private static readonly Dictionary<Type, (int Mode, string Field)> Arguments =
            new Dictionary<Type, (int, string)>
        {
            { typeof(void), (1, "") }, { typeof(Object), (2, "m_ObjectArgument") },
            { typeof(int), (3, "m_IntArgument") },
            { typeof(float), (4, "m_FloatArgument") }, { typeof(string), (5, "m_StringArgument") },
            { typeof(bool), (6, "m_BoolArgument") },
        };

        // Of Unity's own; of a project's components all that fit.
        private static readonly string[] OfUnity =
            "GameObject.SetActive AudioSource.Play AudioSource.Stop Animator.SetTrigger".Split(' ');

        [BridgeCommand("add_listener",
            "Adds a listener to a component's event, such as event: onClick. target: an object of the same scene or "
            + "prefab; method: Component.Method with at most one argument, or SetActive. One undo step.",
            Step = true)]
        private static JsonObject Run(
            ChangeCall call, string path, string @event, string target, string method, object argument = null)
        {
            var refusals = new Refusals();
            GameObject owner = null;
            string remark = null;
            using var file = refusals.Try(() => call.OpenObject(path, out owner, out remark));
            var listener = refusals.Try(() => call.Find(target, out _));
            refusals.Throw();
            if (!(ObjectPart.OwnerOf(listener) is { } holder) || holder.scene != owner.scene
                || EditorUtility.IsPersistent(holder))
            {
                throw ChangeTarget.Refused(
                    Quoted.Text(target) + " is no object of the scene or prefab that " + ChangeTarget.PathOf(owner)
                    + " is in.");
            }
            var (part, field) = refusals.Try(() => EventOf(owner, @event));
            var (on, called) = refusals.Try(() => MethodOf(listener, method, argument != null));
            refusals.Throw();
            ChangeTarget.RequireWritable(part.Target);
            return ChangeReport.InOneUndoGroup(call, "Add listener to " + owner.name, remark, report =>
            {
                using var serialized = new SerializedObject(part.Target);
                using var calls = serialized.FindProperty(field + "." + Calls);
                calls.arraySize++;
                using (var entry = calls.GetArrayElementAtIndex(calls.arraySize - 1))
                {
                    Write(call, entry, on, called, argument);
                }
                call.Edits.Apply(serialized);
                var after = new JsonObject { { "target", ChangeTarget.PathOf(on) },
                    { "method", TypeNames.NameOf(on) + "." + called.Name } };
                after.AddIfAny("argument", argument);
                report.Add(ChangeTarget.PathOf(owner), part.Name + "." + field, null, after);
                report.Touched(part.Target);
                report.Overrides(part.Target, part.Name + "." + field);
            });
        }

        // onClick, or Button.onClick.
        private static (ObjectPart, string) EventOf(GameObject owner, string name)
        {
            var all = ObjectPart.PartsOf(owner).Where(part => part.Target != null)
                .SelectMany(part => EventsOf(part).Select(field => (part, field))).ToList();
            var named = all.Where(candidate =>
                candidate.field == FieldAddress.Serialized(candidate.part.Target, name)
                || (candidate.part.FieldIn(name ?? "") is { Length: > 0 } rest
                && candidate.field == FieldAddress.Serialized(candidate.part.Target, rest))).ToList();
            return named.Count == 1
                ? named[0]
                : throw ChangeTarget.Refused(
                    (named.Count == 0 ? "There is no event " : "Several events are named ") + Quoted.Text(name) + ". "
                + ChangeTarget.PathOf(owner)
                + (all.Count == 0
                    ? " has none."
                    : " has " + string.Join(", ", all.Select(candidate => candidate.part.Name + "." + candidate.field))
                    + "."));
        }

        private static List<string> EventsOf(ObjectPart part)
        {
            var found = new List<string>();
            foreach (var field in part.Fields().Where(field => field.propertyType == SerializedPropertyType.Generic))
            {
                using var calls = field.FindPropertyRelative(Calls);
                if (calls is { isArray: true })
                {
                    found.Add(field.propertyPath);
                }
            }
            return found;
        }

        private static (Object, MethodInfo) MethodOf(Object listener, string name, bool hasArgument)
        {
            var parts = ChangeTarget.PartsOf(listener).Where(part => part.Target != null).ToList();
            var all = parts.SelectMany(part => MethodsOf(part.Target).Select(method => (part, method))).ToList();
            var named = all.Where(candidate =>
                IsNamed(candidate.method, name)
                || (candidate.part.FieldIn(name ?? "") is { Length: > 0 } rest
                    && IsNamed(candidate.method, rest))).ToList();
            var fitting = named.Where(candidate => candidate.method.GetParameters().Length == (hasArgument ? 1 : 0))
                .ToList();
            if (fitting.Count == 1)
            {
                return (fitting[0].part.Target, fitting[0].method);
            }
            throw ChangeTarget.Refused(
                fitting.Count > 1 ? "Several methods fit " + Quoted.Text(name) + ": "
                + string.Join(", ", fitting.Select(Shown)) + "."
                : named.Count > 0 ? Shown(named[0]) + (hasArgument ? " takes no argument." : " needs an argument.")
                : ChangeTarget.PathOf(listener) + " has no method " + Quoted.Text(name) + " that an event may call. "
                    + (all.Count == 0
                        ? "It has none."
                        : "It has " + string.Join(", ", all.Take(MostNamed).Select(Shown)) + "."));
        }

        private static bool IsNamed(MethodInfo method, string name) =>
            method.Name == name || method.Name == "set_" + name;

        private static string Shown((ObjectPart Part, MethodInfo Method) one) => one.Part.Name + "." + one.Method.Name
            + "(" + string.Join(", ",
                one.Method.GetParameters().Select(parameter => ArgumentType.NameOf(parameter.ParameterType))) + ")";

        private static IEnumerable<MethodInfo> MethodsOf(Object target) =>
            target.GetType().GetMethods(BindingFlags.Instance | BindingFlags.Public)
            .Where(method => method.ReturnType == typeof(void) && !method.IsGenericMethod
                && method.GetParameters().Length <= 1
                && (method.Name == "set_enabled" || OfUnity.Contains(method.DeclaringType.Name + "." + method.Name)
                    || (IsOfProject(method.DeclaringType) && !method.IsSpecialName))
                && method.GetParameters().All(parameter => KindOf(parameter.ParameterType) != null))
            .GroupBy(method => method.ToString()).Select(same => same.First());

        private static bool IsOfProject(Type type) => typeof(MonoBehaviour).IsAssignableFrom(type)
            && !(type.Namespace ?? "").Split('.')[0].Begins("Unity");

        private static Type KindOf(Type type) =>
            typeof(Object).IsAssignableFrom(type) ? typeof(Object) : Arguments.ContainsKey(type) ? type : null;

        private static void Write(
            ChangeCall call, SerializedProperty entry, Object on, MethodInfo method, object argument)
        {
            SerializedProperty Of(string name) => entry.FindPropertyRelative(name);
            var takes = method.GetParameters().FirstOrDefault()?.ParameterType ?? typeof(void);
            var (mode, field) = Arguments[takes == typeof(void) ? takes : KindOf(takes)];
            // A new element is a copy of the last one.
            Of("m_Target").objectReferenceValue = on;
            Of("m_TargetAssemblyTypeName").stringValue = on.GetType().AssemblyQualifiedName;
            Of("m_MethodName").stringValue = method.Name;
            Of("m_Mode").enumValueIndex = mode;
            Of("m_CallState").enumValueIndex = RuntimeOnly;
            Of("m_Arguments.m_ObjectArgument").objectReferenceValue = null;
            Of("m_Arguments.m_ObjectArgumentAssemblyTypeName").stringValue =
                (field == "m_ObjectArgument" ? takes : typeof(Object)).AssemblyQualifiedName;
            if (field.Length == 0)
            {
                return;
            }
            using var property = Of("m_Arguments." + field);
            FieldFault.InField("argument", () =>
            {
                if (field == "m_ObjectArgument")
                {
                    property.objectReferenceValue =
                        ReferenceWriter.Resolve(call, argument, TypeNames.NameOf(takes).Split('.').Last(), on);
                }
                else
                {
                    FieldWriter.Write(call, property, argument);
                }
            });
        }
    }
}
