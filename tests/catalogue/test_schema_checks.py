"""The checks of the catalogue's schemas agree with ``jsonschema``, and say where a value breaks its
schema.
"""

from __future__ import annotations

from typing import Any, Dict, List, Tuple

import pytest
from hypothesis import given
from hypothesis import strategies as st
from jsonschema import Draft202012Validator

from unity_bridge.catalogue import CATALOGUE
from unity_bridge.catalogue.schema_checks import check_of

NAMES = st.sampled_from(["a", "b", "c"])
SMALL = st.integers(0, 3)
TYPES = st.sampled_from(["string", "boolean", "object", "array", "null", "integer", "number"])
KEYWORDS = {
    "type": TYPES | st.lists(TYPES, min_size=1, max_size=2, unique=True),
    "enum": st.lists(NAMES, min_size=1),
    "required": st.lists(NAMES, unique=True),
    **dict.fromkeys(
        ("minimum", "maximum", "minLength", "maxLength", "minItems", "maxItems"), SMALL
    ),
    "description": NAMES,
}
VALUES: st.SearchStrategy[Any] = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-1, 4)
    | st.sampled_from([0.5, 2.0, 3.5])
    | NAMES
    | st.just("abcd"),
    lambda values: st.lists(values, max_size=4) | st.dictionaries(NAMES, values, max_size=3),
    max_leaves=6,
)


def below(schemas: st.SearchStrategy[Dict[str, Any]]) -> st.SearchStrategy[Dict[str, Any]]:
    properties = st.dictionaries(NAMES, schemas, max_size=2)
    closed = st.builds(
        lambda known: {"properties": known, "additionalProperties": False}, properties
    )
    inner = st.builds(lambda known: {"properties": known}, properties) | closed
    more = inner | st.builds(lambda item: {"items": item}, schemas)
    return st.builds(lambda outer, rest: {**outer, **rest}, schemas, more)


SCHEMAS = st.recursive(st.fixed_dictionaries({}, optional=KEYWORDS), below, max_leaves=3)


@given(SCHEMAS, VALUES)
def test_a_check_agrees_with_jsonschema(schema: Dict[str, Any], value: Any) -> None:
    assert (check_of(schema)(value) is None) == Draft202012Validator(schema).is_valid(value)


ITEM = {
    "type": "object",
    "properties": {"size": {"type": "integer", "minimum": 2}},
    "required": ["name"],
}
SCHEMA = {"type": "object", "properties": {"items": {"type": "array", "items": ITEM}, "any": {}}}


@pytest.mark.parametrize(
    ("value", "path", "where", "fault"),
    [
        (3, (), "", "must be object"),
        ({"items": {}}, ("items",), ".items", "must be array"),
        ({"items": [{"name": 1}, {}]}, ("items", "1"), ".items[1]", "must have the member name"),
        (
            {"items": [{"name": 1, "size": 1}]},
            ("items", "0", "size"),
            ".items[0].size",
            "must be at least 2",
        ),
        (
            {"items": [{"name": 1, "size": True}]},
            ("items", "0", "size"),
            ".items[0].size",
            "must be integer",
        ),
    ],
)
def test_a_misfit_has_its_place_and_its_schema(
    value: Any, path: Tuple[str, ...], where: str, fault: str
) -> None:
    misfit = check_of(SCHEMA)(value)
    assert misfit is not None and (misfit.path, misfit.where, misfit.fault) == (path, where, fault)
    schema, part = SCHEMA, value
    for step in path:
        steps: List[Any] = [int(step), "items"] if step.isdigit() else [step, "properties"]
        part = part[steps[0]]
        schema = schema["items"] if step.isdigit() else schema["properties"][step]  # type: ignore[index,assignment]
    assert misfit.schema == schema and misfit.value == part


@pytest.mark.parametrize(
    "schema",
    [
        {"minimum": 2},
        {"maxLength": 2},
        {"minItems": 2},
        {"required": ["name"]},
        {"properties": {"name": {"type": "string"}}},
        {"properties": {}, "additionalProperties": False},
        {"items": {"type": "integer"}},
    ],
    ids=lambda schema: "-".join(schema),
)
def test_a_keyword_does_not_concern_values_of_another_type(schema: Dict[str, Any]) -> None:
    assert check_of(schema)(None) is None


def test_a_keyword_that_is_not_checked_is_refused() -> None:
    with pytest.raises(AssertionError, match="pattern"):
        check_of({"type": "string", "pattern": "a+"})


@pytest.mark.parametrize("tool", list(CATALOGUE.values()), ids=lambda tool: tool.name)
def test_every_schema_of_the_catalogue_can_be_checked(tool: Any) -> None:
    for schema in (tool.input_schema, tool.output_schema, tool.result_schema):
        if schema is not None:
            check_of(schema)
