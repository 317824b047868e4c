using System;
using System.Collections;
using System.Collections.Generic;
using System.IO;
using System.Linq;
using System.Reflection;
using UnityEditor;
using UnityEngine;
using UnityBridge.Framework;
using UnityBridge.Json;
using UnityBridge.Objects;
using UnityBridge.Platform;
using UnityBridge.Wire;

namespace UnityBridge.Changes
{
    /// <summary>The slices of a sprite sheet. They are set by the package 2D Sprite, found by reflection, since
    /// TextureImporter.spritesheet gives every new slice the id 0 (TextureImporterDataProvider.cs of
    /// com.unity.2d.sprite; the property is obsolete from 2022.2 on). A slice that keeps its name keeps its id, by
    /// which others refer to it. Main thread.</summary>
    internal sealed class SpriteSheet
    {
        public const string Field = "slices";

        private const string Space = "UnityEditor.U2D.Sprites.";
        private const int MostSlices = 4096;

        private static readonly string[] Pivots = Enum.GetNames(typeof(SpriteAlignment))
            .Where(name => name != nameof(SpriteAlignment.Custom)).ToArray();

        private readonly TextureImporter _importer;
        private readonly List<(string Name, Rect Rect, object Pivot)> _wanted =
            new List<(string Name, Rect Rect, object Pivot)>();
        private string _rest;

        public SpriteSheet(TextureImporter importer)
        {
            _importer = importer;
        }

        /// <summary>As <c>inspect</c> prints them; null where there are none, or the package is not.</summary>
        public List<object> Shown() => _importer.spriteImportMode != SpriteImportMode.Multiple
            || Factories() == null ? null
            : Rects(Provider()).Select(Shown).ToList<object>();

        /// <summary>Throws <see cref="FieldFault"/> for what is no list of slices, and no grid.</summary>
        public void Stage(object value)
        {
            if (Factories() == null)
            {
                throw Refuse.WithoutPackage("com.unity.2d.sprite", "Slices need the package 2D Sprite. Add it "
                    + "(packages action=add packages=[\"com.unity.2d.sprite\"]), then call again.");
            }
            _importer.GetSourceTextureWidthAndHeight(out var width, out var height);
            if (value is JsonObject grid)
            {
                Divide(grid, width, height);
            }
            else
            {
                foreach (var row in value as List<object> ?? throw FieldFault.MustBe("a grid or a list", value))
                {
                    _wanted.Add(SliceIn(FieldWriter.ObjectOf(row)));
                }
            }
            Check(width, height);
        }

        /// <summary>Before the importer saves its settings. The texture has several sprites then.</summary>
        public void Apply(ChangeReport report)
        {
            if (_importer.textureType != TextureImporterType.Sprite)
            {
                _importer.textureType = TextureImporterType.Sprite;
            }
            // The provider reads it when it is made, and takes one slice otherwise.
            _importer.spriteImportMode = SpriteImportMode.Multiple;
            var provider = Provider();
            var before = Rects(provider);
            var rects = _wanted.ConvertAll(slice => ToRect(slice, before));
            var gone = before.Select(NameOf).Except(_wanted.Select(slice => slice.Name)).ToList();
            Call(provider, "SetSpriteRects", ArrayOf(rects));
            KeepIds(provider, rects);
            Call(provider, "Apply");
            if (gone.Count > 0)
            {
                report.Remark("These slices are gone, and what refers to them misses them: " + Cut.Names(gone) + ".");
            }
            if (_rest != null)
            {
                report.Remark(_rest);
            }
        }

        // From the top left, row by row, as Unity's own window names them; its y grows upward.
        private void Divide(JsonObject grid, int width, int height)
        {
            FieldWriter.MembersOf(grid, "cell", "offset", "padding", "pivot");
            Vector2 Pair(string name) => FieldWriter.Member(grid, name, PairIn, default);
            var cell = Pair("cell");
            var offset = Pair("offset");
            var padding = Pair("padding");
            if (cell.x < 1 || cell.y < 1 || offset.x < 0 || offset.y < 0 || padding.x < 0 || padding.y < 0)
            {
                throw FieldFault.MustBe("a grid with cells of at least one pixel", grid);
            }
            var columns = (int)((width - offset.x + padding.x) / (cell.x + padding.x));
            var rows = (int)((height - offset.y + padding.y) / (cell.y + padding.y));
            var pivot = Pivot(grid.Get("pivot"));
            var stem = Path.GetFileNameWithoutExtension(_importer.assetPath) + "_";
            for (var place = 0; place < Math.Min(columns * rows, MostSlices + 1); place++)
            {
                var x = offset.x + place % columns * (cell.x + padding.x);
                var top = offset.y + place / columns * (cell.y + padding.y);
                _wanted.Add((stem + place, new Rect(x, height - top - cell.y, cell.x, cell.y), pivot));
            }
            var right = width - offset.x - columns * (cell.x + padding.x) + padding.x;
            var below = height - offset.y - rows * (cell.y + padding.y) + padding.y;
            _rest = right <= 0 && below <= 0 ? null : "The grid has whole cells only: " + Math.Max(0, right)
                + " pixels at the right and " + Math.Max(0, below) + " at the bottom are in no slice.";
        }

        private static (string, Rect, object) SliceIn(JsonObject row)
        {
            var numbers = row.Array("rect") ?? new List<object>();
            if (string.IsNullOrEmpty(row.Text("name")) || numbers.Count != 4
                || row.Keys.Any(key => !(key is "name" or "rect" or "pivot")))
            {
                throw FieldFault.MustBe("a list of {name, rect: [x, y, width, height] from the bottom left, pivot?}",
                    row);
            }
            var sides = numbers.ConvertAll(FieldWriter.Single);
            return (row.Text("name"), new Rect(sides[0], sides[1], sides[2], sides[3]), Pivot(row.Get("pivot")));
        }

        private void Check(int width, int height)
        {
            if (_wanted.Count == 0 || _wanted.Count > MostSlices)
            {
                throw new FieldFault(" would be " + _wanted.Count + " slices of " + width + " x " + height
                    + " pixels; it must be 1 to " + MostSlices + ".");
            }
            var outside = _wanted.Find(slice => slice.Rect.x < 0 || slice.Rect.y < 0 || slice.Rect.width < 1
                || slice.Rect.height < 1 || slice.Rect.x + slice.Rect.width > width
                || slice.Rect.y + slice.Rect.height > height);
            if (outside.Name != null)
            {
                throw new FieldFault(" has " + Quoted.Text(outside.Name) + " outside of the file's " + width + " x "
                    + height + " pixels.");
            }
            var twice = _wanted.GroupBy(slice => slice.Name).FirstOrDefault(group => group.Count() > 1);
            if (twice != null)
            {
                throw new FieldFault(" has " + Quoted.Text(twice.Key) + " twice: equal names share one id.");
            }
        }

        private object ToRect((string Name, Rect Rect, object Pivot) slice, List<object> before)
        {
            var rect = before.Find(there => NameOf(there) == slice.Name);
            if (rect == null)
            {
                rect = Activator.CreateInstance(RectType());
                Set(rect, "name", slice.Name);
                Set(rect, "spriteID", GUID.Generate());
            }
            Set(rect, "rect", slice.Rect);
            if (slice.Pivot is string name)
            {
                Set(rect, "alignment", Enum.Parse(typeof(SpriteAlignment), name, true));
            }
            else if (slice.Pivot != null)
            {
                Set(rect, "alignment", SpriteAlignment.Custom);
                Set(rect, "pivot", slice.Pivot);
            }
            return rect;
        }

        // The table has to have all of them.
        private static void KeepIds(object provider, List<object> rects)
        {
            var names = LoadedAssemblies.TypeNamed(Space + "ISpriteNameFileIdDataProvider");
            var table = Method("GetDataProvider").MakeGenericMethod(names).Invoke(provider, null);
            var set = names.GetMethod("SetNameFileIdPairs");
            var pairType = set.GetParameters()[0].ParameterType.GetGenericArguments()[0];
            var pairs = (IList)Activator.CreateInstance(typeof(List<>).MakeGenericType(pairType));
            rects.ForEach(rect => pairs.Add(Activator.CreateInstance(pairType, NameOf(rect),
                Members.Get(rect, "spriteID"))));
            set.Invoke(table, new object[] { pairs });
        }

        private object Provider()
        {
            var type = Factories();
            var factories = Activator.CreateInstance(type);
            type.GetMethod("Init").Invoke(factories, null);
            var provider = type.GetMethod("GetSpriteEditorDataProviderFromObject")
                .Invoke(factories, new object[] { _importer });
            Call(provider, "InitSpriteEditorDataProvider");
            return provider;
        }

        private static List<object> Rects(object provider) =>
            ((IEnumerable)Call(provider, "GetSpriteRects")).Cast<object>().ToList();

        private static Type RectType() =>
            Method("GetSpriteRects").ReturnType.GetElementType();

        private static Array ArrayOf(List<object> rects)
        {
            var array = Array.CreateInstance(RectType(), rects.Count);
            ((IList)rects).CopyTo(array, 0);
            return array;
        }

        private static object Shown(object rect)
        {
            var sides = (Rect)Members.Get(rect, "rect");
            var pivot = (Vector2)Members.Get(rect, "pivot");
            var alignment = (SpriteAlignment)Members.Get(rect, "alignment");
            return new JsonObject
            {
                { "name", NameOf(rect) },
                {
                    "rect", new[] { sides.x, sides.y, sides.width, sides.height }.Select(side => FieldValue.Real(side))
                        .ToList<object>()
                },
                {
                    "pivot", alignment != SpriteAlignment.Custom ? alignment.ToString()
                        : (object)new List<object> { FieldValue.Real(pivot.x), FieldValue.Real(pivot.y) }
                },
            };
        }

        private static string NameOf(object rect) => (string)Members.Get(rect, "name");

        private static void Set(object rect, string name, object value) =>
            rect.GetType().GetProperty(name).SetValue(rect, value);

        // Null without the package.
        private static Type Factories() => LoadedAssemblies.TypeNamed(Space + "SpriteDataProviderFactories");

        // The provider's class implements the interface explicitly.
        private static MethodInfo Method(string name) =>
            LoadedAssemblies.TypeNamed(Space + "ISpriteEditorDataProvider").GetMethod(name);

        private static object Call(object provider, string name, params object[] arguments) =>
            Method(name).Invoke(provider, arguments);

        private static Vector2 PairIn(object value) => VectorWriter.WholeVector2(value, default);

        // A name, or two numbers; null for what it is now, or the middle.
        private static object Pivot(object value)
        {
            if (value is string name)
            {
                return Pivots.Contains(name) ? value
                    : throw FieldFault.MustBe("with a pivot [x, y], or one of " + string.Join(", ", Pivots), value);
            }
            return value == null ? null : (object)PairIn(value);
        }
    }
}
