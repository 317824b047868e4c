"""``unity-bridge completion``: Print a script with which the shell completes commands, options and
arguments.
"""

from __future__ import annotations

import click

from unity_bridge.commands.shared.envelope import LinesCommand
from unity_bridge.commands.shared.options import USAGE
from unity_bridge.scripting.output import note, put

_VARIABLE = "_UNITY_BRIDGE_COMPLETE"
_SHELLS = ("bash", "zsh", "fish")


@click.command(
    "completion",
    cls=LinesCommand,
    epilog="""Example: eval "$(unity-bridge completion bash)" """.strip(),
    short_help="Print the script for completion in a shell.",
)
@click.argument("shell", type=click.Choice(_SHELLS))
def command(shell: str) -> int:
    """Print a script with which the shell completes commands, options and the arguments of tools.

    bash: eval "$(unity-bridge completion bash)" in ~/.bashrc. zsh: the same with zsh in ~/.zshrc, after compinit. fish:
    `unity-bridge completion fish > ~/.config/fish/completions/unity-bridge.fish`
    """
    from click.shell_completion import get_completion_class

    completes = get_completion_class(shell)
    if completes is None:
        note(f"The installed version of click does not know {shell}.")
        return USAGE
    root = click.get_current_context().find_root()
    put(completes(root.command, {}, "unity-bridge", _VARIABLE).source().rstrip("\n"))
    return 0
