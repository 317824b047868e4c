"""The prompts: three texts that clients show as slash commands, each of which names the calls to
make (SPEC §12.7).
"""

from __future__ import annotations

from typing import Any, Dict, Mapping, NamedTuple


class Prompt(NamedTuple):
    title: str
    description: str
    text: str


PROMPTS: Mapping[str, Prompt] = {
    "fix-compile": Prompt(
        "Fix compile errors",
        "Compiles the Unity project and fixes its errors.",
        "Call compile. If its result has ok false, read the first errors, edit the files that they name, and "
        "call compile again, until ok is true. Fix causes, not symptoms: do not delete or comment out code to"
        " make it compile. If loaded is false, report pending_reason. When you are done, list what"
        " you changed, one line each.",
    ),
    "run-failed": Prompt(
        "Run the failed tests",
        "Runs the tests that failed last time and fixes what makes them fail.",
        "Call run_tests with filter failed. If no tests were run yet, call run_tests without a filter. For "
        "each failure read its message and stack trace, find the cause and fix it in the code, not in the "
        "test, unless the test is wrong. Call run_tests with filter failed again until nothing fails and "
        "code_fresh is true; then run_tests once without a filter. When you are done, report what failed and"
        " why.",
    ),
    "look-at-scene": Prompt(
        "Look at the scene",
        "Looks at the open Unity scene and describes it.",
        "Call inspect with what scenes, then inspect with what hierarchy, then screenshot. Believe the "
        "picture only if fresh is true. Describe what the scene shows, how its objects are arranged, and what"
        " looks wrong: missing scripts (inspect with what hierarchy and query t:missing), objects without a "
        "material, errors in read_console with types error and exception. Change nothing.",
    ),
}


def listed() -> Dict[str, Any]:
    return {
        "prompts": [
            {"description": prompt.description, "name": name, "title": prompt.title}
            for name, prompt in PROMPTS.items()
        ]
    }


def got(name: str) -> Dict[str, Any]:
    """Return the result of ``prompts/get``. ``name`` is one of ``PROMPTS``."""
    prompt = PROMPTS[name]
    message = {"content": {"text": prompt.text, "type": "text"}, "role": "user"}
    return {"description": prompt.description, "messages": [message]}


def unknown(name: str) -> str:
    return f"There is no prompt {name[:60]!r}. The prompts are: {', '.join(PROMPTS)}."
