"""Reports a package that this program needs and its Python lacks, with the fix."""

from __future__ import annotations

import os
import sys
from typing import Optional

# The name comes first: a reader that has little room cuts a long path.
_LACKS_A_PACKAGE = "the package {} is missing in {}. {}"
_IS_DAMAGED = (
    "Its environment is damaged: remove the folder {}, and the next start makes a new one."
)
_START_THE_LAUNCHER = "Start {} instead, which installs its packages by itself."


def lacked_package(missing: BaseException) -> Optional[str]:
    """Return what is missing and what to do, or None if ``missing`` is about no package of others."""
    if not isinstance(missing, ModuleNotFoundError) or missing.name is None:
        return None
    if missing.name.split(".")[0] == "unity_bridge":
        return None
    return _LACKS_A_PACKAGE.format(missing.name, sys.executable, _remedy())


def _remedy() -> str:
    """Return what to do about a missing package, and import nothing that might be missing too."""
    from unity_bridge.installation.command_line import quoted
    from unity_bridge.installation.this_installation import Kind, this_installation
    from unity_bridge.launch import environment, launcher

    if launcher.is_own_environment():
        return _IS_DAMAGED.format(sys.prefix)
    installation = this_installation()
    if installation.kind is Kind.CLONE:
        script = os.path.join(environment.ROOT, "bin", "unity-bridge")
        if os.name == "posix":
            command = script
        else:
            command = quoted([sys.executable, script])
        return _START_THE_LAUNCHER.format(command)
    return f"Fix it with: {quoted(installation.repair([installation.source]))}"
