using System;
using System.IO;
using System.Linq;
using System.Text.RegularExpressions;
using UnityBridge.Framework;
using UnityBridge.Platform;
using UnityBridge.Wire;

namespace UnityBridge.Changes
{
    /// <summary>Names and folders of new files: every system can have them, a person can see them, and no link leads to
    /// them (SPEC §16.7). What is there already keeps its name. Main thread.</summary>
    internal static class NewPath
    {
        private const string NotOnWindows = "\\:*?\"<>|";

        // Windows has these in each folder, with any extension (learn.microsoft.com, "Naming Files, Paths, and
        // Namespaces").
        private static readonly Lazy<Regex> Device = new Lazy<Regex>(() =>
            new Regex(@"^(CON|PRN|AUX|NUL|CONIN\$|CONOUT\$|(COM|LPT)[0-9\u00B9\u00B2\u00B3])$",
                RegexOptions.IgnoreCase | RegexOptions.CultureInvariant));

        // As Windows shortens names: another name for a file that is there.
        private static readonly Lazy<Regex> ShortName =
            new Lazy<Regex>(() => new Regex("^.{0,8}~[0-9]{1,6}$", RegexOptions.CultureInvariant));

        /// <param name="path">Below the project, with / between the names.</param>
        public static void RequireGoodNames(string path)
        {
            var parent = "";
            foreach (var name in path.Split('/'))
            {
                var part = parent.Length == 0 ? name : parent + "/" + name;
                if (!WrittenFiles.IsThere(part) && FaultIn(name) is { } fault)
                {
                    var refusal = Refusal.NotExecuted(
                        "bad_name", "Choose another name: " + Quoted.Text(name) + " " + fault + "."
                        + ChangeTarget.Unchanged);
                    refusal.Details["name"] = name;
                    throw new CommandRefused(refusal);
                }
                parent = part;
            }
        }

        /// <summary>A link leads out of the project, or makes one file two.</summary>
        /// <param name="path">Below the project, with / between the names.</param>
        /// <param name="first">How many names are not looked at: a package that is not embedded lies elsewhere.</param>
        public static void RequireNoLinks(string path, int first)
        {
            var names = path.Split('/');
            var place = RealPath.Resolve(WrittenFiles.OnDisk(string.Join("/", names.Take(first))));
            for (var count = first + 1; count <= names.Length; count++)
            {
                var part = string.Join("/", names.Take(count));
                var isLink = FilesOnDisk.IsLink(WrittenFiles.OnDisk(part));
                if (!isLink && !WrittenFiles.IsThere(part))
                {
                    return;
                }
                // Also another name of what is there: in other letters, or shortened.
                place = Path.Combine(place, names[count - 1]);
                if (isLink || RealPath.Resolve(WrittenFiles.OnDisk(part)) != place)
                {
                    throw ChangeTarget.Refused(
                        Quoted.Text(path) + " leads through a link (" + Quoted.Text(part)
                        + "). Give a path without one.");
                }
            }
        }

        private static string FaultIn(string name)
        {
            var stem = name.Split('.')[0].TrimEnd(' ');
            if (Device.Value.IsMatch(stem))
            {
                return "is the name of a device on Windows";
            }
            if (name.IndexOfAny(NotOnWindows.ToCharArray()) >= 0 || name.Ends(".")
                || name.Ends(" "))
            {
                return "is no name that Windows can have";
            }
            if (Unseen.IsIn(name))
            {
                return "has characters that nobody sees";
            }
            var isShort = ShortName.Value.IsMatch(name)
                || ShortName.Value.IsMatch(Path.GetFileNameWithoutExtension(name));
            return isShort ? "is a short name of another file on Windows" : null;
        }
    }
}
