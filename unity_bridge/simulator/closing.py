"""``close_editor``: the editor ends, if nothing is lost by it (SPEC §22.8). As
``Tools/RunCommand/CloseEditor.cs``.
"""

from __future__ import annotations

from unity_bridge.simulator.job import Advance, End, Job, RunState, failed, misfit, playing, refused
from unity_bridge.simulator.unity_api import UnityApi

NAME = "close_editor"


def close(editor: UnityApi, job: Job) -> Advance:
    """Refuse, or end the job and then the editor."""
    arguments = job.params["arguments"]
    if set(arguments) - {"save", "discard"} or any(
        type(value) is not bool for value in arguments.values()
    ):
        return failed(misfit("close_editor takes save and discard, each true or false."))
    if editor.player.is_playing:
        return failed(playing("close the editor again"))
    other_jobs = [job_id for job_id in editor.unended_jobs() if job_id != job.job_id]
    if other_jobs or editor.assemblies.is_compiling:
        obstacles = "The editor compiles or imports"
        if other_jobs:
            obstacles = f"Jobs have not ended: {', '.join(other_jobs)}"
        message = f"{obstacles}. Wait for it, or cancel it; then close the editor."
        return failed(refused("busy", message, jobs=other_jobs))
    before = list(editor.content.unsaved)
    if arguments.get("save"):
        editor.save_scenes()
    scenes = list(editor.content.unsaved)
    if scenes and not arguments.get("discard"):
        message = (
            f"There are unsaved changes ({', '.join(scenes)}). Save or discard them in Unity, or close with --save, "
            "which saves everything that has a file, or with --discard, which loses them."
        )
        lost = {"scenes": scenes, "assets": [], "settings": [], "windows": []}
        return failed(refused("unsaved_scenes", message, **lost))
    editor.exit(job)
    saved = [scene for scene in before if scene not in scenes]
    return End(
        RunState.SUCCEEDED, {"value": {"closing": True, "saved": saved, "discarded": scenes}}
    )
