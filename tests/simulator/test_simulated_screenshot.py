"""``screenshot`` in the simulated editor: a recorded picture that is as large as it says (SPEC
§16.3).
"""

from __future__ import annotations

import base64
from typing import Any, Dict

import pytest

from tests.simulator.manual_editor import ManualEditor, answer_of
from unity_bridge.base.result import Err, Ok
from unity_bridge.catalogue.picture_size import picture_size


@pytest.fixture
def editor() -> ManualEditor:
    return ManualEditor()


def shot(editor: ManualEditor, **params: Any) -> Dict[str, Any]:
    answer = answer_of(editor.process.tools.reads["screenshot"], params)
    assert isinstance(answer, Ok), answer
    return answer.value


@pytest.mark.parametrize("view", ["game", "scene"])
@pytest.mark.parametrize("kind", ["jpg", "png"])
@pytest.mark.parametrize(("max_size", "width"), [(2000, 512), (512, 512), (511, 64), (64, 64)])
def test_each_picture_is_of_the_size_and_the_format_that_it_says(
    editor: ManualEditor, view: str, kind: str, max_size: int, width: int
) -> None:
    shown = shot(editor, view=view, format=kind, max_size=max_size)
    size = picture_size(shown["format"], base64.b64decode(shown["image"]))
    assert size == (shown["width"], shown["height"]) == (width, width * 9 // 16)
    assert (shown["view"], shown["format"]) == (view, kind)


def test_it_says_that_it_is_recorded_and_what_the_game_does(editor: ManualEditor) -> None:
    assert (
        "recorded" in shot(editor)["reason"]
        and not shot(editor)["fresh"]
        and not shot(editor)["playing"]
    )
    editor.process.player.reloads_domain = False
    editor.process.player.enter()
    editor.main.run(1.0)
    assert (shot(editor)["playing"], shot(editor)["frame"]) == (True, 60)


def test_several_frames_are_not_simulated(editor: ManualEditor) -> None:
    answer = answer_of(editor.process.tools.reads["screenshot"], {"frames": 2})
    assert isinstance(answer, Err) and answer.error.details["reason"] == "not_simulated"
