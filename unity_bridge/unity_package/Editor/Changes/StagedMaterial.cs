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
        // Internal in all versions (ShaderGUI.cs 2021.3.58f1:92, 2022.3.76f1, 6000.0.78f1, 6000.7.0a1:92).
        private static readonly MethodInfo ValidateMaterial = Members.Method(
            LoadedAssemblies.TypeNamed("UnityEditor.ShaderGUIUtility"), "ValidateMaterial", typeof(Material));

        // What every material has, and its type.
        private static readonly (string Name, string Type)[] Own =
            { ("shader", "string"), ("renderQueue", "int"), ("enableInstancing", "bool") };

        private readonly ChangeCall _call;
        private readonly Material _material;
        private readonly List<string> _remarks = new List<string>();
        private readonly Dictionary<string, Action> _changes = new Dictionary<string, Action>();
        private Shader _shader;

        public StagedMaterial(ChangeCall call, Material material)
        {
            _call = call;
            _material = material;
            _shader = material.shader;
        }

        /// <summary>False for a name that is no property: it may be a serialized field.</summary>
        public bool TryStage(string name, object value)
        {
            var field = "Material." + name;
            var property = FieldFault.InField(field, () => PropertyOf(name, isRead: false));
            if (property == null)
            {
                return false;
            }
            if (_changes.ContainsKey(property))
            {
                throw ChangeTarget.Refused("Material." + property + " is given twice.");
            }
            _changes[property] = FieldFault.InField(field, () => ChangeOf(property, value));
            if (property != name && !MaterialNames.IsWord(name))
            {
                _remarks.Add(Quoted.Text(field) + " was taken as " + property + (IsOfShader(name)
                    ? ": the shader keeps " + name + " for materials of another pipeline, and does not draw it."
                    : ", which the shader has for it."));
            }
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
            var all = _changes.Keys.Union(new[] { "renderQueue", "keywords" }).ToList();
            var path = newPath ?? ChangeTarget.PathOf(_material);
            var isChanged = report.AddDifferences(path, "Material.", all, Read, () =>
            {
                foreach (var change in _changes.Values)
                {
                    change();
                }
                Validate(report);
            });
            if (newPath == null)
            {
                if (isChanged)
                {
                    EditorUtility.SetDirty(_material);
                    report.Touched(_material);
                }
                // The record is compared at the end of the update otherwise, when this group is closed.
                Undo.FlushUndoRecordObjects();
            }
            _remarks.ForEach(report.Remark);
            RemarkOn(_material, report);
        }

        // The setters of a material leave its keywords as they are, and what has no keyword is not drawn. The
        // Inspector has them set after each edit, by the drawers of the shader's properties ([Toggle]) and by its GUI
        // (MaterialEditor.SetShader), and the engine when a material is loaded.
        private void Validate(ChangeReport report)
        {
            if (_changes.Count == 0 || _material.shader == null)
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
            return Own.Concat(staged.Properties().Select(name => (Name: name, Type: staged.TypeOf(name).ToString())))
                .Select(row => FieldValue.Row("Material", row.Name, row.Type, staged.Read(row.Name)));
        }

        /// <summary>The shader of that name; throws with the nearest names.</summary>
        public static Shader FindShader(string name)
        {
            var found = Shader.Find(name);
            if (found == null)
            {
                var shown = ShaderUtil.GetAllShaderInfo().Select(shader => shader.name)
                    .Where(shader => !shader.Begins("Hidden/"));
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

        private Action ChangeOf(string property, object value)
        {
            switch (property)
            {
                case "shader":
                    var shader = FindShader(value as string ?? throw FieldFault.MustBe("the name of a shader", value));
                    _shader = shader;
                    return () => _material.shader = shader;
                case "renderQueue":
                    var queue = (int)FieldWriter.Whole(value, -1, 5000);
                    return () => _material.renderQueue = queue;
                case "enableInstancing":
                    var isOn = FieldWriter.Flag(value);
                    return () => _material.enableInstancing = isOn;
            }
            switch (TypeOf(property))
            {
                case ShaderPropertyType.Color:
                    var color = ColorOf(property, value);
                    return () => _material.SetColor(property, color);
                case ShaderPropertyType.Vector:
                    var vectorNow = Has(property) ? _material.GetVector(property) : default;
                    var vector = VectorWriter.WholeVector4(value, vectorNow);
                    return () => _material.SetVector(property, vector);
                case ShaderPropertyType.Texture:
                    var texture = value == null ? null
                        : (Texture)ReferenceWriter.Resolve(_call, value, "Texture", _material);
                    return () => _material.SetTexture(property, texture);
                case ShaderPropertyType.Float:
                case ShaderPropertyType.Range:
                    var number = FieldWriter.Single(value);
                    return () => _material.SetFloat(property, number);
                default:
                    var whole = FieldWriter.Int(value);
                    return () => _material.SetInteger(property, whole);
            }
        }

        /// <summary>The value of a property by its own name; null for one that the material's shader has not.</summary>
        public object Read(string property)
        {
            switch (property)
            {
                case "shader": return _material.shader == null ? null : _material.shader.name;
                case "renderQueue": return _material.renderQueue;
                case "enableInstancing": return _material.enableInstancing;
                case "keywords":
                    return _material.shaderKeywords.OrderBy(keyword => keyword, StringComparer.Ordinal)
                        .ToList<object>();
            }
            if (!Has(property))
            {
                return null;
            }
            return TypeOf(property) switch
            {
                ShaderPropertyType.Color => VectorValue.ToJson(_material.GetColor(property)),
                ShaderPropertyType.Vector => VectorValue.ToJson(_material.GetVector(property)),
                ShaderPropertyType.Texture => FieldValue.Reference(_material.GetTexture(property)),
                ShaderPropertyType.Float or ShaderPropertyType.Range => FieldValue.Real(_material.GetFloat(property)),
                _ => _material.GetInteger(property),
            };
        }

        private Color ColorOf(string name, object value)
        {
            if (ColorText.RemarkOn(value) is { } remark)
            {
                _remarks.Add(remark);
            }
            return VectorWriter.WholeColor(value, Has(name) ? _material.GetColor(name) : default,
                IsMarked(name, ShaderPropertyFlags.HDR));
        }

        private bool Has(string name) => _material.HasProperty(name);

        private bool IsOfShader(string name) => _shader != null && _shader.FindPropertyIndex(name) >= 0;

        private ShaderPropertyType TypeOf(string name) => _shader.GetPropertyType(_shader.FindPropertyIndex(name));

        private bool IsMarked(string name, ShaderPropertyFlags flag) =>
            (_shader.GetPropertyFlags(_shader.FindPropertyIndex(name)) & flag) != 0;

        private List<string> Properties() => Enumerable.Range(0, _shader == null ? 0 : _shader.GetPropertyCount())
            .Select(index => _shader.GetPropertyName(index)).ToList();

        /// <summary>The property that a name means; null for none.</summary>
        /// <param name="isRead">Whether it may be one that the shader hides: what it keeps for materials of another
        /// pipeline, while it draws its own property of the same meaning (Lit.shader of URP and HDRP declare _Color and
        /// _MainTex so).</param>
        public string PropertyOf(string name, bool isRead = true)
        {
            bool IsDrawn(string property) =>
                IsOfShader(property) && !IsMarked(property, ShaderPropertyFlags.HideInInspector);
            var own = Own.Any(member => member.Name == name) || IsOfShader(name) ? name : null;
            if (own != null && (isRead || !IsOfShader(name) || IsDrawn(name)))
            {
                return own;
            }
            // color and mainTexture: what the shader marks so, else the names of the built-in shaders
            // (Material.bindings.cs, 2021.3 to 6000.7).
            var properties = Properties();
            var marked = name switch
            {
                "color" => properties.Find(property => IsMarked(property, ShaderPropertyFlags.MainColor)),
                "mainTexture" => properties.Find(property => IsMarked(property, ShaderPropertyFlags.MainTexture)),
                _ => null,
            };
            var meant = marked ?? Array.Find(MaterialNames.SameAs(name), IsDrawn) ?? own;
            if (meant != null || isRead || _shader == null || !MaterialNames.IsWord(name))
            {
                return meant;
            }
            throw new FieldFault(": the shader " + Quoted.Text(_shader.name) + " has none. The nearest are "
                + Quoted.Text(Spelling.Nearest(name, properties)) + ".");
        }

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
                    || shader.name.Begins("Legacy Shaders/"))
                : inUse.Length == 0 || !made.Begins(inUse);
            if (isOfOther)
            {
                report.Remark("The shader " + Quoted.Text(shader.name)
                    + " belongs to another render pipeline than the one in use, so it may be magenta.");
            }
        }
    }
}
