"""The value of ``--port`` where it may also be ``auto``."""

from __future__ import annotations

from typing import Any, Optional, Union

import click

from unity_bridge.projects.port_files import AUTO


class PortOrAuto(click.IntRange):
    """A number from 1 to 65535; ``auto`` becomes what the command takes for it."""

    def __init__(self, auto: Union[int, str]) -> None:
        super().__init__(1, 65535)
        self._auto = auto

    def convert(
        self, value: Any, param: Optional[click.Parameter], ctx: Optional[click.Context]
    ) -> Any:
        if value == AUTO:
            return self._auto
        return super().convert(value, param, ctx)
