"""Natural first calls of other tools' users, replayed through a server on the package (SPEC §16.5).

Each call is sent once, in the order of the list, in one editor. What comes of it is compared with what was meant.
"""

from __future__ import annotations

import sys
from contextlib import contextmanager
from typing import Iterator, List, Mapping, NamedTuple, Sequence, Tuple

import pytest

pytest.importorskip("mcp_types", reason="the mcp package needs Python 3.10")

from tests.first_calls import (
    CSHARP,
    IMPOSSIBLE,
    ONCE,
    SOMETHING_ELSE,
    TWICE,
    VERDICTS,
    Answer,
    Call,
    Request,
    requests,
    verdict,
)
from tests.ports import free_port
from tests.unity_headless.headless_editor import HeadlessEditor
from tests.unity_headless.mcp_agent import Agent

QUIRKS = ("quirk ugui", "quirk unity-fields")
FOLDERS = (
    "Assets",
    "Assets/Scenes",
    "Assets/Prefabs",
    "Assets/Art",
    "Assets/Data",
    "Assets/Mats",
    "Assets/Scripts",
)


class Project(NamedTuple):
    """``lines``: what the editor gets before it loads the scripts."""

    scenes: str
    world: Sequence[str]
    setup: Sequence[Call]
    lines: Sequence[str] = ()


# At the origin, where new objects of Unity are.
BODY = "MeshFilter,MeshRenderer,BoxCollider"
OWN_PROJECT = (
    "asset Assets/Scenes/Main.unity|Scene",
    "asset Assets/Scenes/Hud.unity|Scene",
    "asset Assets/Art/Icon.png|Data",
    "asset Assets/Data/Sword.asset|Data",
    "prefab Assets/Prefabs/Coin.prefab|Coin",
    "object shine|Assets/Prefabs/Coin.prefab|Shine",
    "prefab Assets/Prefabs/Bullet.prefab|Bullet",
    f"object player|Assets/Scenes/Main.unity|Player|{BODY},Rigidbody,AudioSource",
    "object gun|player|Gun|MeshRenderer",
    "object camera|Assets/Scenes/Main.unity|Main Camera|Camera,AudioListener",
    "object sun|Assets/Scenes/Main.unity|Directional Light|Light",
    "object level|Assets/Scenes/Main.unity|Level",
    f"object ground|level|Ground|{BODY}",
    "object enemies|level|Enemies",
    "object enemy|enemies|Enemy|Game.Enemy",
    "field enemy|1|target|ObjectReference|PPtr<$GameObject>|",
    "field enemy|1|curve|AnimationCurve|AnimationCurve|",
    f"object boss|enemies|Boss|{BODY},Rigidbody",
    "object lamp|level|Lamp|Light",
    "object crate|level|Crate",
    "object wall|level|Wall",
    "object wall2|level|Wall",
    "object left|level|Left",
    "object right|level|Right",
    "object torch|left|Torch|Light",
    "object torch2|right|Torch|Light",
    "object canvas|Assets/Scenes/Main.unity|Canvas|RectTransform,Canvas",
    "object score|canvas|Score|RectTransform,UnityEngine.UI.Text",
    "object sparks|Assets/Scenes/Main.unity|Sparks|ParticleSystem",
    "object minimap|Assets/Scenes/Hud.unity|Minimap",
    "object dot|minimap|Dot",
    *(
        f"field {name}|0|m_LocalPosition|Vector3|Vector3f|{place}"
        for name, place in (
            ("player", "0,0,0"),
            ("gun", "0,0,0"),
            ("level", "10,0,0"),
            ("lamp", "0,0,0"),
        )
    ),
)
OWN_SETUP: Tuple[Call, ...] = (
    ("run_command", {"name": "create_asset", "arguments": {"path": "Assets/Materials/Red.mat"}}),
    ("run_command", {"name": "create_asset", "arguments": {"path": "Assets/Materials/Blue.mat"}}),
)
GIVEN_PROJECT = (
    "asset Assets/Scenes/Main.unity|Scene",
    "asset Assets/Scenes/TestScene.unity|Scene",
    "asset Assets/Art/hero.png|Data",
    "asset Assets/Scripts/A.cs|Data",
    "prefab Assets/Prefabs/Player.prefab|Player",
    "prefab Assets/Prefabs/PickUp.prefab|PickUp",
    f"object player|Assets/Scenes/Main.unity|Player|{BODY}",
    f"object enemy|Assets/Scenes/Main.unity|Enemy|{BODY}",
    f"object cube|Assets/Scenes/Main.unity|RedCube|{BODY}",
    "object sun|Assets/Scenes/Main.unity|Directional Light|Light",
    "object canvas|Assets/Scenes/Main.unity|Canvas|RectTransform,Canvas",
    "object score|canvas|Score|RectTransform",
    "select player",
)
GIVEN_SETUP: Tuple[Call, ...] = (
    (
        "run_command",
        {
            "name": "create_asset",
            "arguments": {
                "path": "Assets/Mats/EnemyMaterial.mat",
                "values": {"shader": "Universal Render Pipeline/Lit"},
            },
        },
    ),
    ("run_command", {"name": "create_object", "arguments": {"kind": "panel", "name": "HealthBar"}}),
)


# The same with what is played, cut and tested.
TOOLS_PROJECT = (
    *OWN_PROJECT,
    "asset Assets/Scenes/Extra.unity|Scene",
    "asset Assets/Art/Brick.png|Texture",
    "object events|Assets/Scenes/Main.unity|EventSystem|UnityEngine.EventSystems.EventSystem",
    "object manager|Assets/Scenes/Main.unity|GameManager|Game.Enemy",
    "object raycaster|Assets/Scenes/Main.unity|Menu|RectTransform,Canvas,UnityEngine.UI.GraphicRaycaster",
    "object play|raycaster|Play|RectTransform,UnityEngine.UI.Image,UnityEngine.UI.Button",
    "rect play|480,540,240,120",
)
TOOLS_SETUP: Tuple[Call, ...] = (
    *OWN_SETUP,
    ("run_command", {"name": "create_asset", "arguments": {"path": "Assets/Anim/Open.anim"}}),
    ("run_command", {"name": "create_asset", "arguments": {"path": "Assets/Anim/Door.controller"}}),
    (
        "run_command",
        {
            "name": "create_object",
            "arguments": {"prefab": "Coin", "name": "Coin A"},
        },
    ),
    ("run_command", {"name": "create_object", "arguments": {"parent": "Coin A", "name": "Glow"}}),
)
BOTH_SCENES = "Assets/Scenes/Main.unity;Assets/Scenes/Hud.unity"
PROJECTS: Mapping[str, Project] = {
    "own": Project(BOTH_SCENES, OWN_PROJECT, OWN_SETUP),
    "given": Project("Assets/Scenes/Main.unity", GIVEN_PROJECT, GIVEN_SETUP),
    "tools": Project(
        BOTH_SCENES,
        TOOLS_PROJECT,
        TOOLS_SETUP,
        (
            "quirk sprite-package",
            "quirk input-system",
            "test EditMode|Game.PlayerTests.Jumps|pass|1||",
        ),
    ),
}


@contextmanager
def project(
    scenes: str, world: Sequence[str], setup: Sequence[Call], lines: Sequence[str]
) -> Iterator[Agent]:
    port = free_port()
    with Agent(port) as agent, HeadlessEditor(port, held=(*QUIRKS, *lines)) as editor:
        folders = [f"asset {folder}|Folder" for folder in FOLDERS[1:]]
        for folder in FOLDERS:
            (editor.project / folder).mkdir(exist_ok=True)
        for file in (
            line.split("|")[0].split(" ")[1]
            for line in world
            if line.startswith(("asset ", "prefab "))
        ):
            (editor.project / file).write_bytes(b"")
        editor.arrange(f"open-scenes {scenes}", *(f"world {line}" for line in (*folders, *world)))
        agent.wait_for_editor()
        assert [answer.error for answer in sent(agent, setup)] == [""] * len(setup)
        yield agent
        assert editor.violations() == []


def sent(agent: Agent, calls: Sequence[Call]) -> List[Answer]:
    """The answers, up to the first refusal."""
    answers: List[Answer] = []
    for tool, arguments in calls:
        result = agent.result(tool, **arguments)
        content = dict(result.structured_content or {})
        error = content.get("error") or (content if result.is_error else None)
        answers.append(Answer("" if error is None else str(error.get("message", error)), content))
        if error is not None:
            break
    return answers


def replayed(agent: Agent, name: str) -> List[Tuple[Request, str, List[Answer]]]:
    """Each request with its verdict."""
    table = []
    for request in requests(name):
        first = sent(agent, request.first)
        may_follow = any(answer.error for answer in first) or not first[-1].rows()
        second = sent(agent, request.second) if request.second and may_follow else []
        table.append((request, verdict(request, first, second), [*first, *second]))
    return table


def written(table: Sequence[Tuple[Request, str, List[Answer]]]) -> str:
    """The table, and what is otherwise than expected."""
    counts = [f"{sum(found == kind for _, found, _ in table):4} {kind}" for kind in VERDICTS]
    others = [
        f"{request.id} ({request.request}): {found}, not {request.expected}: "
        + " | ".join(answer.error or answer.text[:600] for answer in answers)
        for request, found, answers in table
        if found != request.expected
    ]
    return "\n".join([f"{len(table):4} requests", *counts, *others]) + "\n"


@pytest.mark.parametrize(
    ("name", "right", "otherwise"), [("own", 141, 0), ("given", 39, 0), ("tools", 73, 0)]
)
def test_natural_first_calls(name: str, right: int, otherwise: int) -> None:
    """``right`` may only rise, and ``otherwise`` (something else than was meant) only fall."""
    with project(*PROJECTS[name]) as agent:
        table = replayed(agent, name)
        sys.stdout.write(written(table))
    verdicts = [kind for _, kind, _ in table]
    assert sum(kind in (ONCE, TWICE, CSHARP, IMPOSSIBLE) for kind in verdicts) >= right
    assert verdicts.count(SOMETHING_ELSE) <= otherwise


def test_the_lists_are_whole() -> None:
    lists = {name: requests(name) for name in PROJECTS}
    assert len(lists["own"]) >= 100 and len(lists["given"]) >= 39 and len(lists["tools"]) >= 60
    everyone = [request for requested in lists.values() for request in requested]
    assert len({request.id for request in everyone}) == len(everyone)
    assert all(
        request.expected in (ONCE, TWICE, CSHARP, IMPOSSIBLE) and request.source
        for request in everyone
    )
    assert all(request.shows for request in everyone if request.expected != ONCE)
