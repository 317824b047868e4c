using System.Collections.Generic;
using System.Linq;
using UnityEngine;
using UnityBridge.Json;
using UnityBridge.Objects;

namespace UnityBridge.Changes
{
    /// <summary>
    /// The properties of a Transform that code has and no file has, such as <c>position</c>: what they stand for in its
    /// serialized fields, as
    /// Unity's setters compute it (Transform.bindings.cs, Transform.cs, 2021.3 to 6000.7). Main thread.
    /// </summary>
    internal static class TransformPlace
    {
        private static readonly string[] Names =
            "position rotation eulerAngles localEulerAngles forward up right".Split(' ');

        /// <summary>Also of a part, as in position.y.</summary>
        public static bool Has(ObjectPart part, string name) => part.Target is Transform
            && System.Array.IndexOf(Names, name.Split('.')[0]) >= 0;

        /// <summary>The value now, as <c>inspect</c> prints a vector.</summary>
        public static object Read(Transform transform, string name)
        {
            var path = name.Split('.');
            var value = path[0] == "rotation" ? VectorValue.ToJson(transform.rotation)
                : VectorValue.ToJson(VectorNow(transform, path[0]));
            return path.Length == 1 ? value : value.Get(path[1]);
        }

        /// <summary>The serialized fields to set, and their values. Members that are not given keep the value that code
        /// would read.</summary>
        public static JsonObject FieldsFor(Transform transform, string name, object value)
        {
            var path = name.Split('.');
            name = path[0];
            value = path.Length == 1 ? value : new JsonObject { { path[1], value } };
            switch (name)
            {
                case "position":
                    return Positioned(transform, VectorWriter.WholeVector3(value, transform.position));
                case "rotation":
                    return Turned(transform, VectorWriter.WholeRotation(value, transform.rotation), true);
                case "eulerAngles":
                case "localEulerAngles":
                    var angles = VectorWriter.WholeVector3(value, VectorNow(transform, name));
                    return Turned(transform, Quaternion.Euler(angles.x, angles.y, angles.z), name == "eulerAngles");
                default:
                    var direction = VectorWriter.WholeVector3(value, VectorNow(transform, name));
                    if (direction.sqrMagnitude == 0)
                    {
                        throw new FieldFault(" must be a direction, so not all of its numbers are 0.");
                    }
                    return Turned(transform, Along(name, direction), true);
            }
        }

        /// <summary>The fields of an object that looks at a point of the world, as <c>Transform.LookAt</c> turns
        /// it.</summary>
        public static JsonObject LookingAt(Transform transform, Vector3 from, Vector3 point)
        {
            var direction = point - from;
            if (direction.sqrMagnitude == 0)
            {
                throw new FieldFault(" is where the object is, so it has no direction.");
            }
            return Turned(transform, Along("forward", direction), true);
        }

        private static Vector3 VectorNow(Transform transform, string name) => name switch
        {
            "position" => transform.position,
            "eulerAngles" => transform.eulerAngles,
            "localEulerAngles" => transform.localEulerAngles,
            _ => transform.rotation * AxisOf(name),
        };

        // The setters of forward, up and right (Transform.cs).
        private static Quaternion Along(string name, Vector3 direction) => name == "forward"
            ? Quaternion.LookRotation(direction, AxisOf("up"))
            : Quaternion.FromToRotation(AxisOf(name), direction);

        private static Vector3 AxisOf(string name) => name switch
        {
            "up" => new Vector3(0, 1, 0),
            "right" => new Vector3(1, 0, 0),
            _ => new Vector3(0, 0, 1),
        };

        private static JsonObject Positioned(Transform transform, Vector3 world)
        {
            var local = transform.parent == null ? world : transform.parent.InverseTransformPoint(world);
            if (!(transform is RectTransform rect))
            {
                return new JsonObject { { "m_LocalPosition", Listed(local.x, local.y, local.z) } };
            }
            // Its x and y follow from the anchors: the anchored position moves as far as the local one.
            var now = rect.localPosition;
            var anchored = rect.anchoredPosition;
            return new JsonObject
            {
                { "m_AnchoredPosition", Listed(anchored.x + local.x - now.x, anchored.y + local.y - now.y) },
                { "m_LocalPosition", new JsonObject { { "z", (double)local.z } } },
            };
        }

        private static JsonObject Turned(Transform transform, Quaternion turn, bool isOfWorld)
        {
            var local = isOfWorld && transform.parent != null ? Quaternion.Inverse(transform.parent.rotation) * turn
                : turn;
            return new JsonObject { { "m_LocalRotation", Listed(local.x, local.y, local.z, local.w) } };
        }

        private static List<object> Listed(params float[] numbers) => numbers.Select(number => (object)(double)number)
            .ToList();
    }
}
