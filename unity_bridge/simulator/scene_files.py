"""Files of open scenes that another program changed, about which Unity asks in a modal dialog (SPEC §16.1)."""

from __future__ import annotations

from typing import Dict, List

from unity_bridge.base.result import Err, Ok, Result
from unity_bridge.simulator.job import Refusal, refused
from unity_bridge.simulator.scene import Content

_CHOICE = "Pass changed_scenes: disk to take the files, or changed_scenes: editor to keep what the editor has."


class SceneFiles:
    """``content`` has the scenes, ``unsaved`` the paths of those with unsaved changes. Main thread."""

    def __init__(self, content: Content, unsaved: List[str]) -> None:
        self._on_disk = content.copy()
        self._content = content
        self._unsaved = unsaved
        self._changed: Dict[str, bool] = {}  # path -> whether the file is still there

    def change(self, path: str, is_there: bool = True) -> None:
        """Another program writes or deletes a scene's file."""
        self._changed[path] = is_there

    @property
    def changed(self) -> List[str]:
        return [scene.file for scene in self._content.scenes if scene.is_open and scene.file in self._changed]

    def resolve(self, choice: str) -> Result[List[str], Refusal]:
        """The scenes that were opened again; ``Err`` if ``choice`` is ``refuse`` and work could be lost."""
        contested = [path for path in self.changed if path in self._unsaved or not self._changed[path]]
        if contested and choice == "refuse":
            message = f"Open scenes were changed or deleted on disk: {', '.join(contested)}. {_CHOICE}"
            return Err(refused("scene_changed_on_disk", message, scenes=contested))
        reopened = []
        for path in self.changed:
            if choice == "editor" and path in contested:
                self._save(path)
            else:
                self._open_again(path)
                reopened.append(path)
        return Ok(reopened)

    def _save(self, path: str) -> None:
        if path in self._unsaved:
            self._unsaved.remove(path)
            del self._changed[path]

    def _open_again(self, path: str) -> None:
        scene = next(scene for scene in self._content.scenes if scene.file == path)
        scene.is_open = self._changed.pop(path)
        scene.roots = next(scene.roots for scene in self._on_disk.copy().scenes if scene.file == path)
        self._content.selection.clear()
        if path in self._unsaved:
            self._unsaved.remove(path)
