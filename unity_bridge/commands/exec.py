"""``unity-bridge exec``: Run C# from a file or stdin in the editor, if its user allows it."""

from __future__ import annotations

from typing import List, Optional, Tuple

import click

from unity_bridge.commands.shared.error_lines import message_line
from unity_bridge.commands.shared.option_values import read_stdin, read_text
from unity_bridge.commands.shared.tool_command import JobView, job_command, no_lines
from unity_bridge.scripting.output import note, put, put_value
from unity_bridge.text.foreign_text import visible, visible_line
from unity_bridge.text.json_types import JsonDict, JsonObject

_STDIN = "-"
# As the plugin names the code, which has no file there.
_SNIPPET = "snippet.cs"
# Single quotes are part of the code in cmd.
_EXAMPLE = 'Example: unity-bridge exec "Selection.activeGameObject.name"'


@job_command("exec", "run_csharp", "The code", _EXAMPLE)
@click.argument("code", required=False)
@click.option("--code", "also_code", hidden=True)  # guessed
@click.option("-f", "--file", "path", metavar="FILE", help="Run the code in FILE; - for stdin.")
@click.option(
    "--using",
    "usings",
    multiple=True,
    metavar="NAMESPACE",
    help="Another namespace to use; may be repeated.",
)
def command(
    code: Optional[str], also_code: Optional[str], path: Optional[str], usings: List[str]
) -> JobView:
    """Run CODE, a file or stdin on Unity's main thread, once: statements, or a class with a static
    method Run.

    The value of a last expression without a semicolon is printed as JSON, after what the code
    logged and wrote. It is off until the user allows it in Project Settings > Unity Bridge. Running
    code cannot be stopped.

    Exit status: 0 it ran; 1 it does not compile, threw, or could not be run;
    2 wrong usage; 3 no editor; 4 --timeout passed.
    """
    if code is not None and also_code is not None:
        raise click.UsageError("give the code once")
    source = code
    if code is None:
        source = also_code
    text, name = _read(source, path)
    if not text.strip():
        raise click.UsageError("there is no code to run")
    params = {"code": text, "usings": usings}
    return JobView(params, lambda result: report(result, name), error_lines=no_lines)


def report(result: JsonObject, name: str) -> None:
    """Output, then the value, on stdout; or the compile errors, with ``name`` as their file."""
    if "errors" in result:
        put("\n".join(message_line(_placed(error, name), "error") for error in result["errors"]))
        untold = result.get("error_count", 0) - len(result["errors"])
        summary = "The code does not compile; nothing was run."
        if untold > 0:
            summary = f"... and {untold} more errors."
        note(summary)
        return
    if result.get("output"):
        put(visible(result["output"].rstrip("\n")))
    if result.get("value") is not None:
        put_value(result["value"])
    if result.get("scenes_dirtied"):
        note(
            f"Scenes with changes that are not saved: {visible_line(', '.join(result['scenes_dirtied']))}."
        )


def _placed(error: JsonObject, name: str) -> JsonDict:
    return {**error, "file": name if error.get("file") == _SNIPPET else error.get("file")}


def _read(code: Optional[str], path: Optional[str]) -> Tuple[str, str]:
    """Return the code, and what its file is called in an error."""
    if (code is None) == (path is None):
        raise click.UsageError("give the code, or -f FILE, or -f - for stdin")
    if code is not None and code != _STDIN:
        return code, _SNIPPET
    try:
        if path in (None, _STDIN):
            return read_stdin(), "stdin"
        assert path is not None
        with open(path, "rb") as file:
            return read_text(file, path).replace("\r\n", "\n"), path
    except OSError as error:
        raise click.UsageError(f"{path} cannot be read: {error.strerror or error}") from error
    except UnicodeDecodeError as error:
        raise click.UsageError(f"{path or 'stdin'} is not UTF-8") from error
