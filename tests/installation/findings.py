"""What a test asks of the findings of the checks."""

from __future__ import annotations

from typing import List

from unity_bridge.installation.findings import Finding, Verdict


def bad(findings: List[Finding]) -> List[Finding]:
    return [finding for finding in findings if finding.verdict is Verdict.BAD]


def only(findings: List[Finding]) -> Finding:
    assert len(findings) == 1, findings
    return findings[0]
