using System;
using System.Collections.Generic;
using System.Linq;
using System.Threading;

namespace UnityEngine
{
    public abstract partial class Native
    {
        private readonly List<string> _world = new List<string>();

        /// <summary>The most reads of the world that one update made, and how many updates made any.</summary>
        public int MostReads { get; set; }
        public int UpdatesWithReads { get; set; }

        public void AddToWorld(string line)
        {
            lock (_world)
            {
                _world.Add(line);
                WorldLines = _world.Count;
            }
        }

        /// <summary>What was added after the first so many lines, with a line feed between.</summary>
        public string WorldSince(int count)
        {
            lock (_world) return string.Join("\n", _world.Skip(count).ToArray());
        }
    }

    /// <summary>Thrown for an object that was destroyed
    /// (Runtime/Export/Scripting/UnityEngineObject.bindings.cs).</summary>
    public class MissingReferenceException : SystemException
    {
        public MissingReferenceException(string message) : base(message)
        {
        }
    }

    /// <summary>
    /// The objects of the project, made of lines that outlive the domain, as Unity's own outlive it. What a line says:
    /// object ID|PARENT or scene file|name|component,...    root ID|scene file, also that of an open prefab|name
    /// many PARENT|name|count|components    destroy ID    rename ID|name
    /// inactive ID    asset path|type    assets folder|count|type    select ID,...    unloaded scene file    build
    /// file|true or false broken ID (its access throws)
    /// field ID|component's number|name|kind|type|value    fields ID|component's number|count    prefab path|name
    /// mark ID|component's number|field|hidden, readonly, locked or most N    hide ID|component's number or self|hide
    /// flags part PATH|name (a further object in an asset's file)
    /// instance ID|PARENT or scene file|prefab's path
    /// </summary>
    internal static partial class World
    {
        public static readonly Dictionary<string, Object> ById = new Dictionary<string, Object>();
        public static readonly Dictionary<string, List<GameObject>> Roots = new Dictionary<string, List<GameObject>>();
        public static readonly List<Object> Assets = new List<Object>();
        /// <summary>Further objects in the files of assets.</summary>
        public static readonly List<Object> SubAssets = new List<Object>();
        public static readonly Dictionary<string, Object> AssetByPath = new Dictionary<string, Object>();
        public static readonly Dictionary<string, Object> AssetByGuid = new Dictionary<string, Object>();
        public static readonly HashSet<string> Unloaded = new HashSet<string>();
        public static readonly List<KeyValuePair<string, bool>> Build = new List<KeyValuePair<string, bool>>();
        /// <summary>A person has chosen Set as Default Parent for it.</summary>
        public static GameObject DefaultParent;
        public static List<Object> Selected = new List<Object>();

        /// <summary>SerializedObjects that nobody has disposed of yet.</summary>
        public static int Serialized;

        /// <summary>Raised when assets have changed.</summary>
        public static Action ProjectChanged = () => { };
        public static Action HierarchyChanged = () => { };

        /// <summary>What a field refers to whose object was deleted.</summary>
        public static readonly Object Deleted = new GameObject("", null, "Deleted") { IsDestroyed = true };

        private static int _lines;
        private static int _reads;

        /// <summary>Of this domain.</summary>
        public static int AllReads;
        private static bool? _slow;
        private static long _ids;

        /// <summary>Before every update: what was asked for since the last one happens now.</summary>
        public static void BeginTick()
        {
            if (_reads > 0)
            {
                Native.Editor.UpdatesWithReads++;
                Native.Editor.MostReads = Math.Max(Native.Editor.MostReads, _reads);
            }
            _reads = 0;
            _slow = null;
            RunFrame();
            if (_lines == Native.WorldLines) return;
            var added = Native.Editor.WorldSince(_lines);
            foreach (var line in added.Split('\n'))
            {
                _lines++;
                var space = line.IndexOf(' ');
                Apply(line.Substring(0, space), line.Substring(space + 1).Split('|'));
            }
            HierarchyChanged();
        }

        /// <summary>Every access to an object. A quirk makes every fifth slow.</summary>
        public static void Read(string api)
        {
            Native.RequireMainThread(api);
            _reads++;
            AllReads++;
            _slow = _slow ?? Native.Editor.Quirk("slow-reads");
            if (_slow == true && _reads % 5 == 0) Thread.Sleep(1);
        }

        public static GameObject[] RootsOf(string scene)
        {
            List<GameObject> roots;
            return Roots.TryGetValue(scene, out roots) ? roots.ToArray() : new GameObject[0];
        }

        private static void Apply(string what, string[] words)
        {
            switch (what)
            {
                case "object": ById[words[0]] = Make(words[1], words[2], words.Length > 3 ? words[3] : ""); break;
                case "root": ById[words[0]] = new GameObject(words[1], null, words[2]) { LocalId = ++_ids }; break;
                case "many": Many(words); break;
                case "destroy": ((GameObject)ById[words[0]]).Destroy(); break;
                case "default-parent": DefaultParent = words[0].Length > 0 ? (GameObject)ById[words[0]] : null; break;
                case "rename": ById[words[0]].SetName(words[1]); break;
                case "inactive": ((GameObject)ById[words[0]]).IsOff = true; break;
                case "asset": AddAsset(words[0], words[1]); ProjectChanged(); break;
                case "part": AddPart(words[0], words[1], new Game.Data()); break;
                case "sprite": AddPart(words[0], words[1], new Sprite()); break;
                case "assets": ManyAssets(words); ProjectChanged(); break;
                case "broken": ById[words[0]].IsBroken = true; break;
                case "select": Selected =
                    words[0].Split(',').Where(id => id.Length > 0).Select(id => ById[id]).ToList();
                break;
                case "unloaded": Unloaded.Add(words[0]); break;
                case "build": Build.Add(new KeyValuePair<string, bool>(words[0], words[1] == "true")); break;
                case "field": PartOf(words).Fields.Set(words[2], words[3], words[4], words.Length > 5 ? words[5] : "");
                break;
                case "fields": ManyFields(words); break;
                case "mark": PartOf(words).Fields.Mark(words[2], words[3]); break;
                case "hide": PartOf(words).hideFlags = (HideFlags)Enum.Parse(typeof(HideFlags), words[2]); break;
                case "prefab": MakePrefab(words[0], words[1]); break;
                case "instance": ById[words[0]] = Instance((GameObject)ById[words[2]], words[1]); break;
                default: if (!ApplyUi(what, words)) Native.Editor.Say("FAILED world " + what); break;
            }
        }

        private static GameObject Make(string parent, string name, string components)
        {
            Object owner;
            ById.TryGetValue(parent, out owner);
            var made = new GameObject(parent, owner as GameObject, name) { LocalId = ++_ids };
            foreach (var component in components.Split(',').Where(component => component.Length > 0))
            {
                made.Add(component);
            }
            return made;
        }

        /// <summary>An instance of a prefab; <paramref name="parent"/> is an object's id or a scene's file.</summary>
        public static GameObject Instance(GameObject source, string parent)
        {
            Object owner;
            ById.TryGetValue(parent, out owner);
            return Copy(source, parent, (GameObject)owner);
        }

        public static GameObject InstanceIn(GameObject source, string scene)
        {
            return Copy(source, scene, null);
        }

        public static GameObject Copy(GameObject source, string scene, GameObject parent)
        {
            var made = new GameObject(
                scene, parent, source.RawName) { LocalId = ++_ids, AssetPath = "", Source = source };
            made.Own.Fields = source.Own.Fields.Clone();
            foreach (var component in source.Components.Where(
                component => !ReferenceEquals(component, null) && !(component is Transform)))
            {
                made.Add(component.GetType()).Fields = component.Fields.Clone();
            }
            foreach (var child in source.Own.Children) Copy(child.Owner, scene, made);
            ById["instance " + made.LocalId] = made;
            return made;
        }

        /// <summary>An object that a script has made.</summary>
        public static GameObject Created(string scene, string name)
        {
            var made = new GameObject(scene, null, name) { LocalId = ++_ids };
            ById["created " + made.LocalId] = made;
            return made;
        }

        private static void Many(string[] words)
        {
            for (var i = 0; i < int.Parse(words[2]); i++)
            {
                Make(words[0], words[1].Replace("#", i.ToString()), words.Length > 3 ? words[3] : "");
            }
        }

        private static void MakePrefab(string path, string name)
        {
            var prefab = new GameObject("", null, name) { LocalId = ++_ids, AssetPath = path };
            ById[path] = prefab;
            Register(path, prefab);
        }

        private static void AddAsset(string path, string type)
        {
            var asset = type == "Folder" ? new Folder() : type == "Scene" ? new SceneFile()
                : type == "Texture" ? Texture2D.OfFile()
                : (Object)new Game.Data();
            asset.SetName(System.IO.Path.GetFileNameWithoutExtension(path));
            asset.AssetPath = path;
            asset.LocalId = 11400000;
            Register(path, asset);
        }

        /// <summary>A part of a file; a Sprite is what an import of a texture makes.</summary>
        private static void AddPart(string path, string name, Object part)
        {
            part.AssetPath = path;
            part.LocalId = 11400000 + SubAssets.Count + 1;
            part.SetName(name);
            SubAssets.Add(part);
            ById[path + " " + name] = part;
        }

        /// <summary>What a package adds to a file, and no window shows.</summary>
        public static void AddHiddenPart(string path, string name)
        {
            AddPart(path, name, new Game.Data());
            SubAssets[SubAssets.Count - 1].hideFlags =
                HideFlags.HideInHierarchy | HideFlags.HideInInspector | HideFlags.NotEditable;
        }

        private static void Register(string path, Object asset)
        {
            ById[path] = asset;
            Assets.Add(asset);
            AssetByPath[path] = asset;
            AssetByGuid[GuidOf(path)] = asset;
        }

        private static void ManyAssets(string[] words)
        {
            for (var i = 0; i < int.Parse(words[1]); i++) AddAsset(words[0] + "/Data " + i + ".asset", words[2]);
        }

        private static void ManyFields(string[] words)
        {
            for (var i = 0; i < int.Parse(words[2]); i++)
            {
                PartOf(words).Fields.Set("number" + i, "Integer", "int", i.ToString());
            }
        }

        private static Object PartOf(string[] words)
        {
            var owner = ById[words[0]] as GameObject;
            return owner == null || words[1] == "self" ? ById[words[0]] : owner.Components[int.Parse(words[1])];
        }

        public static string GuidOf(string path)
        {
            using (var md5 = System.Security.Cryptography.MD5.Create())
            {
                return BitConverter.ToString(md5.ComputeHash(System.Text.Encoding.UTF8.GetBytes(path))).Replace("-", "")
                    .ToLowerInvariant();
            }
        }
    }
}
