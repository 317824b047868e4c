"""Files of open scenes that another program changed, about which Unity asks in a modal dialog (SPEC §16.1)."""

from __future__ import annotations

from typing import Dict, List, Optional

from unity_bridge.simulator.job import Refusal, refused
from unity_bridge.simulator.world import SCENE, Thing, World

_CHOICE = "Pass changed_scenes: disk to take the files, or changed_scenes: editor to keep what the editor has."


class SceneFiles:
    """``content`` has the scenes. Main thread."""

    def __init__(self, content: World) -> None:
        self._on_disk = content.copy()
        self._content = content
        self._unsaved = content.unsaved
        self._changed: Dict[str, bool] = {}  # path -> whether the file is still there

    def change(self, path: str, is_there: bool = True) -> None:
        """Another program writes or deletes a scene's file."""
        self._changed[path] = is_there

    def note(self, path: str) -> None:
        """Note that the editor has opened or saved the scene: it is as its file is."""
        self._changed.pop(path, None)

    @property
    def changed(self) -> List[str]:
        return [scene.path for scene in self._content.scenes if scene.is_open and scene.path in self._changed]

    @property
    def contested(self) -> List[str]:
        """Those of ``changed`` that have unsaved changes, or whose file is gone."""
        return [path for path in self.changed if path in self._unsaved or not self._changed[path]]

    def refusal(self, choice: str) -> Optional[Refusal]:
        """Return why nothing can be imported: work could be lost, and the caller has not chosen what to do."""
        scenes = self.contested
        message = f"Open scenes were changed or deleted on disk: {', '.join(scenes)}. {_CHOICE}"
        is_open = scenes and choice == "refuse"
        return refused("scene_changed_on_disk", message, scenes=scenes) if is_open else None

    def resolve(self, choice: str) -> List[str]:
        """Make the editor and the files agree. Returns the scenes that were opened again."""
        contested, reopened = self.contested, []
        for path in self.changed:
            if choice == "disk" or path not in contested:
                if self._changed[path]:
                    reopened.append(path)
                self._take_file(path)
            if path in self._unsaved:
                self._unsaved.remove(path)
            self.note(path)
        return reopened

    def _take_file(self, path: str) -> None:
        scene = next(scene for scene in self._content.scenes if scene.path == path)
        scene.below = next((one.below for one in self._on_disk.copy().scenes if one.path == path), [])
        scene.is_open = self._changed[path]
        self._content.selection.clear()
        if not self._content.open_scenes:
            self._content.scenes.append(Thing(SCENE))  # Unity is never without a scene
