using System.Collections.Generic;
using UnityBridge.Changes;
using UnityBridge.Json;

namespace UnityBridge.Commands
{
    /// <summary>
    /// Sets serialized fields as the Inspector does: through SerializedObject, whose ApplyModifiedProperties records Undo, marks what it
    /// changed as unsaved, and records overrides of prefab instances (GenericInspector.cs, Editor.DoDrawDefaultInspector, 2021.3 to 6000.7).
    /// </summary>
    internal static class SetFields
    {
        [BridgeCommand("set_fields", "Sets fields of an object or asset, such as Light.intensity: names and values as inspect prints "
            + "them; of a material also _BaseColor, color, shader. One undo step; saves no scene.", Step = true)]
        private static JsonObject Run(ChangeCall call, string path, IDictionary<string, object> values)
        {
            if (values == null || values.Count == 0)
            {
                throw ChangeTarget.Refused("values names at least one field, as in {\"Light.intensity\": 2}.");
            }
            using var file = call.Open(path, out var target, out var remark);
            using var staged = new StagedFields(call, target);
            staged.StageAll(values);
            return ChangeReport.InOneUndoGroup(call, "Set fields of " + target.name, remark, staged.Apply);
        }
    }
}
