"""Unity projects as the server knows them: which one is meant, and the port that is its own (SPEC
§18).
"""
