"""``undo`` takes back what its client did, and nothing of a person, a package or another client
(SPEC §16.8).
"""

from __future__ import annotations

import itertools
import random
import re
from typing import Any, Dict, Iterator, List, NamedTuple, Tuple

import pytest

from tests.scripted_server import ScriptedServer
from tests.unity_headless.headless_editor import HeadlessEditor

Json = Dict[str, Any]

PROJECT = (
    "asset Assets|Folder",
    "asset Assets/Data.asset|Data",
    "field Assets/Data.asset|0|price|Integer|int|12",
    "object root|Assets/Main.unity|Root",
    "object lamp|root|Lamp|Light",
    "object other|Assets/Second.unity|Other",
)
AGENT = {"id": "agent-1", "name": "claude-code"}
OTHER = {"id": "agent-2", "name": "codex"}
SHELL = {"id": "cmd-1", "name": "unity-bridge run"}
SHELL_LATER = {"id": "cmd-2", "name": "unity-bridge call"}
_ids = itertools.count(1)


class Bench(NamedTuple):
    server: ScriptedServer
    editor: HeadlessEditor

    def status(self, client: Json, command: str, /, **arguments: Any) -> Json:
        session = self.server.open_session()
        job_id = f"undo-{next(_ids)}"
        params = {"name": command, "arguments": arguments}
        sent: Json = {
            "tool_name": "run_command",
            "job_id": job_id,
            "params": params,
            "timeout_ms": 30_000,
        }
        answer = session.ask("submit_job", client=client, **sent)
        if answer["status"] != "accepted":
            return {"state": "failed", "error": answer["error"]}
        while True:
            status = session.job(job_id)
            if status["state"] not in ("queued", "running"):
                return dict(status)

    def run(self, client: Json, command: str, /, **arguments: Any) -> Json:
        status = self.status(client, command, **arguments)
        assert status["state"] == "succeeded", status["error"]
        return dict(status["result"]["value"])

    def refused(self, client: Json, **arguments: Any) -> Json:
        status = self.status(client, "undo", **arguments)
        assert status["state"] == "failed", status
        return dict(status["error"])

    def stack(self) -> List[str]:
        """The steps that can be undone, the newest last."""
        self.editor.forget_history()
        self.editor.command("undo-stack")
        count, names = self.editor.wait_for(r"undo-stack (\d+): (.*)$").groups()
        return names.split("; ")[: int(count)]

    def steps(self, client: Json, **arguments: Any) -> List[str]:
        return [row["step"] for row in self.run(client, "undo", **arguments)["changed"]]

    def reload(self) -> None:
        self.editor.reload()
        self.server.ready_session()


@pytest.fixture(params=["1.4.6", "1.1.31"], ids=["since 2022.2", "2021.3"])
def bench(request: pytest.FixtureRequest) -> Iterator[Bench]:
    with ScriptedServer() as server, HeadlessEditor(server.port, profile=request.param) as editor:
        editor.arrange(
            "open-scenes Assets/Main.unity;Assets/Second.unity",
            *(f"world {line}" for line in PROJECT),
        )
        (editor.project / "Assets").mkdir(exist_ok=True)
        editor.wait_until_idle()
        server.ready_session()
        yield Bench(server, editor)
        assert editor.violations() == []


def set_intensity(bench: Bench, client: Json, value: float) -> Json:
    return bench.run(client, "set_fields", path="Main/Root/Lamp", values={"Light.intensity": value})


def intensity(bench: Bench) -> float:
    params = {"what": "object", "path": "Main/Root/Lamp", "query": "Light.intensity"}
    answer = bench.server.open_session().ask(
        "execute", tool_name="inspect", params=params, timeout_ms=30_000
    )
    return float(answer["result"]["items"][0]["value"])


def test_the_newest_steps_of_a_client_are_taken_back_and_named(bench: Bench) -> None:
    set_intensity(bench, AGENT, 3)
    set_intensity(bench, AGENT, 4)
    bench.run(AGENT, "create_object", name="Cube")
    names = bench.stack()
    answer = bench.run(AGENT, "undo", steps=2)
    assert [row["step"] for row in answer["changed"]] == names[:0:-1] and "remarks" not in answer
    assert re.fullmatch(r"Create .*Cube.* \(bridge \d+\)", answer["changed"][0]["step"])
    assert intensity(bench) == 3 and bench.stack() == names[:1]
    # More than there are: what there is, and why no more.
    answer = bench.run(AGENT, "undo", steps=20)
    assert len(answer["changed"]) == 1 and answer["remarks"] == ["There is no step to undo."]
    assert intensity(bench) == 1.5
    error = bench.refused(AGENT)
    assert (
        error["details"]["reason"] == "not_ours"
        and error["details"]["execution_guarantee"] == "not_executed"
    )
    assert not [line for line in bench.editor.history if "reverted-down-to" in line], (
        "nothing reverts down to a group"
    )


def test_a_persons_step_and_what_is_before_it_stay(bench: Bench) -> None:
    set_intensity(bench, AGENT, 3)
    bench.editor.arrange("person-undo Paint terrain")
    error = bench.refused(AGENT)
    assert error["details"]["reason"] == "not_ours" and error["details"]["name"] == "Paint terrain"
    assert "Paint terrain" in error["message"] and "held_by" not in error["details"]
    assert bench.refused(AGENT, force=True)["details"]["name"] == "Paint terrain"
    set_intensity(bench, AGENT, 4)
    set_intensity(bench, AGENT, 5)
    answer = bench.run(AGENT, "undo", steps=5)
    assert len(answer["changed"]) == 2 and "Paint terrain" in answer["remarks"][0]
    assert intensity(bench) == 3 and bench.stack()[-1] == "Paint terrain"


def test_a_change_of_the_selection_is_a_step(bench: Bench) -> None:
    set_intensity(bench, AGENT, 3)
    bench.editor.arrange("person-selects lamp")
    assert bench.refused(AGENT)["details"]["name"] == "Selection Change"
    assert intensity(bench) == 3
    bench.run(AGENT, "select", paths=["Main/Root"])
    assert bench.steps(AGENT)[0].startswith("Select (bridge ")


def test_another_clients_step_needs_force_and_all_of_the_shell_is_one_client(bench: Bench) -> None:
    set_intensity(bench, OTHER, 3)
    error = bench.refused(AGENT)
    held = error["details"]["held_by"]
    assert (
        error["details"]["reason"] == "not_ours"
        and held["client"] == "codex"
        and held["since_ms"] >= 0
    )
    assert "force" in error["message"]
    assert len(bench.steps(AGENT, force=True)) == 1 and intensity(bench) == 1.5
    set_intensity(bench, SHELL, 3)
    bench.refused(AGENT)
    assert len(bench.steps(SHELL_LATER)) == 1


def test_what_was_made_before_a_reload_is_still_its_clients(bench: Bench) -> None:
    set_intensity(bench, AGENT, 3)
    bench.reload()
    assert "held_by" in bench.refused(OTHER)["details"]
    assert len(bench.steps(AGENT)) == 1
    assert bench.stack() == []


def test_a_step_with_the_name_of_ours_is_not_ours(bench: Bench) -> None:
    set_intensity(bench, AGENT, 3)
    (name,) = bench.stack()
    bench.editor.arrange(f"person-undo {name.replace('(bridge ', '(bridge 9')}")
    assert bench.refused(AGENT)["details"]["reason"] == "not_ours"


def test_an_undo_of_a_person_and_the_steps_of_a_closed_scene(bench: Bench) -> None:
    set_intensity(bench, AGENT, 3)
    set_intensity(bench, AGENT, 4)
    bench.editor.arrange("undo")
    assert intensity(bench) == 3, "what can be redone does not count"
    bench.run(AGENT, "create_object", parent="Second/Other", name="New")
    bench.run(AGENT, "close_scene", scene="Second", unsaved="discard")
    assert len(bench.steps(AGENT)) == 1 and intensity(bench) == 1.5


def test_what_unity_does_not_undo_is_said(bench: Bench) -> None:
    set_intensity(bench, AGENT, 3)
    bench.editor.arrange("quirk person-drags")
    assert "did not undo" in bench.refused(AGENT)["message"] and intensity(bench) == 3


def test_files_and_assets_that_stay_behind_are_named(bench: Bench) -> None:
    bench.run(AGENT, "set_fields", path="Assets/Data.asset", values={"price": 15})
    bench.run(AGENT, "save_all")
    assert "Assets/Data.asset" in bench.run(AGENT, "undo")["remarks"][0]
    steps = [
        {"name": "create_object", "arguments": {"name": "Box"}},
        {"name": "create_asset", "arguments": {"path": "Assets/New.mat"}},
    ]
    bench.run(AGENT, "batch", steps=steps)
    assert "stays" in bench.run(AGENT, "undo")["remarks"][0]


def test_it_is_refused_in_play_mode_and_for_numbers_out_of_range(bench: Bench) -> None:
    for steps in (0, 21):
        assert "from 1 to 20" in bench.refused(AGENT, steps=steps)["message"]
    bench.editor.arrange("enter-play-without-reload", "play on")
    bench.editor.wait_for("play on")
    assert bench.refused(AGENT)["details"]["reason"] == "playing"
    bench.editor.command("play off")


def _acts(seed: int) -> Iterator[str]:
    chance = random.Random(seed)
    kinds = [
        "agent",
        "agent",
        "other",
        "shell",
        "person",
        "select",
        "package",
        "reload",
        "undone-by-person",
    ]
    kinds += ["undo", "undo"]
    for _ in range(40):
        yield chance.choice(kinds)


@pytest.mark.parametrize("seed", range(3))
def test_in_every_order_nothing_but_its_own_is_taken_back(bench: Bench, seed: int) -> None:
    """The stack before and after each call is compared; what a call added is its client's."""
    chance = random.Random(seed)
    owners: Dict[str, str] = {}
    clients: Tuple[Tuple[str, Json], ...] = (("agent", AGENT), ("other", OTHER), ("shell", SHELL))
    selected = itertools.cycle(["lamp", "root", "other"])
    for number, act in enumerate(_acts(seed)):
        if act == "reload":
            bench.reload()
        elif act == "person":
            bench.editor.arrange(f"person-undo Step {number}")
        elif act == "select":
            bench.editor.arrange(f"person-selects {next(selected)}")
        elif act == "package":
            bench.editor.arrange(f"package-undo Paste {number}")
        elif act == "undone-by-person":
            bench.editor.arrange("undo")
        elif act != "undo":
            set_intensity(bench, dict(clients)[act], 10 + number)
            owners[bench.stack()[-1]] = act
        else:
            name, client = chance.choice(clients)
            wanted = chance.choice([1, 2, 5])
            force = chance.random() < 0.2
            before = [step for step in bench.stack() if step]
            expected: List[str] = []
            for step in reversed(before):
                if (
                    len(expected) == wanted
                    or step not in owners
                    or not (force or owners[step] == name)
                ):
                    break
                expected.append(step)
            status = bench.status(client, "undo", steps=wanted, force=force)
            rows = status["result"]["value"]["changed"] if status["state"] == "succeeded" else []
            taken = [row["step"] for row in rows]
            assert taken == expected, (number, name, before, owners)
            if not expected:
                assert status["error"]["details"]["reason"] == "not_ours"
            assert [step for step in bench.stack() if step] == before[: len(before) - len(expected)]
            reverted = [
                line
                for line in bench.editor.history
                if "reverted-of-a" in line or "reverted-down-to" in line
            ]
            assert reverted == []
