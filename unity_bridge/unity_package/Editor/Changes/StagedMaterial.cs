using System;
using System.Collections.Generic;
using System.Linq;
using System.Reflection;
using UnityEditor;
using UnityEngine;
using UnityEngine.Rendering;
using UnityBridge.Framework;
using UnityBridge.Json;
using UnityBridge.Objects;
using UnityBridge.Platform;
using UnityBridge.Wire;
using Object = UnityEngine.Object;

namespace UnityBridge.Changes
{
    /// <summary>
    /// What a material has by the names that shaders and code use: <c>_BaseColor</c>, <c>color</c>, <c>mainTexture</c>,
    /// <c>shader</c>. Its serialized fields hold the same in lists, which nobody can address. Main thread.
    /// </summary>
    internal sealed class StagedMaterial
    {
        private readonly ChangeCall _call;
        // Internal in all versions (ShaderGUI.cs 2021.3.58f1:92, 2022.3.76f1, 6000.0.78f1, 6000.7.0a1:92).
        private static readonly MethodInfo ValidateMaterial = LoadedAssemblies.TypeNamed("UnityEditor.ShaderGUIUtility")
            ?.GetMethod("ValidateMaterial", BindingFlags.Static | BindingFlags.NonPublic | BindingFlags.Public);

        private readonly Material _material;
        private readonly List<string> _remarks = new List<string>();
        private readonly List<Setting> _settings = new List<Setting>();
        private Shader _shader;

        private const int MostNearest = 8;

        public StagedMaterial(ChangeCall call, Material material)
        {
            _call = call;
            _material = material;
            _shader = material.shader;
        }

        /// <summary>False for a name that is no property: it may be a serialized field.</summary>
        public bool TryStage(string name, object value)
        {
            Setting setting;
            try
            {
                setting = SettingOf(name, value);
            }
            catch (FieldFault fault)
            {
                throw ChangeTarget.Refused("Material." + name + fault.Message);
            }
            if (setting == null)
            {
                return false;
            }
            if (_settings.Exists(other => other.Name == setting.Name))
            {
                throw ChangeTarget.Refused("Material." + setting.Name + " is given twice.");
            }
            if (setting.Name != name && !MaterialNames.IsWord(name)
                && !_remarks.Exists(remark => remark.Contains("was taken as " + setting.Name)))
            {
                _remarks.Add(Quoted.Text(name) + " was taken as " + setting.Name + ", which the shader has for it.");
            }
            _settings.Add(setting);
            return true;
        }

        /// <param name="newPath">As <see cref="StagedFields.Apply(ChangeReport, string)"/> takes it.</param>
        public void Apply(ChangeReport report, string newPath)
        {
            if (newPath == null)
            {
                Undo.RecordObject(_material, "Set fields of " + _material.name);
            }
            // What validation and the shader set too: the queue and the keywords.
            var derived = Derived().Where(setting => !_settings.Exists(asked => asked.Name == setting.Name));
            var all = _settings.Concat(derived).ToList();
            var before = all.ConvertAll(setting => setting.Read());
            foreach (var setting in _settings)
            {
                setting.Set();
            }
            Validate(report);
            for (var i = 0; i < all.Count; i++)
            {
                if (JsonWriter.Write(before[i]) != JsonWriter.Write(all[i].Read()))
                {
                    Report(all[i], before[i], report, newPath);
                }
            }
            if (newPath == null)
            {
                // The record is compared at the end of the update otherwise, when this group is closed.
                Undo.FlushUndoRecordObjects();
            }
            _remarks.ForEach(report.Remark);
            RemarkOn(_material, report);
        }

        private void Report(Setting setting, object before, ChangeReport report, string newPath)
        {
            report.AddRead(newPath ?? ChangeTarget.PathOf(_material), "Material." + setting.Name, before, setting.Read);
            if (newPath == null)
            {
                EditorUtility.SetDirty(_material);
                report.Touched(_material);
            }
        }

        private IEnumerable<Setting> Derived()
        {
            yield return SettingOf("renderQueue", null, true);
            yield return new Setting("keywords", Keywords, () => { });
        }

        private object Keywords() =>
            _material.shaderKeywords.OrderBy(keyword => keyword, StringComparer.Ordinal).Cast<object>().ToList();

        // The setters of a material leave its keywords as they are, and what has no keyword is not drawn. The
        // Inspector has them set after each edit, by the drawers of the shader's properties ([Toggle]) and by its GUI
        // (MaterialEditor.SetShader), and the engine when a material is loaded.
        private void Validate(ChangeReport report)
        {
            if (_settings.Count == 0 || _material.shader == null)
            {
                return;
            }
            if (ValidateMaterial == null)
            {
                report.Remark(
                    "Its keywords were not set: this Unity may draw the material as before until a person selects it.");
                return;
            }
            MaterialEditor.ApplyMaterialPropertyDrawers(_material);
            ValidateMaterial.Invoke(null, new object[] { _material });
        }

        /// <summary>Every property by its name, with the type and the value that <c>inspect</c> prints.</summary>
        public static IEnumerable<JsonObject> Shown(Material material)
        {
            var staged = new StagedMaterial(null, material);
            yield return Row("shader", "string", material.shader == null ? null : material.shader.name);
            foreach (var name in new[] { "renderQueue", "enableInstancing" })
            {
                yield return Row(name, name == "renderQueue" ? "int" : "bool",
                    staged.SettingOf(name, null, true).Read());
            }
            for (var i = 0; material.shader != null && i < material.shader.GetPropertyCount(); i++)
            {
                var name = material.shader.GetPropertyName(i);
                yield return Row(name, material.shader.GetPropertyType(i).ToString(),
                    staged.SettingOf(name, null, true).Read());
            }
        }

        /// <summary>The shader of that name; throws with the nearest names.</summary>
        public static Shader FindShader(string name)
        {
            var found = Shader.Find(name);
            if (found == null)
            {
                var shown = ShaderUtil.GetAllShaderInfo().Select(shader => shader.name)
                    .Where(shader => !shader.StartsWith("Hidden/", StringComparison.Ordinal));
                throw new FieldFault(": there is no shader " + Quoted.Text(name) + ". The nearest are "
                    + Quoted.Text(Spelling.Nearest(name, shown, 3)) + ".");
            }
            return found;
        }

        /// <summary>The shader that a new material has in the pipeline in use (RenderPipelineAsset.defaultShader;
        /// Standard without one).</summary>
        public static Shader DefaultShader()
        {
            var pipeline = GraphicsSettings.currentRenderPipeline;
            if (pipeline == null)
            {
                return Shader.Find("Standard");
            }
            return pipeline.defaultShader != null
                ? pipeline.defaultShader
                : pipeline.defaultMaterial != null
                ? pipeline.defaultMaterial.shader
                : null;
        }

        private static JsonObject Row(string name, string type, object value) => new JsonObject
        {
            { "component", "Material" }, { "field", name }, { "type", type }, { "value", value },
        };

        public Setting SettingOf(string name, object value, bool onlyReads = false)
        {
            switch (name)
            {
                case "shader":
                    var shader = onlyReads
                        ? null
                        : FindShader(value as string ?? throw FieldFault.MustBe("the name of a shader", value));
                    _shader = shader ?? _shader;
                    return new Setting(name, () => _material.shader == null ? null : _material.shader.name,
                        () => _material.shader = shader);
                case "renderQueue":
                    var queue = onlyReads ? 0 : (int)FieldWriter.Whole(value, -1, 5000);
                    return new Setting(name, () => _material.renderQueue, () => _material.renderQueue = queue);
                case "enableInstancing":
                    var isOn = !onlyReads && (
                        value is bool flag ? flag : throw FieldFault.MustBe("true or false", value));
                    return new Setting(name, () => _material.enableInstancing, () => _material.enableInstancing = isOn);
            }
            var index = IndexOf(onlyReads ? name : Current(name), onlyReads);
            return index < 0 ? null : OfProperty(
                _shader.GetPropertyName(index), _shader.GetPropertyType(index), value, onlyReads);
        }

        private Setting OfProperty(string name, ShaderPropertyType type, object value, bool onlyReads)
        {
            switch (type)
            {
                case ShaderPropertyType.Color:
                    var color = onlyReads ? default : ColorOf(name, value);
                    return new Setting(name, () => Has(name) ? VectorValue.ToJson(_material.GetColor(name)) : null,
                        () => _material.SetColor(name, color));
                case ShaderPropertyType.Vector:
                    var vector = onlyReads
                        ? default
                        : VectorWriter.WholeVector(
                            value, _material.HasProperty(name) ? _material.GetVector(name) : default);
                    return new Setting(name, () => Has(name) ? VectorValue.ToJson(_material.GetVector(name)) : null,
                        () => _material.SetVector(name, vector));
                case ShaderPropertyType.Texture:
                    var texture = onlyReads || value == null
                        ? null
                        : (Texture)ReferenceWriter.Resolve(_call, value, "Texture", _material);
                    return new Setting(name, () => Has(name) ? FieldValue.Reference(_material.GetTexture(name)) : null,
                        () => _material.SetTexture(name, texture));
                case ShaderPropertyType.Float:
                case ShaderPropertyType.Range:
                    var number = onlyReads ? 0 : FieldWriter.Single(value);
                    return new Setting(name, () => Has(name) ? FieldValue.Real(_material.GetFloat(name)) : null,
                        () => _material.SetFloat(name, number));
                default:
                    var whole = onlyReads ? 0 : (int)FieldWriter.Whole(value, int.MinValue, int.MaxValue);
                    return new Setting(name, () => Has(name) ? (object)_material.GetInteger(name) : null,
                        () => _material.SetInteger(name, whole));
            }
        }

        private Color ColorOf(string name, object value)
        {
            var isHdr = (FlagsOf(Properties().IndexOf(name)) & ShaderPropertyFlags.HDR) != 0;
            if (ColorText.RemarkOn(value) is { } remark)
            {
                _remarks.Add(remark);
            }
            return VectorWriter.WholeColor(value, Has(name) ? _material.GetColor(name) : default, isHdr);
        }

        private bool Has(string name) => _material.HasProperty(name);

        // What a shader has for materials of another pipeline, and hides: its own property of the same meaning is
        // what is drawn (Lit.shader of URP and HDRP declare _Color and _MainTex so).
        private string Current(string name)
        {
            var partner = _shader == null || !IsThere(name, true) ? null
                : MaterialNames.SameAs(name).Skip(1).FirstOrDefault(other => IsThere(other, false));
            if (partner == null)
            {
                return name;
            }
            _remarks.Add("Material." + name + " was taken as " + partner + ": the shader keeps " + name
                + " for materials of another pipeline, and does not draw it.");
            return partner;
        }

        private bool IsThere(string name, bool isHidden)
        {
            var index = IndexOf(name, true);
            return index >= 0 && IsHidden(index) == isHidden;
        }

        private List<string> Properties() => Enumerable.Range(0, _shader.GetPropertyCount())
            .Select(_shader.GetPropertyName).ToList();

        // color and mainTexture: what the shader marks so, else the names of the built-in shaders
        // (Material.bindings.cs, 2021.3 to 6000.7).
        private int IndexOf(string name, bool onlyReads)
        {
            if (_shader == null)
            {
                return -1;
            }
            var properties = Properties();
            var own = properties.IndexOf(name);
            if (own >= 0 && (onlyReads || !IsHidden(own)))
            {
                return own;
            }
            var flag = name == "color"
                ? ShaderPropertyFlags.MainColor
                : name == "mainTexture"
                ? ShaderPropertyFlags.MainTexture
                : ShaderPropertyFlags.None;
            var marked = properties.FindIndex(property => (FlagsOf(properties.IndexOf(property)) & flag) != 0);
            var partner = properties.IndexOf(MaterialNames.SameAs(name)
                .FirstOrDefault(other => properties.IndexOf(other) is >= 0 and var at && !IsHidden(at)));
            var index = marked >= 0 ? marked : partner >= 0 ? partner : own;
            if (index >= 0 || onlyReads || !MaterialNames.IsWord(name))
            {
                return index;
            }
            throw new FieldFault(": the shader " + Quoted.Text(_shader.name) + " has none. The nearest are "
                + Quoted.Text(Spelling.Nearest(name, properties, MostNearest)) + ".");
        }

        // A shader declares so what it only keeps for old materials.
        private bool IsHidden(int index) => (FlagsOf(index) & ShaderPropertyFlags.HideInInspector) != 0;

        private ShaderPropertyFlags FlagsOf(int index) => _shader.GetPropertyFlags(index);

        private static void RemarkOn(Material material, ChangeReport report)
        {
            var shader = material.shader;
            if (shader == null)
            {
                return;
            }
            if (ShaderUtil.ShaderHasError(shader))
            {
                report.Remark("The shader " + Quoted.Text(shader.name)
                    + " has errors, so the material is magenta. The console says why (read_console).");
            }
            else if (!shader.isSupported)
            {
                report.Remark("The shader " + Quoted.Text(shader.name)
                    + " is not supported here, so the material is magenta.");
            }
            var pipeline = GraphicsSettings.currentRenderPipeline;
            var made = material.GetTag("RenderPipeline", false, "");
            var inUse = pipeline == null ? "" : pipeline.GetType().Name.Replace("RenderPipelineAsset", "");
            var isOfOther = made.Length == 0
                ? pipeline != null && (shader.name == "Standard"
                    || shader.name.StartsWith("Legacy Shaders/", StringComparison.Ordinal))
                : inUse.Length == 0 || !made.StartsWith(inUse, StringComparison.Ordinal);
            if (isOfOther)
            {
                report.Remark("The shader " + Quoted.Text(shader.name)
                    + " belongs to another render pipeline than the one in use, so it may be magenta.");
            }
        }

        public sealed class Setting
        {
            public Setting(string name, Func<object> read, Action set)
            {
                Name = name;
                Read = read;
                Set = set;
            }

            public string Name { get; }

            public Func<object> Read { get; }

            public Action Set { get; }
        }
    }
}
