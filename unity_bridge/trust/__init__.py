"""Who speaks: the secret that one user's programs share, and what is proved with it (SPEC §14.1,
§17).

``state_folder`` says where the secret lies, ``secret`` reads or makes it,
``access_list`` says who else may read it on Windows, ``proof`` makes and compares proofs,
``plugin_challenge`` is the server's side of what a plugin proves.
"""
