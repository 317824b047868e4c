"""What of a page was asked for, whatever the plugin sent (SPEC §20.3)."""

from __future__ import annotations

import copy
from typing import Any, Dict

from unity_bridge.base.result import Err, Ok
from unity_bridge.catalogue import CATALOGUE
from unity_bridge.catalogue.inspect import as_asked
from unity_bridge.catalogue.request_validator import RequestValidator

VALIDATOR = RequestValidator()


def asked(result: Dict[str, Any], **arguments: Any) -> Any:
    """What a call with these arguments is answered, if the plugin sends ``result``."""
    call = VALIDATOR.validate("inspect", {"what": "hierarchy", **arguments})
    assert isinstance(call, Ok)
    before = copy.deepcopy(result)
    given = as_asked(call.value.params, result)
    assert result == before
    if isinstance(given, Ok):
        assert VALIDATOR.check_result(CATALOGUE["inspect"], given.value) is None
    return given


def page(count: int, **fields: Any) -> Dict[str, Any]:
    return {
        "what": "hierarchy",
        "items": [{"path": f"Main/{n}"} for n in range(count)],
        "total": count,
        **fields,
    }


def test_values_that_the_client_chose_are_kept() -> None:
    assert asked(page(3, total=9, next_cursor="c"), limit=3) == Ok(
        page(3, total=9, next_cursor="c")
    )


def test_more_than_the_limit_is_cut_and_says_so() -> None:
    cut = asked(page(101, next_cursor="behind them all"))
    assert isinstance(cut, Ok)
    assert (len(cut.value["items"]), cut.value["total"], cut.value["truncated"]) == (100, 101, True)
    assert "next_cursor" not in cut.value


def test_a_total_below_what_came_is_corrected() -> None:
    assert asked(page(3, total=0)).value["total"] == 3


def test_an_omitted_field_gets_the_value_that_was_asked_for() -> None:
    answer = page(1)
    del answer["what"]
    assert asked(answer).value["what"] == "hierarchy"


def test_an_answer_to_another_question_is_refused() -> None:
    assert isinstance(asked(page(1, what="assets")), Err)
