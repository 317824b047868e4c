"""Who speaks: the secret that one user's programs share, and the proofs made with it (SPEC §14.1, §17)."""
