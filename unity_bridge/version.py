"""The version. Imports nothing, so that ``setup.py`` can read it."""

__version__ = "0.1.0"
