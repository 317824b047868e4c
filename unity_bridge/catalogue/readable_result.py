"""A proven plugin's result with a member of a wrong type: what of it can be read (SPEC §20.3).
Pure.

A *verdict* is a member whose absence reads as good: it gets its bad or unknown value. Any other member
goes, and so does an entry of a list without a member that the schema requires. Nothing here makes a
result better than it was.
"""

from __future__ import annotations

import copy
from typing import Any, Callable, Dict, FrozenSet, List, Mapping, NamedTuple, Optional, Tuple

from unity_bridge.base.frozen import frozen, made_by
from unity_bridge.base.result import Err, Ok, Result
from unity_bridge.catalogue.schema_checks import Check, Misfit, check_of
from unity_bridge.text.json_types import JsonDict, JsonObject

# ``(params, result, unread)``; ``unread`` has paths without indices.
Consequences = Callable[[Mapping[str, Any], Dict[str, Any], FrozenSet[str]], Dict[str, Any]]

_MOST_NAMED = 5


@frozen
class ReadingRules:
    """How a tool's results are read. Paths are as in ``compile.ok`` and ``entries[].type``.

    ``verdicts``: the value of each that cannot be read; ``truncated`` of any result is one. ``counts``: the
    list that a count is of. ``must_fit``: without these members the result says nothing. ``consequences``
    returns the result with what follows from the paths that could not be read. ``schema_for``: another
    schema than the tool's, for these ``params``.
    """

    verdicts: JsonObject = made_by(dict)
    counts: Mapping[str, str] = made_by(dict)
    must_fit: Tuple[str, ...] = ()
    consequences: Consequences = lambda params, result, unread: result
    schema_for: Callable[[JsonObject], Optional[JsonObject]] = lambda params: None


class ReadResult(NamedTuple):
    """``unread``: where in the result something was of a wrong type or missing, as a person reads
    it.
    """

    value: JsonDict
    unread: Tuple[str, ...]


def read_result(
    schema: JsonObject,
    reading: ReadingRules,
    params: JsonObject,
    result: JsonDict,
) -> Result[ReadResult, str]:
    """Return what of ``result`` can be read; ``Err``: what of it had to be there. ``result`` is not
    modified.
    """
    reader = _Reader(reading)
    value = reader.members(schema, result, "")
    if reader.fatal is not None:
        return Err(reader.fatal)
    assert value is not None  # only an entry goes as a whole
    for count, rows in reading.counts.items():
        if count in reader.unread:
            value[count] = len(result[rows]) if isinstance(result.get(rows), list) else 0
    if any(
        rows in reader.unread or f"{rows}[]" in reader.unread for rows in reading.counts.values()
    ):
        value["truncated"] = True
    if reader.omitted:
        value["omitted"] = {**value.get("omitted", {}), **reader.omitted}
    value = reading.consequences(params, value, frozenset(reader.unread))
    if reader.where:
        remarks = value.get("remarks", [])
        value["remarks"] = [*remarks, _sentence(reader.where)]
    return Ok(ReadResult(value, tuple(reader.where)))


def _sentence(where: List[str]) -> str:
    suffix = "" if len(where) <= _MOST_NAMED else f" and {len(where) - _MOST_NAMED} more"
    return f"Unity's answer does not fit the contract at {', '.join(where[:_MOST_NAMED])}{suffix}; the rest was read."


class _Reader:
    """``unread``: the paths of what could not be read, without indices. ``where``: the same with
    them.
    """

    def __init__(self, reading: ReadingRules) -> None:
        self._reading = reading
        self.unread: List[str] = []
        self.where: List[str] = []
        self.omitted: Dict[str, int] = {}
        self.fatal: Optional[str] = None

    def members(self, schema: JsonObject, value: JsonDict, path: str) -> Optional[JsonDict]:
        """Return the object that can be read; None if it lacks a member that an entry needs."""
        members = {
            name: member for name, member in value.items() if name not in schema["properties"]
        }
        required = schema.get("required", ())
        is_entry = path.endswith("]")
        for name, member_schema in schema["properties"].items():
            here = name
            if path:
                here = f"{path}.{name}"
            misfit = _misfit(member_schema, value, name, name in required)
            if misfit is None:
                if name in value:
                    members[name] = value[name]
            elif _plain(here) in self._reading.must_fit:
                self.fatal = self.fatal or f"result.{here}{misfit.where} {misfit.fault}"
            elif (
                not self._put(members, member_schema, value, name, here)
                and is_entry
                and name in required
            ):
                return None
        return members

    def _put(
        self,
        members: JsonDict,
        schema: JsonObject,
        value: JsonObject,
        name: str,
        path: str,
    ) -> bool:
        """Put what can be read of a member that does not fit; whether there is anything."""
        member, plain = value.get(name), _plain(path)
        if isinstance(member, dict) and "properties" in schema:
            members[name] = self.members(schema, member, path)
            return True
        if isinstance(member, list) and "items" in schema:
            members[name] = self._entries(schema["items"], member, path)
            return True
        self._note(path)
        if plain in self._reading.verdicts:
            members[name] = copy.copy(self._reading.verdicts[plain])
        elif name == "truncated":
            members[name] = True
        else:
            return False
        return True

    def _entries(self, schema: JsonObject, entries: List[Any], path: str) -> List[Any]:
        check = check_of(schema)
        readable: List[Any] = []
        for index, entry in enumerate(entries):
            here = f"{path}[{index}]"
            if check(entry) is None:
                readable.append(entry)
                continue
            is_object = isinstance(entry, dict) and "properties" in schema
            entry_members = None
            if is_object:
                entry_members = self.members(schema, entry, here)
            if entry_members is None:
                self._note(here)
                self.omitted[path] = self.omitted.get(path, 0) + 1
            else:
                readable.append(entry_members)
        return readable

    def _note(self, path: str) -> None:
        self.unread.append(_plain(path))
        self.where.append(path)


def _misfit(
    schema: JsonObject, value: JsonObject, name: str, is_required: bool
) -> Optional[Misfit]:
    if name not in value:
        if is_required:
            return Misfit((), "", "is missing", schema, None)
        return None
    check: Check = check_of(schema)
    return check(value[name])


def _plain(path: str) -> str:
    """``entries[3].type`` as ``entries[].type``."""
    parts = path.split("[")
    return "[".join([parts[0], *(part[part.index("]") :] for part in parts[1:])])
