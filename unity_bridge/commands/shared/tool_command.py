"""Makes a command from a tool: its options from the tool's schema, its course and exit status as
every other's.

A command's own function takes what the user gave, and returns a ``JobView`` or a ``Reading``.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Callable, List, NamedTuple, Optional, Type

import click

from unity_bridge.catalogue import CATALOGUE
from unity_bridge.catalogue.argument_spellings import meant_word
from unity_bridge.commands.shared.error_lines import compile_errors, note_errors
from unity_bridge.commands.shared.error_words import named_in, spelled
from unity_bridge.commands.shared.job_end import (
    Followed,
    Objection,
    Steps,
    exit_status,
    note_console,
    put_envelope,
    trouble,
)
from unity_bridge.commands.shared.options import (
    ScriptCommand,
    ScriptSettings,
    json_option,
    prints_json,
    script_options,
    script_settings,
    timeout_option,
    with_options,
)
from unity_bridge.scripting.output import note, put
from unity_bridge.text.json_types import JsonDict, JsonObject

if TYPE_CHECKING:
    from unity_bridge.commands.shared.editor_probe import Reading

_Decorator = Callable[[Any], Any]


def no_lines(_: object) -> List[str]:
    return []


class JobView(NamedTuple):
    """One job of a command, and how its end is shown.

    ``show`` prints a result. ``error_lines`` returns the lines of an error for stdout, and ``advice`` what to do about
    it. ``why`` returns a better sentence than the error's own, or nothing. ``faults`` returns why a job that was
    carried out is no success, a sentence each; ``Followed`` is the whole run. ``finish`` does what is left after the
    faults were printed, and returns an exit status of its own, or 0. ``steps`` are several jobs in place of one.
    ``instead`` is done without an editor in place of any job, and returns the exit status.
    """

    params: JsonObject
    show: Callable[[JsonObject], Any]
    error_lines: Callable[[Optional[JsonObject]], List[str]] = compile_errors
    why: Callable[[Optional[JsonObject]], str] = lambda error: ""
    advice: Callable[[Optional[JsonObject]], List[str]] = no_lines
    faults: Callable[[Followed], List[str]] = no_lines
    finish: Callable[[Followed, List[str]], int] = lambda followed, faults: 0
    objection: Optional[Objection] = None
    steps: Optional[Steps] = None
    instead: Optional[Callable[[ScriptSettings], int]] = None


def job_command(
    name: str,
    tool: str,
    activity: str,
    epilog: str,
    cls: Type[click.Command] = ScriptCommand,
    **settings: Any,
) -> Callable[[Callable[..., JobView]], click.Command]:
    """Make a command that runs a job of ``tool``, which is called ``activity`` in sentences.

    ``settings`` are click's own for the command.
    """

    def decorate(view: Callable[..., JobView]) -> click.Command:
        def run(timeout_s: Optional[float], **options: Any) -> int:
            job = view(**_own(view, options))
            settings = script_settings(options)
            if job.instead is not None:
                return job.instead(settings)
            from unity_bridge.commands.shared import (
                job_follower,  # --help and completion do without it
            )

            followed = job_follower.run_job(
                settings, tool, job.params, timeout_s, job.objection, job.steps
            )
            status = report_job(followed, job, tool, activity)
            note_errors(tool, followed)
            return status

        shared = (json_option(), _timeout(tool), script_options)
        return _command(name, view, run, shared, epilog, cls, **settings)

    return decorate


def report_job(followed: Followed, job: JobView, tool: str, activity: str) -> int:
    """Print how the job ended. Returns the exit status."""
    end, faults = followed.end, job.faults(followed)
    errors = job.error_lines(end.error)
    if prints_json():
        put_envelope(followed, activity, is_well=not faults)
    else:
        for line in errors:
            put(line)
        if end.result is not None:
            job.show(end.result)
    why = job.why(end.error) or trouble(end, activity)
    if why is not None:
        note(spelled(why, tool, job.params))
    if not prints_json():
        for line in ([] if errors else named_in(end.error)) + job.advice(end.error):
            note(line)
    note_console(end)
    for fault in faults:
        note(fault)
    status = exit_status(followed) or int(bool(faults))
    return job.finish(followed, faults) or status


def read_command(
    name: str,
    tool: str,
    epilog: str,
    has_timeout: bool = False,
    json_help: str = "{ok, result | error, job_id?}.",
) -> Callable[[Callable[..., Reading]], click.Command]:
    """Make a command that asks ``tool`` in a connected editor, once or several times."""

    def decorate(view: Callable[..., Reading]) -> click.Command:
        def run(**options: Any) -> int:
            from unity_bridge.commands.shared.editor_probe import (
                read,
            )  # --help and completion do without it

            timeout_s = options.pop("timeout_s", None)
            reading = view(**_own(view, options))
            limit = {} if timeout_s is None else {"timeout_ms": round(timeout_s * 1000)}
            return read(script_settings(options), tool, reading, limit)

        limits = (_timeout(tool, is_always_set=True),) if has_timeout else ()
        shared = (json_option(json_help), *limits, script_options)
        return _command(name, view, run, shared, epilog)

    return decorate


def _command(
    name: str,
    view: Any,
    run: Any,
    shared: Any,
    epilog: str,
    cls: Type[click.Command] = ScriptCommand,
    **settings: Any,
) -> click.Command:
    run = with_options(*shared)(run)
    # click reads the options from the last to the first: the command's own come first in its help.
    run.__click_params__ += view.__click_params__
    run.__doc__ = view.__doc__
    return click.command(name, cls=cls, epilog=epilog, **settings)(run)


def _own(view: Any, options: JsonDict) -> JsonDict:
    """Take the values of the command's own options out of ``options``; several values of one are a
    list, as in JSON.
    """
    view_options = {
        parameter.name: options.pop(parameter.name) for parameter in view.__click_params__
    }
    return {
        name: list(value) if isinstance(value, tuple) else value
        for name, value in view_options.items()
    }


def _timeout(tool: str, is_always_set: bool = False) -> _Decorator:
    row = CATALOGUE[tool]
    return timeout_option(row.default_timeout_ms // 1000, row.max_timeout_ms // 1000, is_always_set)


def option_of(tool: str, name: str, *flags: str, **settings: Any) -> _Decorator:
    """Return the option for an argument of the tool: its type, choices, range and default are the
    schema's.
    """
    schema = CATALOGUE[tool].input_schema["properties"][name]
    form = {"help": schema.get("description"), **_form(tool, name, schema), **settings}
    return click.option(*(flags or ("--" + name.replace("_", "-"),)), name, **form)


def argument_of(tool: str, name: str, **settings: Any) -> _Decorator:
    """Return the positional argument for an argument of the tool."""
    form = _form(tool, name, CATALOGUE[tool].input_schema["properties"][name])
    return click.argument(name, type=form["type"], **settings)


def _form(tool: str, name: str, schema: JsonObject) -> JsonDict:
    if schema["type"] == "boolean":
        return {"is_flag": True, "default": schema.get("default", False)}
    if schema["type"] == "array":
        return {
            **_form(tool, name, schema["items"]),
            "multiple": True,
            "default": None,
            "show_default": False,
        }
    default = {"default": schema.get("default"), "show_default": "default" in schema}
    if "enum" in schema:
        return {"type": _Word(tool, name, schema["enum"]), **default}
    if schema["type"] == "integer":
        return {
            "type": _Whole(schema.get("minimum"), schema.get("maximum")),
            "metavar": "N",
            **default,
        }
    return {"type": str, "metavar": "TEXT", **default}


class _Word(click.Choice):  # type: ignore[type-arg]  # not generic in every version
    """A word of an enum. Other spellings are taken as MCP takes them (SPEC §12.6)."""

    def __init__(self, tool: str, argument: str, words: List[str]) -> None:
        super().__init__(words)
        self._tool, self._argument, self._words = CATALOGUE[tool], argument, words

    def convert(
        self, value: Any, param: Optional[click.Parameter], ctx: Optional[click.Context]
    ) -> Any:
        return super().convert(
            meant_word(self._tool, self._argument, self._words, value), param, ctx
        )


class _Whole(click.IntRange):
    """A whole number. For another word click would say that it is no valid integer range."""

    def convert(
        self, value: Any, param: Optional[click.Parameter], ctx: Optional[click.Context]
    ) -> Any:
        try:
            return super().convert(int(value), param, ctx)
        except (ValueError, click.BadParameter):
            self.fail(f"{value!r} is not a whole number from {self.min} to {self.max}.", param, ctx)
