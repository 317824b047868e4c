"""What a field of a message must be, and how much of it is kept (SPEC §7, §20.3)."""

from __future__ import annotations

import re
from typing import Any, Callable, Dict, Iterable, List, Optional

from unity_bridge.base.frozen import changed, frozen
from unity_bridge.catalogue.loaded_code import known_code, known_reason
from unity_bridge.text.foreign_text import is_name
from unity_bridge.text.json_types import JsonDict, JsonObject

_UINT64_MAX = 2**64 - 1

# A plugin keeps fewer jobs, and carries out fewer tools.
_MOST_JOBS = 1024
_MOST_LISTED = 32
_MOST_TOOLS = 256
_LONGEST_TOOL_NAME = 128
_LONGEST_LABEL = 256
_LONGEST_PATH = 4096
_LONGEST_GAME_S = 1e9
_LONGEST_TEXT_OF_PROGRESS = 1024
_MOST_MESSAGES_OF_CONSOLE = 3
_LONGEST_MESSAGE_OF_CONSOLE = 500
_MOST_COPIES = 100
# What no proof is as long as. A longer one is wrong, and cut it stays wrong.
_LONGEST_PROOF = 256

_NONCE = re.compile("[0-9a-f]{16,128}")


@frozen
class FieldCheck:
    """A phrase for people, and the test; ``cut`` takes what passed to its bounds, where it has any."""

    phrase: str
    passes: Callable[[Any], bool]
    cut: Optional[Callable[[Any], Any]] = None


def one_of(*values: str) -> FieldCheck:
    return FieldCheck("one of " + ", ".join(values), lambda value: value in values)


def _is_id(value: Any) -> bool:
    return isinstance(value, str) and 1 <= len(value) <= 256


def _is_client(value: Any) -> bool:
    return (
        isinstance(value, dict) and is_name(value.get("id")) and isinstance(value.get("name"), str)
    )


def _is_list_of(kind: type, value: Any) -> bool:
    return isinstance(value, list) and all(isinstance(item, kind) for item in value)


def _is_pair_of_names(value: Any) -> bool:
    return isinstance(value, list) and len(value) == 2 and all(is_name(part) for part in value)


def _is_uint(value: Any) -> bool:
    return type(value) is int and 0 <= value <= _UINT64_MAX


TEXT = FieldCheck("a string", lambda value: isinstance(value, str))
ID = FieldCheck("a string of 1 to 256 characters", _is_id)
NAME = FieldCheck("1 to 128 printable ASCII characters", is_name)
OBJECT = FieldCheck("an object", lambda value: isinstance(value, dict))
OBJECTS = FieldCheck("an array of objects", lambda value: _is_list_of(dict, value))
TEXTS = FieldCheck("an array of strings", lambda value: _is_list_of(str, value))
ANYTHING = FieldCheck("any value", lambda value: True)
FLAG = FieldCheck("a boolean", lambda value: isinstance(value, bool))
UINT64 = FieldCheck("an unsigned 64-bit integer", _is_uint)
NUMBER = FieldCheck("a number", lambda value: type(value) in (int, float))
EDITOR_STATE = one_of("ready", "compiling", "reloading")
JOB_STATE = one_of("queued", "running", "succeeded", "failed", "timeout", "cancelled")


# A hello's fields are kept, and are in every get_editor_state. A job's fields are kept with the
# job, and returned to every client that asks for it.


def _jobs_kept(jobs: List[Any]) -> List[Any]:
    """Ids, or objects about the jobs that have not ended; one without an id is another server's."""
    ids: List[Any] = [job for job in jobs[-_MOST_JOBS:] if _is_id(job)]
    listed = [_listed_job(job) for job in jobs[-_MOST_JOBS:] if isinstance(job, dict)]
    return ids + [job for job in listed if "tool" in job][:_MOST_LISTED]


def _listed_job(job: JsonObject) -> JsonDict:
    listed: JsonDict = texts_kept(job, ("job_id", "tool", "name", "state", "step", "client"))
    if _is_uint(job.get("age_ms")):
        return {**listed, "age_ms": job["age_ms"]}
    return listed


def _job_keys_kept(keys: JsonDict) -> JsonDict:
    pairs = {id: pair for id, pair in keys.items() if _is_id(id) and _is_pair_of_names(pair)}
    return dict(list(pairs.items())[-_MOST_JOBS:])


def _progress_kept(progress: JsonDict) -> JsonDict:
    counts = {name: progress.get(name) for name in ("completed", "total", "for_ms", "failed")}
    texts = {name: progress.get(name) for name in ("current_test", "step", "failed_test")}
    members: JsonDict = {name: count for name, count in counts.items() if _is_uint(count)}
    members.update(
        {
            name: text[:_LONGEST_TEXT_OF_PROGRESS]
            for name, text in texts.items()
            if isinstance(text, str)
        }
    )
    waits_for = progress.get("waits_for")
    if isinstance(waits_for, dict):
        members["waits_for"] = texts_kept(waits_for, ("job_id", "tool", "name", "reason"))
    return members


def texts_kept(members: JsonObject, names: Iterable[str]) -> Dict[str, str]:
    """Return those of the named members that are texts, shortened."""
    return {
        name: members[name][:_LONGEST_LABEL] for name in names if isinstance(members.get(name), str)
    }


def _console_kept(console: JsonDict) -> Optional[JsonDict]:
    """Return what was logged while a job ran, as far as it can be passed on (SPEC §15.3)."""
    members: JsonDict = {name: console.get(name) for name in ("errors", "warnings")}
    if not all(type(count) is int for count in members.values()):
        return None
    message, cursor = console.get("first"), console.get("next_cursor")
    messages = message[:_MOST_MESSAGES_OF_CONSOLE] if isinstance(message, list) else []
    members["first"] = [
        text[:_LONGEST_MESSAGE_OF_CONSOLE] for text in messages if isinstance(text, str)
    ]
    if isinstance(cursor, str):
        return {**members, "next_cursor": cursor[:_LONGEST_LABEL]}
    return members


def _copies_kept(copies: List[Any]) -> Optional[List[Dict[str, str]]]:
    """Return the entries that name a file and its copy, or None if there are none."""
    known_copies: List[Dict[str, str]] = []
    for entry in copies[:_MOST_COPIES]:
        file, copy = entry.get("file"), entry.get("copy")
        if isinstance(file, str) and isinstance(copy, str):
            known_copies.append({"file": file[:_LONGEST_PATH], "copy": copy[:_LONGEST_PATH]})
    return known_copies or None


LABEL = changed(TEXT, cut=lambda value: value[:_LONGEST_LABEL])
CODE = changed(ANYTHING, cut=known_code)
PENDING_REASON = changed(ANYTHING, cut=known_reason)
PATH = changed(TEXT, cut=lambda value: value[:_LONGEST_PATH])
JOBS = FieldCheck("an array", lambda value: isinstance(value, list), cut=_jobs_kept)
JOB_KEYS = changed(OBJECT, cut=_job_keys_kept)
TOOLS = changed(
    TEXTS,
    cut=lambda names: [name for name in names[:_MOST_TOOLS] if len(name) <= _LONGEST_TOOL_NAME],
)
JOINS = TOOLS


def dropped_unless(check: FieldCheck) -> FieldCheck:
    """Return a check that drops a field if it fails: it must not cost the job that it decorates
    (SPEC §20.3).
    """

    def cut(value: Any) -> Any:
        if not check.passes(value):
            return None
        if check.cut is None:
            return value
        return check.cut(value)

    return changed(ANYTHING, cut=cut)


# Whatever else is said in the place of these two counts as absent (SPEC §17.1).
NONCE = dropped_unless(
    FieldCheck(
        "a nonce", lambda value: isinstance(value, str) and _NONCE.fullmatch(value) is not None
    )
)
PROOF = dropped_unless(changed(TEXT, cut=lambda value: value[:_LONGEST_PROOF]))
CLIENT = FieldCheck("an object with id and name", _is_client)
PROCESS_ID = dropped_unless(
    FieldCheck("a process id", lambda value: type(value) is int and 0 < value < 2**31)
)
GAME_TIME = dropped_unless(
    FieldCheck(
        "a number of seconds",
        lambda value: type(value) in (int, float) and 0 <= value <= _LONGEST_GAME_S,
    )
)
FRAME = dropped_unless(UINT64)
KEPT_COPIES = dropped_unless(changed(OBJECTS, cut=_copies_kept))
PROGRESS = dropped_unless(changed(OBJECT, cut=_progress_kept))
CONSOLE = dropped_unless(changed(OBJECT, cut=_console_kept))
