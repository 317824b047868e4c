using System;
using UnityEngine;

namespace UnityBridge.Tools
{
    /// <summary>A view of the editor of which pictures are taken, one after the other. Main thread.</summary>
    internal interface IPicturedView : IDisposable
    {
        /// <summary>As the tool's argument names it.</summary>
        string Name { get; }

        /// <summary>How long a call waits, over all of its pictures, for a view that does not draw.</summary>
        long PatienceMs { get; }

        /// <summary>Begins a picture: finds the view and asks it to draw. Why there is none, or null.</summary>
        string Begin();

        /// <summary>Whether the view has drawn since. If it has not, it is asked again.</summary>
        bool HasDrawn();

        /// <summary>Hands over what the view shows, and whether its first row is at the top, then releases it. Why
        /// there is nothing, or null.</summary>
        string Show(Action<RenderTexture, bool> use);

        /// <summary>The frame of the game that the picture shows. In an update after it, frameCount may be a later
        /// one.</summary>
        int Frame { get; }

        /// <summary>Whether a picture of a view that has drawn, or has not, is of this call.</summary>
        bool IsFresh(bool hasDrawn);

        /// <summary>What is to be said of a picture for which the view did not draw.</summary>
        string NotDrawn { get; }
    }
}
