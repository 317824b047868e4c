"""Why no editor is connected, for a person at a terminal: the table of reasons, with this program's
own commands.
"""

from __future__ import annotations

from typing import Any, Mapping, Tuple

from unity_bridge.projects.no_editor import WHY
from unity_bridge.text.foreign_text import visible_line


def happened_and_remedy(reason: str, state: Mapping[str, Any]) -> Tuple[str, str]:
    """Return what happened and what to do, each without its full stop.

    ``reason``: of an editor that is not ready. ``state``: from ``get_editor_state``.
    """
    from unity_bridge.installation.command_line import (
        ours,
    )  # it imports much, and an editor is connected mostly

    project, listener = state.get("project"), state["listener"]
    arguments = []
    if project:
        arguments = [str(project)]
    values = {
        "project": visible_line(str(project or "this machine")),
        "port": state["port"],
        "holder": f" by {listener.get('holder') or 'another program'}",
        "refused": visible_line(str(listener.get("refused"))),
        "starting": state.get("starting"),
        "remark": state.get("project_remark"),
        "open": ours("open", *arguments),
        "install": ours("plugin", "install", str(project or "PROJECT")),
        "compile": ours("compile"),
        "doctor": ours("doctor"),
    }
    why = WHY.get(reason, WHY["port_not_allowed"])
    happened = why.sentence.format(**values)
    return happened[:1].upper() + happened[1:], why.by_hand.format(**values)
