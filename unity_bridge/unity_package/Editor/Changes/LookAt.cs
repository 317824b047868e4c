using System.Collections.Generic;
using UnityEngine;
using UnityBridge.Json;
using UnityBridge.Objects;
using UnityBridge.Wire;

namespace UnityBridge.Changes
{
    /// <summary>What an object is to look at: a point of the world, or the path of another object. Main
    /// thread.</summary>
    internal static class LookAt
    {
        public static Vector3 PointOf(ChangeCall call, object value) => FieldFault.InField("look_at", () =>
            value is List<object> || value is JsonObject
                || (value is string text && text.IndexOf(',') > 0 && !text.Contains("/"))
                ? VectorWriter.WholeVector3(value, new Vector3(0, 0, 0)) : PositionOf(call, value));

        private static Vector3 PositionOf(ChangeCall call, object value)
        {
            var path = value as string ?? throw FieldFault.MustBe("the path of an object, or [x, y, z]", value);
            var finder = ObjectFinder.Look(call, path);
            return finder.Target is GameObject target ? target.transform.position
                : throw new FieldFault(": " + (finder.Fault ?? Quoted.Text(path) + " is no object of a scene."));
        }
    }
}
