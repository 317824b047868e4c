using System;
using System.Collections.Generic;
using System.Globalization;
using System.Linq;
using UnityEngine;
using UnityBridge.Json;
using UnityBridge.Objects;
using UnityBridge.Wire;

namespace UnityBridge.Framework
{
    /// <summary>
    /// What arguments of our own commands mean that have another name, or another form, than the parameters: what can
    /// mean one thing only is
    /// taken so, with a remark (SPEC §16.5). One instance reads the arguments of one call.
    /// </summary>
    internal sealed class ArgumentMeaning
    {
        // As other bridges, Unity's API and models call them. The first that the command has, and that the call has
        // not, is meant.
        private static readonly Dictionary<string, string> OtherNames = NameTable.Read(
            "values: fields properties component_properties", "kind: primitive primitive_type object_type",
            "path paths from: object game_object gameobject object_path",
            "path: target asset asset_path scene_path material_path menu_path menu_item", "path prefab: prefab_path",
            "component: component_type component_name", "component kind: type", "type: asset_type",
            "components: component components_to_add", "name: new_name", "name path: object_name",
            "parent: new_parent parent_path parent_name", "to: destination new_path",
            "from: variant_of base_prefab", "path from: source_path", "path from copy_of: source", "keys: key",
            "packages: package", "paths: path", "steps: commands operations calls count", "query: filter search");

        // What set_fields takes as values, where the command itself takes none.
        private static readonly string[] Values =
            "position rotation scale tag layer active color static".Split(' ');

        private const string AsValue = " was taken as one of values.";

        // No values of a new object, though a component that came with it may have such a field.
        private static readonly Dictionary<string, string> OfNewObject = NameTable.Read(
            "size may be scale.: size", "batch makes several.: count");

        private readonly Command _command;
        private readonly JsonObject _arguments;
        private readonly List<string> _remarks;
        private readonly JsonObject _understood = new JsonObject();

        private ArgumentMeaning(Command command, JsonObject arguments, List<string> remarks)
        {
            _command = command;
            _arguments = arguments;
            _remarks = remarks;
        }

        /// <summary>The arguments under their parameters' names. What has no meaning keeps its name.</summary>
        /// <param name="remarks">Takes a sentence for each argument that was taken for something else; null for
        /// none.</param>
        public static JsonObject Understood(Command command, JsonObject arguments, List<string> remarks)
        {
            if (!command.IsOfThisPackage)
            {
                return new JsonObject(arguments);
            }
            var meaning = new ArgumentMeaning(command, command.CalledAs?.Renamed(arguments, remarks) ?? arguments,
                remarks);
            meaning.TakeParameters();
            meaning.TakeOthers();
            return meaning._understood;
        }

        /// <summary>What to do about an argument that the command does not have.</summary>
        public static string AdviceOn(Command command, string name)
        {
            var nearest = NamesOf(command).FirstOrDefault(other => Spelling.IsSlip(name, other));
            return nearest != null ? "The nearest is " + nearest + "."
                : OfNewObject.TryGetValue(name, out var advice) && NamesOf(command).Contains("scale") ? advice
                : Array.IndexOf(Values, name) >= 0 ? "set_fields takes it: values: {\"" + name + "\": ...}." : null;
        }

        /// <summary>The arguments that were taken as values, each a sentence after a space: one of them may be what
        /// does not fit.</summary>
        public static string ValuesIn(List<string> remarks) =>
            string.Concat(remarks.FindAll(remark => remark.EndsWith(AsValue)).Select(remark => " " + remark));

        public static IEnumerable<string> NamesOf(Command command) =>
            command.Arguments.Select(parameter => parameter.Name);

        private void TakeParameters()
        {
            // The fields of components join the values.
            foreach (var argument in _arguments.OrderBy(argument => ParameterFor(argument.Key)?.Name == "components"))
            {
                var parameter = ParameterFor(argument.Key);
                if (parameter == null || argument.Value == null)
                {
                    continue;
                }
                if (parameter.Name != argument.Key)
                {
                    Remark(Quoted.Text(argument.Key) + " was taken as " + parameter.Name + ".");
                }
                _understood[parameter.Name] = parameter.Name == "components" && Has("values")
                    ? ComponentsIn(argument.Value) : Typed(parameter, argument.Value);
            }
        }

        // Components with their fields, as {"Rigidbody": {"mass": 2}} or [{"type": "Rigidbody", "mass": 2}].
        private object ComponentsIn(object value)
        {
            var items = value is JsonObject named ? named.Select(pair => pair.Value is JsonObject fields
                ? new JsonObject(fields) { ["type"] = pair.Key } : pair.Value).ToList() : value as List<object>;
            return items?.ConvertAll(ComponentIn) ?? Typed(Named("components"), value);
        }

        private object ComponentIn(object item)
        {
            var fields = item is JsonObject members ? new JsonObject(members) : new JsonObject();
            var key = TypeKeys.FirstOrDefault(name => fields.Get(name) is string);
            var type = fields.Text(key ?? "");
            if (key == null || !(ValuesNow() is { } values) || values.ContainsKey(type))
            {
                return item;
            }
            fields.Remove(key);
            var nested = fields.Count == 1 && fields.Keys.First() is "properties" or "values" or "fields" ?
                fields.Values.First() : fields;
            if (fields.Count > 0)
            {
                values[type] = nested;
                _understood["values"] = values;
                Remark("The fields of " + Quoted.Text(type) + " were taken as values.");
            }
            return type;
        }

        // In this order: each of them can mean one thing only where the ones before it do not fit.
        private void TakeOthers()
        {
            foreach (var argument in _arguments.Where(argument => ParameterFor(argument.Key) == null).ToList())
            {
                var isTaken = IsOfPair(argument.Key) || TakeAsPath(argument.Key, argument.Value)
                    || TakeAsPlace(argument.Key, argument.Value)
                    || TakeAsValue(argument.Key, argument.Value);
                if (!isTaken)
                {
                    _understood[argument.Key] = argument.Value;
                }
            }
            TakePair();
        }

        // name, where the command has none: what is meant is the object of that name.
        private bool TakeAsPath(string name, object value)
        {
            var path = name != "name" || !(value is string) ? null
                : new[] { "path", "paths" }.FirstOrDefault(other => Has(other) && !_understood.ContainsKey(other));
            if (path == null)
            {
                return false;
            }
            Remark("name was taken as " + path + ".");
            _understood[path] = Typed(Named(path), value);
            return true;
        }

        // path, where the command makes an object: its parent and name, or the prefab to make it of.
        private bool TakeAsPlace(string name, object value)
        {
            if (name != "path" || !(value is string path) || !Has("parent") || !Has("name"))
            {
                return false;
            }
            if (path.EndsWith(".prefab", StringComparison.Ordinal) && Has("prefab")
                && !_understood.ContainsKey("prefab"))
            {
                Remark("path was taken as prefab.");
                _understood["prefab"] = path;
                return true;
            }
            if (_understood.ContainsKey("parent") || _understood.ContainsKey("name"))
            {
                return false;
            }
            var slash = path.LastIndexOf('/');
            _understood["name"] = ObjectPath.Unescape(path.Substring(slash + 1));
            if (slash >= 0)
            {
                _understood["parent"] = slash == 0 ? "/" : path.Substring(0, slash);
            }
            Remark("path was taken as parent and name.");
            return true;
        }

        // Any other name is one of values, unless it is a slip of a parameter's.
        private bool TakeAsValue(string name, object value)
        {
            var isOther = OtherNames.TryGetValue(CommandDeclaration.SnakeCase(name), out var row) && row.Split(' ')
                .Any(Has);
            if (isOther || !Has("values") || NamesOf(_command).Any(other => Spelling.IsSlip(name, other))
                || (OfNewObject.ContainsKey(name) && Has("scale"))
                || ValuesNow() is not { } values || values.ContainsKey(name))
            {
                return false;
            }
            values[name] = value;
            _understood["values"] = values;
            Remark(Quoted.Text(name) + AsValue);
            return true;
        }

        private static readonly string[] TypeKeys = "type typeName type_name component name".Split(' ');

        private static readonly string[] PairNames = { "property", "property_name", "field", "field_name" };

        // property and value, with or without a component: one of values.
        private bool IsOfPair(string name) => Pair() is { } pair
            && (name == pair || name == "value" || (name == ComponentOfPair() && name != null));

        private string Pair() => Has("values") && !Has("value") && _arguments.ContainsKey("value")
            ? PairNames.FirstOrDefault(name => !Has(name) && _arguments.Get(name) is string) : null;

        private string ComponentOfPair() => new[] { "component", "component_type", "component_name" }
            .FirstOrDefault(name => ParameterFor(name) == null && _arguments.Get(name) is string);

        private void TakePair()
        {
            if (!(Pair() is { } pair) || !(ValuesNow() is { } values))
            {
                return;
            }
            var component = ComponentOfPair();
            var key = (component == null ? "" : _arguments.Text(component) + ".") + _arguments.Text(pair);
            values[key] = _arguments.Get("value");
            _understood["values"] = values;
            Remark(pair + " and value were taken as values: {" + Quoted.Text(key) + ": ...}.");
        }

        private JsonObject ValuesNow() => _understood.TryGetValue("values", out var values)
            ? values as JsonObject is { } members ? new JsonObject(members) : null
            : new JsonObject();

        private CommandParameter ParameterFor(string name)
        {
            var spelt = CommandDeclaration.SnakeCase(name).Replace('-', '_');
            var others = OtherNames.TryGetValue(spelt, out var row) ? row.Split(' ') : Array.Empty<string>();
            return Named(name) ?? others.Prepend(spelt).Where(other => !_arguments.ContainsKey(other)).Select(Named)
                .FirstOrDefault(parameter => parameter != null);
        }

        private CommandParameter Named(string name) =>
            _command.Arguments.FirstOrDefault(parameter => parameter.Name == name);

        private bool Has(string name) => Named(name) != null;

        // A text where a list, a vector, a number or a truth value is taken.
        private object Typed(CommandParameter parameter, object value)
        {
            var type = Nullable.GetUnderlyingType(parameter.Type) ?? parameter.Type;
            if (!(value is string text))
            {
                return value;
            }
            if (ArgumentType.ItemOf(type) != null)
            {
                Remark(parameter.Name + " was taken as a list of one.");
                return new List<object> { value };
            }
            if (type == typeof(Vector3))
            {
                return ArgumentConversion.NumbersIn(text) ?? value;
            }
            return type == typeof(bool) && bool.TryParse(text, out var flag) ? flag
                : type.IsPrimitive && type != typeof(bool) && type != typeof(char) ? Number(text) ?? value : value;
        }

        private static object Number(string text) =>
            long.TryParse(text, NumberStyles.AllowLeadingSign | NumberStyles.AllowLeadingWhite,
                CultureInfo.InvariantCulture, out var whole) ? whole
            : double.TryParse(text, NumberStyles.Float, CultureInfo.InvariantCulture, out var real) ? real
            : (object)null;

        private void Remark(string sentence) => _remarks?.Add(sentence);
    }
}
