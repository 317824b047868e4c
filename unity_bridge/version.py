"""The one place that says which version this is; imports nothing, so that ``setup.py`` can read it."""

__version__ = "0.1.0"
