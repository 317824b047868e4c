"""What a user may write into a configuration, and the one line that a wrong one gets (SPEC §2, §9)."""

from __future__ import annotations

import json
from dataclasses import asdict
from pathlib import Path
from typing import Any, Dict, Optional, Tuple

import pytest

from unity_bridge.base.result import Err, Ok
from unity_bridge.config import SETTINGS, Config, ConfigErrorCode, ConfigLoader, Given, shipped_file

REPOSITORY = Path(__file__).resolve().parent.parent

# SPEC 9, word for word.
OPERATIONAL_DEFAULTS = {
    "queue_max_size": 32,
    "max_message_bytes": 1048576,
    "answer_max_bytes": 24000,
    "heartbeat_interval_ms": 3000,
    "heartbeat_timeout_ms": 4500,
    "request_reconnect_wait_ms": 2500,
    "compile_grace_timeout_ms": 60000,
    "sync_fast_timeout_ms": 5000,
    "sync_default_timeout_ms": 30000,
    "job_default_timeout_ms": 300000,
    "job_max_timeout_ms": 1800000,
    "job_poll_interval_ms": 1000,
    "reconnect_initial_ms": 100,
    "reconnect_multiplier": 1.7,
    "reconnect_max_backoff_ms": 1200,
    "reconnect_jitter_ratio": 0.1,
}

NUMBERS = [name for name, setting in SETTINGS.items() if setting.maximum]


@pytest.fixture
def file(tmp_path: Path) -> Path:
    return tmp_path / "mine.json"


def write(file: Path, **values: Any) -> str:
    file.write_text(json.dumps({"schema_version": 1, **values}), encoding="utf-8")
    return str(file)


def loaded(loader: ConfigLoader, **how: Any) -> Config:
    result = loader.load(**how)
    assert isinstance(result, Ok), result
    return result.value.config


def refused(loader: ConfigLoader, code: ConfigErrorCode, **how: Any) -> str:
    result = loader.load(**how)
    assert isinstance(result, Err), result
    line = result.error
    assert line.startswith(code.value + ": ")
    assert "\n" not in line
    return line


def test_the_defaults_are_those_of_the_contract() -> None:
    defaults = asdict(Config())
    assert {name: defaults[name] for name in OPERATIONAL_DEFAULTS} == OPERATIONAL_DEFAULTS
    assert (defaults["schema_version"], defaults["unity_ws_port"]) == (1, 8091)


def test_the_default_file_repeats_the_table_in_its_order() -> None:
    shipped = json.loads((REPOSITORY / "conf" / "unity-bridge.json").read_text(encoding="utf-8"))
    assert list(shipped.items()) == list(asdict(Config()).items())
    assert shipped_file() == str(REPOSITORY / "conf" / "unity-bridge.json")


def test_every_setting_says_what_it_is_for_and_its_default_is_allowed() -> None:
    defaults = asdict(Config())
    assert ["schema_version", *SETTINGS] == list(defaults)
    for name, setting in SETTINGS.items():
        assert setting.meaning, name
        is_number = type(defaults[name]) in (int, float)
        assert not is_number or setting.minimum <= defaults[name] <= setting.maximum, name


def test_a_missing_default_file_leaves_the_defaults(tmp_path: Path) -> None:
    assert loaded(ConfigLoader({}, default_file=None)) == Config()


def test_an_installed_package_brings_its_default_file_along(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    package = tmp_path / "unity_bridge"
    (package / "conf").mkdir(parents=True)
    (tmp_path / "conf").mkdir()
    monkeypatch.setattr("unity_bridge.config.__file__", str(package / "config.py"))
    assert shipped_file() is None
    write(tmp_path / "conf" / "unity-bridge.json")
    assert shipped_file() == str(tmp_path / "conf" / "unity-bridge.json")
    write(package / "conf" / "unity-bridge.json")
    assert shipped_file() == str(package / "conf" / "unity-bridge.json")


def test_command_line_over_environment_over_file_over_defaults(file: Path) -> None:
    path = write(file, unity_ws_port=1001, queue_max_size=7, log_level="error")
    environ = {"UNITY_BRIDGE_PORT": "1002", "UNITY_BRIDGE_QUEUE_MAX_SIZE": "8"}
    config = loaded(
        ConfigLoader(environ), options={"unity_ws_port": 1003, "log_level": None}, file=path
    )
    assert (config.unity_ws_port, config.queue_max_size, config.log_level) == (1003, 8, "error")
    assert config.job_poll_interval_ms == 1000


@pytest.mark.parametrize(
    "text, value", [("true", True), (" TRUE ", True), ("1", True), ("false", False), ("0", False)]
)
def test_a_truth_value_may_be_written_in_a_variable(text: str, value: bool, file: Path) -> None:
    path = write(file, require_trusted_plugin=not value)
    assert (
        loaded(
            ConfigLoader({"UNITY_BRIDGE_REQUIRE_TRUSTED_PLUGIN": text}), file=path
        ).require_trusted_plugin
        is value
    )
    assert loaded(ConfigLoader({}), file=path).require_trusted_plugin is not value


@pytest.mark.parametrize("text", ["yes", "on", "2", "maybe"])
def test_an_invalid_truth_value_is_refused(text: str) -> None:
    line = refused(
        ConfigLoader({"UNITY_BRIDGE_REQUIRE_TRUSTED_PLUGIN": text}), ConfigErrorCode.VALIDATION
    )
    assert "UNITY_BRIDGE_REQUIRE_TRUSTED_PLUGIN" in line and line.endswith("must be true or false")


@pytest.mark.parametrize("value", [1, 0, "true", None, []])
def test_in_a_file_only_true_and_false_are(value: Any, file: Path) -> None:
    path = write(file, require_trusted_plugin=value)
    assert "must be true or false" in refused(
        ConfigLoader({}), ConfigErrorCode.VALIDATION, file=path
    )


def test_the_file_is_named_by_option_over_environment_over_the_shipped_one(
    file: Path, tmp_path: Path
) -> None:
    other = tmp_path / "other.json"
    shipped = tmp_path / "shipped.json"
    for port, path in enumerate((file, other, shipped), start=1):
        write(path, unity_ws_port=port)
    named = ConfigLoader({"UNITY_BRIDGE_CONFIG": str(other)}, default_file=str(shipped))
    assert loaded(named, file=str(file)).unity_ws_port == 1
    assert loaded(named).unity_ws_port == 2
    assert loaded(ConfigLoader({}, default_file=str(shipped))).unity_ws_port == 3


def test_an_empty_variable_counts_as_not_set() -> None:
    assert loaded(ConfigLoader({"UNITY_BRIDGE_PORT": "", "UNITY_BRIDGE_CONFIG": ""})) == Config()


def test_a_home_folder_in_a_path_is_understood(monkeypatch: pytest.MonkeyPatch, file: Path) -> None:
    write(file, unity_ws_port=4)
    monkeypatch.setenv("HOME", str(file.parent))
    monkeypatch.setenv("USERPROFILE", str(file.parent))
    assert loaded(ConfigLoader({}), file="~/mine.json").unity_ws_port == 4


def partner_values(name: str, value: Any) -> Dict[str, Any]:
    """The value, and the one that must not be smaller or larger than it moved out of its way."""
    values = {name: value}
    for smaller, larger in (
        ("heartbeat_interval_ms", "heartbeat_timeout_ms"),
        ("sync_fast_timeout_ms", "sync_default_timeout_ms"),
        ("job_default_timeout_ms", "job_max_timeout_ms"),
        ("reconnect_initial_ms", "reconnect_max_backoff_ms"),
    ):
        if name == smaller:
            values[larger] = SETTINGS[larger].maximum
        if name == larger:
            values[smaller] = SETTINGS[smaller].minimum
    return values


@pytest.mark.parametrize("name", NUMBERS)
def test_both_ends_of_a_range_are_allowed_and_one_step_beyond_is_not(name: str, file: Path) -> None:
    setting = SETTINGS[name]
    for edge in (setting.minimum, setting.maximum):
        config = loaded(ConfigLoader({}), file=write(file, **partner_values(name, edge)))
        assert getattr(config, name) == edge
        assert type(getattr(config, name)) is type(getattr(Config(), name))
    for beyond in (setting.minimum - 1, setting.maximum + 1):
        line = refused(
            ConfigLoader({}), ConfigErrorCode.VALIDATION, file=write(file, **{name: beyond})
        )
        assert f"{file}: {name} = {beyond}: must be" in line
        assert f"from {setting.minimum} to {setting.maximum}" in line


@pytest.mark.parametrize("value", [True, "32", 32.0, None, [], {}, 10**30])
def test_a_number_must_be_written_as_one(value: Any, file: Path) -> None:
    line = refused(
        ConfigLoader({}), ConfigErrorCode.VALIDATION, file=write(file, queue_max_size=value)
    )
    assert "must be an integer from 1 to 10000" in line


def test_a_fraction_may_be_written_as_an_integer_and_becomes_one(file: Path) -> None:
    config = loaded(ConfigLoader({}), file=write(file, reconnect_multiplier=2))
    assert (config.reconnect_multiplier, type(config.reconnect_multiplier)) == (2.0, float)


@pytest.mark.parametrize(
    "name, value, expected",
    [
        ("log_level", "loud", "one of debug, info, warning, error"),
        ("log_level", 3, "one of debug"),
        ("log_level", None, "one of debug"),
        ("log_format", "xml", "one of text, json"),
        ("log_file", "", "the path of a file"),
        ("log_file", 5, "the path of a file"),
        ("client_project", "", "the path of a folder"),
    ],
)
def test_a_text_must_be_a_known_one(name: str, value: Any, expected: str, file: Path) -> None:
    line = refused(ConfigLoader({}), ConfigErrorCode.VALIDATION, file=write(file, **{name: value}))
    assert name in line and expected in line


def test_a_log_file_may_be_named_or_not(file: Path) -> None:
    assert (
        loaded(ConfigLoader({}), file=write(file, log_file="bridge.log")).log_file == "bridge.log"
    )
    assert loaded(ConfigLoader({}), file=write(file, log_file=None)).log_file is None


@pytest.mark.parametrize(
    "variable, text, field",
    [
        ("UNITY_BRIDGE_PORT", "eighty", "unity_ws_port"),
        ("UNITY_BRIDGE_PORT", "65536", "unity_ws_port"),
        ("UNITY_BRIDGE_PORT", "8_091", "unity_ws_port"),
        ("UNITY_BRIDGE_PORT", "9" * 5000, "unity_ws_port"),
        ("UNITY_BRIDGE_QUEUE_MAX_SIZE", "0", "queue_max_size"),
        ("UNITY_BRIDGE_RECONNECT_MULTIPLIER", "nan", "reconnect_multiplier"),
        ("UNITY_BRIDGE_RECONNECT_MULTIPLIER", "fast", "reconnect_multiplier"),
        ("UNITY_BRIDGE_LOG_FORMAT", "yaml", "log_format"),
        ("UNITY_BRIDGE_LOG_FILE", "  ", "log_file"),
    ],
)
def test_a_bad_variable_is_named(variable: str, text: str, field: str) -> None:
    line = refused(ConfigLoader({variable: text}), ConfigErrorCode.VALIDATION)
    assert f"environment variable {variable} ({field})" in line
    assert len(line) < 250


@pytest.mark.parametrize("name", SETTINGS)
def test_every_setting_is_a_variable_under_its_own_name(name: str) -> None:
    setting = SETTINGS[name]
    others = {"log_file": "bridge.log", "require_trusted_plugin": "True"}
    value = setting.choices[-1] if setting.choices else others.get(name, str(setting.maximum))
    # Both ends of a pair, so that none contradicts the other.
    values = {**partner_values(name, setting.maximum), name: value}
    config = loaded(
        ConfigLoader({f"UNITY_BRIDGE_{field.upper()}": str(text) for field, text in values.items()})
    )
    assert str(getattr(config, name)) == value != str(getattr(Config(), name))


def test_the_ports_short_name_counts_more_than_the_long_one() -> None:
    environ = {"UNITY_BRIDGE_UNITY_WS_PORT": "1", "UNITY_BRIDGE_PORT": "2"}
    assert loaded(ConfigLoader(environ)).unity_ws_port == 2
    assert loaded(ConfigLoader({**environ, "UNITY_BRIDGE_PORT": ""})).unity_ws_port == 1


def test_a_misspelt_variable_is_reported_once_with_the_nearest() -> None:
    environ = {
        "UNITY_BRIDGE_QUEUE_SIZE": "8",
        "UNITY_BRIDGE_PROT": "1",
        "HOME": "/",
        "_UNITY_BRIDGE_COMPLETE": "x",
    }
    assert loaded(ConfigLoader(environ)) == Config()
    assert ConfigLoader(environ).remark() == (
        'environment variables without effect: "UNITY_BRIDGE_PROT" (did you mean UNITY_BRIDGE_PORT?), '
        '"UNITY_BRIDGE_QUEUE_SIZE" (did you mean UNITY_BRIDGE_QUEUE_MAX_SIZE?)'
    )


def test_variables_that_mean_something_are_passed_over() -> None:
    others = ("UNITY_BRIDGE_CONFIG", "UNITY_BRIDGE_STATE_DIR", "UNITY_BRIDGE_BATCHMODE")
    environ = dict.fromkeys(
        [*others, *(name for one in SETTINGS.values() for name in one.variables)], "1"
    )
    assert ConfigLoader(environ).remark() is None


def test_the_report_on_variables_stays_one_short_line() -> None:
    remark = ConfigLoader(
        {f"UNITY_BRIDGE_{number}" + "\n" * 500: "" for number in range(30)}
    ).remark()
    assert (
        remark is not None
        and remark.endswith(" and 25 more")
        and "\n" not in remark
        and len(remark) < 700
    )


def test_a_variable_is_text_whatever_its_field_wants() -> None:
    environ = {
        "UNITY_BRIDGE_PORT": " 0 ",
        "UNITY_BRIDGE_RECONNECT_JITTER_RATIO": "0.25",
        "UNITY_BRIDGE_LOG_FILE": "7",
    }
    config = loaded(ConfigLoader(environ))
    assert (config.unity_ws_port, config.reconnect_jitter_ratio, config.log_file) == (0, 0.25, "7")


@pytest.mark.parametrize("value", [70000, "70000", "abc", -1])
def test_a_bad_option_is_named(value: Any) -> None:
    line = refused(ConfigLoader({}), ConfigErrorCode.VALIDATION, options={"unity_ws_port": value})
    assert "option --port (unity_ws_port)" in line
    assert "must be an integer from 0 to 65535" in line


@pytest.mark.parametrize(
    "values, expected",
    [
        (
            {"heartbeat_timeout_ms": 100},
            "heartbeat_timeout_ms = 100: must be at least heartbeat_interval_ms, which is",
        ),
        (
            {"heartbeat_interval_ms": 5000},
            "heartbeat_interval_ms = 5000: must be at most heartbeat_timeout_ms, which",
        ),
        (
            {"job_default_timeout_ms": 9, "job_max_timeout_ms": 8},
            "job_max_timeout_ms = 8: must be at least",
        ),
    ],
)
def test_settings_that_contradict_each_other_are_refused(
    values: Dict[str, Any], expected: str, file: Path
) -> None:
    assert expected in refused(
        ConfigLoader({}), ConfigErrorCode.VALIDATION, file=write(file, **values)
    )


@pytest.mark.parametrize(
    "key, nearest",
    [
        ("queue_size", "queue_max_size"),
        ("port", "unity_ws_port"),
        ("schema-version", "schema_version"),
    ],
)
def test_an_unknown_key_is_named_with_the_nearest_known_one(
    key: str, nearest: str, file: Path
) -> None:
    line = refused(ConfigLoader({}), ConfigErrorCode.VALIDATION, file=write(file, **{key: 1}))
    assert str(file) in line
    assert f"unknown key {json.dumps(key)}: did you mean {chr(34)}{nearest}" in line


def test_a_name_without_a_near_one_is_named_alone(file: Path) -> None:
    line = refused(ConfigLoader({}), ConfigErrorCode.VALIDATION, file=write(file, **{"\n": 1}))
    assert line.endswith('unknown key "\\n"')


PROJECTS = Given(23000, "/game/ProjectSettings/UnityBridge.json", ": port")


def port_and_source(
    loader: ConfigLoader, project: Optional[Given] = PROJECTS, **how: Any
) -> Tuple[int, str]:
    result = loader.load(project_port=project, **how)
    assert isinstance(result, Ok), result
    return result.value.config.unity_ws_port, result.value.port_source


def test_without_a_named_port_the_project_decides(file: Path, tmp_path: Path) -> None:
    shipped, named = tmp_path / "shipped.json", str(file)
    write(shipped, unity_ws_port=8091)
    write(file, unity_ws_port=1, queue_max_size=5)
    of_project = (23000, PROJECTS.source)
    loader = ConfigLoader({}, default_file=str(shipped))

    assert port_and_source(loader) == of_project
    assert port_and_source(ConfigLoader({}, default_file=None)) == of_project
    assert port_and_source(loader, file=named) == (1, named)
    assert port_and_source(ConfigLoader({"UNITY_BRIDGE_CONFIG": named}, str(shipped))) == (1, named)
    environ = {"UNITY_BRIDGE_CONFIG": named, "UNITY_BRIDGE_PORT": "2"}
    assert port_and_source(ConfigLoader(environ, str(shipped))) == (
        2,
        "environment variable UNITY_BRIDGE_PORT",
    )
    assert port_and_source(ConfigLoader(environ, str(shipped)), options={"unity_ws_port": "3"}) == (
        3,
        "option --port",
    )


def test_a_named_file_without_a_port_leaves_it_to_the_project(file: Path) -> None:
    assert port_and_source(ConfigLoader({}), file=write(file, queue_max_size=5)) == (
        23000,
        PROJECTS.source,
    )


def test_without_a_project_the_default_file_decides(tmp_path: Path) -> None:
    shipped = tmp_path / "shipped.json"
    write(shipped, unity_ws_port=8091)
    assert port_and_source(ConfigLoader({}, str(shipped)), None) == (8091, "the default")
    assert port_and_source(ConfigLoader({}, None), None) == (8091, "the default")
    write(shipped, unity_ws_port=8092)
    assert port_and_source(ConfigLoader({}, str(shipped)), None) == (8092, str(shipped))


@pytest.mark.parametrize(
    "content", ["{}", '{"schema_version": 2, "new_key": 1}', '{"schema_version": true}']
)
def test_only_the_one_schema_version_is_read(content: str, file: Path) -> None:
    file.write_text(content, encoding="utf-8")
    line = refused(ConfigLoader({}), ConfigErrorCode.SCHEMA_VERSION, file=str(file))
    assert str(file) in line and "schema_version" in line and "must be 1" in line


@pytest.mark.parametrize(
    "content",
    [
        b"",
        b"{",
        b"[]",
        b"null",
        b'{"schema_version": 1, "unity_ws_port": 1, "unity_ws_port": 2}',
        b'{"schema_version": 1, "reconnect_multiplier": NaN}',
        b'{"schema_version": 1, "reconnect_multiplier": Infinity}',
        b'{"schema_version": 1, "log_file": "\xff"}',
        b'{"schema_version": 1} // a comment',
        b"[" * 100_000,
        b" " * (1024 * 1024 + 1),
    ],
)
def test_anything_but_one_strict_json_object_is_refused(content: bytes, file: Path) -> None:
    file.write_bytes(content)
    assert str(file) in refused(ConfigLoader({}), ConfigErrorCode.PARSE, file=str(file))


def test_an_integer_too_long_to_convert_is_refused(file: Path) -> None:
    file.write_bytes(b'{"schema_version": 1, "queue_max_size": ' + b"9" * 10_000 + b"}")
    result = ConfigLoader({}).load(file=str(file))
    assert isinstance(result, Err)
    assert str(file) in str(result.error) and len(str(result.error)) < 500


def test_a_byte_order_mark_is_tolerated(file: Path) -> None:
    file.write_bytes(b'\xef\xbb\xbf{"schema_version": 1, "unity_ws_port": 5}')
    assert loaded(ConfigLoader({}), file=str(file)).unity_ws_port == 5


def test_a_file_that_cannot_be_read_is_named(tmp_path: Path) -> None:
    for path in (tmp_path, tmp_path / "absent.json"):
        line = refused(ConfigLoader({"UNITY_BRIDGE_CONFIG": str(path)}), ConfigErrorCode.PARSE)
        assert str(path) in line and "cannot be read" in line


def test_the_setting_of_a_range_is_reported_with_the_meaning_of_zero() -> None:
    line = refused(ConfigLoader({"UNITY_BRIDGE_PORT": "-1"}), ConfigErrorCode.VALIDATION)
    assert line.endswith("must be an integer from 0 to 65535; 0 = any free port")
