"""The parameters of tools, with their defaults. The server has checked what it sends (SPEC §8)."""

from __future__ import annotations

from typing import Any, Dict, Mapping

Parameters = Mapping[str, Any]


def filled_in(parameters: Parameters, given: Mapping[str, Any]) -> Dict[str, Any]:
    """Return the values of all parameters, ignoring others. A value of ``None`` counts as absent."""
    return {name: default if given.get(name) is None else given[name] for name, default in parameters.items()}
