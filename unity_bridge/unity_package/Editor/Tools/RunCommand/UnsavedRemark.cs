using System.Collections.Generic;
using System.Linq;
using UnityBridge.EditorLife;
using UnityBridge.Jobs;

namespace UnityBridge.Tools
{
    /// <summary>Says to each MCP client once, at its first change of an open scene, what that means for
    /// <c>run_tests</c> (SPEC §16.5). Main thread.</summary>
    internal sealed class UnsavedRemark
    {
        private const string Text =
            "Open scenes have unsaved changes now: call run_tests with unsaved: save, or save_scene before it.";

        // Until the domain ends.
        private static readonly HashSet<string> Reminded = new HashSet<string>();

        private readonly JobRequest _request;
        private readonly List<string> _before;

        /// <summary>Before the command runs.</summary>
        public UnsavedRemark(JobRequest request)
        {
            _request = request;
            _before = IsWanted ? UnsavedWork.Find() : null;
        }

        // A server asks for it for clients that speak MCP.
        private bool IsWanted =>
            _request.Client != null && _request.Parameters.Flag("tell_unsaved") == true
            && !Reminded.Contains(_request.Client);

        /// <param name="hasChangedScene">Also one that had unsaved changes before.</param>
        public void AddTo(List<string> remarks, bool hasChangedScene)
        {
            if (_before == null || !IsWanted)
            {
                return;
            }
            var unsaved = UnsavedWork.Find();
            if (unsaved.Except(_before).Any() || (hasChangedScene && unsaved.Count > 0))
            {
                Reminded.Add(_request.Client);
                remarks.Add(Text);
            }
        }
    }
}
