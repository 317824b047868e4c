using System;
using System.Collections;
using System.Collections.Generic;
using System.Diagnostics;
using System.IO;
using System.Linq;
using UnityEditor.PackageManager.Requests;
using UnityEngine;

namespace UnityEditor.PackageManager
{
    public enum StatusCode { InProgress, Success, Failure }

    public enum PackageSource { Unknown, Registry, BuiltIn, Embedded, Local, Git }

    /// <summary>Modules/PackageManager/Editor/Managed/ErrorCode.cs, 2021.3 to 6000.7: a name that the plugin has,
    /// too.</summary>
    public enum ErrorCode { Unknown, NotFound, Forbidden, InvalidParameter, Conflict, AggregateError }

    public class Error
    {
        public ErrorCode errorCode { get; internal set; }
        public string message { get; internal set; }
    }

    public class PackageInfo
    {
        public string name { get; internal set; }
        public string version { get; internal set; }
        public PackageSource source { get; internal set; }
        public bool isDirectDependency { get; internal set; }
        public string assetPath { get; internal set; }
        public string resolvedPath { get; internal set; }

        /// <summary>The embedded ones alone: each folder below Packages.</summary>
        public static PackageInfo[] GetAllRegisteredPackages()
        {
            Native.RequireMainThread("PackageInfo.GetAllRegisteredPackages");
            var packages = Path.Combine(Path.GetDirectoryName(Native.Editor.DataPath), "Packages");
            return !Directory.Exists(packages)
                ? new PackageInfo[0]
                : Directory.GetDirectories(packages).Select(folder => new PackageInfo
            {
                name = Path.GetFileName(folder), source = PackageSource.Embedded, resolvedPath = folder, assetPath =
                    "Packages/" + Path.GetFileName(folder),
            }).ToArray();
        }
    }

    public class PackageCollection : IEnumerable<PackageInfo>
    {
        private readonly List<PackageInfo> _packages;

        internal PackageCollection(IEnumerable<PackageInfo> packages)
        {
            _packages = packages.ToList();
        }

        public IEnumerator<PackageInfo> GetEnumerator() { return _packages.GetEnumerator(); }

        IEnumerator IEnumerable.GetEnumerator() { return GetEnumerator(); }
    }

    /// <summary>Asks a separate process (Client.cs). A change that succeeds is followed by a resolve, and where there
    /// is code in it by a compilation and a reload, after the request has been completed.</summary>
    public static class Client
    {
        private const string Key = "headless.packages";

        public static ListRequest List(bool offlineMode, bool includeIndirectDependencies)
        {
            Native.RequireMainThread("Client.List");
            return new ListRequest(new PackageCollection(Names().Select(name => new PackageInfo
            {
                name = name, version = "1.0.0", source = PackageSource.Registry, isDirectDependency = true,
            })));
        }

        public static AddAndRemoveRequest AddAndRemove(string[] packagesToAdd = null, string[] packagesToRemove = null)
        {
            Native.RequireMainThread("Client.AddAndRemove");
            var add = packagesToAdd ?? new string[0];
            var remove = packagesToRemove ?? new string[0];
            Native.Editor.Say("packages +" + string.Join(",", add) + " -" + string.Join(",", remove));
            Action effect = () =>
            {
                Native.Editor.SetSession(
                    Key, string.Join(",", Names().Except(remove).Union(add.Select(package => package.Split('@')[0]))));
                Native.Editor.RequestCompilation();
            };
            // A reload overtakes the request, which Unity carries out all the same.
            var isOvertaken = Native.Editor.Quirk("reload-before-answer");
            if (isOvertaken) effect();
            return new AddAndRemoveRequest(
                add.Contains("com.nobody.knows")
                ? "Package [com.nobody.knows] cannot be found"
                : null, effect, isOvertaken);
        }

        private static IEnumerable<string> Names()
        {
            return (Native.Editor.GetSession(Key) ?? "com.unity.test-framework").Split(',')
                .Where(name => name.Length > 0);
        }
    }
}

namespace UnityEditor.PackageManager.Requests
{
    public abstract class Request
    {
        private readonly Stopwatch _asked = Stopwatch.StartNew();
        private readonly string _error;
        private readonly bool _isOvertaken;
        private Action _effect;

        internal Request(string error, Action effect, bool isOvertaken)
        {
            _error = error;
            _effect = effect;
            _isOvertaken = isOvertaken;
        }

        public bool IsCompleted
        {
            get
            {
                Native.RequireMainThread("Request.IsCompleted");
                if (_asked.ElapsedMilliseconds < 50 || _isOvertaken) return false;
                if (_error == null && _effect != null) _effect();
                _effect = null;
                return true;
            }
        }

        public StatusCode Status
        {
            get
            {
                return !IsCompleted ? StatusCode.InProgress : _error == null ? StatusCode.Success : StatusCode.Failure;
            }
        }

        public Error Error { get { return Status == StatusCode.Failure ? new Error { message = _error } : null; } }
    }

    public class ListRequest : Request
    {
        private readonly PackageCollection _result;

        internal ListRequest(PackageCollection result) : base(null, null, false)
        {
            _result = result;
        }

        public PackageCollection Result { get { return Status == StatusCode.Success ? _result : null; } }
    }

    public class AddAndRemoveRequest : Request
    {
        internal AddAndRemoveRequest(string error, Action effect, bool isOvertaken) : base(error, effect, isOvertaken)
        {
        }
    }
}
