using UnityEditor;
using UnityEngine;
using UnityBridge.Framework;
using UnityBridge.Objects;
using UnityBridge.Platform;
using UnityBridge.Wire;
using Object = UnityEngine.Object;

namespace UnityBridge.Commands
{
    /// <summary>What is referred to: an object of a scene, an asset, a tag or a layer. Main thread.</summary>
    internal sealed class ReferenceTarget
    {
        private readonly Object _target;
        private readonly string _tag;
        private readonly int _layer = -1;

        private ReferenceTarget(CommandCall call, string path)
        {
            if (path.Begins("tag:"))
            {
                _tag = path.Substring(4);
                return;
            }
            if (path.Begins("layer:"))
            {
                _layer = LayerMask.NameToLayer(path.Substring(6));
                return;
            }
            var finder = ObjectFinder.Look(call, path);
            _target = finder.Target;
            if (_target == null)
            {
                throw Refuse.Argument(Quoted.Text(path) + ": " + (finder.Fault ?? "this is a scene. Name an object or "
                    + "an asset."));
            }
            var file = AssetDatabase.GetAssetPath(_target);
            // A part of a file is looked for as such among open objects, and as its file among files.
            File = string.IsNullOrEmpty(file) ? null : file;
            IsWholeFile = File != null && AssetDatabase.LoadMainAssetAtPath(File) == _target;
            Guid = File == null ? "" : AssetDatabase.GUIDFromAssetPath(File).ToString();
        }

        /// <summary>Null for what is in no file of its own.</summary>
        public string File { get; }

        /// <summary>What the text of a file has for it; "" for an object of a scene, null for a tag or layer.</summary>
        public string Guid { get; }

        private bool IsWholeFile { get; }

        public static ReferenceTarget Find(CommandCall call, string path) => new ReferenceTarget(call, path);

        public bool Is(Object value) => value != null && _target != null && (value == _target
            || (IsWholeFile ? AssetDatabase.GetAssetPath(value) == File : value is Component part
            && part.gameObject == _target));

        /// <summary>Whether the object is the root of an instance of this prefab, also of one in another
        /// instance.</summary>
        public bool IsInstance(GameObject owner)
        {
            if (!IsWholeFile || !(_target is GameObject))
            {
                return false;
            }
            var parent = owner.transform.parent;
            return IsPartOf(owner) && (parent == null || !IsPartOf(parent.gameObject));
        }

        private bool IsPartOf(GameObject owner) =>
            PrefabUtility.IsPartOfPrefabInstance(owner)
                && PrefabUtility.GetPrefabAssetPathOfNearestInstanceRoot(owner) == File;

        /// <summary>The field of the object that has the tag or layer; null for none.</summary>
        public string Marks(GameObject owner) => _tag != null && owner.tag == _tag ? "tag" : _layer >= 0
            && owner.layer == _layer ? "layer" : null;

        /// <summary>Any thread. Whether a line of a file refers to it.</summary>
        public bool IsIn(string key, string value) => _tag != null ? key == "m_TagString" && value == _tag
            : _layer >= 0 ? key == "m_Layer" && value == _layer.ToString() : value == Guid;
    }
}
