"""Checks a JSON value against a schema of the catalogue. Pure.

The catalogue uses a dozen keywords of JSON Schema. A library for all of them takes 9 ms to import and 2.5 ms for each
schema, while the first call waits.
"""

from __future__ import annotations

from operator import ge, le
from typing import Any, Callable, List, Mapping, NamedTuple, Optional, Sized, Tuple, Type

from unity_bridge.text.json_types import JsonDict, JsonObject


class Misfit(NamedTuple):
    """The first part of a value that breaks its schema. ``path``: names and indices of the part, from the outside;
    ``where``: the same as text, such as ``.entries[0].type``; ``fault``: what it must be; ``schema``: of that part."""

    path: Tuple[str, ...]
    where: str
    fault: str
    schema: JsonObject
    value: Any


Check = Callable[[Any], Optional[Misfit]]


def check_of(schema: JsonObject) -> Check:
    """Return a function that returns where a value breaks ``schema``, or None. Safe from any
    thread.
    """
    unknown = schema.keys() - _MAKERS.keys() - _ABOUT_NO_VALUE
    assert not unknown, f"keywords of a schema that are not checked: {sorted(unknown)}"
    checks = [make(schema) for keyword, make in _MAKERS.items() if keyword in schema]
    if len(checks) == 1:
        return checks[0]

    def check(value: Any) -> Optional[Misfit]:
        for part in checks:
            misfit = part(value)
            if misfit is not None:
                return misfit
        return None

    return check


_ABOUT_NO_VALUE = {"description", "default"}
_CLASSES: Mapping[str, Tuple[type, ...]] = {
    "string": (str,),
    "boolean": (bool,),
    "object": (dict,),
    "array": (list, tuple),
    "null": (type(None),),
    # Numbers have no class: a bool of Python is an int, and 2.0 of JSON is an integer.
    "integer": (),
    "number": (),
}


def _is_integer(value: Any) -> bool:
    return type(value) is int or (type(value) is float and value.is_integer())


def _is_number(value: Any) -> bool:
    return type(value) in (int, float)


def _is_nothing(value: Any) -> bool:
    return False


def _type(schema: JsonObject) -> Check:
    names: List[str] = [schema["type"]] if isinstance(schema["type"], str) else schema["type"]
    classes = tuple(python_type for name in names for python_type in _CLASSES[name])
    if "number" in names:
        fits = _is_number
    elif "integer" in names:
        fits = _is_integer
    else:
        fits = _is_nothing
    fault = f"must be {' or '.join(names)}"

    def check(value: Any) -> Optional[Misfit]:
        if isinstance(value, classes) or fits(value):
            return None
        return Misfit((), "", fault, schema, value)

    return check


def _enum(schema: JsonObject) -> Check:
    values: List[Any] = schema["enum"]
    return _rule(schema, lambda value: value in values, f"must be one of {values}")


def _limit(
    keyword: str, holds: Callable[[Any, Any], bool], words: str, size_of: Callable[[Any], Any]
) -> Callable[[JsonObject], Check]:
    """Return the maker of a check against a number. ``size_of``: None of what has no such size."""

    def make(schema: JsonObject) -> Check:
        limit = schema[keyword]

        def fits(value: Any) -> bool:
            size = size_of(value)
            return size is None or holds(size, limit)

        return _rule(schema, fits, f"must {words.format(limit)}")

    return make


def _number(value: Any) -> Any:
    if _is_number(value):
        return value
    return None


def _length_of(kind: Type[Sized]) -> Callable[[Any], Optional[int]]:
    def length(value: Any) -> Optional[int]:
        if isinstance(value, kind):
            return len(value)
        return None

    return length


def _rule(schema: JsonObject, holds: Callable[[Any], bool], fault: str) -> Check:
    return lambda value: None if holds(value) else Misfit((), "", fault, schema, value)


def _required(schema: JsonObject) -> Check:
    names: List[str] = schema["required"]

    def check(value: Any) -> Optional[Misfit]:
        if isinstance(value, dict):
            for name in names:
                if name not in value:
                    return Misfit((), "", f"must have the member {name}", schema, value)
        return None

    return check


def _properties(schema: JsonObject) -> Check:
    checks = [
        (name, check_of(property_schema))
        for name, property_schema in schema["properties"].items()
        if property_schema
    ]

    def check(value: Any) -> Optional[Misfit]:
        if isinstance(value, dict):
            for name, property_check in checks:
                if name in value:
                    misfit = property_check(value[name])
                    if misfit is not None:
                        return misfit._replace(
                            path=(name, *misfit.path), where=f".{name}{misfit.where}"
                        )
        return None

    return check


def _no_more_properties(schema: JsonObject) -> Check:
    assert schema["additionalProperties"] is False
    properties: JsonDict = schema["properties"]
    return _rule(
        schema,
        lambda value: not isinstance(value, dict) or value.keys() <= properties.keys(),
        "has other members",
    )


def _items(schema: JsonObject) -> Check:
    item_check = check_of(schema["items"])

    def check(value: Any) -> Optional[Misfit]:
        if isinstance(value, (list, tuple)):
            for index, item in enumerate(value):
                misfit = item_check(item)
                if misfit is not None:
                    return misfit._replace(
                        path=(str(index), *misfit.path), where=f"[{index}]{misfit.where}"
                    )
        return None

    return check


# In this order: what is of another type is reported as that.
_MAKERS: Mapping[str, Callable[[JsonObject], Check]] = {
    "type": _type,
    "enum": _enum,
    "minimum": _limit("minimum", ge, "be at least {}", _number),
    "maximum": _limit("maximum", le, "be at most {}", _number),
    "minLength": _limit("minLength", ge, "have at least {} characters", _length_of(str)),
    "maxLength": _limit("maxLength", le, "have at most {} characters", _length_of(str)),
    "minItems": _limit("minItems", ge, "have at least {} items", _length_of(list)),
    "maxItems": _limit("maxItems", le, "have at most {} items", _length_of(list)),
    "required": _required,
    "properties": _properties,
    "additionalProperties": _no_more_properties,
    "items": _items,
}
