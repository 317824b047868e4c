"""Natural first calls: what an agent sends that knows Unity and other tools, and nothing of this
package (SPEC §16.5).

A line of ``own.jsonl``, ``given.jsonl`` or ``tools.jsonl`` is one request, in our words, with the public document
that it comes from:

- ``first``: the calls that follow from that document, as ``[tool, arguments]``.
- ``meant``: what has to come of them: rows of ``changed`` as ``[path, field]`` or ``[path, field, after]``, and texts
  of the answers. A row that is not among them is a change that nobody asked for; one after ``?``
  may be missing.
- ``expected``: the verdict. ``shows``: words of the refusal (or hint) of one of them, with which ``second`` is certain.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any, Dict, List, NamedTuple, Sequence, Tuple

HERE = Path(__file__).resolve().parent

ONCE, TWICE, CSHARP, IMPOSSIBLE = "once", "twice", "needs C#", "impossible"
REFUSED_WITHOUT_HELP, SOMETHING_ELSE = "refused without help", "something else than was meant"
VERDICTS = (ONCE, TWICE, CSHARP, IMPOSSIBLE, REFUSED_WITHOUT_HELP, SOMETHING_ELSE)

Call = Tuple[str, Dict[str, Any]]


class Request(NamedTuple):
    """One line."""

    id: str
    source: str
    request: str
    first: List[Call]
    expected: str
    meant: Sequence[Any] = ()
    shows: Sequence[str] = ()
    second: Sequence[Call] = ()


class Answer(NamedTuple):
    """What a call came to: ``error`` is the refusal's message, empty for a call that was carried
    out.
    """

    error: str
    content: Dict[str, Any]

    @property
    def text(self) -> str:
        return self.error + json.dumps(self.content, ensure_ascii=False)

    @property
    def hint(self) -> str:
        """What it says besides its result."""
        result = self.content.get("result") or self.content
        return f"{result.get('hint', '')} {result.get('remarks', '')} {self.error}"

    def rows(self) -> List[Dict[str, Any]]:
        value = (self.content.get("result") or {}).get("value")
        return list(value.get("changed") or []) if isinstance(value, dict) else []


def requests(name: str) -> List[Request]:
    """The lines of a list, in their order: later ones find what earlier ones have
    made.
    """
    lines = (HERE / f"{name}.jsonl").read_text(encoding="utf-8").splitlines()
    return [Request(**json.loads(line)) for line in lines]


def verdict(request: Request, first: Sequence[Answer], second: Sequence[Answer]) -> str:
    """What the calls came to."""
    is_done = not any(answer.error for answer in first)
    is_ours = request.expected not in (CSHARP, IMPOSSIBLE)
    if is_done and is_ours and _is_meant(request.meant, first):
        return ONCE
    # A call that does nothing and shows the way is as good as a refusal.
    has_changed = any(answer.rows() for answer in first)
    if has_changed and (is_done or not request.second):
        return SOMETHING_ELSE
    said = " ".join(answer.hint for answer in first)
    if not request.shows or not all(words in said for words in request.shows):
        return SOMETHING_ELSE if is_done else REFUSED_WITHOUT_HELP
    if not is_ours:
        return request.expected
    is_right = (
        second and not any(answer.error for answer in second) and _is_meant(request.meant, second)
    )
    return TWICE if is_right else REFUSED_WITHOUT_HELP


def _is_meant(meant: Sequence[Any], answers: Sequence[Answer]) -> bool:
    rows = [row for answer in answers for row in answer.rows()]
    text = " ".join(answer.text for answer in answers)
    wanted = [member for member in meant if isinstance(member, list) and member[0] != "?"]
    allowed = [
        *wanted,
        *(member[1:] for member in meant if isinstance(member, list) and member[0] == "?"),
    ]
    if not all(any(_is_row(member, row) for row in rows) for member in wanted):
        return False
    # The components and the place among siblings are listed with what was made or moved.
    unasked = [
        row
        for row in rows
        if "field" in row
        and row["field"] not in ("components", "index")
        and not any(_is_row(m, row) for m in allowed)
    ]
    return not unasked and all(member in text for member in meant if isinstance(member, str))


def _is_row(meant: Sequence[Any], row: Dict[str, Any]) -> bool:
    if [row.get("path"), row.get("field")] != list(meant[:2]):
        return False
    return len(meant) == 2 or _is_value(row["after"], meant[2])


def _is_value(after: Any, meant: Any) -> bool:
    if isinstance(after, dict) and isinstance(meant, list):
        return _is_value(list(after.values()), meant)
    if isinstance(after, list) and isinstance(meant, list):
        return len(after) == len(meant) and all(map(_is_value, after, meant))
    if isinstance(after, (int, float)) and isinstance(meant, (int, float)):
        return abs(after - meant) < 1e-3
    return bool(after == meant)
