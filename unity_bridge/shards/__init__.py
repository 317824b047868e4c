"""Tests in shards: which machine runs which fixtures, and whether the reports of all shards are the
whole (SPEC §24).

Pure functions of their arguments, apart from reading a JUnit file: any program that runs N jobs gets the same shards.
"""
