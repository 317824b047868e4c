"""Questions as models get them wrong, and that only the editor can answer: the right one is in the answer (SPEC §16.4).

The plugin answers the same; tests/e2e/test_plugin_inspect.py asks it.
"""

from __future__ import annotations

import json
from typing import Any, Dict, List, NamedTuple

import pytest

from tests.simulator.manual_editor import ManualEditor, answer_of
from unity_bridge.base.result import Err
from unity_bridge.simulator.project import default_project
from unity_bridge.simulator.tools.inspect import Inspect

OBJECT = {"what": "object"}
HIERARCHY = {"what": "hierarchy"}
ASSETS = {"what": "assets"}
PLAYER = {"what": "object", "path": "Main/Player"}


class WrongQuestion(NamedTuple):
    """``taught``: words of the refusal or of the hint that are enough to ask rightly."""

    params: Dict[str, Any]
    taught: str


WRONG_QUESTIONS: List[WrongQuestion] = [
    WrongQuestion({**OBJECT, "path": "Player"}, "There is 'Main/Player'."),
    WrongQuestion({**OBJECT, "path": "main/Player"}, "A path begins with an open scene: 'Main'"),
    WrongQuestion({**OBJECT, "path": "Main/player"}, "There is 'Player'."),
    WrongQuestion({**OBJECT, "path": "Main/Lanterns/Lantern (1)"}, "'Lantern', 'Lantern[1]', 'Lantern[2]'"),
    WrongQuestion({**OBJECT, "path": "Main/Lanterns/Lantern[9]"}, "'Lantern', 'Lantern[1]', 'Lantern[2]'"),
    WrongQuestion({**OBJECT, "path": "Main"}, "what: hierarchy shows it"),
    WrongQuestion({**OBJECT, "path": "Assets/Items/Lantern"}, "There is 'Assets/Items/Lantern.asset'"),
    WrongQuestion({**OBJECT, "path": "Assets/Art/torch.png"}, "There is 'Assets/Items/Torch.asset'."),
    WrongQuestion({**OBJECT, "path": "Assets/Nothing.asset"}, "what: assets finds one by a query"),
    WrongQuestion({**PLAYER, "query": "Transform.position"}, "It has m_LocalPosition."),
    WrongQuestion({**PLAYER, "query": "PlayerMovement.Speed"}, "It has speed."),
    WrongQuestion({**PLAYER, "query": "PlayerMovement.health"}, "Its fields are m_Script, speed"),
    WrongQuestion({**PLAYER, "query": "speed"}, "A query is Component or Component.field; it has Transform"),
    WrongQuestion({**PLAYER, "query": "Rigidbody"}, "it has Transform, Keep.PlayerMovement"),
    WrongQuestion({**HIERARCHY, "path": "Assets/Scenes/Cellar.unity"}, "This scene is not open."),
    WrongQuestion({**HIERARCHY, "path": "Assets/Materials/Stone.mat"}, "what: object shows it"),
    WrongQuestion({**HIERARCHY, "query": "Light"}, "t:Light would find 3."),
    WrongQuestion({**HIERARCHY, "query": "t:Player"}, "Player would find 1."),
    WrongQuestion({**HIERARCHY, "query": "Lant*"}, "Lant would find 4."),
    WrongQuestion({**HIERARCHY, "query": "Lantern", "depth": 0}, "Lantern with depth: 40 would find 4."),
    WrongQuestion({**ASSETS, "path": "Assets/Nowhere"}, "There is 'Assets/Items', 'Assets/Materials'"),
    WrongQuestion({**ASSETS, "path": "Assets/items/"}, "There is 'Assets/Items'."),
    WrongQuestion({**ASSETS, "path": "Assets/Items/Old"}, "'Assets/Items' has no folders; query searches in it."),
    WrongQuestion({**ASSETS, "query": "*.prefab"}, "no wildcards and no extensions"),
]


@pytest.mark.parametrize("wrong", WRONG_QUESTIONS, ids=lambda wrong: json.dumps(wrong.params))
def test_a_wrong_question_is_answered_with_the_right_one(wrong: WrongQuestion) -> None:
    answer = answer_of(Inspect(ManualEditor(default_project()).process), wrong.params)
    if isinstance(answer, Err):
        assert wrong.taught in answer.error.message
    else:
        assert answer.value["items"] == [] and wrong.taught in answer.value["hint"]
