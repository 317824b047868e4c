"""The published list of tools through the converters of the SDKs that models are called with (SPEC
§8.2).

The packages are fetched once into the clone's private folder, which takes half a minute.
"""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any, Dict, List, Tuple

import pytest

from tests import fetching
from unity_bridge.catalogue import CATALOGUE
from unity_bridge.mcp.static_answers import published

pytestmark = pytest.mark.skipif(sys.version_info < (3, 10), reason="the SDKs need Python 3.10")

# Each line is one environment: two versions of an SDK cannot be in the same one.
NEWEST = ("google-genai==3.4.0", "openai==3.54.0", "anthropic[mcp]==2.12.0")
FIRST_OF_TWO = ("google-genai==2.0.0",)
LANGCHAIN = ("langchain-google-genai==4.4.2",)
GUARD_S = 120

CONVERTERS: List[Tuple[str, Tuple[str, ...]]] = [
    ("google", NEWEST),
    ("google", FIRST_OF_TWO),
    ("langchain", LANGCHAIN),
    ("openai", NEWEST),
    ("anthropic", NEWEST),
]


def converted(
    converter: str, packages: Tuple[str, ...], tools: List[Dict[str, Any]]
) -> Dict[str, Any]:
    """Tool to the names of its arguments, or to the exception that the SDK raised."""
    name = (
        "-".join(["sdks", *map(str, sys.version_info[:2]), *packages])
        .replace("==", "-")
        .replace("[mcp]", "")
    )
    try:
        folder = fetching.once(
            name,
            lambda unfinished: fetching.with_dependencies(unfinished, *packages),
        )
    except fetching.CannotFetch as error:
        pytest.skip(f"the SDKs cannot be had here: {error}")
    # -S: nothing of this environment, whose pydantic is another one.
    script = Path(__file__).with_name("schema_converters.py")
    ran = subprocess.run(
        [sys.executable, "-S", "-c", _RUN, str(folder), str(script), converter],
        input=json.dumps(tools),
        capture_output=True,
        encoding="utf-8",
        timeout=GUARD_S,
    )
    assert ran.returncode == 0, ran.stderr
    return dict(json.loads(ran.stdout))


_RUN = (
    "import runpy, sys; sys.path[0] = sys.argv.pop(1); del sys.argv[0]; "
    "runpy.run_path(sys.argv[0], None, '__main__')"
)


@pytest.mark.parametrize(
    "converter, packages", CONVERTERS, ids=lambda value: value if isinstance(value, str) else None
)
def test_an_sdk_takes_every_tool_with_all_of_its_arguments(
    converter: str, packages: Tuple[str, ...]
) -> None:
    tools = [published(tool) for tool in CATALOGUE.values()]
    expected = {tool["name"]: sorted(tool["inputSchema"]["properties"]) for tool in tools}
    assert converted(converter, packages, tools) == expected


@pytest.mark.parametrize("packages", [NEWEST, FIRST_OF_TWO], ids=["newest", "2.0"])
def test_googles_sdk_raises_at_the_word_that_we_leave_out(packages: Tuple[str, ...]) -> None:
    tools = [
        {**published(tool), "inputSchema": dict(tool.input_schema)} for tool in CATALOGUE.values()
    ]
    results = converted("google", packages, tools)
    assert all(isinstance(result, str) and "bool" in result for result in results.values()), results
