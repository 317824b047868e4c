using System.Linq;
using UnityEngine.UIElements;
using UnityBridge.Objects;
using UnityBridge.Wire;

namespace UnityBridge.GameUi
{
    /// <summary>Where a path of the user interface begins: at an object, or at an element of a document. Main
    /// thread.</summary>
    internal sealed class UiPlace
    {
        private const int MostNamed = 5;

        private UiPlace(HierarchyNode node, string path)
        {
            Node = node;
            Path = path;
        }

        /// <summary>The object or scene; of an element the object of its document.</summary>
        public HierarchyNode Node { get; }

        /// <summary>Its path, without what follows a #.</summary>
        public string Path { get; }

        /// <summary>Null for an object.</summary>
        public VisualElement Element { get; private set; }

        public ToolkitDocument Document => ToolkitDocument.FromObject(Node.Object);

        /// <summary>Null, and why, if nothing is there.</summary>
        public static UiPlace Find(CommandCall call, string path, out string fault, PathUse use = PathUse.Whole)
        {
            // A name may have a # in it: what is found with the longest object is meant.
            fault = null;
            for (var end = path.Length; end >= 0; end = end == 0 ? -1 : path.LastIndexOf('#', end - 1))
            {
                var finder = ObjectFinder.Look(call, path.Substring(0, end), use);
                fault ??= finder.Fault ?? (
                    finder.Node == null
                    ? "This is an asset. Elements of the user interface are in open scenes."
                    : null);
                if (finder.Node == null || finder.Fault != null)
                {
                    continue;
                }
                var place = new UiPlace(finder.Node, finder.Path);
                fault = end == path.Length ? null : place.Enter(path.Substring(end + 1));
                return fault == null ? place : null;
            }
            return null;
        }

        // What is wrong, or null.
        private string Enter(string address)
        {
            var root = Document?.Root;
            if (root == null)
            {
                return "'" + Quoted.Text(Path) + "' has no document of UI Toolkit that is loaded, so there is no '#"
                    + Quoted.Text(address) + "' in it.";
            }
            Element = ToolkitElement.Find(root, address);
            if (Element != null)
            {
                return null;
            }
            var several = ToolkitElement.Below(root).Count(element => element.name == address) > 1;
            var names = ToolkitElement.Below(root)
                .Where(element => element != root && !string.IsNullOrEmpty(element.name)
                    && !element.name.StartsWith("unity-"))
                .Select(element => "'#" + Quoted.Text(element.name) + "'").Distinct().Take(MostNamed).ToList();
            return (several
                ? "Several elements of '" + Quoted.Text(Path) + "' are named '"
                : "'" + Quoted.Text(Path) + "' has no element '#") + Quoted.Text(address) + "'. "
                + "inspect what: ui lists those that can be used. "
                + (names.Count == 0 ? "None of its elements has a name." : "It has " + string.Join(", ", names) + ".");
        }
    }
}
