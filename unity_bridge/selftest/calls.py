"""``Calls``: one call of a tool and its end, through the server that the self-test runs (SPEC
§15.3).
"""

from __future__ import annotations

from typing import Any, Dict, Optional

from unity_bridge.base.clock import Clock
from unity_bridge.base.result import Err
from unity_bridge.catalogue.calls import Outcome
from unity_bridge.editor_life import closing
from unity_bridge.scripting.command_bridge import CommandBridge
from unity_bridge.system.signals import MainThreadQueue
from unity_bridge.text.json_types import JsonDict, JsonObject

# Where a call is at its end, or as far as it came.
Answer = Dict[str, Any]

_ENDED = ("succeeded", "failed", "cancelled", "timeout")
_WAIT_MS = 10_000
_ASK_AGAIN_S = 0.05
_CLOSE_S = 20.0


# A call under way.
Started = MainThreadQueue[Outcome]


class Calls:
    """Calls from the thread that owns it."""

    def __init__(self, life: CommandBridge, clock: Clock) -> None:
        self._life = life
        self._clock = clock

    def begin(self, tool: str, arguments: JsonObject) -> Started:
        answers: MainThreadQueue[Outcome] = MainThreadQueue()
        checked = self._life.validate(tool, arguments)
        if isinstance(checked, Err):
            answers.put(checked)
        else:
            self._life.submit(checked.value, answers.put)
        return answers

    def end(self, start: Started, within_s: float) -> Answer:
        """``{state, result?, error?}`` of the call or of its job; ``state`` is ``running`` if it
        has not ended.
        """
        deadline = self._clock.now() + within_s
        answer = self._answer(start.get())
        while answer["state"] not in _ENDED and self._clock.now() < deadline:
            left_ms = max(1, round((deadline - self._clock.now()) * 1000))
            question = {"job_id": answer["job_id"], "wait_ms": min(_WAIT_MS, left_ms)}
            answer = self._answer(self._life.ask(self._life.call("get_job_status", question)))
        return answer

    def call(self, tool: str, arguments: JsonObject, within_s: float = 120.0) -> Answer:
        return self.end(self.begin(tool, arguments), within_s)

    def ask_to_close(self) -> Optional[str]:
        """None if the editor is closing, else why it is not."""
        answer = self.call("run_command", closing.command_arguments(saves=False), _CLOSE_S)
        if answer["state"] == "succeeded":
            return None
        return str((answer.get("error") or {}).get("message"))

    def state(self) -> JsonDict:
        return self._life.editor_state()

    def pause(self, seconds: float = _ASK_AGAIN_S) -> None:
        self._life.pause(seconds)

    def now(self) -> float:
        return self._clock.now()

    @staticmethod
    def _answer(outcome: Outcome) -> Answer:
        if isinstance(outcome, Err):
            return {"state": "failed", "error": outcome.error.as_json()}
        is_of_a_job = "job_id" in outcome.value and "state" in outcome.value
        if is_of_a_job:
            return dict(outcome.value)
        return {"state": "succeeded", "result": outcome.value}
