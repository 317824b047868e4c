"""The editor: which connection is its session, whether it is trusted, what it does, and why none is
connected.
"""
