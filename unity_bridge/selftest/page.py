"""The report of a self-test as one page for people (SPEC §25.3): no scripts, and no links to other
hosts.
"""

from __future__ import annotations

import json
from html import escape
from typing import Any, List, Mapping, Sequence

from unity_bridge.selftest.report import FAIL, PASS, SKIPPED

_HEAD = """<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; img-src data:; style-src 'unsafe-inline'">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>unity-bridge self-test</title>
<style>
:root { color-scheme: light dark }
body { font: 15px/1.5 system-ui, sans-serif; max-width: 70rem; margin: 2rem auto; padding: 0 1rem }
table { border-collapse: collapse; width: 100% }
th, td { text-align: left; vertical-align: top; padding: .3rem .6rem; border-bottom: 1px solid #8886 }
.pass { color: #188038 } .fail { color: #d93025; font-weight: bold } .skipped { color: #777 }
pre { white-space: pre-wrap; overflow-wrap: anywhere; margin: .3rem 0 }
img { max-width: 24rem; display: block; margin: .3rem 0; border: 1px solid #8886 }
</style>
</head>
"""
_FACTS = {
    "unity_version": "Unity",
    "system": "system",
    "plugin_version": "plugin",
    "server_version": "server",
    "started": "started",
    "seconds": "seconds",
}


def of(report: Mapping[str, Any], pictures: Sequence[Sequence[str]]) -> str:
    """Return the page of a report that names nobody. ``pictures``: for each row the ``data:`` URLs
    to show with it.
    """
    statuses = [row["status"] for row in report["rows"]]
    counts = ", ".join(f"{statuses.count(status)} {status}" for status in (FAIL, PASS, SKIPPED))
    facts = "; ".join(f"{called} {escape(str(report[name]))}" for name, called in _FACTS.items())
    failures_first = sorted(
        zip(report["rows"], pictures), key=lambda pair: pair[0]["status"] != FAIL
    )
    lines = [
        "<body>",
        "<h1>unity-bridge self-test</h1>",
        f"<p><strong>{counts}</strong></p>",
        f"<p>{facts}</p>",
        "<table>",
        "<tr><th>status</th><th>group</th><th>row</th><th>proves</th><th>seconds</th></tr>",
        *(_row(row, row_pictures) for row, row_pictures in failures_first),
        "</table>",
        "</body>",
        "</html>",
    ]
    return _HEAD + "\n".join(lines) + "\n"


def _row(row: Mapping[str, Any], pictures: Sequence[str]) -> str:
    about: List[str] = [escape(row["name"])]
    if row.get("reason"):
        about.append(f"<div>{escape(row['reason'])}</div>")
    if row["status"] == FAIL:
        for name in ("expected", "seen"):
            text = json.dumps(row[name], indent=1, ensure_ascii=False)
            about.append(f"<div>{name}</div><pre>{escape(text)}</pre>")
    about += [
        f'<img alt="a picture that this row took" src="{escape(picture)}">' for picture in pictures
    ]
    seconds = "" if row["status"] == SKIPPED else f"{row['ms'] / 1000:.1f}"
    cells = (escape(row["group"]), "".join(about), escape(row["proves"]), seconds)
    return (
        f'<tr><td class="{row["status"]}">{row["status"]}</td>'
        + "".join(f"<td>{cell}</td>" for cell in cells)
        + "</tr>"
    )
