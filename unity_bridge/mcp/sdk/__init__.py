"""The ``mcp`` SDK answers the messages that the endpoint does not serve itself, and decides which
of them are valid.

``fallback`` loads it in a thread of its own and keeps the order of messages, ``authority`` asks it,
and ``missing`` answers where it is not installed. The tests compare the endpoint's own answers with
``authority``.
"""
