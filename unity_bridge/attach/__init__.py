"""Several clients, one editor: the first server owns the port, later ones forward their calls to it
(SPEC §14).

The owner's ``endpoint`` and the later ones' ``owner_link`` speak ``protocol`` over the owner's own port, path
``/attach``, after each has proved to the other that it knows the user's secret (``trust/``).
"""
