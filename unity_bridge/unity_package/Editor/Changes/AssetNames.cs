using System;
using System.Collections.Generic;
using System.Linq;
using UnityEditor;
using UnityBridge.Objects;
using UnityBridge.Wire;

namespace UnityBridge.Changes
{
    /// <summary>Finds an asset by its file's bare name, or by a path without its extension, for arguments that can mean
    /// nothing but an asset of one
    /// type. Main thread.</summary>
    internal static class AssetNames
    {
        private const int MostNamed = 5;

        /// <summary>The path of the one asset that is meant, with a remark if it is not what was written; the text
        /// itself if there is none.</summary>
        /// <param name="extension">With its point.</param>
        public static string Find(string text, string extension, List<string> remarks)
        {
            if (string.IsNullOrEmpty(text) || AssetDatabase.GetMainAssetTypeAtPath(text) != null)
            {
                return text;
            }
            var paths = Matches(text, extension);
            if (paths.Count > 1)
            {
                throw ChangeTarget.Refused(
                    "Give the path of one of the files that are named " + Quoted.Text(text) + ": "
                    + string.Join(", ", paths.Take(MostNamed)) + ".");
            }
            if (paths.Count == 0)
            {
                return text;
            }
            remarks.Add(Quoted.Text(text) + " was taken as " + paths[0] + ".");
            return paths[0];
        }

        /// <summary>The files with this extension that a path without it, or a bare name, may mean.</summary>
        public static List<string> Matches(string text, string extension)
        {
            var whole = text.EndsWith(extension, StringComparison.OrdinalIgnoreCase) ? text : text + extension;
            if (text.Contains("/"))
            {
                return AssetDatabase.GetMainAssetTypeAtPath(whole) != null ? new List<string> { whole }
                    : new List<string>();
            }
            var name = whole.Substring(0, whole.Length - extension.Length) + extension;
            return AssetFiles.Named(whole).Where(path => AssetFiles.NameOf(path) == name).ToList();
        }

        /// <summary>The files whose bare name this is, with or without its extension.</summary>
        public static List<string> FilesNamed(string name) => name.Contains("/") ? new List<string>()
            : AssetFiles.Named(name).Where(path => AssetFiles.NameOf(path)
                .StartsWith(name, StringComparison.OrdinalIgnoreCase)).Take(MostNamed).ToList();
    }
}
