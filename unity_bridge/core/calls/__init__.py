"""Calls: admission, reads, waiting, and the one answer."""
