using UnityEngine;
using UnityEngine.Rendering;
using UnityBridge.EditorLife;

namespace UnityBridge.GameUi
{
    /// <summary>Counts what cameras render to the Game view, in each render pipeline. Main thread.</summary>
    internal sealed class RenderWatch
    {
        private bool _watches;
        private long _count;

        /// <summary>The frame of the game that was rendered last; null if none was since the first call of <see
        /// cref="Count"/>.</summary>
        public int? Frame { get; private set; }

        /// <summary>How often a camera has rendered for the Game view since it was first asked.</summary>
        public long Count()
        {
            if (!_watches)
            {
                // From the first picture on, and for as long as the domain lives.
                _watches = true;
                DomainEnd.Subscribe(() => Camera.onPostRender += Note, () => Camera.onPostRender -= Note);
                DomainEnd.Subscribe(() => RenderPipelineManager.endCameraRendering += NoteInPipeline,
                    () => RenderPipelineManager.endCameraRendering -= NoteInPipeline);
            }
            return _count;
        }

        private void NoteInPipeline(ScriptableRenderContext context, Camera camera) => Note(camera);

        private void Note(Camera camera)
        {
            // Those of the Scene view and of previews are of another type; one with a texture of its own shows nothing
            // here.
            if (camera.cameraType == CameraType.Game && camera.targetTexture == null)
            {
                _count++;
                Frame = Time.frameCount;
            }
        }
    }
}
