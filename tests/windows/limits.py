"""What wine cannot do: tests that are skipped there, and on no Windows (``bin/test windows``).

``test_wine_differs.py`` shows each reason.
"""

from __future__ import annotations

import sys
from typing import Dict, Optional

_NO_HOLDER = "wine does not report which program has a port"
_NO_PROCESSES = "wine refuses psutil's question about the other processes"
_NO_LINKS = "wine makes no symbolic links"
_NO_LIMITS = "wine reports no job's limits"
_NO_NODE = (
    "Node ends on wine: V8 reserves memory by placeholders, which VirtualAlloc2 has not there"
)

_SKIPPED: Dict[str, str] = {
    "tests/e2e/test_mcp_clients.py::test_the_inspector_calls_a_tool": _NO_NODE,
    "tests/e2e/test_mcp_clients.py::test_the_inspector_finds_no_fault_with_the_tools": _NO_NODE,
    "tests/e2e/test_mcp_clients.py::test_the_inspector_shows_a_failed_call_by_its_status": _NO_NODE,
    "tests/e2e/test_mcp_clients.py::test_the_typescript_client_hears_why_a_call_failed": _NO_NODE,
    "tests/e2e/test_mcp_tasks.py::test_the_inspector_follows_a_task_to_its_result": _NO_NODE,
    "tests/e2e/test_script_commands.py::test_a_port_of_another_program_is_named_with_its_holder": _NO_HOLDER,
    "tests/e2e/test_several_windows.py::test_another_program_on_the_port_is_named_and_waited_out": _NO_HOLDER,
    "tests/e2e/test_setup_commands.py::test_another_program_holds_the_port": _NO_HOLDER,
    "tests/e2e/test_windows_launcher.py::test_an_editor_that_would_end_with_us_is_not_started": _NO_LIMITS,
    "tests/projects/test_canonical_path.py::test_a_project_behind_a_link_is_the_linked_one": _NO_LINKS,
    "tests/projects/test_open_editors.py::test_this_machine_can_be_asked": _NO_PROCESSES,
    "tests/unity/test_port_holder.py::test_a_process_that_hides_its_program_still_has_its_pid": _NO_HOLDER,
    "tests/unity/test_port_holder.py::test_a_programs_name_is_short_and_no_command": _NO_HOLDER,
    "tests/unity/test_port_holder.py::test_the_name_of_another_users_process_is_known": _NO_HOLDER,
    "tests/unity/test_port_holder.py::test_the_holder_is_named_by_pid_and_program": _NO_HOLDER,
    "tests/unity/test_port_holder.py::test_with_an_unreadable_table_our_own_processes_are_asked": _NO_HOLDER,
    "tests/unity/test_websocket.py::test_a_port_in_use_is_a_value_and_can_be_tried_again": _NO_HOLDER,
}


def runs_under_wine() -> bool:
    if sys.platform != "win32":
        return False
    import ctypes  # type: ignore[unreachable]  # where mypy checks another system

    return hasattr(ctypes.windll.ntdll, "wine_get_version")


def moves_folders_in_use() -> bool:
    """Whether a folder with open files in it can be moved: not on Windows. Tests pretend it where
    it can.
    """
    return sys.platform != "win32" or runs_under_wine()


def reason_to_skip(test: str) -> Optional[str]:
    """Why wine cannot run the test with that pytest id; its parameters do not count."""
    return _SKIPPED.get(test.split("[")[0])


def names() -> Dict[str, str]:
    return dict(_SKIPPED)
