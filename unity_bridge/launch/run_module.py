"""Runs a module of ours and takes no code from the working directory: ``python run_module.py MODULE
ARGUMENT...``.

Python's ``-m`` and ``-c`` put the working directory first on the module path, and ``-P``, which stops that, begins with
Python 3.11. A file that is named by its path puts only its own folder there, and this one takes that away again
(SPEC §20.8). ``environment.isolated`` has the words that start it.
"""

from __future__ import annotations

import os
import sys

if __name__ == "__main__":
    own_folder = os.path.dirname(os.path.realpath(__file__))
    # Its modules have everyday names, such as `config`, and would stand in for packages of these
    # names.
    sys.path[:] = [path for path in sys.path if os.path.realpath(path) != own_folder]
    root = os.path.dirname(os.path.dirname(own_folder))
    if root not in sys.path:
        sys.path.insert(0, root)

    from runpy import run_module

    module = sys.argv.pop(1)
    run_module(module, run_name="__main__", alter_sys=True)
