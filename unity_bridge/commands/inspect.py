"""``unity-bridge inspect``: Show scenes, objects and their fields, assets."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any, Dict, List

import click

from unity_bridge.catalogue import CATALOGUE
from unity_bridge.commands.shared.envelope import envelope
from unity_bridge.commands.shared.inspect_view import shown
from unity_bridge.commands.shared.options import flag, prints_json
from unity_bridge.commands.shared.tool_command import argument_of, option_of, read_command
from unity_bridge.scripting.output import note, put, put_json
from unity_bridge.text.json_types import JsonDict, JsonObject

if TYPE_CHECKING:
    from unity_bridge.commands.shared.editor_probe import Ask, Reading

_TOOL = "inspect"
_MOST_ITEMS: int = CATALOGUE[_TOOL].input_schema["properties"]["limit"]["maximum"]
# A condition of a search, such as t:Light. C:/Game is a path.
_CONDITION = re.compile(r"[A-Za-z]+[:=](?![\\/])")
_EXAMPLE = 'Example: unity-bridge inspect object Main/Player --query "Rigidbody"'


@read_command("inspect", _TOOL, _EXAMPLE, has_timeout=True)
@argument_of(_TOOL, "what", default="hierarchy")
@argument_of(_TOOL, "path", required=False)
@click.argument("words", metavar="[QUERY]...", nargs=-1)
@option_of(_TOOL, "query", help="What to look for; see above.")
@option_of(_TOOL, "depth", help="How many levels below the start, or of a value.")
@option_of(_TOOL, "limit", help="How many items.")
@flag("--all", "wants_all", help="Every item, page after page.")
@option_of(_TOOL, "cursor", help="Continue after the next_cursor of an earlier answer.")
def command(what: str, wants_all: bool, words: List[str], **options: Any) -> Reading:
    """Show what is in the open project. This changes nothing.

    \b
    hierarchy [PATH]   objects below Scene/Root/Child, or of every open scene
                       --query: words of a name, t:Type for a component
    object PATH        an object's components with their fields
                       --query: Component, or Component.field
    assets [FOLDER]    --query: as in Unity's search, such as t:Material wood
    scenes             open, and in the build
    selection          what is selected in the editor
    ui [PATH]          what the running game lets a player use: run ui_click, run ui_text
                       --query: words of a label, t:Kind

    A word such as t:Light in place of PATH, or behind it, is the --query.

    PATH may be an asset's file or a GlobalObjectId too. The second of equal names is Child[1]; / % [ in a name are
    %2F %25 %5B.
    """
    _take_query(words, options)
    if what == "object" and options["path"] is None:
        raise click.UsageError("object takes a path, such as Main/Player")
    if what in ("scenes", "selection") and (options["path"] or options["query"]):
        raise click.UsageError(f"{what} takes no path and no --query")
    question = {
        "what": what,
        **{name: value for name, value in options.items() if value is not None},
    }
    if wants_all:
        question["limit"] = _MOST_ITEMS
    return lambda ask, *_: _show(ask, question, wants_all)


def _take_query(words: List[str], options: Dict[str, Any]) -> None:
    """Take words from the first condition on as the query."""
    if options["path"] is not None and _CONDITION.match(options["path"]):
        words, options["path"] = [options["path"], *words], None
    if not words:
        return
    if options["query"] is not None or not _CONDITION.match(words[0]):
        raise click.UsageError(f"Got unexpected extra argument ({' '.join(words)})")
    options["query"] = " ".join(words)


def _show(ask: Ask, question: JsonObject, wants_all: bool) -> None:
    """Print page after page, until nobody reads them. Only a page that is printed as JSON is kept."""
    items: List[JsonDict] = []
    count = 0
    page = ask(question)
    while True:
        count += len(page["items"])
        if prints_json():
            items += page["items"]
        elif not all(map(put, shown(page, question))):
            return
        if not wants_all or "next_cursor" not in page:
            break
        page = ask({**question, "cursor": page["next_cursor"]})
    if prints_json():
        put_json(envelope(True, {**page, "items": items}))
    else:
        _note_the_rest(count, page)


def _note_the_rest(count: int, page: JsonObject) -> None:
    if not count:
        note("Nothing found.")
    elif "next_cursor" in page or page.get("truncated"):
        note(f"{count} of {page['total']}; --all shows everything.")
