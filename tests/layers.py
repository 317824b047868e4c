"""The layers of the tests: which tests each one collects. ``bin/test`` runs them; it is also their
documentation.
"""

from __future__ import annotations

from typing import Dict, Tuple

# Real processes, thousands of random conversations and spoilt inputs: conftest.py marks their tests
# `slow`. Elsewhere a test of half a second or more bears the mark itself.
SLOW = ("tests/e2e", "tests/conformance", "tests/model", "tests/fuzz")
_MEASURES = "tests/bench"
_FAST = tuple(f"--ignore={folder}" for folder in (*SLOW, _MEASURES))

# The tests of the code that decides, without sockets, which alone must cover every branch of it;
# and the one that a new command fails at once.
DECISIONS = (
    "tests/conversations",
    "tests/core",
    "tests/catalogue/test_request_validator.py",
    "tests/catalogue/test_schema_checks.py",
    "tests/test_config.py",
    "tests/test_diagrams.py",
    "tests/base/test_errors.py",
    "tests/simulator/test_package_commands.py",
)

# What the interpreter and the SDK have a part in, for the oldest Python that has an SDK.
_SDK = (
    "tests/mcp",
    "tests/serve/test_server.py",
    "tests/unity",
    "tests/e2e/test_mcp_bursts.py",
    "tests/e2e/test_mcp_clients.py",
    "tests/e2e/test_mcp_tasks.py",
    "tests/e2e/test_mcp_wire.py",
    "tests/e2e/test_start_up.py",
    "tests/e2e/test_working_directory.py",
)

# What differs on Windows: sockets, pipes, files, signals, the log, the launcher. Part of
# everything, so chosen to take a minute or two on wine (docs/adr/0025-windows.md).
_WINDOWS = (
    "tests/editor_life/test_finding.py",
    "tests/editor_life/test_simulated_life.py",
    "tests/editor_life/test_variables.py",
    "tests/windows",
    "tests/system",
    "tests/unity/test_cut_connections.py",
    "tests/simulator/test_frozen_server.py",
    "tests/log",
    "tests/trust/test_access_list.py",
    "tests/trust/test_secret.py",
    "tests/trust/test_state_folder.py",
    "tests/projects/test_canonical_path.py",
    "tests/projects/test_probing.py",
    "tests/projects/test_open_editors.py",
    "tests/projects/test_port_files.py",
    "tests/projects/test_unity_folder.py",
    "tests/commands/test_code_pages.py::test_a_page_that_is_redirected_is_utf8_with_plain_line_ends",
    "tests/commands/test_code_pages.py::test_a_message_in_a_pipe_is_utf8",
    "tests/commands/test_code_pages.py::test_a_server_whose_stdout_is_the_null_device_starts_and_ends",
    "tests/installation/test_remote_command.py",
    "tests/installation/test_file_edit.py",
    "tests/installation/test_files_in_use.py",
    "tests/installation/test_quoting.py",
    "tests/mcp/test_ends.py",
    "tests/mcp/test_guarded_stdio.py",
    "tests/commands/test_command_line.py::test_a_signal_that_comes_during_the_imports_ends_the_start_with_its_status",
    "tests/e2e/test_start_up.py::test_a_client_has_its_tools_while_the_bridge_is_still_loading",
    "tests/e2e/test_start_up.py::test_a_call_that_is_owed_at_end_of_file_gets_that_nothing_ran",
    "tests/e2e/test_several_windows.py::test_a_window_that_is_closed_takes_nothing_with_it",
    "tests/e2e/test_launcher.py::test_a_killed_start_takes_its_server_with_it",
    "tests/e2e/test_windows_launcher.py",
    "tests/e2e/test_same_port_relay.py::test_a_relay_on_the_same_port_is_not_believed_by_plugin_or_server",
    "tests/e2e/test_same_port_relay.py::test_a_relay_on_the_same_port_cannot_attach",
)
_WINDOWS_ALL = tuple(f"--ignore={folder}" for folder in (*SLOW, _MEASURES) if folder != "tests/e2e")

# The tests of a file share what they start, so they run in one worker. Most tests wait for half of
# their time, those that decide never do.
_WORKERS = ("-n", "4", "--dist", "loadfile")
_DECIDING = ("-n", "auto", "--dist", "loadfile")

LAYERS: Dict[str, Tuple[str, ...]] = {
    "decisions": (*DECISIONS, "-m", "not slow", *_DECIDING),
    "coverage": (*DECISIONS, "--cov", "--cov-report=term", *_DECIDING),
    "quick": (*_FAST, "-m", "not slow", *_WORKERS),
    # With coverage, all but the slow ones.
    "rest": (*_FAST, *(f"--ignore={path}" for path in DECISIONS), "-m", "not slow", *_WORKERS),
    "slow": (f"--ignore={_MEASURES}", "-m", "slow", *_WORKERS, "--no-loadscope-reorder"),
    # What the oldest Python does not run with the quick ones.
    "marked": (*_FAST, "-m", "slow", *_WORKERS),
    "properties": (*_FAST, "-m", "hypothesis", "--hypothesis-profile=many", *_WORKERS),
    "sdk": (*_SDK, "-n", "3", "--dist", "loadfile"),
    "release": ("tests/e2e/test_release.py",),
    # Two workers would take half as much CPU again for few tests: each imports and collects all of
    # them.
    "windows": (*_WINDOWS, "-p", "no:cacheprovider"),
    "windows all": (*_WINDOWS_ALL, "-p", "no:cacheprovider", "-n", "2", "--dist", "loadfile"),
    "alone": (),
}
