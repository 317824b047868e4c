"""SPEC §8.7: an answer that is too long gives way as its tool's table says, is cut inside nothing,
and adds up.
"""

from __future__ import annotations

import json
import re
from typing import Any, Dict, List, Mapping, Tuple

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from unity_bridge.base.errors import ErrorCode, ToolError
from unity_bridge.base.result import Err, Ok
from unity_bridge.catalogue import CATALOGUE
from unity_bridge.catalogue.answer_limits import fitted, json_bytes
from unity_bridge.catalogue.calls import Failure
from unity_bridge.catalogue.job_text import job_text
from unity_bridge.mcp.client_calls import Ended
from unity_bridge.mcp.json_rpc import repaired
from unity_bridge.mcp.tool_result import tool_result
from unity_bridge.text.foreign_text import escaped

MOST = 24_000
NOTE = re.compile(r"\.\.\. \(\d+ more characters\)\Z")
ESCAPE = re.compile(r"\\u\{[0-9A-F]+\}")
# Characters of one to four bytes, some that JSON escapes, some that nobody sees.
CHARACTERS = st.sampled_from('ab"\\\n\t\x00\u202e\u0416\u6f22\U0001f600\ud800 ')
TEXTS = st.builds(
    lambda part, times: part * times, st.text(CHARACTERS, max_size=12), st.integers(0, 900)
)


def answered(
    tool: str, payload: Dict[str, Any], most: int = MOST, params: Mapping[str, Any] = {}
) -> Tuple[Dict[str, Any], Dict[str, Any]]:
    """What a client gets, as structure and as text."""
    gives_way = CATALOGUE[payload.get("tool", tool)].gives_way
    line = b"".join(tool_result(Ended(Ok(payload), CATALOGUE[tool], None, params, gives_way), most))
    result = json.loads(line)
    structure, (block,) = result["structuredContent"], result["content"]
    limit = min(most, 8000) if result["isError"] else most
    assert len(json.dumps(structure, ensure_ascii=False, separators=(",", ":")).encode()) <= limit
    assert len(block["text"].encode()) <= limit
    return structure, json.loads(block["text"])


def status(tool: str, result: Any, **more: Any) -> Dict[str, Any]:
    return {
        "job_id": "j",
        "tool": tool,
        "state": "failed",
        "progress": None,
        "result": result,
        **more,
    }


def entry(number: int, message: str, **more: Any) -> Dict[str, Any]:
    return {"type": "log", "message": f"{number} {message}", "cursor": f"s:{number}", **more}


def console(entries: List[Dict[str, Any]]) -> Dict[str, Any]:
    return {
        "entries": entries,
        "count": len(entries),
        "truncated": False,
        "next_cursor": f"s:{len(entries)}",
    }


def run(failed: List[Dict[str, Any]], **lists: Any) -> Dict[str, Any]:
    counts = {"total": 10_000, "passed": 0, "failed": len(failed), "skipped": 0}
    return {"summary": counts, "failed_tests": failed, "code_fresh": True, **lists}


def failures(number: int, characters: int) -> List[Dict[str, Any]]:
    return [
        {
            "name": f"Game.Tests.Of.Something.Test{n}",
            "message": f"{n} " + "x" * characters,
            "stack_trace": "at A:1\n" * 50,
        }
        for n in range(number)
    ]


def test_what_fits_is_not_touched() -> None:
    payload = console([entry(n, "x" * 900) for n in range(20)])
    shown = {
        **payload,
        "entries": [{k: v for k, v in one.items() if k != "cursor"} for one in payload["entries"]],
    }
    assert answered("read_console", payload)[0] == shown


def test_a_long_console_keeps_its_newest_entries_and_adds_up() -> None:
    structure, text = answered(
        "read_console", console([entry(n, "x" * 4000) for n in range(1, 301)])
    )
    kept = structure["entries"]
    assert (
        kept[-1]["message"].startswith("300 ")
        and len(kept) + structure["omitted"]["entries"] == 300
    )
    assert kept[-1]["message"].endswith("... (3804 more characters)") and len(kept) > 60
    assert structure["next_cursor"] == "s:300" and structure["truncated"] is True
    assert any("max_entries" in remark for remark in structure["remarks"])
    assert text == structure


def test_stack_traces_give_way_before_entries_do() -> None:
    entries = [
        entry(n, "x", stack_trace="\n".join(f"at {line}" for line in range(200))) for n in range(50)
    ]
    structure, _ = answered("read_console", console(entries))
    assert len(structure["entries"]) == 50 and "omitted" not in structure
    assert structure["entries"][0]["stack_trace"].split("\n")[4:] == [
        "at 4",
        "... (195 more lines)",
    ]


@settings(deadline=None)
@given(
    st.lists(st.tuples(TEXTS, st.integers(1, 5)), max_size=60),
    st.integers(4_000, 30_000),
    st.booleans(),
)
def test_a_console_that_is_read_on_after_each_cut_has_no_gap_and_no_repeat(
    said: List[Tuple[str, int]], most: int, has_stack: bool
) -> None:
    """A console is read from its beginning, as an agent does: each time since the last answer's
    next_cursor.
    """
    logged = [entry(n, message, repeated=times) for n, (message, times) in enumerate(said, 1)]
    for one in logged:
        one.update({"stack_trace": f"at {one['message']}\n" * 3} if has_stack else {})
    seen: List[int] = []
    since = 0
    for _ in range(len(logged) + 1):
        newer = [one for one in logged if int(one["cursor"][2:]) > since]
        page = {**console(newer), "next_cursor": f"s:{len(logged)}"}
        structure, _ = answered("read_console", page, most, {"since": f"s:{since}"})
        seen += [int(one["message"].split(" ")[0]) for one in structure["entries"]]
        assert len(structure["entries"]) + structure.get("omitted", {}).get("entries", 0) == len(
            newer
        )
        assert all("cursor" not in one and "repeated" in one for one in structure["entries"])
        since = int(structure["next_cursor"][2:])
        if since == len(logged):
            break
    assert seen == list(range(1, len(logged) + 1))


def test_without_cursors_of_entries_the_oldest_give_way_and_the_cursor_stays() -> None:
    entries = [{"type": "log", "message": f"{n} {'x' * 4000}"} for n in range(300)]
    structure, _ = answered("read_console", console(entries), params={"since": "s:0"})
    assert (
        structure["entries"][-1]["message"].startswith("299 ")
        and structure["next_cursor"] == "s:300"
    )
    assert len(structure["entries"]) + structure["omitted"]["entries"] == 300


def test_the_first_failures_of_a_long_run_keep_their_messages() -> None:
    passed = [{"name": f"A.B.C{n}"} for n in range(3000)]
    structure, _ = answered(
        "run_tests", status("run_tests", run(failures(400, 2000), passed_tests=passed))
    )
    result = structure["result"]
    assert [test["message"].split()[0] for test in result["failed_tests"][:25]] == [
        str(n) for n in range(25)
    ]
    assert len(result["failed_tests"]) + result["omitted"]["failed_tests"] == 400
    assert result["omitted"]["passed_tests"] == 3000 and "passed_tests" not in result
    assert json.dumps(structure).index('"message": "9 ') < 8000


def test_no_remark_speaks_of_failures_that_are_not_there() -> None:
    structure, _ = answered("run_tests", status("run_tests", run(failures(100, 2000))), most=4000)
    assert len(structure["result"]["failed_tests"]) < 25
    assert [remark for remark in structure["result"]["remarks"] if "first 25" in remark] == []


def test_tests_that_the_plugin_has_left_out_are_counted_too() -> None:
    passed = [{"name": f"Game.Passed.Test{n}"} for n in range(1000)]
    result = run([], passed_tests=passed, omitted={"passed_tests": 20, "others": 1})
    structure, _ = answered("run_tests", {**status("run_tests", result), "state": "succeeded"})
    assert structure["result"]["omitted"] == {"passed_tests": 1020, "others": 1}


def test_a_status_asked_for_is_cut_as_the_call_would_have_been() -> None:
    asked, called = (
        answered(tool, status("run_tests", run(failures(400, 2000))))[0]
        for tool in ("get_job_status", "run_tests")
    )
    assert asked == called


def test_errors_of_a_compile_keep_one_of_each_file_after_the_first_twenty() -> None:
    errors = [{"file": f"Assets/{n // 10}.cs", "line": n, "message": "x" * 600} for n in range(50)]
    result = {
        "ok": False,
        "changed": True,
        "reloaded": False,
        "error_count": 50,
        "warning_count": 50,
        "errors": errors,
    }
    warnings = [{"file": "Assets/W.cs", "line": 1, "message": "w" * 600}] * 50
    structure, _ = answered("compile", status("compile", {**result, "warnings": warnings}), 10_000)
    cut = structure["result"]
    assert [error["line"] for error in cut["errors"]] == [*range(20), 20, 30, 40]
    assert cut["omitted"] == {"errors": 27, "warnings": 49}
    assert all(len(error["message"]) < 350 for error in cut["errors"])


def test_an_error_has_at_most_8000_bytes_and_its_result_gives_way_first() -> None:
    error = {
        "code": "ERR_REQUEST_TIMEOUT",
        "message": "It took too long.",
        "retryable": False,
        "details": {},
    }
    structure, _ = answered(
        "run_tests", {**status("run_tests", run(failures(100, 2000))), "error": error}
    )
    assert structure["error"] == error
    assert (
        len(structure["result"]["failed_tests"]) + structure["result"]["omitted"]["failed_tests"]
        == 100
    )


def test_compile_errors_that_kept_tests_from_running_are_cut_in_the_error() -> None:
    errors = [{"file": f"Assets/{n}.cs", "line": n, "message": "x" * 4000} for n in range(50)]
    details = {
        "execution_guarantee": "not_executed",
        "recovery": "read_the_message",
        "errors": errors,
    }
    error = {
        "code": "ERR_UNITY_EXECUTION",
        "message": "It does not compile.",
        "retryable": False,
        "details": details,
    }
    structure, _ = answered("run_tests", {**status("run_tests", None), "error": error})
    cut = structure["error"]["details"]
    assert len(cut["errors"]) + cut["omitted"]["errors"] == 50 and len(cut["errors"]) >= 10
    assert (
        structure["error"]["message"] == "It does not compile."
        and cut["execution_guarantee"] == "not_executed"
    )


def test_a_page_of_a_plugin_without_max_bytes_ends_at_a_whole_item_with_a_limit_to_ask_for() -> (
    None
):
    items = [{"path": f"Main/{'x' * 300}/{n}", "depth": 1} for n in range(1000)]
    structure, _ = answered(
        "inspect", {"what": "hierarchy", "items": items, "total": 5000, "next_cursor": "c"}
    )
    kept = len(structure["items"])
    assert structure["items"] == items[:kept] and kept + structure["omitted"]["items"] == 1000
    assert "next_cursor" not in structure and f"a limit of {kept}." in structure["remarks"][0]


def test_one_item_stays_shortened_if_it_must_be_and_a_path_is_whole_or_absent() -> None:
    item = {"path": "Main/" + "p" * 500, "value": ["x" * 900] * 200, "file": "f" * 30_000}
    structure, _ = answered("inspect", {"what": "object", "items": [item] * 3, "total": 3})
    (only,) = structure["items"]
    assert only["path"] == item["path"] and "file" not in only and len(only["value"]) > 10


@pytest.mark.parametrize(
    "value",
    [["x" * 100] * 5000, "漢" * 100_000, {"a": {"b": list(range(50_000))}}, [["y" * 9]] * 9999],
)
def test_what_a_command_returned_is_cut_from_its_end(value: Any) -> None:
    structure, _ = answered(
        "run_command", {**status("run_command", {"value": value}), "state": "succeeded"}
    )
    cut = structure["result"]
    assert cut["truncated"] is True and type(cut["value"]) is type(value)
    assert len(json.dumps(cut, ensure_ascii=False).encode()) > 20_000


def test_a_value_of_which_no_part_fits_is_its_beginning_as_text() -> None:
    structure, _ = answered("run_command", status("run_command", {"value": {"k" * 50_000: 1}}))
    assert (
        structure["result"]["value"].startswith('{"kkk')
        and structure["result"]["truncated"] is True
    )


def test_a_long_output_does_not_cost_a_short_value() -> None:
    said = {
        "ok": True,
        "value": 1,
        "output": "x" * 90_000,
        "scenes_dirtied": [],
        "log_file": "a.cs",
    }
    structure, _ = answered("run_csharp", {**status("run_csharp", said), "state": "succeeded"})
    assert structure["result"]["value"] == 1 and "truncated" not in structure["result"]
    assert len(structure["result"]["output"]) < 1100 and len(structure["result"]["remarks"]) == 1


def test_a_list_of_commands_has_first_sentences_and_then_fewer() -> None:
    rows = [
        {"name": f"c{n}", "signature": "c()", "description": "Does it. " + "More. " * 60}
        for n in range(100)
    ]
    few, _ = answered("run_command", status("run_command", {"commands": rows}))
    assert (
        len(few["result"]["commands"]) == 100
        and few["result"]["commands"][0]["description"] == "Does it."
    )
    many, _ = answered("run_command", status("run_command", {"commands": rows * 20}))
    assert len(many["result"]["commands"]) + many["result"]["omitted"]["commands"] == 2000
    assert "query" in many["result"]["remarks"][-1]


def test_a_long_console_of_a_job_does_not_cost_its_result() -> None:
    first = {"errors": 3, "warnings": 0, "first": ["e" * 30_000] * 3, "next_cursor": "s:1"}
    structure, _ = answered("run_tests", status("run_tests", run(failures(3, 10)), console=first))
    assert structure["result"]["failed_tests"] == failures(3, 10)
    assert all(len(text) < 1100 for text in structure["console"]["first"])


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | TEXTS,
    lambda inner: (
        st.lists(inner, max_size=30)
        | st.dictionaries(st.text(CHARACTERS, max_size=40), inner, max_size=8)
    ),
    max_leaves=60,
)


def _texts_in(value: Any) -> List[str]:
    if isinstance(value, (list, dict)):
        parts = value if isinstance(value, list) else value.values()
        return [text for part in parts for text in _texts_in(part)]
    return [value] if isinstance(value, str) else []


def _is_cut_well(text: str, whole: List[str]) -> bool:
    kept = NOTE.split(text)[0]
    end = len(kept)
    return any(
        one.startswith(kept)
        and not any(found.start() < end < found.end() for found in ESCAPE.finditer(one))
        for one in whole
    )


@settings(deadline=None)
@given(JSON, st.integers(4_000, 30_000), st.sampled_from(sorted(CATALOGUE)))
def test_any_answer_fits_and_nothing_is_cut_inside(value: Any, most: int, tool: str) -> None:
    """Over sizes, characters and nesting; also what no plugin should send."""
    payload: Dict[str, Any] = {
        "entries": [],
        "items": [{"value": value}],
        "value": value,
        "reason": value,
    }
    if CATALOGUE[tool].as_text is not job_text:
        if not CATALOGUE[tool].shows_image:
            structure, _ = answered(tool, payload, most)
            whole = _texts_in(repaired(escaped(value)))
            assert all(
                _is_cut_well(text, whole) for text in _texts_in(structure) if NOTE.search(text)
            )
        return
    job, _ = answered(tool, status(tool, payload, console={"first": _texts_in(value)}), most)
    assert (job["job_id"], job["state"]) == ("j", "failed")
    error = {
        "code": "ERR_UNITY_EXECUTION",
        "message": "m",
        "retryable": False,
        "details": {"unity": value},
    }
    failed, _ = answered(tool, status(tool, payload, error=error), most)
    assert failed["error"]["code"] == "ERR_UNITY_EXECUTION"


def test_a_refusal_with_long_details_fits_too() -> None:
    failure = Failure(
        ToolError(ErrorCode.UNITY_EXECUTION, "no", {"errors": [{"message": "漢" * 5000}] * 50})
    )
    line = b"".join(tool_result(Ended(Err(failure), CATALOGUE["run_csharp"]), MOST))
    structure = json.loads(line)["structuredContent"]
    assert len(json.dumps(structure, ensure_ascii=False, separators=(",", ":")).encode()) <= 8000
    assert structure["error"]["details"]["execution_guarantee"] == "completed_error"


@settings(deadline=None)
@given(st.lists(TEXTS, max_size=80), st.integers(4_000, 30_000), st.integers(0, 500))
def test_what_is_shown_and_what_is_left_out_add_up(
    messages: List[str], most: int, passed: int
) -> None:
    failed = [
        {"name": f"A.T{n}", "message": message, "stack_trace": message}
        for n, message in enumerate(messages)
    ]
    skipped = [{"name": f"A.S{n}", "message": message} for n, message in enumerate(messages)]
    lists = {"skipped_tests": skipped, "passed_tests": [{"name": f"A.P{n}"} for n in range(passed)]}
    before = run(failed, **lists)
    structure, _ = answered("run_tests", status("run_tests", before), most)
    after = structure["result"]
    for name in ("failed_tests", *lists):
        assert len(after.get(name, ())) + after.get("omitted", {}).get(name, 0) == len(before[name])
    assert [test["name"] for test in after["failed_tests"]] == [
        f"A.T{n}" for n in range(len(after["failed_tests"]))
    ]
    assert bool(after["failed_tests"]) is bool(failed) and after["summary"] == before["summary"]

    items = [{"path": f"Main/{n}", "value": message} for n, message in enumerate(messages)]
    page, _ = answered(
        "inspect", {"what": "object", "items": items, "total": len(items), "next_cursor": "c"}, most
    )
    assert [item["path"] for item in page["items"]] == [
        item["path"] for item in items[: len(page["items"])]
    ]
    assert len(page["items"]) + page.get("omitted", {}).get("items", 0) == len(items)
    assert ("next_cursor" in page) is (len(page["items"]) == len(items))


ROWS = [{"as": f"o{number}", "path": f"Main/Object {number}"} for number in range(600)]


@pytest.mark.parametrize(
    "arguments, advice", [({"name": "batch"}, "Fewer steps"), ({"name": "mine"}, "Return less")]
)
def test_a_commands_lists_are_cut_at_whole_rows_and_counted_by_name(
    arguments: Any, advice: str
) -> None:
    value = {"steps": ROWS, "changed": ROWS[:100], "undo": True}
    result = cut_to(8000, {"value": value}, **arguments)
    assert result["value"]["steps"] == ROWS[: len(result["value"]["steps"])]
    assert result["value"]["changed"] == ROWS[:100] and result["value"]["undo"] is True
    assert result["omitted"] == {"value.steps": 600 - len(result["value"]["steps"])}
    assert result["truncated"] is True and advice in result["remarks"][0]


def test_a_list_that_a_cut_emptied_stays() -> None:
    value = {"steps": ROWS, "changed": ROWS}
    result = cut_to(600, {"value": value}, name="batch")
    changed = result["value"]["changed"]
    assert result["value"] == {"steps": [], "changed": ROWS[: len(changed)]}
    assert result["omitted"] == {"value.steps": 600, "value.changed": 600 - len(changed)}
    whole = cut_to(8000, {"value": ROWS}, name="mine")
    assert whole["value"] == ROWS[: len(whole["value"])] and whole["omitted"] == {
        "value": 600 - len(whole["value"])
    }


def cut_to(most_bytes: int, result: Any, **params: Any) -> Any:
    tool = CATALOGUE["run_command"]
    fitted_result = fitted(result, tool.gives_way, params, most_bytes, lambda shown: shown)
    assert json_bytes(fitted_result) <= most_bytes
    return fitted_result
