using System.Collections.Generic;
using UnityBridge.Changes;
using UnityBridge.Json;

namespace UnityBridge.Commands
{
    /// <summary>
    /// Sets serialized fields as the Inspector does: through SerializedObject, whose ApplyModifiedProperties records
    /// Undo, marks what it changed as unsaved, and records overrides of prefab instances (GenericInspector.cs,
    /// Editor.DoDrawDefaultInspector, 2021.3 to 6000.7).
    /// </summary>
    internal static class SetFields
    {
        [BridgeCommand("set_fields",
            "Sets fields of an object or asset, such as Light.intensity, as inspect prints them; of a material also "
            + "_BaseColor, color, shader; of a file importer.textureType, slices. look_at: a path or point that the "
            + "object turns to. One undo step.", Step = true,
            Keywords =
            "tag layer transform position rotation scale texture sprite animator animation clip controller rigidbody "
            + "collider component property lighting physics gravity skybox fog quality time")]
        private static JsonObject Run(ChangeCall call, string path, IDictionary<string, object> values = null,
            object look_at = null)
        {
            if ((values == null || values.Count == 0) && look_at == null)
            {
                throw ChangeTarget.Refused("values names at least one field, as in {\"Light.intensity\": 2}.");
            }
            using var file = call.Open(path, out var target, out var remark);
            using var staged = new StagedFields(call, target);
            staged.StageAll(values ?? new Dictionary<string, object>());
            if (look_at != null)
            {
                staged.StageLookAt(LookAt.PointOf(call, look_at));
            }
            return ChangeReport.InOneUndoGroup(call, "Set fields of " + target.name, remark, staged.Apply);
        }
    }
}
