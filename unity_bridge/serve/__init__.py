"""The life of ``serve``: ``server.py`` is its main thread, ``app.py`` builds the bridge behind the
MCP endpoint.
"""
