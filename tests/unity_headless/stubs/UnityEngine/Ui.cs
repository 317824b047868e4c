using System;
using System.Collections.Generic;
using System.Linq;

namespace UnityEngine.Events
{
    public delegate void UnityAction();

    public delegate void UnityAction<T0>(T0 arg0);
}

namespace UnityEngine
{
    public partial struct Vector2
    {
        public static Vector2 zero { get { return new Vector2(0, 0); } }

        public static implicit operator Vector3(Vector2 v) { return new Vector3(v.x, v.y, 0); }

        public static implicit operator Vector2(Vector3 v) { return new Vector2(v.x, v.y); }
    }

    public partial struct Rect
    {
        public static Rect zero { get { return new Rect(0, 0, 0, 0); } }
        public float xMin { get { return x; } }
        public float yMin { get { return y; } }
        public float xMax { get { return x + width; } }
        public float yMax { get { return y + height; } }

        public static Rect MinMaxRect(float xmin, float ymin, float xmax, float ymax)
        {
            return new Rect(xmin, ymin, xmax - xmin, ymax - ymin);
        }

        public bool Contains(Vector2 point)
        {
            return point.x >= xMin && point.x < xMax && point.y >= yMin && point.y < yMax;
        }
    }

    /// <summary>The Game view's size inside the game's frame, where the player loop sets it
    /// (EarlyUpdate.UpdateMainGameViewRect, PlayerLoop.bindings.cs, 2021.3 to 6000.7) and while the view is drawn;
    /// outside of them the size of the editor's window that was drawn last (hatayama/unity-cli-loop, commit 87fecd7e
    /// and PRs 1324, 1366, 1473, 1662: raycasts from the editor's update were clipped to it).</summary>
    public sealed class Screen
    {
        internal static bool IsOfGame;

        public static int width { get { return IsOfGame ? ViewWidth : 640; } }
        public static int height { get { return IsOfGame ? ViewHeight : 480; } }

        internal static int ViewWidth { get { return View("width", 1920); } }
        internal static int ViewHeight { get { return View("height", 1080); } }

        private static int View(string side, int usual)
        {
            Native.RequireMainThread("Screen." + side);
            var given = Native.Editor.QuirkValue("view-" + side);
            return given > 0 ? given : usual;
        }
    }

    /// <summary>Runtime/Export/Graphics/Display.bindings.cs: the display of the Game view that had the focus last. Its
    /// setter is internal.</summary>
    public class Display
    {
        public static int activeEditorGameViewTarget { get; internal set; }
    }

    // Runtime/Export/Scripting/Behaviour.bindings.cs
    public partial class Behaviour
    {
        private bool _isOff;

        public bool enabled { get { return !_isOff; } set { _isOff = !value; } }
        public bool isActiveAndEnabled
        {
            get { return !_isOff && !IsDestroyed && Owner != null && Owner.activeInHierarchy; }
        }
    }

    public partial class MonoBehaviour
    {
        /// <summary>Once in each frame of the game.</summary>
        internal virtual void InFrame()
        {
        }
    }

    public sealed partial class GameObject
    {
        public Component GetComponent(Type type)
        {
            return GetComponents(type).FirstOrDefault(component => !ReferenceEquals(component, null));
        }

        /// <summary>In the active scene. What a game makes goes with it.</summary>
        public GameObject(string name, params Type[] components)
            : this(SceneManagement.SceneManager.GetActiveScene().File, null, name)
        {
            Access("GameObject");
            World.ById["made " + World.ById.Count] = this;
            if (Native.Playing) World.OfGame.Add(this);
            foreach (var component in components) AddComponent(component);
        }

        internal override void Destroyed() { Destroy(); }

        public Component AddComponent(Type type)
        {
            if (!ModuleAttribute.CanAdd(type)) return null;
            if (type == typeof(Canvas) && !(Own is RectTransform)) Add(typeof(RectTransform));
            foreach (RequireComponent needs in type.GetCustomAttributes(typeof(RequireComponent), true))
                if (!Components.Any(needs.m_Type0.IsInstanceOfType)) AddComponent(needs.m_Type0);
            return Add(type);
        }
    }

    public partial class Transform
    {
        public void SetParent(Transform parent, bool worldPositionStays)
        {
            Place(parent, Owner.SceneFile, int.MaxValue);
        }
    }

    public class Font : Object
    {
        public static Font CreateDynamicFontFromOSFont(string fontname, int size) { return new Font(); }
    }

    /// <summary>A rectangle of the world without rotation; overlays have the pixels of the screen for a
    /// world.</summary>
    public sealed partial class RectTransform
    {
        private Rect? _given;

        public Vector2 anchorMin { get; set; }
        public Vector2 anchorMax { get; set; }
        public Vector2 offsetMin { get; set; }
        public Vector2 offsetMax { get; set; }

        /// <summary>As a line of the world gives it; else between its anchors in what it is in, where a Canvas is the
        /// screen.</summary>
        internal Rect Area
        {
            get
            {
                var above = Above as RectTransform;
                if (_given.HasValue || ReferenceEquals(above, null))
                {
                    return _given ?? new Rect(0, 0, Screen.ViewWidth, Screen.ViewHeight);
                }
                var around = above.Area;
                return Rect.MinMaxRect(around.xMin + around.width * anchorMin.x + offsetMin.x,
                    around.yMin + around.height * anchorMin.y + offsetMin.y,
                    around.xMin + around.width * anchorMax.x + offsetMax.x, around.yMin + around.height * anchorMax.y
                    + offsetMax.y);
            }
            set { _given = value; }
        }

        /// <summary>From the bottom left, clockwise (Runtime/Transform/ScriptBindings/RectTransform.cs).</summary>
        public void GetWorldCorners(Vector3[] fourCornersArray)
        {
            Access("RectTransform.GetWorldCorners");
            fourCornersArray[0] = new Vector3(Area.xMin, Area.yMin, 0);
            fourCornersArray[1] = new Vector3(Area.xMin, Area.yMax, 0);
            fourCornersArray[2] = new Vector3(Area.xMax, Area.yMax, 0);
            fourCornersArray[3] = new Vector3(Area.xMax, Area.yMin, 0);
        }
    }

    /// <summary>Modules/UI/ScriptBindings/RectTransformUtility.cs, 2021.3.58f1.</summary>
    public sealed class RectTransformUtility
    {
        public static bool RectangleContainsScreenPoint(RectTransform rect, Vector2 screenPoint, Camera cam)
        {
            var corners = new Vector3[4];
            rect.GetWorldCorners(corners);
            var from = WorldToScreenPoint(cam, corners[0]);
            var to = WorldToScreenPoint(cam, corners[2]);
            return screenPoint.x >= from.x && screenPoint.x < to.x && screenPoint.y >= from.y && screenPoint.y < to.y;
        }

        public static Vector2 WorldToScreenPoint(Camera cam, Vector3 worldPoint)
        {
            return cam == null ? new Vector2(worldPoint.x, worldPoint.y) : (Vector2)cam.WorldToScreenPoint(worldPoint);
        }
    }

    /// <summary>It looks along z: a point of the world is Zoom times its distance from the camera's place away from the
    /// middle of the screen.</summary>
    public sealed partial class Camera
    {
        internal Vector3 At;
        internal float Zoom = 1;

        public static Camera main
        {
            get
            {
                return World.Everything().SelectMany(one => one.Components).OfType<Camera>()
                    .FirstOrDefault(one => one.isActiveAndEnabled && one.Owner.Tag == "MainCamera");
            }
        }

        public int targetDisplay { get; set; }
        public float depth { get; set; }

        public Vector3 WorldToScreenPoint(Vector3 position)
        {
            Access("Camera.WorldToScreenPoint");
            return new Vector3((position.x - At.x) * Zoom + Screen.width / 2f,
                (position.y - At.y) * Zoom + Screen.height / 2f, position.z - At.z);
        }
    }

    public enum RenderMode { ScreenSpaceOverlay, ScreenSpaceCamera, WorldSpace }

    /// <summary>Modules/UI/ScriptBindings/UICanvas.bindings.cs. A Canvas below another one has its mode, camera and
    /// display from the root.</summary>
    [Module("ui")]
    public sealed class Canvas : Behaviour
    {
        private RenderMode _mode;
        private Camera _camera;
        private int _display;

        public delegate void WillRenderCanvases();

        public static event WillRenderCanvases willRenderCanvases;

        /// <summary>Before they are drawn, at the end of a frame and, as it seems, where the view of a paused game is
        /// drawn, since what is changed then is seen in it (native; not read). The quirk still-canvases is a Unity
        /// where it is not so.</summary>
        internal static void SendWillRenderCanvases()
        {
            if (willRenderCanvases == null
                || !World.Everything().SelectMany(one => one.Components).OfType<Canvas>().Any())
            {
                return;
            }
            var before = Screen.IsOfGame;
            Screen.IsOfGame = true;
            willRenderCanvases();
            Screen.IsOfGame = before;
        }

        public RenderMode renderMode { get { return rootCanvas._mode; } set { _mode = value; } }
        public Camera worldCamera { get { return rootCanvas._camera; } set { _camera = value; } }
        public int targetDisplay { get { return rootCanvas._display; } set { _display = value; } }
        public int sortingOrder { get; set; }
        public bool overrideSorting { get; set; }
        public bool isRootCanvas { get { return ReferenceEquals(rootCanvas, this); } }

        public Canvas rootCanvas
        {
            get
            {
                Access("Canvas.rootCanvas");
                var root = this;
                for (var at = Owner.Own.Above; !ReferenceEquals(at, null); at = at.Above)
                {
                    var above = at.Owner.Components.OfType<Canvas>().FirstOrDefault();
                    if (!ReferenceEquals(above, null)) root = above;
                }
                return root;
            }
        }
    }

    /// <summary>Modules/UI/ScriptBindings/CanvasGroup.bindings.cs.</summary>
    [Module("ui")]
    public sealed class CanvasGroup : Behaviour
    {
        public bool interactable { get; set; } = true;
        public bool blocksRaycasts { get; set; } = true;
        public bool ignoreParentGroups { get; set; }
    }

    internal static partial class World
    {
        /// <summary>What happens when a player uses something, as lines of the world, by the object's or element's
        /// id.</summary>
        private static readonly Dictionary<string, List<string>> Effects = new Dictionary<string, List<string>>();

        private static int _frame;

        /// <summary>What scripts have made in play mode.</summary>
        public static readonly List<GameObject> OfGame = new List<GameObject>();

        /// <summary>What goes at the end of the game's frame.</summary>
        public static readonly List<Object> Doomed = new List<Object>();

        /// <summary>The game's scripts run once in each of its frames.</summary>
        private static void RunFrame()
        {
            if (!Native.Playing)
            {
                foreach (var left in LowLevel.PlayerLoop.Added())
                {
                    Native.Editor.Say("VIOLATION left in the player loop: " + left);
                }
                foreach (var made in OfGame.Where(one => !one.IsDestroyed)) made.Destroy();
                OfGame.Clear();
                Doomed.Clear();
            }
            if (!Native.Playing || Native.Editor.Quirk("no-frames") || Time.frameCount == _frame) return;
            _frame = Time.frameCount;
            if (UIElements.Panel.Pressed != 0) Native.Editor.Say("VIOLATION a pointer is still pressed in a panel");
            LowLevel.PlayerLoop.Run();
            foreach (var doomed in Doomed.Where(one => !one.IsDestroyed)) doomed.Destroyed();
            Doomed.Clear();
        }

        internal static void RunScripts()
        {
            foreach (var script in Everything().SelectMany(one => one.Components).OfType<MonoBehaviour>().ToList())
            {
                script.InFrame();
            }
        }

        public static IEnumerable<GameObject> Everything()
        {
            return Roots.Values.SelectMany(roots => roots).ToList().SelectMany(Everything);
        }

        private static IEnumerable<GameObject> Everything(GameObject top)
        {
            yield return top;
            foreach (var child in top.Own.Children.ToList().SelectMany(below => Everything(below.Owner)))
            {
                yield return child;
            }
        }

        public static string IdOf(object thing)
        {
            var component = thing as Component;
            return ById.FirstOrDefault(
                pair => ReferenceEquals(pair.Value, ReferenceEquals(component, null) ? thing : component.Owner)).Key
                ?? Elements.FirstOrDefault(pair => ReferenceEquals(pair.Value, thing)).Key ?? "?";
        }

        /// <summary>A handler of the game's own hears of it.</summary>
        public static void Used(object thing, string how)
        {
            var id = IdOf(thing);
            Native.Editor.Say("used " + id + " " + how);
            React(id);
        }

        public static void Pressed(object thing)
        {
            var id = IdOf(thing);
            Native.Editor.Say("pressed " + id);
            React("press " + id);
        }

        public static void React(string to)
        {
            List<string> lines;
            if (!Effects.TryGetValue(to, out lines)) return;
            foreach (var line in lines.ToList())
            {
                var what = line.Split(' ')[0];
                var words = line.Substring(Math.Min(line.Length, what.Length + 1)).Split('|');
                if (what == "throw") throw new InvalidOperationException("thrown by the game");
                if (what == "destroy") Object.Destroy(ById[words[0]]);
                else Apply(what == "destroy-now" ? "destroy" : what, words);
            }
        }

        // rect ID|x,y,width,height    set ID|component|member|value    camera ID|x,y,z,zoom|display
        // when ID|line, or press ID or blur ID for ID (lines are also destroy-now ID, as DestroyImmediate, and throw)
        private static bool ApplyUi(string what, string[] words)
        {
            switch (what)
            {
                case "rect":
                    var rect = ((GameObject)ById[words[0]]).Own as RectTransform;
                    if (ReferenceEquals(rect, null))
                    {
                        rect = (RectTransform)((GameObject)ById[words[0]]).Add(typeof(RectTransform));
                    }
                    rect.Area = AreaIn(words[1]);
                    return true;
                case "set": SetMember(words); return true;
                case "when":
                    List<string> lines;
                    if (!Effects.TryGetValue(words[0], out lines)) Effects[words[0]] = lines = new List<string>();
                    lines.Add(string.Join("|", words.Skip(1).ToArray()));
                    return true;
                case "camera":
                    var camera = ((GameObject)ById[words[0]]).Components.OfType<Camera>().First();
                    var place = Array.ConvertAll(
                        words[1].Split(','), one =>
                        float.Parse(one, System.Globalization.CultureInfo.InvariantCulture));
                    camera.At = new Vector3(place[0], place[1], place[2]);
                    camera.Zoom = place[3];
                    camera.targetDisplay = int.Parse(words[2]);
                    return true;
                default: return ApplyToolkit(what, words);
            }
        }

        private static Rect AreaIn(string words)
        {
            var sides = Array.ConvertAll(
                words.Split(','), one => float.Parse(one, System.Globalization.CultureInfo.InvariantCulture));
            return new Rect(sides[0], sides[1], sides[2], sides[3]);
        }

        private static void SetMember(string[] words)
        {
            var part = ((GameObject)ById[words[0]])
                .Components.First(one => !ReferenceEquals(one, null) && one.GetType().Name == words[1]);
            var member = part.GetType().GetProperty(words[2]);
            var type = member.PropertyType;
            member.SetValue(part, type.IsEnum ? Enum.Parse(type, words[3]) : typeof(Component).IsAssignableFrom(type)
                ? ((GameObject)ById[words[3]]).Components.First(type.IsInstanceOfType)
                : Convert.ChangeType(words[3], type, System.Globalization.CultureInfo.InvariantCulture), null);
        }
    }
}
