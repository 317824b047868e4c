"""Who may know whom, and the invariants that can be read off the source (DESIGN). Each rule carries
its reason.

Every rule is tried twice: on the package, which must keep it, and on a few lines that break it, which it must find.
"""

from __future__ import annotations

import ast
import inspect
import re
import sys
from dataclasses import is_dataclass
from functools import lru_cache
from pathlib import Path
from typing import Callable, Dict, Iterator, List, NamedTuple, Optional, Set, Tuple

import pytest
from packaging.requirements import Requirement

from tests.fakes import InMemoryBridge
from unity_bridge.catalogue import CATALOGUE
from unity_bridge.core import changes
from unity_bridge.core.ledger.deadlines import Due
from unity_bridge.core.ledger.records import Purpose
from unity_bridge.core.round_trip import EXPECTED
from unity_bridge.launch import environment
from unity_bridge.unity.messages import TYPES

REPOSITORY = Path(__file__).resolve().parent.parent
PACKAGE = "unity_bridge"

# Words that every part speaks: values, never behaviour.
VOCABULARY = {
    "base.result",
    "base.frozen",
    "base.errors",
    "text.search",
    "text.spelling",
    "text.foreign_text",
    "text.json_reader",
    "text.json_types",
    "text.json_writer",
    "base.clock",
    "log.logger",
    "log.limited_log",
    "log.log_file",
    "log.rate_limit",
    "system.loopback",
    "system.shared_file",
    "system.terminal",
    "system.interruptible_socket",
    "system.signals",
    "system.whole_file",
    "catalogue.before_proof",
    "catalogue.calls",
    "catalogue.loaded_code",
    "base.program_command",
    "base.reasons",
    "catalogue.plugin_commands",
    "version",
    "config",
    "core.ledger.machines",
    "unity.close_codes",
    "unity.messages",
    "catalogue",
    "catalogue.tool",
}

# The packages, and which of their neighbours' modules they may know next to the vocabulary and
# their own.
PACKAGES: Dict[str, Set[str]] = {
    "unity": {"trust.plugin_challenge", "trust.proof", "trust.secret"},
    "core": {
        "unity.bridge_client",
        # What is logged of a result of which not all can be read.
        "catalogue.readable_result",
        # How much of what peers say the inbox holds.
        "unity.peer_turns",
        "attach.owner_events",
        "attach.protocol",
        "trust.plugin_challenge",
        "projects.project_probe",
        "projects.no_editor",
        # Whether two editors have the same project.
        "projects.canonical_path",
    },
    # Other clients call at the same listener as Unity does, and their calls are validated like any
    # other.
    "attach": {
        "unity.websocket",
        "unity.frames",
        "unity.message_reader",
        # Whose process refuses us.
        "unity.port_holder",
        "catalogue.request_validator",
        "trust.secret",
        "trust.proof",
    },
    "catalogue": {"catalogue.synonyms"},
    # Two programs that change what is allowed do it one after the other.
    "trust": {"launch.file_lock", "launch.user_folders"},
    # Simulated editors leave their mark in the user's state folder.
    "projects": {"launch.file_lock", "launch.user_folders", "trust.state_folder"},
    "mcp": {"catalogue.request_validator", "catalogue.answer_limits", "catalogue.picture"},
    # Pure functions, and reading the files that they are about.
    "shards": set(),
    # It starts as a child process in the way that all children of ours do. That it and the server
    # find one port for a project, and one secret for a user, is tried with the plugin, which looks
    # for both by code of its own.
    "simulator": {
        # What a plugin does without a proof, by our package's own list.
        "catalogue.before_proof",
        "launch.environment",
        # As the plugin, it waits where servers look.
        "trust.waiting_editors",
        # The package's commands are listed out of its C# sources.
        "installation.package_copy",
        "projects.port_files",
        "projects.unity_folder",
        "projects.open_editors",
        # It reports the project's own Unity version.
        "projects.project_version",
        "trust.secret",
    },
    # The editor as a process: which project has which version, who holds it, and where its record
    # lies.
    "editor_life": {
        "launch.environment",
        "launch.file_lock",
        "launch.job_object",
        "launch.user_folders",
        "projects.canonical_path",
        "projects.editor_lock",
        "projects.editor_log",
        "projects.no_editor",
        "projects.probing",
        "projects.project_probe",
        "projects.project_version",
        "trust.secret",
        "trust.state_folder",
    },
    # A user of everything: it opens an editor, and makes calls as a command does.
    "selftest": {
        "scripting.command_bridge",
        "editor_life.closing",
        "editor_life.finding",
        "editor_life.machine_layout",
        "editor_life.opening",
        "editor_life.processes",
        "editor_life.records",
        "editor_life.versions",
        "editor_life.waiting",
        "installation.plugin_package",
        "installation.safe_files",
        "installation.unity_project",
        "projects.canonical_path",
        "projects.project_version",
        "trust.consent",
        "trust.state_folder",
    },
}

# The packages from the bottom up. One imports those before it, so that a reader follows a call in
# one direction; the files at the top of the package that are not named here are the entry, above
# all others.
ORDER: Tuple[str, ...] = (
    *(
        "version",
        "text",
        "base",
        "system",
        "log",
        "config",
        "launch",
        "trust",
        "catalogue",
        "projects",
        "editor_life",
    ),
    *(
        "unity",
        "attach",
        "core",
        "mcp",
        "installation",
        "simulator",
        "shards",
        "serve",
        "scripting",
        "selftest",
    ),
    "commands",
)

# Each record has one room of the core that writes it. The queue is written by the ledger itself.
WRITERS: Dict[str, Set[str]] = {
    "core.sharing": {"server", "listener"},
    "core.editor": {"sessions", "editor", "version", "active_id"},
    "core.calls": {"requests"},
    "core.jobs": {"jobs"},
    "core.ledger": {"server", "listener", "editor"},
}
STORES = set().union(*WRITERS.values())
WRITES = {"transition", "amend", "add", "put", "forget"}

# What the launcher imports on any Python, with nothing installed.
FIRST = {
    "",
    "version",
    "launch",
    "launch.environment",
    "launch.environment_maker",
    "launch.file_lock",
    "launch.first_start",
    "launch.job_object",
    "launch.launcher",
    "launch.say",
    "launch.user_folders",
}

TALKS_TO_THE_TERMINAL = {"mcp.guarded_stdio", "simulator.program"}
MCP_PACKAGES = {"mcp", "mcp_types", "anyio", "pydantic", "pydantic_core"}
SPEAKS_MCP = {"mcp.sdk.authority"}
# dataclasses-json evaluates the messages' annotations, and the version's file imports nothing at
# all.
ANNOTATIONS_ARE_READ = {"unity.messages", "version"}
# JSON that this program wrote a moment ago, or has read before.
OWN_JSON = {
    "core.calls.waiting",
    "core.jobs.jobs",
    "installation.json_comments",
    "mcp.json_rpc",
    "mcp.sdk.fallback",
    "mcp.tasks",
    "simulator.chosen_tests",
    "simulator.jobs",
    "unity.messages",
}
# get_job_status is the name of a message to Unity, too.
TOOL_NAMES = set(CATALOGUE) - set(TYPES)
JOBS_OF_ANY_KIND = {"simulator.job", "simulator.jobs"}
# What reads, writes and decides about the protocol on the server's side.
THE_SERVERS_OWN = {"unity", "core", "attach", "mcp", "catalogue"}
# Data about our C# package, which the simulated plugin has in common with the real one.
OF_THE_PACKAGE = {"catalogue.before_proof", "catalogue.plugin_commands"}
MEANINGLESS = {"utils", "util", "helpers", "helper", "common", "misc", "manager"}
LINES_MAX = 600

# The rooms of the core, lowest first, and what belongs to no room: the values below all of them,
# the wiring above.
ROOMS: Tuple[Set[str], ...] = (
    {
        "core.ledger",
        "core.errors",
        "core.unity_errors",
        "core.events",
        "core.changes",
        "core.context",
    },
    {"core.editor", "core.round_trip"},
    {"core.jobs"},
    {"core.calls"},
    {"core.sharing"},
    {"core.wiring", "core.recovery", "core.loop"},
)
LEVELS = {room: level for level, rooms in enumerate(ROOMS) for room in rooms}
ARROWS_MAX = 3
CORE_LINES_MAX = 450
ARGUMENTS_MAX = 5
# The joints of the core: the lock and the inbox. Nothing else there waits for a thread or holds one
# up.
TOUCHES_THREADS = {"core.ledger.ledger", "core.loop"}


class Module(NamedTuple):
    """One source file; ``name`` is dotted and without the package (``core.loop``, ``""`` for the
    top).
    """

    name: str
    tree: ast.Module
    lines: int

    @property
    def package(self) -> Optional[str]:
        """The package that it belongs to; None for the files at the top, where the program is
        entered.
        """
        first = self.name.split(".")[0]
        return first if first in PACKAGES else None


Check = Callable[[Module], Iterator[str]]


class Rule(NamedTuple):
    """``broken_by``: a module name and a source that the rule must find fault with."""

    reason: str
    check: Check
    broken_by: Tuple[str, str]


def parse(name: str, source: str) -> Module:
    return Module(name, ast.parse(source), source.count("\n") + 1)


def named(path: Path) -> str:
    parts = path.relative_to(REPOSITORY / PACKAGE).with_suffix("").parts
    return ".".join(part for part in parts if part != "__init__")


FILES = sorted((REPOSITORY / PACKAGE).rglob("*.py"))
KNOWN = {named(path) for path in FILES}


@lru_cache(maxsize=None)
def modules() -> Tuple[Module, ...]:
    return tuple(parse(named(path), path.read_text(encoding="utf-8")) for path in FILES)


# What a source says


@lru_cache(maxsize=None)
def nodes(tree: ast.AST) -> Tuple[ast.AST, ...]:
    """Every rule looks at every node: walking is most of the work, and is done once."""
    return tuple(ast.walk(tree))


def imports(tree: ast.AST) -> Iterator[Tuple[str, int]]:
    """``(dotted name, line)`` of all that is imported, down to the imported names: ``a.b.c`` for
    from a.b import c.
    """
    for node in nodes(tree):
        if isinstance(node, ast.Import):
            for alias in node.names:
                yield alias.name, node.lineno
        elif isinstance(node, ast.ImportFrom):
            for alias in node.names:
                yield f"{'.' * node.level}{node.module or ''}.{alias.name}", node.lineno


def own_imports(tree: ast.AST, known: Set[str]) -> Iterator[Tuple[str, int]]:
    """``(module of this package, line)``: the longest known module of which a name is imported."""
    for name, line in imports(tree):
        parts = name.split(".")
        if parts[0] == PACKAGE:
            inner = parts[1:]
            while inner and ".".join(inner) not in known:
                inner = inner[:-1]
            yield ".".join(inner), line


def calls(tree: ast.AST) -> Iterator[ast.Call]:
    return (node for node in nodes(tree) if isinstance(node, ast.Call))


def dotted(node: ast.AST) -> str:
    """``a.b.c`` of an attribute chain; what is not a name is left out."""
    if isinstance(node, ast.Attribute):
        return f"{dotted(node.value)}.{node.attr}"
    return node.id if isinstance(node, ast.Name) else ""


# The rules


def keeps_to_its_room(module: Module) -> Iterator[str]:
    if module.package is None:
        return
    for name, line in own_imports(module.tree, KNOWN):
        own = name.split(".")[0] == module.package
        if (
            not own
            and name not in VOCABULARY
            and name not in PACKAGES[module.package]
            and name not in PACKAGES
        ):
            yield f"line {line}: {module.name} imports {name or PACKAGE}"
        elif name in PACKAGES and not own:
            yield f"line {line}: {module.name} imports the whole of {name}"


def imports_lead_down(module: Module) -> Iterator[str]:
    package = module.name.split(".")[0]
    if package not in ORDER:
        return
    for name, line in own_imports(module.tree, KNOWN):
        other = name.split(".")[0]
        if other != package and (other not in ORDER or ORDER.index(other) > ORDER.index(package)):
            yield f"line {line}: {module.name} imports {name or PACKAGE}, which is not below it"


def simulator_speaks_by_itself(module: Module) -> Iterator[str]:
    if module.package == "simulator":
        for name, line in own_imports(module.tree, KNOWN):
            if name.split(".")[0] in THE_SERVERS_OWN and name not in OF_THE_PACKAGE:
                yield f"line {line}: {module.name} imports {name}"


def vocabulary_knows_only_itself(module: Module) -> Iterator[str]:
    if module.name in VOCABULARY:
        for name, line in own_imports(module.tree, KNOWN):
            if name not in VOCABULARY and name.split(".")[0] != module.name.split(".")[0]:
                yield f"line {line}: {module.name} imports {name or PACKAGE}"


def imports_absolutely(module: Module) -> Iterator[str]:
    for name, line in imports(module.tree):
        if name.startswith("."):
            yield f"line {line}: {name}"


def first_imports_are_light(module: Module) -> Iterator[str]:
    if module.name in FIRST:
        for name, line in imports(module.tree):
            package, _, own = name.partition(".")
            early = any(f"{own}.".startswith(f"{first}.") for first in FIRST - {"", "launch"})
            if package in MCP_PACKAGES or (package == PACKAGE and not early):
                yield f"line {line}: {name}"


def writes_only_its_own_store(module: Module) -> Iterator[str]:
    allowed = WRITERS.get(".".join(module.name.split(".")[:2]), set())
    for call in calls(module.tree):
        *receiver, verb = dotted(call.func).split(".")
        store = receiver[-1].lstrip("_") if receiver else ""
        through_the_ledger = module.package == "core" or "ledger" in [
            part.lstrip("_") for part in receiver
        ]
        writes = verb == "transition" or (verb in WRITES and through_the_ledger and store in STORES)
        if writes and store not in allowed:
            yield f"line {call.lineno}: {module.name} writes {store} ({verb})"


def takes_time_from_the_clock(module: Module) -> Iterator[str]:
    if module.name == "base.clock":
        return
    for name, line in imports(module.tree):
        if name == "time" or name.startswith("time."):
            yield f"line {line}: imports {name}"
    for call in calls(module.tree):
        if dotted(call.func).endswith(
            ("datetime.now", "datetime.utcnow", "datetime.today", "date.today")
        ):
            yield f"line {call.lineno}: {dotted(call.func)}()"


def leaves_the_wire_alone(module: Module) -> Iterator[str]:
    for call in calls(module.tree):
        if dotted(call.func) in ("print", "input"):
            yield f"line {call.lineno}: {dotted(call.func)}()"
    if module.package is not None and module.name not in TALKS_TO_THE_TERMINAL:
        for node in nodes(module.tree):
            if (
                isinstance(node, ast.Attribute)
                and node.attr.strip("_") in ("stdout", "stdin")
                and dotted(node.value) == "sys"
            ):
                yield f"line {node.lineno}: sys.{node.attr}"


def prints_where_it_is_made_harmless(module: Module) -> Iterator[str]:
    if module.name != "scripting.output":
        for call in calls(module.tree):
            if dotted(call.func) in ("click.echo", "click.secho"):
                yield f"line {call.lineno}: {dotted(call.func)}()"


def reads_json_of_others_in_one_place(module: Module) -> Iterator[str]:
    if module.name != "text.json_reader" and module.name not in OWN_JSON:
        for call in calls(module.tree):
            if dotted(call.func) in ("json.load", "json.loads", "json.JSONDecoder"):
                yield f"line {call.lineno}: {dotted(call.func)}()"


def declares_frozen_values_in_one_way(module: Module) -> Iterator[str]:
    for call in calls(module.tree):
        if dotted(call.func).split(".")[-1] == "dataclass":
            yield from (
                f"line {call.lineno}: frozen" for option in call.keywords if option.arg == "frozen"
            )


def loads_the_sdk_in_one_place(module: Module) -> Iterator[str]:
    if module.package is not None and module.name not in SPEAKS_MCP:
        for name, line in imports(module.tree):
            if name.split(".")[0] in MCP_PACKAGES:
                yield f"line {line}: {module.name} imports {name}"


def never_reads_a_tool_name(module: Module) -> Iterator[str]:
    if module.package in ("unity", "core") or module.name in JOBS_OF_ANY_KIND:
        for node in nodes(module.tree):
            if isinstance(node, ast.Constant) and node.value in TOOL_NAMES:
                yield f"line {node.lineno}: {node.value!r}"


def names_its_threads(module: Module) -> Iterator[str]:
    for call in calls(module.tree):
        if dotted(call.func) in ("Thread", "threading.Thread") and "name" not in {
            word.arg for word in call.keywords
        }:
            yield f"line {call.lineno}: a thread without a name"


def lets_the_caller_end_the_process(module: Module) -> Iterator[str]:
    if module.package is not None and module.name not in TALKS_TO_THE_TERMINAL:
        for call in calls(module.tree):
            if dotted(call.func) in ("os._exit", "sys.exit", "exit", "quit"):
                yield f"line {call.lineno}: {dotted(call.func)}()"


def starts_children_apart_from_the_working_directory(module: Module) -> Iterator[str]:
    for node in nodes(module.tree):
        if isinstance(node, (ast.List, ast.Tuple)):
            words = [word.value for word in node.elts if isinstance(word, ast.Constant)]
            if {"-m", "-c"} & set(words) and "-I" not in words:
                yield f"line {node.lineno}: {words}"


def reads_on_the_oldest_python(module: Module) -> Iterator[str]:
    for node in nodes(module.tree):
        if type(node).__name__ in ("Match", "TryStar", "TypeAlias"):
            yield f"line {getattr(node, 'lineno', 0)}: {type(node).__name__}"
    body = [node for node in module.tree.body if not isinstance(node, ast.Expr)]
    future = [
        node for node in body if isinstance(node, ast.ImportFrom) and node.module == "__future__"
    ]
    postponed = any(alias.name == "annotations" for node in future for alias in node.names)
    if body and module.name not in ANNOTATIONS_ARE_READ and not postponed:
        yield "from __future__ import annotations is missing"


def says_what_is_inside(module: Module) -> Iterator[str]:
    for part in module.name.split("."):
        if part in MEANINGLESS:
            yield part
    if module.tree.body and ast.get_docstring(module.tree) is None:
        yield "no docstring"


def fits_in_the_head(module: Module) -> Iterator[str]:
    if module.lines > LINES_MAX:
        yield f"{module.lines} lines"


def room_of(name: str) -> str:
    """The room of a module of the core: ``core.jobs`` of ``core.jobs.polling``."""
    return ".".join(name.split(".")[:2])


def calls_down(module: Module) -> Iterator[str]:
    """A room imports rooms below it. Within the lowest level and the highest, modules know each
    other.
    """
    room = room_of(module.name)
    if module.package != "core" or room == "core":
        return
    if room not in LEVELS:
        yield f"{room} is in no room: give it a place in ROOMS"
        return
    for name, line in own_imports(module.tree, KNOWN):
        other = room_of(name)
        if name.split(".")[0] != "core" or other == room:
            continue
        is_at_an_end = LEVELS.get(other) == LEVELS[room] in (0, len(ROOMS) - 1)
        if LEVELS.get(other, len(ROOMS)) >= LEVELS[room] and not is_at_an_end:
            yield f"line {line}: {module.name} imports {name}, which is not below it"


def takes_few_arguments(module: Module) -> Iterator[str]:
    if module.package == "core":
        for node in nodes(module.tree):
            if isinstance(node, ast.FunctionDef) and node.name == "__init__":
                arguments = len(node.args.args) + len(node.args.kwonlyargs) - 1
                if arguments > ARGUMENTS_MAX:
                    yield f"line {node.lineno}: a constructor with {arguments} arguments"


def waits_for_threads_at_the_joints_only(module: Module) -> Iterator[str]:
    if module.package == "core" and module.name not in TOUCHES_THREADS:
        for name, line in imports(module.tree):
            if name.split(".")[0] in ("threading", "queue"):
                yield f"line {line}: {name}"


def fits_on_a_few_screens(module: Module) -> Iterator[str]:
    if module.package == "core" and module.lines > CORE_LINES_MAX:
        yield f"{module.lines} lines"


RULES: Dict[str, Rule] = {
    rule.check.__name__: rule
    for rule in (
        Rule(
            "a package knows its own modules, the vocabulary, and the neighbours that DESIGN names; unity/ and "
            "mcp/ hand events over and never see who takes them",
            keeps_to_its_room,
            ("unity.bridge_client", "from unity_bridge.core.loop import Executor\n"),
        ),
        Rule(
            "a package imports packages below it, so there is no circle",
            imports_lead_down,
            ("serve.entry", "from unity_bridge.scripting.output import note\n"),
        ),
        Rule(
            "an error in the protocol's code would be made twice, and cancel out, if both sides shared it",
            simulator_speaks_by_itself,
            ("simulator.plugin", "from unity_bridge.unity.messages import Hello\n"),
        ),
        Rule(
            "vocabulary is free to all because it leads nowhere",
            vocabulary_knows_only_itself,
            ("catalogue.calls", "from unity_bridge.core import wiring\n"),
        ),
        Rule(
            "compiling the methods of standard dataclasses took a third of the start: base/frozen.py declares them",
            declares_frozen_values_in_one_way,
            ("core.events", "@dataclass(frozen=True)\nclass Event: ...\n"),
        ),
        Rule(
            "an import spells the whole way, so that a search finds it",
            imports_absolutely,
            ("core.ledger.ledger", "from . import machines\n"),
        ),
        Rule(
            "these are imported before anything is known about the Python that runs, and at every start",
            first_imports_are_light,
            ("launch.environment", "from unity_bridge.log import logger\n"),
        ),
        Rule(
            "each record has one room that writes it: the code that moves a request to its end owes its one answer",
            writes_only_its_own_store,
            ("core.wiring", "self._ledger.requests.transition(1, 2)\n"),
        ),
        Rule(
            "a room of the core calls rooms below it and informs those above by Core.announce: so there is no circle, "
            "and a reader follows a call in one direction",
            calls_down,
            ("core.jobs.jobs", "from unity_bridge.core.calls.requests import Requests\n"),
        ),
        Rule(
            "a class with many collaborators is several classes",
            takes_few_arguments,
            ("core.jobs.jobs", "class A:\n    def __init__(self, a, b, c, d, e, f): ...\n"),
        ),
        Rule(
            "the ledger has one lock and the executor one inbox; a second one of either would be an order to get wrong",
            waits_for_threads_at_the_joints_only,
            ("core.jobs.jobs", "import threading\n"),
        ),
        Rule(
            "a room of the core can be held in the head file by file",
            fits_on_a_few_screens,
            ("core.jobs.jobs", "\n" * CORE_LINES_MAX),
        ),
        Rule(
            "time enters only through clock.py, so that a test can own it",
            takes_time_from_the_clock,
            ("core.ledger.deadlines", "from time import monotonic\n"),
        ),
        Rule(
            "stdout carries MCP and nothing else; in the packages nobody touches it, and print is nowhere",
            leaves_the_wire_alone,
            ("unity.websocket", "import sys\nsys.stdout.write('x')\n"),
        ),
        Rule(
            "text of others must not reach a terminal as a command: what is printed goes through scripting/output.py",
            prints_where_it_is_made_harmless,
            ("commands.status", "import click\nclick.echo('x')\n"),
        ),
        Rule(
            "deep nesting is no ValueError, and ends the process on old Pythons: json_reader knows",
            reads_json_of_others_in_one_place,
            ("unity.bridge_client", "import json\njson.loads('[]')\n"),
        ),
        Rule(
            "the mcp package is missing on old Pythons and costs half a second: one file imports it, which is loaded "
            "when a message comes that only it knows",
            loads_the_sdk_in_one_place,
            ("catalogue.request_validator", "import mcp.types\n"),
        ),
        Rule(
            "the wire to Unity, the executor and the queue of jobs carry tools without knowing them: the catalogue is "
            "the only list",
            never_reads_a_tool_name,
            ("unity.bridge_client", "if name == 'run_tests': pass\n"),
        ),
        Rule(
            "a thread's name is what a stack dump and a leak check are read by",
            names_its_threads,
            ("unity.websocket", "import threading\nthreading.Thread(target=print)\n"),
        ),
        Rule(
            "ending the process is for those who started it: a package reports, and answers are still owed",
            lets_the_caller_end_the_process,
            ("core.loop", "import os\nos._exit(1)\n"),
        ),
        Rule(
            "-m and -c put the working directory on the module path, and a workspace may hold anything: -I stops that, "
            "and our own modules start as environment.isolated says (SPEC 20.8)",
            starts_children_apart_from_the_working_directory,
            ("commands.shared.demo_story", "command = [sys.executable, '-m', 'unity_bridge']\n"),
        ),
        Rule(
            "Python 3.8 reads every file, and evaluates annotations unless a future import delays it",
            reads_on_the_oldest_python,
            ("core.ledger.ledger", "x: int | None = None\n"),
        ),
        Rule(
            "folder and file name, and the first line, spell what is inside",
            says_what_is_inside,
            ("unity.utils", '"""Odds and ends."""\n'),
        ),
        Rule(
            f"a file over 500 lines holds two thoughts (the test allows {LINES_MAX})",
            fits_in_the_head,
            ("core.ledger.ledger", "\n" * LINES_MAX),
        ),
    )
}


@pytest.mark.parametrize("name", RULES)
def test_the_package_keeps_the_rule(name: str) -> None:
    rule = RULES[name]
    faults = [
        f"{PACKAGE}.{module.name}: {fault}" for module in modules() for fault in rule.check(module)
    ]
    assert not faults, f"{rule.reason}:\n" + "\n".join(faults)


@pytest.mark.parametrize("name", RULES)
def test_the_rule_finds_who_breaks_it(name: str) -> None:
    rule = RULES[name]
    module, source = rule.broken_by
    assert list(rule.check(parse(module, source)))


@pytest.mark.parametrize(
    "name, module, source",
    [
        ("keeps_to_its_room", "core.ledger.ledger", "from unity_bridge.unity import websocket\n"),
        (
            "keeps_to_its_room",
            "core.ledger.ledger",
            "def f():\n    import unity_bridge.serve.app\n",
        ),
        ("keeps_to_its_room", "core.loop", "from unity_bridge import unity\n"),
        ("imports_lead_down", "base.errors", "from unity_bridge.catalogue.tool import Tool\n"),
        ("imports_lead_down", "commands.run", "from unity_bridge.cli import cli\n"),
        ("keeps_to_its_room", "core.loop", "from unity_bridge.unity.websocket import Peer\n"),
        ("writes_only_its_own_store", "serve.app", "ledger.jobs.forget(1)\n"),
        ("writes_only_its_own_store", "core.jobs.jobs", "self._ledger.requests.amend(1)\n"),
        (
            "calls_down",
            "core.editor.status",
            "from unity_bridge.core.round_trip import RoundTrips\n",
        ),
        ("calls_down", "core.ledger.ledger", "from unity_bridge.core.wiring import Wiring\n"),
        ("calls_down", "core.somewhere.else", "x = 1\n"),
        (
            "takes_time_from_the_clock",
            "unity.websocket",
            "import datetime\ndatetime.datetime.now()\n",
        ),
        ("leaves_the_wire_alone", "cli", "print('hello')\n"),
        ("never_reads_a_tool_name", "simulator.jobs", "if name == 'compile': pass\n"),
        ("says_what_is_inside", "core.ledger.ledger", "x = 1\n"),
    ],
)
def test_the_less_plain_ways_of_breaking_a_rule_are_found_too(
    name: str, module: str, source: str
) -> None:
    assert list(RULES[name].check(parse(module, source)))


def test_few_arrows_lead_from_room_to_room() -> None:
    """Among editor, round trip, jobs and calls. Each arrow is one more thing to know before a room
    can be read.
    """
    between = {"core.editor", "core.round_trip", "core.jobs", "core.calls"}
    arrows = {
        (room_of(module.name), room_of(name))
        for module in modules()
        for name, _ in own_imports(module.tree, KNOWN)
        if {room_of(module.name), room_of(name)} <= between
        and room_of(module.name) != room_of(name)
    }
    assert len(arrows) <= ARROWS_MAX, sorted(arrows)


def test_a_handler_is_a_method_that_can_be_replaced_on_one_bridge() -> None:
    """The model's mutants and the tests of recovery put another method in its place, for one bridge
    alone.
    """
    bridge = InMemoryBridge()
    wiring = bridge.wiring
    tables = [
        *wiring.on_event.values(),
        *bridge.core.hears.values(),
        list(wiring.on_deadline.values()),
    ]
    handlers = [handler for table in tables for handler in table]
    assert handlers and all(inspect.ismethod(handler) for handler in handlers)


def test_every_change_is_heard_and_every_event_handled() -> None:
    bridge = InMemoryBridge()
    announced = {
        one
        for one in vars(changes).values()
        if is_dataclass(one) and one.__module__ == changes.__name__
    }
    assert set(bridge.core.hears) == announced
    assert set(bridge.wiring.on_deadline) == set(Due)
    assert set(bridge.wiring.exchanges) == set(Purpose) == set(EXPECTED)


def test_every_writer_and_every_word_is_a_file() -> None:
    """A rule about a file that was renamed would hold for ever."""
    named = (
        VOCABULARY
        | JOBS_OF_ANY_KIND
        | set(WRITERS)
        | {f"{package}.__init__" for package in PACKAGES}
    )
    missing = {name for name in named if name.replace(".__init__", "") not in KNOWN}
    assert not missing


def test_tests_start_the_program_apart_from_the_working_directory_too() -> None:
    """What they start is what users start: ``environment.isolated`` is the one way for all of them."""
    named = re.compile(r"""["']-m["'], ["'](unity_bridge|tests)\b""")
    exceptions = {"tests/e2e/test_working_directory.py", "tests/test_architecture.py"}
    found = [
        path.relative_to(REPOSITORY).as_posix()
        for path in sorted((REPOSITORY / "tests").rglob("*.py"))
        if named.search(path.read_text(encoding="utf-8"))
    ]
    # What tests/installation says are entries of clients, which are read and not started.
    assert {
        path for path in found if not path.startswith("tests/installation/")
    } - exceptions == set()


def test_the_house_holds_no_import_circle() -> None:
    """A circle makes two modules one, wherever the imports stand: at the top, in a function, or for
    the types alone.
    """
    assert (
        circle(
            {
                module.name: {name for name, _ in own_imports(module.tree, KNOWN)}
                for module in modules()
            }
        )
        is None
    )
    assert circle({"a": {"b"}, "b": {"c"}, "c": {"a"}}) == ["a", "b", "c", "a"]


def test_public_classes_have_distinct_names() -> None:
    """One meaning a word, in the whole product: a search for a class finds one."""
    found: Dict[str, List[str]] = {}
    for module in modules():
        for node in module.tree.body:
            if isinstance(node, ast.ClassDef) and not node.name.startswith("_"):
                found.setdefault(node.name, []).append(module.name)
    assert {name: where for name, where in found.items() if len(where) > 1} == {}


def test_nothing_but_serving_imports_mcp() -> None:
    """Help and the script commands run on Pythons without it, and start in a tenth of its time
    (SPEC 12.2).
    """
    graph = imported_at_start()
    reached, waiting = set(), [*{"__main__", "cli", "catalogue.request_validator"} & KNOWN]
    while waiting:
        name = waiting.pop()
        if name not in reached:
            reached.add(name)
            waiting += graph[name]
    speakers = {
        module.name
        for module in modules()
        if MCP_PACKAGES & {name.split(".")[0] for name, _ in imports(top_level(module.tree))}
    }
    assert speakers, "nothing imports mcp any more: this test has lost its point"
    assert not reached & speakers


NAMED_OTHERWISE = {
    "websocket": "websocket-client",
    "mcp_types": "mcp",
    "pydantic_core": "mcp",
    "anyio": "mcp",
}


@pytest.mark.skipif(
    sys.version_info < (3, 10), reason="older Pythons do not list their own modules"
)
def test_imports_and_requirements_agree() -> None:
    """By setup.py itself: what another package happens to bring may go with its next release."""
    imported = {
        NAMED_OTHERWISE.get(
            top, top.replace("_", "-")
        ): f"{PACKAGE}.{module.name}, line {line}: {top}"
        for module in modules()
        for name, line in imports(module.tree)
        for top in [name.split(".")[0]]
        if top not in sys.stdlib_module_names | {PACKAGE}
    }
    required = {Requirement(line).name for line in environment.requirements()}
    assert {name: where for name, where in imported.items() if name not in required} == {}
    assert required - set(imported) == set(), "required, and nothing imports it"


@pytest.mark.parametrize("line", environment.requirements())
def test_requirements_are_bounded(line: str) -> None:
    """The next great release is tried before it is let in."""
    assert any(bound.operator in ("<", "<=", "==") for bound in Requirement(line).specifier)


def imported_at_start() -> Dict[str, Set[str]]:
    """Module -> modules of the package that importing it imports."""
    return {
        module.name: {
            name
            for name, _ in own_imports(top_level(module.tree), KNOWN)
            if name and name != module.name
        }
        for module in modules()
    }


def top_level(tree: ast.Module) -> ast.Module:
    """Only what runs at import: bodies of functions are left out."""
    return ast.Module(
        body=[node for node in tree.body if isinstance(node, (ast.Import, ast.ImportFrom))],
        type_ignores=[],
    )


def circle(graph: Dict[str, Set[str]]) -> Optional[List[str]]:
    done: Set[str] = set()

    def visit(name: str, way: List[str]) -> Optional[List[str]]:
        if name in way:
            return [*way[way.index(name) :], name]
        if name in done:
            return None
        for following in sorted(graph.get(name, ())):
            found = visit(following, [*way, name])
            if found is not None:
                return found
        done.add(name)
        return None

    return next(
        (found for found in (visit(name, []) for name in sorted(graph)) if found is not None), None
    )
