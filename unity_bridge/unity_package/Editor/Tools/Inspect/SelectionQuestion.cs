using System.Collections.Generic;
using UnityEditor;
using UnityBridge.Json;
using UnityBridge.Objects;
using Object = UnityEngine.Object;

namespace UnityBridge.Tools
{
    /// <summary>What is selected in the editor.</summary>
    internal sealed class SelectionQuestion : Question
    {
        public override IEnumerable<Found> Walk(int[] from)
        {
            var selected = Selection.objects;
            var active = Selection.activeObject;
            Total = selected.Length;
            for (var i = from[0]; i < selected.Length; i++)
            {
                // What was destroyed since it was selected.
                yield return selected[i] == null ? null : Describe(selected[i], selected[i] == active, i);
            }
        }

        private static Found Describe(Object target, bool isActive, int index)
        {
            var item = (JsonObject)FieldValue.Reference(target);
            GlobalIds.AddTo(item, target);
            if (isActive)
            {
                item["active"] = true;
            }
            return new Found(item, item.Text("path") + "\n" + item.Text("id") + "\n" + item.Text("name"), index);
        }
    }
}
