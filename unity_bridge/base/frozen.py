"""Frozen values: how a class of them is declared at little cost, and how another one is made of a
value.
"""

from __future__ import annotations

import sys
from typing import Any, Callable, Dict, Mapping, NamedTuple, Type, TypeVar

if sys.version_info >= (3, 11):
    from typing import dataclass_transform
else:

    def dataclass_transform(**_: Any) -> Any:
        return lambda decorator: decorator


_Value = TypeVar("_Value")
# In place of a default: there is none.
REQUIRED: Any = object()
# Before Python 3.10, ``__annotations__`` of a class without any are those of its base class.
_EACH_HAS_ITS_OWN = sys.version_info >= (3, 10)


class Field(NamedTuple):
    """A field of a frozen class. In the class it stands where the default would, if there is more
    to it.
    """

    default: Any = REQUIRED
    factory: Callable[[], Any] = REQUIRED
    metadata: Mapping[str, Any] = {}


@dataclass_transform(frozen_default=True)
def frozen(cls: Type[_Value]) -> Type[_Value]:
    """``@dataclass(frozen=True)`` for a program that declares a hundred such classes before its
    first answer.

    The standard decorator takes 5 ms to import, and compiles six methods of each class at every start: 0.5 ms. Here
    all classes share their methods, and ``__init__`` is compiled when the first value is made. It writes to
    ``__dict__``, in half the time of ``object.__setattr__``. ``fields``, ``replace``, ``asdict`` and dataclasses-json
    take such a class for a dataclass. It has no ``ClassVar``, ``InitVar`` or ``__post_init__``.
    """
    fields: Dict[str, Field] = {}
    for base in reversed(cls.__mro__):
        fields.update(base.__dict__.get("__frozen_fields__", {}))
    for name in _annotations(cls):
        default = cls.__dict__.get(name, REQUIRED)
        field = fields[name] = default if isinstance(default, Field) else Field(default)
        # As with dataclasses, no default that one value could change for all others.
        assert type(field.default).__hash__ is not None, f"{cls.__name__}.{name}: use made_by()"
        if field.default is not REQUIRED:
            setattr(cls, name, field.default)
        elif default is not REQUIRED:
            delattr(cls, name)

    def __init__(self: Any, *values: Any, **keywords: Any) -> None:
        method = _compiled_init(fields)
        method.__qualname__ = f"{cls.__qualname__}.__init__"  # which a TypeError of it names
        setattr(cls, "__init__", method)  # noqa: B010  # mypy
        method(self, *values, **keywords)

    for name, member in {**_SHARED, "__init__": __init__, "__frozen_fields__": fields}.items():
        if name not in cls.__dict__:
            setattr(cls, name, member)
    return cls


def made_by(factory: Callable[[], Any]) -> Any:
    """Stands where the default would: each value gets one that ``factory`` makes."""
    return Field(factory=factory)


def fields_of(cls: Type[Any]) -> Mapping[str, Field]:
    """Return the fields of a frozen class by name, in their order."""
    fields: Mapping[str, Field] = cls.__frozen_fields__
    return fields


def changed(value: _Value, **changes: Any) -> _Value:
    """``dataclasses.replace``, at a fifth of its time: every call to Unity replaces five of its
    records.
    """
    cls: Any = type(value)
    copy: _Value = object.__new__(cls)
    members = copy.__dict__
    members.update(value.__dict__, **changes)
    fields = cls.__frozen_fields__
    if len(members) != len(fields):
        for name in members.keys() - fields.keys():
            assert name not in changes, f"{type(value).__name__} has no {name}"
            del members[name]  # a cached property of ``value``
    return copy


def _annotations(cls: Type[Any]) -> Mapping[str, Any]:
    annotations: Mapping[str, Any] = (
        cls.__annotations__ if _EACH_HAS_ITS_OWN else cls.__dict__.get("__annotations__", {})
    )
    return annotations


def _compiled_init(fields: Mapping[str, Field]) -> Callable[..., None]:
    parameters, body = [], ["_members = self.__dict__"]
    for name, field in fields.items():
        value = name
        if field.factory is not REQUIRED:
            parameters.append(f"{name}=_required")
            value = f"_fields[{name!r}].factory() if {name} is _required else {name}"
        else:
            if field.default is REQUIRED:
                parameter = name
            else:
                parameter = f"{name}=_fields[{name!r}].default"
            parameters.append(parameter)
        body.append(f"_members[{name!r}] = {value}")
    # A base class may have defaults where its subclass has none.
    parameters.sort(key=lambda parameter: "=" in parameter)
    source = f"def __init__(self, {', '.join(parameters)}):\n    " + "\n    ".join(body)
    namespace: Dict[str, Any] = {}
    exec(
        source, {"_fields": fields, "_required": REQUIRED}, namespace
    )  # as dataclasses and namedtuple do
    method: Callable[..., None] = namespace["__init__"]
    return method


def _values(self: Any) -> Any:
    return tuple(map(self.__dict__.__getitem__, self.__frozen_fields__))


def _eq(self: Any, another: Any) -> Any:
    if another.__class__ is self.__class__:
        return _values(self) == _values(another)
    return NotImplemented


def _hash(self: Any) -> int:
    return hash(_values(self))


def _repr(self: Any) -> str:
    members = ", ".join(f"{name}={self.__dict__[name]!r}" for name in self.__frozen_fields__)
    return f"{type(self).__qualname__}({members})"


def _set(self: Any, name: str, value: Any = None) -> None:
    from dataclasses import FrozenInstanceError

    raise FrozenInstanceError(
        f"cannot change the field {name!r} of {type(self).__name__}: use changed()"
    )


class _DataclassFields:
    """What ``dataclasses`` knows a class by, made when it first asks."""

    def __get__(self, value: Any, cls: Type[Any]) -> Any:
        import dataclasses

        dataclass_fields = []
        bases = [base for base in reversed(cls.__mro__) if "__frozen_fields__" in base.__dict__]
        types = {name: kind for base in bases for name, kind in _annotations(base).items()}
        for name, field in fields_of(cls).items():
            defaults = {"default": field.default, "default_factory": field.factory}
            about = {kind: default for kind, default in defaults.items() if default is not REQUIRED}
            dataclass_fields.append(
                (name, types[name], dataclasses.field(**about, metadata=field.metadata))
            )
        like: Any = dataclasses.make_dataclass(
            cls.__name__, dataclass_fields, init=False, repr=False, eq=False
        )
        setattr(cls, "__dataclass_fields__", like.__dataclass_fields__)  # noqa: B010  # mypy
        return like.__dataclass_fields__


_SHARED: Mapping[str, Any] = {
    "__eq__": _eq,
    "__hash__": _hash,
    "__repr__": _repr,
    "__setattr__": _set,
    "__delattr__": _set,
    "__dataclass_fields__": _DataclassFields(),
}
