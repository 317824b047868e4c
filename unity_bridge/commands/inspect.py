"""``unity-bridge inspect``: Show scenes, objects and their fields, assets."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Callable, Dict, List, Mapping, Optional

import click

from unity_bridge.catalogue import CATALOGUE
from unity_bridge.commands.envelope import envelope, put_failure
from unity_bridge.commands.options import Seconds, json_option, script_options, script_settings
from unity_bridge.commands.output import note, prepare_output, put, put_json

if TYPE_CHECKING:
    from unity_bridge.base.calls import Failure
    from unity_bridge.commands.short_life import ShortLife

_TOOL = CATALOGUE["inspect"]
_PROPERTIES: Mapping[str, Any] = _TOOL.input_schema["properties"]
_MOST_ITEMS: int = _PROPERTIES["limit"]["maximum"]
_MOST_LEVELS: int = _PROPERTIES["depth"]["maximum"]
_FAILED = 1
_OUT_OF_TIME = 4


@click.command("inspect", epilog='Example: unity-bridge inspect object Main/Player --query "Rigidbody"')
@click.argument("what", type=click.Choice(_PROPERTIES["what"]["enum"]), default="hierarchy")
@click.argument("path", required=False)
@click.option("--query", metavar="TEXT", default=None, help="What to look for; see above.")
@click.option(
    "--depth",
    type=click.IntRange(0, _MOST_LEVELS),
    metavar="N",
    default=_PROPERTIES["depth"]["default"],
    show_default=True,
    help="How many levels below the start, or of a value.",
)
@click.option(
    "--limit",
    type=click.IntRange(1, _MOST_ITEMS),
    metavar="N",
    default=_PROPERTIES["limit"]["default"],
    show_default=True,
    help="How many items.",
)
@click.option("--all", "wants_all", is_flag=True, help="Every item, page after page.")
@click.option("--cursor", metavar="TEXT", default=None, help="Continue after the next_cursor of an earlier answer.")
@json_option
@click.option(
    "--timeout",
    "timeout_s",
    type=Seconds(1),
    metavar="SECONDS",
    default=_TOOL.default_timeout_ms / 1000,
    help=f"How long a page may take before this command gives up with status 4 "
    f"(default {_TOOL.default_timeout_ms // 1000}).",
)
@script_options
@click.pass_context
def command(
    context: click.Context,
    /,
    what: str,
    path: Optional[str],
    query: Optional[str],
    depth: int,
    limit: int,
    wants_all: bool,
    cursor: Optional[str],
    as_json: bool,
    timeout_s: float,
    **options: Any,
) -> None:
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

    PATH may be an asset's file or a GlobalObjectId too. The second of equal names is Child[1]; / % [ in a name are
    %2F %25 %5B.
    """
    prepare_output(context)
    if timeout_s * 1000 > _TOOL.max_timeout_ms:
        raise click.UsageError(f"--timeout can be at most {_TOOL.max_timeout_ms // 1000} seconds for this command")
    if what == "object" and path is None:
        raise click.UsageError("object takes a path, such as Main/Player")
    if what in ("scenes", "selection") and (path or query):
        raise click.UsageError(f"{what} takes no path and no --query")
    settings = script_settings(context, options)
    from unity_bridge.base.result import Err
    from unity_bridge.commands.short_life import NO_EDITOR, ShortLife

    question: Dict[str, Any] = {"what": what, "depth": depth, "limit": _MOST_ITEMS if wants_all else limit}
    question["timeout_ms"] = round(timeout_s * 1000)
    given = {"path": path, "query": query, "cursor": cursor}
    question.update({name: text for name, text in given.items() if text is not None})
    with ShortLife(settings.config, settings.project, settings.is_named) as life:
        editor = life.wait_for_editor(settings.wait_s)
        if isinstance(editor, Err):
            put_failure(editor.error.as_json(), as_json)
            context.exit(NO_EDITOR)
        life.say_if_busy(editor.value)
        context.exit(_show(life, question, wants_all, as_json))


def _show(life: ShortLife, question: Mapping[str, Any], wants_all: bool, as_json: bool) -> int:
    """The exit status."""
    from unity_bridge.base.result import Err
    from unity_bridge.commands.inspect_view import shown

    pages: List[Dict[str, Any]] = []
    count = 0
    is_read = True
    while is_read and (not pages or (wants_all and "next_cursor" in pages[-1])):
        asked = {**question, "cursor": pages[-1]["next_cursor"]} if pages else question
        answer = life.ask(life.call("inspect", asked))
        if isinstance(answer, Err):
            put_failure(answer.error.as_json(), as_json)
            return _status(answer.error)
        count += len(answer.value["items"])
        if as_json:
            pages.append(answer.value)
        else:
            # What was printed is not kept.
            pages = [{**answer.value, "items": []}]
            is_read = _put_all(shown(answer.value, question), put)
    if as_json:
        put_json(envelope(True, {**pages[-1], "items": [item for page in pages for item in page["items"]]}))
    elif is_read:
        _note_the_rest(count, pages[-1])
    return 0


def _put_all(lines: List[str], put_line: Callable[[str], bool]) -> bool:
    """False once nobody reads them."""
    return all(put_line(line) for line in lines)


def _note_the_rest(count: int, last: Mapping[str, Any]) -> None:
    if not count:
        note("Nothing found.")
    elif "next_cursor" in last or last.get("truncated"):
        note(f"{count} of {last['total']}; --all shows everything.")


def _status(failure: Failure) -> int:
    return _OUT_OF_TIME if failure.as_json()["code"] == "ERR_REQUEST_TIMEOUT" else _FAILED
