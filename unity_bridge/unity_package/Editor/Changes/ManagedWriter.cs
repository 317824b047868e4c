using System;
using System.Runtime.Serialization;
using UnityEditor;
using UnityBridge.Framework;
using UnityBridge.Json;
using UnityBridge.Objects;
using UnityBridge.Platform;

namespace UnityBridge.Changes
{
    /// <summary>
    /// Writes managed references ([SerializeReference]). With the <c>$id</c> that is there, fields of the object are
    /// set; another
    /// <c>$id</c> of the same component shares that object; <c>$type</c> without <c>$id</c> makes a new object; null
    /// removes it.
    /// </summary>
    internal static class ManagedWriter
    {
        public static bool Write(ChangeCall call, SerializedProperty property, object value)
        {
            var isEmpty = FieldValue.ClassOf(property) == null;
            if (value == null)
            {
                // One whose class is gone counts as empty too, and has an id. -2 is ManagedReferenceUtility.RefIdNull.
                return FieldWriter.Changes(
                    !isEmpty || property.managedReferenceId >= 0, false, _ => property.managedReferenceValue = null);
            }
            var given = FieldWriter.ObjectOf(value);
            var id = given.ContainsKey("$id")
                ? (long?)FieldWriter.Whole(given["$id"], long.MinValue, long.MaxValue)
                : null;
            if (isEmpty && given.Flag("missing") == true && id == property.managedReferenceId)
            {
                return false;
            }
            var changed = false;
            if (id != null && id != property.managedReferenceId)
            {
                changed = Share(property, id.Value);
            }
            else if (id == null && (given.ContainsKey("$type") || isEmpty))
            {
                // Without an id an object of the same class is the one that is there.
                changed = (isEmpty || FieldValue.ClassOf(property) != given.Text("$type")) && Make(property, given);
            }
            if (given.ContainsKey("$type") && FieldValue.ClassOf(property) != given.Text("$type"))
            {
                throw new FieldFault(" is of the class " + FieldValue.ClassOf(property)
                    + ". Leave out $id to make a new object of another class.");
            }
            return FieldWriter.Structure(call, property, given) || changed;
        }

        private static bool Share(SerializedProperty property, long id)
        {
            try
            {
                property.managedReferenceId = id;
                return true;
            }
            catch (InvalidOperationException)
            {
                throw new FieldFault(" cannot share $id " + id
                    + ": this component has no such object of a fitting class. Leave out $id to make a new one.");
            }
        }

        private static bool Make(SerializedProperty property, JsonObject given)
        {
            var type = given.Text("$type") is { } name ? Find(name) : null;
            var field = Find(property.managedReferenceFieldTypename is { } full
                ? full.Substring(full.IndexOf(' ') + 1)
                : "");
            if (type == null || !CanBeMade(type) || (field != null && !field.IsAssignableFrom(type)))
            {
                throw FieldFault.MustBe("an object with $type, a [Serializable] class that fits "
                    + (field?.FullName ?? "the field"), given.Get("$type") ?? given);
            }
            try
            {
                // Unity makes objects without a parameterless constructor in this way, too.
                property.managedReferenceValue = type.GetConstructor(Type.EmptyTypes) != null
                    ? Activator.CreateInstance(type)
                    : FormatterServices.GetUninitializedObject(type);
            }
            catch (Exception thrown)
            {
                throw new FieldFault(" cannot be set to a new " + type.FullName + ": "
                    + Wire.Quoted.Text(CommandFailure.Cause(thrown).Message));
            }
            return true;
        }

        // Unity wants the attribute and warns without it (manual, MakeSerializable). Here it also keeps a field of the
        // type object from running the constructor of any class that is loaded; .NET's own, many of which have the
        // attribute, are nothing that Unity serializes.
        private static bool CanBeMade(Type type)
        {
            var library = type.Assembly.GetName().Name;
            return type.IsSerializable && !type.IsAbstract && !type.ContainsGenericParameters
                && !typeof(UnityEngine.Object).IsAssignableFrom(type)
                && !(library is "mscorlib" or "netstandard" or "System")
                && !library.Begins("System.")
                && !library.Begins("Mono.");
        }

        // Unity writes nested classes with a slash.
        private static Type Find(string name) => LoadedAssemblies.TypeNamed(name.Replace('/', '+'));
    }
}
