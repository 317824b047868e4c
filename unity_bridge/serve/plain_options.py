"""The command line with which clients start a server, read without ``click``.

Importing that takes as long as all else that a server needs to answer ``initialize``.
"""

from __future__ import annotations

from typing import Dict, Mapping, Optional, Sequence

# The options of a server, and what ``load`` calls them.
OPTIONS: Mapping[str, str] = {
    "--port": "port",
    "--project": "project",
    "--config": "config_file",
    "--log-level": "log_level",
    "--log-format": "log_format",
    "--log-file": "log_file",
    "--client-project": "client_project",
}


def plain_options(words: Sequence[str]) -> Optional[Dict[str, str]]:
    """Return the options of a command line that is ``[serve] [--NAME VALUE | --NAME=VALUE]...``.

    Return ``None`` for any other, which the whole command line must read.
    """
    arguments = words
    if words[:1] == ["serve"]:
        arguments = words[1:]
    remaining = list(arguments)
    options: Dict[str, str] = {}
    while remaining:
        option, has_value, value = remaining.pop(0).partition("=")
        if not has_value:
            value = remaining.pop(0) if remaining else "-"
        if option not in OPTIONS or value.startswith("-"):
            return None
        options[OPTIONS[option]] = value
    return options
