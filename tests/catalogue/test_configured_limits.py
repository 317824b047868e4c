"""SPEC §9: which jobs the configured limits are for."""

from __future__ import annotations

import pytest

from unity_bridge.catalogue import catalogue_for


@pytest.mark.parametrize(
    "configured, tool, limits",
    [
        ((7_000, 77_000), "compile", (7_000, 77_000)),
        ((7_000, 77_000), "play_mode", (60_000, 77_000)),
        ((7_000, 50_000), "play_mode", (50_000, 50_000)),
        ((300_000, 1_800_000), "play_mode", (60_000, 300_000)),
        ((7_000, 77_000), "screenshot", (10_000, 30_000)),
    ],
)
def test_a_job_of_other_limits_keeps_its_own_within_the_configured_maximum(
    configured: tuple[int, int], tool: str, limits: tuple[int, int]
) -> None:
    found = catalogue_for(*configured)[tool]
    assert (found.default_timeout_ms, found.max_timeout_ms) == limits
    assert found.input_schema["properties"]["timeout_ms"]["maximum"] == limits[1]
