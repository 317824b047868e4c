"""Another value of a frozen one: as ``dataclasses.replace`` makes it."""

from __future__ import annotations

from dataclasses import replace

import pytest

from unity_bridge.frozen import changed
from unity_bridge.state.machines import JobState
from unity_bridge.state.records import JobRecord

JOB = JobRecord("job-1", JobState.QUEUED, tool_name="compile")


def test_what_is_changed_is_another_value_and_the_rest_is_as_it_was() -> None:
    made = changed(JOB, state=JobState.RUNNING, request_id="req-1")
    assert made == replace(JOB, state=JobState.RUNNING, request_id="req-1")
    assert (JOB.state, JOB.request_id) == (JobState.QUEUED, None)


def test_nothing_gets_a_field_that_it_does_not_have() -> None:
    with pytest.raises(AssertionError, match=r"JobRecord has no \['colour'\]"):
        changed(JOB, colour="red")
