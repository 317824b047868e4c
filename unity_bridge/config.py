"""``ConfigLoader``: command line over environment over file over defaults, each value checked (SPEC
§2, §9).

For the port, the files of the Unity project come between a file that was named and the default one
(SPEC §18.1).

``Config`` is the table of all settings: each field has its default, its range and what it is for. The file
``conf/unity-bridge.json`` repeats the defaults for people to read and change, and docs/settings.md shows them.
"""

from __future__ import annotations

import errno
import json
import os
import re
from enum import Enum
from typing import Any, Dict, Iterable, List, Mapping, NamedTuple, Optional, Tuple, Union

from unity_bridge.base.frozen import Field, fields_of, frozen
from unity_bridge.base.result import Err, Ok, Result
from unity_bridge.log.logger import FORMATS, LEVELS
from unity_bridge.system.shared_file import read_text
from unity_bridge.text import json_reader
from unity_bridge.text.spelling import nearest

SCHEMA_VERSION = 1
CONFIG_FILE_VARIABLE = "UNITY_BRIDGE_CONFIG"

# Every variable that begins like this is ours. Those that are no setting: the state folder (SPEC
# §17.1), and the plugin's switch for batch mode (SPEC §18.4), and the launcher's for packages
# without hashes (ADR-0023).
_VARIABLE_PREFIX = "UNITY_BRIDGE_"
_OTHER_VARIABLES = (
    CONFIG_FILE_VARIABLE,
    "UNITY_BRIDGE_STATE_DIR",
    "UNITY_BRIDGE_BATCHMODE",
    "UNITY_BRIDGE_UNLOCKED",
    "UNITY_BRIDGE_ALLOW",
    "UNITY_BRIDGE_UNITY",
)

# A larger file is not a configuration, and is not read into memory.
_FILE_BYTES_MAX = 1024 * 1024

# How many unknown variables the warning names.
_STRANGE_SHOWN = 5

Value = Union[int, float, str, None]


class ConfigErrorCode(str, Enum):
    """What is wrong with a configuration. The value begins the line that the user sees."""

    PARSE = "ERR_CONFIG_PARSE"
    VALIDATION = "ERR_CONFIG_VALIDATION"
    SCHEMA_VERSION = "ERR_CONFIG_SCHEMA_VERSION"


class Setting(NamedTuple):
    """What a field may hold: a number from ``minimum`` to ``maximum``, one of ``choices``, a truth
    value, or any text.

    ``variables`` are the environment variables that set it. The first one that is set applies. ``remark``: what a
    message adds to the range of a number, or what a text has to be.
    """

    meaning: str
    variables: Tuple[str, ...]
    option: Optional[str]
    minimum: float = 0
    maximum: float = 0
    choices: Tuple[str, ...] = ()
    remark: str = ""


_TRUTH = {"true": True, "1": True, "false": False, "0": False}
_PORT = "unity_ws_port"
_INTEGER_TEXT = re.compile(r"[+-]?[0-9]{1,18}")
_SETTING = "setting"


def _number(
    default: float,
    minimum: float,
    maximum: float,
    meaning: str,
    *,
    name: str = "",
    option: str = "",
    remark: str = "",
) -> Any:
    variables = (name,) if name else ()
    setting = Setting(meaning, variables, option or None, minimum, maximum, remark=remark)
    return Field(default, metadata={_SETTING: setting})


def _flag(default: bool, meaning: str) -> Any:
    return Field(default, metadata={_SETTING: Setting(meaning, (), None)})


def _text(
    default: Optional[str],
    meaning: str,
    option: str,
    choices: Tuple[str, ...] = (),
    kind: str = "the path of a file",
) -> Any:
    return Field(
        default, metadata={_SETTING: Setting(meaning, (), option, choices=choices, remark=kind)}
    )


@frozen
class Config:
    """Every setting, checked. ``Config()`` is the defaults. Lengths of time are whole milliseconds."""

    schema_version: int = SCHEMA_VERSION
    unity_ws_port: int = _number(
        8091,
        0,
        65535,
        "port on which Unity is awaited",
        name="PORT",
        option="--port",
        remark="; 0 = any free port",
    )

    queue_max_size: int = _number(32, 1, 10_000, "calls that may wait, parked and queued together")
    max_message_bytes: int = _number(
        1_048_576, 65_536, 16_777_216, "longest message to or from Unity"
    )
    answer_max_bytes: int = _number(
        24_000, 4_000, 1_000_000, "longest text of an answer to an MCP client"
    )
    heartbeat_interval_ms: int = _number(3_000, 10, 60_000, "how often Unity is pinged")
    heartbeat_timeout_ms: int = _number(
        4_500, 20, 600_000, "silence after which the connection is given up"
    )
    request_reconnect_wait_ms: int = _number(
        2_500, 0, 600_000, "how long a call waits for an absent editor"
    )
    compile_grace_timeout_ms: int = _number(
        60_000, 0, 3_600_000, "how long a call waits for a compile or reload"
    )
    sync_fast_timeout_ms: int = _number(
        5_000, 1, 600_000, "limit of a call that Unity answers at once"
    )
    sync_default_timeout_ms: int = _number(
        30_000, 1, 600_000, "limit of any other call, and of submitting a job"
    )
    job_default_timeout_ms: int = _number(300_000, 1, 86_400_000, "limit of a job that names none")
    job_max_timeout_ms: int = _number(1_800_000, 1, 86_400_000, "longest limit that a job may name")
    job_poll_interval_ms: int = _number(
        1_000, 10, 60_000, "how often a running job is asked for its state"
    )

    reconnect_initial_ms: int = _number(
        100, 1, 60_000, "plugin: first wait before it connects again"
    )
    reconnect_multiplier: float = _number(1.7, 1.0, 10.0, "plugin: growth of that wait")
    reconnect_max_backoff_ms: int = _number(1_200, 1, 600_000, "plugin: longest wait")
    reconnect_jitter_ratio: float = _number(0.1, 0.0, 1.0, "plugin: random part of the wait")

    require_trusted_plugin: bool = _flag(
        False, "refuse a plugin that does not prove that it runs as the same user"
    )

    log_level: str = _text("info", "least severe line that is logged", "--log-level", LEVELS)
    log_format: str = _text("text", "form of a log line", "--log-format", FORMATS)
    log_file: Optional[str] = _text(None, "file that gets the log too", "--log-file")

    client_project: Optional[str] = _text(
        None, "where the client sees the project", "--client-project", kind="the path of a folder"
    )


# (smaller, larger): the first must not exceed the second.
_ORDERED: Tuple[Tuple[str, str], ...] = (
    ("heartbeat_interval_ms", "heartbeat_timeout_ms"),
    ("sync_fast_timeout_ms", "sync_default_timeout_ms"),
    ("job_default_timeout_ms", "job_max_timeout_ms"),
    ("reconnect_initial_ms", "reconnect_max_backoff_ms"),
)


def _settings() -> Dict[str, Setting]:
    settings: Dict[str, Setting] = {}
    for name, field in fields_of(Config).items():
        if _SETTING in field.metadata:
            setting: Setting = field.metadata[_SETTING]
            variables = tuple(
                _VARIABLE_PREFIX + variable for variable in (*setting.variables, name.upper())
            )
            settings[name] = setting._replace(variables=variables)
    return settings


SETTINGS: Mapping[str, Setting] = _settings()
_FIELDS = fields_of(Config)


class Given(NamedTuple):
    """A value and its source: a file, a variable, an option. ``field``: what an error message adds
    to the source.
    """

    value: Value
    source: str
    field: str = ""

    @property
    def place(self) -> str:
        return self.source + self.field


class Loaded(NamedTuple):
    """``port_source``: what decided on the port, in words for a user: ``option --port``, a file,
    ``the default``.
    """

    config: Config
    port_source: str


def shipped_file() -> Optional[str]:
    """``conf/unity-bridge.json``, inside an installed package or next to it in a clone; None if it
    was removed.
    """
    package = os.path.dirname(os.path.realpath(__file__))
    for folder in (package, os.path.dirname(package)):
        path = os.path.join(folder, "conf", "unity-bridge.json")
        if os.path.isfile(path):
            return path
    return None


_SHIPPED = shipped_file()


class ConfigLoader:
    """Builds a ``Config`` from all sources, or says what is wrong with them.

    A variable that is set but empty counts as not set, because many clients write their configuration that way.
    """

    def __init__(
        self, environ: Mapping[str, str] = os.environ, default_file: Optional[str] = _SHIPPED
    ) -> None:
        """``default_file`` is read when no other file is named. ``None``: the defaults of
        ``Config`` apply.
        """
        self._environ = environ
        self._default_file = default_file

    def load(
        self,
        options: Optional[Mapping[str, Any]] = None,
        file: Optional[str] = None,
        project_port: Optional[Given] = None,
    ) -> Result[Loaded, str]:
        """Return what holds, and which source decided on the port.

        ``options``: field name -> value, from the command line (``None`` = not given). ``file``: ``--config``.
        ``project_port``: what the files of the Unity project say, a checked port.
        """
        settings: Dict[str, Given] = {}
        path = self.file(file)
        if path is not None:
            content = _read_file(path)
            if isinstance(content, Err):
                return content
            settings.update(content.value)
        if project_port is not None and not (self._named_file(file) and _PORT in settings):
            settings[_PORT] = project_port
        for source in (self._from_environment(), _from_options(options or {})):
            if isinstance(source, Err):
                return source
            settings.update(source.value)
        contradiction = _contradiction(settings)
        if contradiction is not None:
            return contradiction
        config = Config(**{name: setting.value for name, setting in settings.items()})  # type: ignore[arg-type]
        return Ok(Loaded(config, self._port_source(settings.get(_PORT))))

    def file(self, option: Optional[str] = None) -> Optional[str]:
        """Return the file that ``load`` reads: ``--config``, ``UNITY_BRIDGE_CONFIG``, or the
        shipped one, if any.
        """
        named_file = self._named_file(option)
        if named_file:
            return os.path.expanduser(named_file)
        return self._default_file

    def _named_file(self, option: Optional[str]) -> Optional[str]:
        return option or self._environ.get(CONFIG_FILE_VARIABLE)

    def _port_source(self, port: Optional[Given]) -> str:
        is_as_shipped = port is not None and port == (
            Config.unity_ws_port,
            self._default_file,
            f": {_PORT}",
        )
        if port is None or is_as_shipped:
            return "the default"
        return port.source

    def remark(self) -> Optional[str]:
        """One line that names variables which begin like ours and have no effect, or ``None``."""
        known_names = [
            *_OTHER_VARIABLES,
            *(name for setting in SETTINGS.values() for name in setting.variables),
        ]
        strange = [
            name
            for name in self._environ
            if name.startswith(_VARIABLE_PREFIX) and name not in known_names
        ]
        names = [
            _shown(name) + _meant(nearest(name, known_names), " ({})")
            for name in sorted(strange)[:_STRANGE_SHOWN]
        ]
        suffix = (
            f" and {len(strange) - _STRANGE_SHOWN} more" if len(strange) > _STRANGE_SHOWN else ""
        )
        if names:
            return f"environment variables without effect: {', '.join(names)}{suffix}"
        return None

    def _from_environment(self) -> Result[Dict[str, Given], str]:
        variables = {
            name: next(filter(self._environ.get, setting.variables), "")
            for name, setting in SETTINGS.items()
        }
        return _all_checked(
            (
                name,
                Given(
                    _from_text(name, self._environ[variable]),
                    f"environment variable {variable}",
                    f" ({name})",
                ),
            )
            for name, variable in variables.items()
            if variable
        )


def _from_options(options: Mapping[str, Any]) -> Result[Dict[str, Given], str]:
    return _all_checked(
        (
            name,
            Given(_from_text(name, value), f"option {SETTINGS[name].option or name}", f" ({name})"),
        )
        for name, value in options.items()
        if value is not None
    )


def _read_file(path: str) -> Result[Dict[str, Given], str]:
    text = read_text(path, _FILE_BYTES_MAX)
    if isinstance(text, Err):
        return _parse_error(path, text.error)
    if text.value is None:
        return _parse_error(path, f"cannot be read: {os.strerror(errno.ENOENT)}")
    try:
        content = _loads(text.value)
    except ValueError as error:
        return _parse_error(path, f"is not valid JSON: {error}")
    if not isinstance(content, dict):
        return _parse_error(path, f"must hold a JSON object, not {_shown(content)}")
    return _checked_file(path, content)


def _checked_file(path: str, content: Mapping[str, Any]) -> Result[Dict[str, Given], str]:
    # The version decides which keys exist, so it is checked first.
    version = content.get("schema_version")
    if type(version) is not int or version != SCHEMA_VERSION:
        version_text = "schema_version is missing"
        if "schema_version" in content:
            version_text = f"schema_version = {_shown(version)}"
        return _refused(
            ConfigErrorCode.SCHEMA_VERSION, f"{path}: {version_text}: must be {SCHEMA_VERSION}"
        )
    strange = next(
        (name for name in content if name not in SETTINGS and name != "schema_version"), None
    )
    if strange is not None:
        like = nearest(strange, ["schema_version", *SETTINGS])
        message = f"{path}: unknown key {_shown(strange)}" + _meant(like and _shown(like), ": {}")
        return _refused(ConfigErrorCode.VALIDATION, message)
    return _all_checked(
        (name, Given(content[name], path, f": {name}")) for name in content if name in SETTINGS
    )


def _all_checked(settings: Iterable[Tuple[str, Given]]) -> Result[Dict[str, Given], str]:
    checked_settings: Dict[str, Given] = {}
    for name, setting in settings:
        checked = _checked(name, setting)
        if isinstance(checked, Err):
            return checked
        checked_settings[name] = checked.value
    return Ok(checked_settings)


def _checked(name: str, entry: Given) -> Result[Given, str]:
    """Return the value in the type of its field, if the field may hold it."""
    setting = SETTINGS[name]
    value: Any = entry.value
    default = _FIELDS[name].default
    if isinstance(default, bool):
        if isinstance(value, bool):
            return Ok(entry)
    elif isinstance(default, (int, float)):
        kinds = (int,) if isinstance(default, int) else (int, float)
        # type() and not isinstance(): true is not a number here.
        if type(value) in kinds and setting.minimum <= value <= setting.maximum:
            return Ok(entry._replace(value=type(default)(value)))
    elif value is default is None or (
        isinstance(value, str) and (value in setting.choices if setting.choices else value.strip())
    ):
        return Ok(entry)
    return _refused(
        ConfigErrorCode.VALIDATION, f"{entry.place} = {_shown(value)}: must be {allowed(name)}"
    )


def allowed(name: str) -> str:
    """Return what a field may hold, in words: ``an integer from 1 to 10000``."""
    setting = SETTINGS[name]
    default = _FIELDS[name].default
    if isinstance(default, bool):
        return "true or false"
    if isinstance(default, (int, float)):
        kind = "an integer" if isinstance(default, int) else "a number"
        return f"{kind} from {setting.minimum} to {setting.maximum}{setting.remark}"
    if setting.choices:
        return f"one of {', '.join(setting.choices)}"
    return setting.remark


def _from_text(name: str, text: Any) -> Any:
    """Return the number or truth value that the field is, if this is a text that can be read as
    one, else ``text``.

    The check then refuses a text.
    """
    if not isinstance(text, str):
        return text
    default = _FIELDS[name].default
    stripped = text.strip()
    if isinstance(default, bool):
        return _TRUTH.get(stripped.lower(), text)
    if isinstance(default, int) and _INTEGER_TEXT.fullmatch(stripped):
        return int(stripped)
    if isinstance(default, float):
        try:
            return float(stripped)
        except ValueError:
            return text
    return text


def _contradiction(settings: Mapping[str, Given]) -> Optional[Err[str]]:
    for smaller, larger in _ORDERED:
        low, high = (
            settings[name].value if name in settings else _FIELDS[name].default
            for name in (smaller, larger)
        )
        if low > high:  # type: ignore[operator]
            setting = settings[larger] if larger in settings else settings[smaller]
            if larger in settings:
                bound = f"at least {smaller}, which is {low}"
            else:
                bound = f"at most {larger}, which is {high}"
            message = f"{setting.place} = {setting.value}: must be {bound}"
            return _refused(ConfigErrorCode.VALIDATION, message)
    return None


def _without_duplicates(pairs: List[Tuple[str, Any]]) -> Dict[str, Any]:
    content = dict(pairs)
    if len(content) != len(pairs):
        names = [name for name, _ in pairs]
        twice = next(name for name in names if names.count(name) > 1)
        raise ValueError(f"the key {_shown(twice)} appears twice")
    return content


_loads = json_reader.decoder(object_pairs_hook=_without_duplicates)


def _meant(name: Optional[str], form: str) -> str:
    if name is None:
        return ""
    return form.format(f"did you mean {name}?")


def _parse_error(path: str, fault: str) -> Err[str]:
    return _refused(ConfigErrorCode.PARSE, f"{path} {fault}")


def _refused(code: ConfigErrorCode, why: str) -> Err[str]:
    """Return why the configuration cannot be used, as one line for stderr."""
    return Err(" ".join(f"{code.value}: {why}".split()))


def _shown(value: Any) -> str:
    text = json.dumps(value)
    if len(text) <= 60:
        return text
    return text[:57] + "..."
