"""SPEC §20.3: ``read_console`` with filters, when the plugin does not say that it knows them."""

from __future__ import annotations

from typing import Any, Dict, List

import pytest

from tests.fakes import InMemoryBridge, PendingCall


@pytest.fixture
def bridge(bridge: InMemoryBridge) -> InMemoryBridge:
    bridge.editor.connects(tools=None)
    return bridge


def entries(count: int, every: int = 100) -> List[Dict[str, Any]]:
    """Entries of which each ``every``-th is an error."""
    return [
        {"type": "log" if n % every else "error", "message": f"entry {n}"} for n in range(count)
    ]


def console(listed: List[Dict[str, Any]], truncated: bool = False) -> Dict[str, Any]:
    return {"entries": listed, "count": len(listed), "truncated": truncated}


def reads_errors(bridge: InMemoryBridge, **arguments: Any) -> PendingCall:
    return bridge.agent.calls("read_console", **{"types": ["error"], "max_entries": 3, **arguments})


def asked(bridge: InMemoryBridge) -> int:
    return int(bridge.editor.last("execute")["params"]["max_entries"])


@pytest.mark.parametrize("filters", [{"types": ["error"]}, {"contains": "entry"}])
def test_a_plugin_without_a_list_of_tools_is_asked_for_all_it_has(
    bridge: InMemoryBridge, filters: Any
) -> None:
    bridge.agent.calls("read_console", max_entries=3, **filters)
    assert asked(bridge) == 2000


def test_without_a_filter_it_is_asked_for_what_the_client_asked_for(bridge: InMemoryBridge) -> None:
    bridge.agent.calls("read_console", max_entries=3, types=[], contains="")
    assert asked(bridge) == 3


def test_a_plugin_that_lists_its_tools_filters_itself(bridge: InMemoryBridge) -> None:
    bridge.editor.reloads().connects()
    reads_errors(bridge)
    assert asked(bridge) == 3


def test_the_server_filters_before_it_cuts(bridge: InMemoryBridge) -> None:
    call = reads_errors(bridge)
    bridge.editor.answers(console(entries(500)))
    messages = [entry["message"] for entry in call.answer["entries"]]
    assert messages == ["entry 200", "entry 300", "entry 400"], "the newest three of five errors"
    assert (call.answer["count"], call.answer["truncated"]) == (5, True)


@pytest.mark.parametrize("count, truncated", [(200, False), (1999, False), (2000, True)])
def test_truncated_if_2000_came_or_more_match_than_are_shown(
    bridge: InMemoryBridge, count: int, truncated: bool
) -> None:
    call = reads_errors(bridge, max_entries=100)
    bridge.editor.answers(console(entries(count)))
    assert len(call.answer["entries"]) == (count + 99) // 100
    assert call.answer["truncated"] is truncated


def test_2000_that_a_client_asked_for_and_that_all_match_are_no_sign_of_more(
    bridge: InMemoryBridge,
) -> None:
    bridge.editor.reloads().connects()
    call = reads_errors(bridge, max_entries=2000)
    bridge.editor.answers(console(entries(2000, every=1)))
    assert call.answer["truncated"] is False, (
        "a plugin that filters says itself whether there are more"
    )


def test_an_answer_over_the_size_limit_is_asked_for_again_in_small(bridge: InMemoryBridge) -> None:
    call = reads_errors(bridge)
    bridge.editor.says_too_much()
    assert not call.is_answered
    bridge.editor.connects(tools=None)
    assert asked(bridge) == 3
    bridge.editor.answers(console(entries(3, every=2), truncated=True))
    assert [entry["message"] for entry in call.answer["entries"]] == ["entry 0", "entry 2"]
    assert call.answer["truncated"] is True
    reads_errors(bridge)
    assert asked(bridge) == 3, "the server remembers that over the end of the session"


def test_another_editor_is_asked_for_all_it_has(bridge: InMemoryBridge) -> None:
    reads_errors(bridge)
    bridge.editor.says_too_much()
    bridge.editor.connects(tools=None).answers(console([]))
    bridge.editor.vanishes()
    bridge.advance(61)
    other = bridge.another_editor("editor-2", "/home/me/Other").connects(tools=None)
    reads_errors(bridge)
    assert other.last("execute")["params"]["max_entries"] == 2000


def test_an_answer_over_the_limit_is_an_error(bridge: InMemoryBridge) -> None:
    call = reads_errors(bridge)
    bridge.editor.says_too_much()
    bridge.editor.connects(tools=None).says_too_much()
    assert call.code == "ERR_INVALID_RESPONSE"
    assert "over 1048576 bytes" in call.error["message"]


def test_a_read_of_the_largest_page_is_not_repeated(bridge: InMemoryBridge) -> None:
    call = reads_errors(bridge, max_entries=2000)
    bridge.editor.says_too_much()
    assert call.code == "ERR_INVALID_RESPONSE"


def test_editors_with_too_large_answers_are_not_remembered_without_bound(
    bridge: InMemoryBridge,
) -> None:
    for n in range(70):
        editor = bridge.another_editor(f"editor-{n}", f"/home/me/Game{n}").connects(tools=None)
        call = reads_errors(bridge)
        editor.says_too_much()
        bridge.advance(61)
        assert call.is_answered
    assert len(bridge.parts.reads._too_wide_for) == 64


@pytest.mark.parametrize("repeated", ["often", -1, 1.5, None])
def test_an_invalid_count_of_equal_entries_goes(bridge: InMemoryBridge, repeated: Any) -> None:
    call = bridge.agent.calls("read_console")
    bridge.editor.answers(
        console([{"type": "log", "message": "no target", "repeated": repeated}] * 2)
    )
    (entry,) = call.answer["entries"]
    assert (entry["message"], entry["repeated"]) == ("no target", 2)
