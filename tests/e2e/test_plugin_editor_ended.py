"""An editor that is killed: the agent learns within seconds that it is gone, and what is known of
its jobs (§5.6).
"""

from __future__ import annotations

import time

from tests.unity_headless.headless_editor import HeadlessEditor
from tests.unity_headless.mcp_agent import Agent

# Far below the minute for which an editor that reloads is waited for.
SOON_S = 20.0


def test_a_job_ends_with_the_editor_that_ran_it(
    agent: Agent, agents_editor: HeadlessEditor
) -> None:
    agents_editor.tests(*(f"edit|A.B.Long{number}|pass|60000" for number in range(3)))
    job_id = agent.call("run_tests", mode="edit", refresh=False, wait_ms=0)["job_id"]
    agents_editor.wait_for("test A.B.Long0")
    killed_at = time.monotonic()
    agents_editor.kill()
    answer = agent.result("get_job_status", job_id=job_id, wait_ms=50_000).structured_content or {}
    assert time.monotonic() - killed_at < SOON_S
    assert answer["state"] == "failed" and answer["error"]["details"]["reason"] == "editor_ended", (
        answer
    )
    assert agent.call("get_editor_state")["reason"] == "editor_ended"
