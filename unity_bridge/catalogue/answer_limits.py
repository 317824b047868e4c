"""Fits an answer to its budget: what gives way, in which order, until it fits (SPEC §8.7). Pure.

A tool's ``gives_way`` is its row of the table: steps that each cut one kind of thing in a ``Fitting``. After them come
steps that fit anything. Nothing is cut from an answer that fits.
"""

from __future__ import annotations

import re
from functools import partial
from typing import Any, Callable, Dict, List, Optional, Sequence, Tuple

from unity_bridge.text.foreign_text import whole_until
from unity_bridge.text.json_types import JsonDict, JsonObject
from unity_bridge.text.json_writer import compact

LONG, SHORT = 1000, 200

# Members that are addresses or words of the contract: a part of one leads nowhere, so it is kept or
# left out whole.
_WHOLE = frozenset(
    (
        "path",
        "file",
        "name",
        "id",
        "guid",
        "scene",
        "cursor",
        "next_cursor",
        "job_id",
        "request_id",
        "code",
        "advice",
        "recovery",
        "execution_guarantee",
        "state",
        "tool",
        "what",
        "type",
    )
)
_CUT = re.compile(r"\.\.\. \((\d{1,12}) more characters\)\Z")
# A character that nobody sees, as the client gets it (SPEC §20.2).
_ESCAPE = re.compile(r"\\u\{[0-9A-F]{1,6}\}")
_LONGEST_ESCAPE = 10
# A cut of fewer characters than its note has makes a text longer.
_LONGEST_NOTE = 40
_SMALL = 60
_FIRST_ERRORS = 20
_NOTHING: Any = object()


def json_bytes(value: Any) -> int:
    """Return the length of ``value`` as compact JSON in UTF-8."""
    return len(compact(value).encode("utf-8", "surrogatepass"))


class Fitting:
    """A result that is being cut. ``omitted``: how many entries of each list are left out. ``remarks``: what to do
    about each kind of cut, a sentence each. ``size_of`` returns the bytes of the whole answer with a result."""

    def __init__(
        self,
        result: JsonDict,
        params: JsonObject,
        size_of: Callable[[JsonDict], int],
        most_bytes: int,
    ) -> None:
        self.result = result
        self.params = params
        self.omitted: Dict[str, int] = {}
        self.remarks: Dict[str, str] = {}
        self._size_of = size_of
        self._most_bytes = most_bytes

    @property
    def room(self) -> int:
        """How many bytes the answer may still grow by; less than 0 if it does not fit."""
        return self._most_bytes - self._size_of(self.reported())

    @property
    def fits(self) -> bool:
        return self.room >= 0

    def reported(self) -> JsonDict:
        """Return the result with ``omitted`` and ``remarks``."""
        reported = dict(self.result)
        if self.omitted:
            counts = reported.get("omitted")
            # What the plugin has left out, because no message has more.
            omitted = {}
            if isinstance(counts, dict):
                omitted = {name: n for name, n in counts.items() if type(n) is int}
            reported["omitted"] = {
                **omitted,
                **{name: n + omitted.get(name, 0) for name, n in self.omitted.items()},
            }
        if self.remarks:
            remarks = reported.get("remarks")
            before = remarks if isinstance(remarks, list) else []
            reported["remarks"] = [
                *before,
                *(remark for remark in self.remarks.values() if remark not in before),
            ]
        return reported

    def rows(self, name: str) -> List[Any]:
        """Return the list of this name; empty if there is none."""
        rows = self.result.get(name)
        if isinstance(rows, list):
            return rows
        return []

    def put(self, **members: Any) -> None:
        self.result = {**self.result, **members}

    def leaves_out(self, name: str, number: int, advice: str, members: JsonObject) -> None:
        """Count ``number`` entries as left out of a list; ``members`` are those that stay."""
        self.omitted[name] = self.omitted.get(name, 0) + number
        self.remarks[name] = advice
        self.put(**members)


Step = Callable[[Fitting], None]


def fitted(
    payload: JsonDict,
    gives_way: Sequence[Step],
    params: JsonObject,
    most_bytes: int,
    as_shown: Callable[[JsonDict], JsonDict],
) -> JsonDict:
    """Return ``payload``, cut until its JSON has at most ``most_bytes``.

    ``payload`` is a tool's result, a job's status, or ``{error}``. ``as_shown`` returns the form that the client sees,
    which is measured and returned.
    """
    to_the_end = (texts(LONG), beginning)
    parts: List[Tuple[Tuple[str, ...], Sequence[Step]]] = [((), (*gives_way, *to_the_end))]
    if "error" in payload or ("state" in payload and "job_id" in payload):
        parts = [
            (("console",), (texts(LONG),)),
            (("result",), (*gives_way, *to_the_end)),
            (("error", "details"), (*FAULTS, texts(LONG))),
            ((), (texts(LONG), texts(SHORT), beginning)),
        ]
    for place, steps in parts:
        part: Any = payload
        for name in place:
            part = part.get(name) if isinstance(part, dict) else None
        if not isinstance(part, dict):
            continue

        whole_with = partial(_with, payload, place)
        fitting = Fitting(part, params, partial(_size, as_shown, whole_with), most_bytes)
        for step in steps:
            if fitting.fits:
                return as_shown(whole_with(fitting.reported()))
            step(fitting)
        payload = whole_with(fitting.reported())
    return as_shown(payload)


_Change = Callable[[Dict[str, Any]], Dict[str, Any]]


def _size(as_shown: _Change, whole_with: _Change, part: JsonDict) -> int:
    return json_bytes(as_shown(whole_with(part)))


def _with(payload: JsonDict, place: Sequence[str], part: JsonDict) -> JsonDict:
    """Return ``payload`` with another part at this place."""
    if not place:
        return part
    return {**payload, place[0]: _with(payload[place[0]], place[1:], part)}


# Steps.


def texts(
    most: int,
    *names: str,
    but: Sequence[str] = (),
    advice: str = "Ask for less at once to see them whole.",
) -> Step:
    """Shorten the texts of more than ``most`` characters in these members, or in all of them."""

    def step(fitting: Fitting) -> None:
        for name in names or tuple(fitting.result):
            before = fitting.result.get(name)
            after = _with_short_texts(before, most, but) if name not in _WHOLE else before
            if after is not before:
                fitting.put(**{name: after})
                fitting.remarks["texts"] = (
                    f"Texts of more than {most} characters were cut. {advice}"
                )

    return step


def count(name: str, advice: str) -> Step:
    """Leave a list out, and count it."""

    def step(fitting: Fitting) -> None:
        if fitting.rows(name):
            fitting.omitted[name] = len(fitting.rows(name))
            fitting.result = {
                member: value for member, value in fitting.result.items() if member != name
            }
            fitting.remarks[name] = advice

    return step


def rest(name: str, advice: str, newest: Optional[int] = None) -> Step:
    """Leave out the entries of a list after the ``newest``, or as many at its end as must be. One
    stays.
    """

    def step(fitting: Fitting) -> None:
        rows = fitting.rows(name)
        if newest is None:
            leave_out(fitting, name, len(rows), lambda count: {name: rows[:count]}, advice)
        elif len(rows) > newest:
            fitting.leaves_out(name, len(rows) - newest, advice, {name: rows[:newest]})

    return step


def leave_out(
    fitting: Fitting,
    name: str,
    total: int,
    members_with: Callable[[int], JsonObject],
    advice: str,
    most: Optional[int] = None,
) -> None:
    """Keep as many of ``total`` entries as fit: at least one, and at most ``most``.

    ``members_with`` returns the members with so many.
    """
    before = fitting.omitted.get(name, 0)
    high = total - 1 if most is None else min(total - 1, most)

    def keep(entries: int) -> None:
        fitting.omitted[name] = before
        fitting.leaves_out(name, total - entries, advice, members_with(entries))

    if high >= 1:
        _keep_most(fitting, keep, 1, high)


def _keep_most(fitting: Fitting, keep: Callable[[int], None], low: int, high: int) -> int:
    """Keep as many as fit, from ``low`` to ``high``, and return how many those are."""
    while low < high:
        middle = (low + high + 1) // 2
        keep(middle)
        low, high = (middle, high) if fitting.fits else (low, middle - 1)
    keep(low)
    return low


def _some_of_each_file(fitting: Fitting) -> None:
    """Keep the first errors, and of the others the first of each file."""
    errors = fitting.rows("errors")
    order = list(range(min(_FIRST_ERRORS, len(errors))))
    files = {_file_of(errors[index]) for index in order}
    for index in range(len(order), len(errors)):
        if _file_of(errors[index]) not in files:
            files.add(_file_of(errors[index]))
            order.append(index)

    def members_with(count: int) -> JsonObject:
        return {"errors": [errors[index] for index in sorted(order[:count])]}

    advice = "Only some of the errors are here: fix them, then compile again for the others."
    leave_out(fitting, "errors", len(errors), members_with, advice, len(order))


def _file_of(error: Any) -> Any:
    file = error.get("file") if isinstance(error, dict) else None
    if isinstance(file, str):
        return file
    return None


# What the compiler and others report, in a result or in the details of an error.
FAULTS: Tuple[Step, ...] = (
    texts(300, "errors", "warnings"),
    rest(
        "warnings",
        "Only the first warnings are here: fix the errors, then compile again for the others.",
    ),
    _some_of_each_file,
)


def value_of(
    name: str, advice_for: Callable[[JsonObject], str] = lambda params: _RETURN_LESS
) -> Step:
    """Cut what a command returned: its lists at whole rows, then texts, at last all but its
    beginning as text.

    ``advice_for`` says for a call with these ``params`` how to see the rows that are left out.
    """

    def step(fitting: Fitting) -> None:
        if fitting.result.get(name) is None:
            return
        fitting.remarks[name] = (
            f"{name} was too long and was cut. {advice_for(fitting.params)}".rstrip()
        )
        fitting.put(truncated=True)
        for path in _lists_in(fitting.result[name], (name,)):
            if not fitting.fits:
                _leave_rows_out(fitting, path)
        if not fitting.fits:
            _leave_beginning(fitting, name)

    return step


_RETURN_LESS = "Return less of it."


def _lists_in(value: Any, path: Tuple[str, ...]) -> List[Tuple[str, ...]]:
    """Return the paths of the lists in objects of objects, the one with the most bytes first."""
    sizes: List[Tuple[int, Tuple[str, ...]]] = []

    def collect(part: Any, here: Tuple[str, ...]) -> None:
        if isinstance(part, list):
            sizes.append((json_bytes(part), here))
        elif isinstance(part, dict):
            for name, member in part.items():
                collect(member, (*here, name))

    collect(value, path)
    return [here for _, here in sorted(sizes, key=lambda size: -size[0])]


def _leave_rows_out(fitting: Fitting, path: Tuple[str, ...]) -> None:
    """Keep as many whole rows of this list as fit, from its beginning: with short texts if none
    does, else ``[]``.
    """
    rows: Any = fitting.result
    for name in path:
        rows = rows[name]
    for most in (None, LONG, SHORT):
        if most is None:
            rows_shown = rows
        else:
            rows_shown = _with_short_texts(rows, most)
        if _keep_rows(fitting, path, rows_shown):
            return


def _keep_rows(fitting: Fitting, path: Tuple[str, ...], whole: List[Any]) -> bool:
    label = ".".join(path)

    def keep(rows: int) -> None:
        # Only a whole list has the plugin's cursor, which points behind its end.
        fitting.result = _with_rows(fitting.result, path, whole[:rows])
        fitting.omitted[label] = len(whole) - rows

    return _keep_most(fitting, keep, 0, len(whole)) > 0


def _with_rows(members: JsonDict, path: Tuple[str, ...], rows: List[Any]) -> JsonDict:
    name, *deeper = path
    if not deeper:
        return {
            key: member for key, member in {**members, name: rows}.items() if key != "next_cursor"
        }
    return {**members, name: _with_rows(members[name], tuple(deeper), rows)}


def _leave_beginning(fitting: Fitting, name: str) -> None:
    value = fitting.result[name]
    fitting.put(**{name: None})
    room = fitting.room + len("null")
    cut = _beginning(value, room)[0]
    if cut is _NOTHING or (not cut and value):
        fitting.omitted = {
            label: count for label, count in fitting.omitted.items() if label.split(".")[0] != name
        }
        cut = _beginning(compact(value), room)[0]
    fitting.put(**{name: None if cut is _NOTHING else cut})


def beginning(fitting: Fitting) -> None:
    """Keep what fits of anything, from its beginning."""
    whole, fitting.result = fitting.result, {}
    fitting.remarks["beginning"] = (
        "This answer was too long, and only its beginning is here: ask for less at once."
    )
    lists = [name for name, member in whole.items() if isinstance(member, list)]
    fitting.omitted.update(
        {name: fitting.omitted.get(name, 0) + len(whole[name]) for name in lists}
    )
    fitting.result = {name: [] for name in lists}
    start = _beginning(whole, fitting.room)[0]
    fitting.result = {**fitting.result, **(start if isinstance(start, dict) else {})}
    for name in lists:
        fitting.omitted[name] -= len(fitting.result[name])
    fitting.omitted = {name: count for name, count in fitting.omitted.items() if count}
    if not fitting.fits:
        # There is no room for the remarks either.
        fitting.result, fitting.remarks, fitting.omitted = {}, {}, {}


# Parts of the above.


def shortened(text: str, most: int) -> str:
    """Return the beginning of a text, with how much is left out. A character that was escaped stays
    whole.
    """
    if len(text) <= most + _LONGEST_NOTE:
        return text
    cut = _CUT.search(text)
    body, left_out = (text, 0) if cut is None else (text[: cut.start()], int(cut.group(1)))
    if len(body) <= most:
        return text
    end = most
    for escape in _ESCAPE.finditer(body, max(0, most - _LONGEST_ESCAPE), most + _LONGEST_ESCAPE):
        if escape.start() < most < escape.end():
            end = escape.start()
    end = whole_until(body, end)
    return f"{body[:end]}... ({len(body) - end + left_out} more characters)"


def _with_short_texts(value: Any, most: int, but: Sequence[str] = ()) -> Any:
    """Return the same value if nothing in it is longer."""
    if isinstance(value, str):
        return shortened(value, most)
    if isinstance(value, list):
        items = [_with_short_texts(item, most, but) for item in value]
        if any(after is not before for after, before in zip(items, value)):
            return items
        return value
    if isinstance(value, dict):
        members = {
            name: member if name in _WHOLE or name in but else _with_short_texts(member, most, but)
            for name, member in value.items()
        }
        if any(members[name] is not value[name] for name in members):
            return members
        return value
    return value


def _beginning(value: Any, room: int) -> Tuple[Any, int]:
    """Return as much of a JSON value as has at most ``room`` bytes as JSON, and its bytes; or
    ``_NOTHING``.
    """
    if isinstance(value, list):
        return _beginning_of_list(value, room)
    if isinstance(value, dict):
        return _beginning_of_members(value, room)
    size = json_bytes(value) if not isinstance(value, str) or len(value) <= room else room + 1
    if size <= room:
        return value, size
    most = room if isinstance(value, str) else 0
    while most > 0:
        cut = shortened(value, most)
        size = json_bytes(cut)
        if size <= room and len(cut) < len(value):
            return cut, size
        most = min(most - 1, most * 7 // 8)
    return _NOTHING, 0


def _beginning_of_list(items: List[Any], room: int) -> Tuple[Any, int]:
    first_items: List[Any] = []
    used = len("[]")
    for item in items:
        comma = 1 if first_items else 0
        cut, size = _beginning(item, room - used - comma)
        # A row is there as a whole; only the first one may be shortened.
        if cut is _NOTHING or (cut != item and (first_items or not cut)):
            break
        first_items.append(cut)
        used += size + comma
    if used <= room:
        return (first_items, used)
    return (_NOTHING, 0)


def _beginning_of_members(members: JsonDict, room: int) -> Tuple[Any, int]:
    """Small members come first: they say what the others are of."""
    first_members: JsonDict = {}
    used = len("{}")
    for is_small in (True, False):
        for name, member in members.items():
            if _is_small(member) is not is_small:
                continue
            around = json_bytes(name) + len(":") + (1 if first_members else 0)
            cut, size = _beginning(member, room - used - around)
            is_part = isinstance(member, str) and name in _WHOLE and cut is not member
            if cut is not _NOTHING and not is_part:
                first_members[name] = cut
                used += around + size
    if used <= room:
        return ({name: first_members[name] for name in members if name in first_members}, used)
    return (_NOTHING, 0)


def _is_small(value: Any) -> bool:
    return not value or (not isinstance(value, (list, dict)) and len(str(value)) <= _SMALL)
