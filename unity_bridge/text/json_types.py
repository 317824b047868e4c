"""The types of a JSON object: one that is only read, and one that is made here."""

from __future__ import annotations

from typing import Any, Dict, Mapping

JsonObject = Mapping[str, Any]
JsonDict = Dict[str, Any]
