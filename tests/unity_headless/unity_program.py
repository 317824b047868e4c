"""The headless editor as a program that is started as Unity is: ``Unity -projectPath PATH -logFile
PATH``.

It reads, compiles and loads the scripts below ``Assets``, and has no stdin: what it is to do comes through the plugin.
"""

from __future__ import annotations

import shlex
import shutil
from pathlib import Path
from typing import NamedTuple, Optional, Sequence

from tests.unity_headless import build, roslyn

VERSION = "2021.3.58f1"
PROFILE = "1.4.6"


class Fault(NamedTuple):
    """A change of one file of the plugin, below ``Editor``."""

    file: str
    old: str
    new: str


def unity_program(folder: Path, compiler: str, plugin: Optional[Path] = None) -> Path:
    """A program in a folder of its version, as Unity Hub installs it.

    ``compiler``: of ``roslyn.served``. ``plugin``: another build of the plugin.
    """
    built = build.build()
    code = built / PROFILE
    if plugin is not None:
        code = folder / "code"
        shutil.copytree(str(built / PROFILE), str(code))
        shutil.copy(str(plugin), str(code / plugin.name))
    editor = folder / VERSION / "Editor"
    editor.mkdir(parents=True)
    roslyn.lay_out_editor(editor / "Data")
    command = ["mono", "-O=-inline", str(code / "HeadlessHost.exe")]
    program = editor / "Unity"
    program.write_text(
        "#!/bin/sh\n"
        f"export {roslyn.SERVED_AT}={compiler}\n"
        f"export MONO_CFG_DIR={shlex.quote(str(built / build.CONFIGURATION))}\n"
        f'exec {shlex.join(command)} "$@" --contents {shlex.quote(str(editor / "Data"))}\n',
        encoding="utf-8",
    )
    program.chmod(0o755)
    return program


def faulty_plugin(faults: Sequence[Fault], folder: Path) -> Path:
    """A build of the plugin that has these faults."""
    sources = folder / "sources"
    shutil.copytree(str(build.PACKAGE / "Editor"), str(sources))
    for fault in faults:
        changed = sources / fault.file
        text = changed.read_text(encoding="utf-8")
        assert fault.old in text, (
            f"{fault.file} has changed: plant this fault elsewhere: {fault.new}"
        )
        changed.write_text(text.replace(fault.old, fault.new, 1), encoding="utf-8")
    output = folder / "UnityBridge.Editor.dll"
    responses = folder / "responses"
    responses.mkdir()
    roslyn.compile_all([build.plugin_options(output, sources)], responses)
    return output
