using System;
using System.Collections.Generic;
using System.Linq;
using System.Reflection;
using UnityEditor;
using UnityEngine;
using UnityBridge.EditorLife;
using UnityBridge.Framework;
using UnityBridge.Objects;
using UnityBridge.Wire;

namespace UnityBridge.Changes
{
    /// <summary>
    /// Finds component types by name, and checks before anything is changed whether an object can have or lose one.
    /// Unity itself shows a dialog or logs an error for most of these, and goes on. Main thread.
    /// </summary>
    internal static class ComponentTypes
    {
        private const int MostNamed = 3;

        /// <summary>The type with that full or short name; a name as <c>inspect</c> prints it leaves out Unity's own
        /// namespaces.</summary>
        public static Type Find(string name)
        {
            var all = TypeCache.GetTypesDerivedFrom(typeof(Component)).ToList();
            var named = Named(all, name);
            if (named.Count > 1)
            {
                throw ChangeTarget.Refused("Use the full name: several components are named " + Quoted.Text(name) + ": "
                    + string.Join(", ", named.OrderBy(type => type.FullName)
                        .Select(type => type.FullName + " (" + type.Assembly.GetName().Name + ")")) + ".");
            }
            if (named.Count == 0)
            {
                RequireCompiled(name);
                throw ChangeTarget.Refused("There is no component " + Quoted.Text(name) + ". The nearest are "
                    + Spelling.Nearest(name, all.Where(CanBeAdded), MostNamed) + ".");
            }
            if (!CanBeAdded(named[0]))
            {
                throw ChangeTarget.Refused(
                    TypeNames.NameOf(named[0])
                    + " cannot be added to an object: it is abstract, generic, or a Transform.");
            }
            RequireTextMeshPro(named[0]);
            return named[0];
        }

        /// <summary>Those with that full name; those with that short name if there are none.</summary>
        public static List<Type> Named(List<Type> all, string name)
        {
            var named = all.FindAll(type => TypeNames.NameOf(type) == name || type.FullName == name);
            return named.Count > 0 ? named : all.FindAll(type => type.Name == name);
        }

        // Without them its first text opens a window, which takes the focus, and has no font (TMP_Settings of
        // com.unity.textmeshpro and com.unity.ugui 2).
        private static void RequireTextMeshPro(Type type)
        {
            var isText = type.FullName is "TMPro.TextMeshProUGUI" or "TMPro.TextMeshPro";
            if (isText && AssetDatabase.FindAssets("t:TMP_Settings", null).Length == 0)
            {
                throw new CommandRefused(
                    "would_ask", "The project has no resources of TextMesh Pro, and Unity would open a "
                    + "window that asks to import them. A person imports them (Window > TextMeshPro). "
                    + "create_object kind=text makes a text without them.");
            }
        }

        /// <summary>Refuses a type that may only not be compiled yet.</summary>
        public static void RequireCompiled(string name)
        {
            if (NewTypes.WhyMissing(name ?? "", EditorStateTracker.OfThisDomain, out var sentence) is { } reason)
            {
                throw new CommandRefused(reason, "There is no type " + Quoted.Text(name) + " yet. " + sentence);
            }
        }

        /// <param name="there">The types that the object has, or will have when they are added.</param>
        public static void RequireRoom(List<Type> there, Type type)
        {
            // The attribute also keeps out classes that derive from the one that has it.
            var single = TypeNames.WithBases(type).FirstOrDefault(above =>
                above.IsDefined(typeof(DisallowMultipleComponent), false) && there.Any(above.IsAssignableFrom));
            if (single != null)
            {
                throw ChangeTarget.Refused(
                    "The object has a " + TypeNames.NameOf(single) + " already, and can have only one.");
            }
        }

        /// <summary>The types that Unity adds with it, unless they are there, in Unity's order: what is needed comes
        /// first.</summary>
        public static void AddWithNeeded(List<Type> there, Type type)
        {
            foreach (var needed in NeededBy(type).Where(needed => !there.Any(needed.IsAssignableFrom)))
            {
                AddWithNeeded(there, needed);
            }
            there.Add(type);
        }

        /// <summary>Refuses to remove a component that another one of the object needs.</summary>
        public static void RequireNotNeeded(GameObject owner, Component component)
        {
            var others = owner.GetComponents(typeof(Component)).Where(other => other != null && other != component)
                .ToList();
            foreach (var other in others)
            {
                var needed = NeededBy(other.GetType())
                    .Find(type => type.IsInstanceOfType(component) && !others.Any(type.IsInstanceOfType));
                if (needed != null)
                {
                    throw ChangeTarget.Refused(
                        TypeNames.NameOf(other) + " of the same object needs this " + TypeNames.NameOf(component)
                        + ". Remove that one first.");
                }
            }
        }

        private static bool CanBeAdded(Type type) =>
            !type.IsAbstract && !type.ContainsGenericParameters && !typeof(Transform).IsAssignableFrom(type)
            && type.GetCustomAttribute<ExcludeFromObjectFactoryAttribute>() == null;

        private static List<Type> NeededBy(Type type) =>
            type.GetCustomAttributes(typeof(RequireComponent), true).Cast<RequireComponent>()
            .SelectMany(needs => new[] { needs.m_Type0, needs.m_Type1, needs.m_Type2 }).Where(needed => needed != null)
            .ToList();
    }
}
