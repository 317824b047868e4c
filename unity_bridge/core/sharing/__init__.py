"""The port, and the servers that share it."""
