"""Proofs: of one secret, one role, one port and two nonces, and of nothing else (SPEC §17.1)."""

from __future__ import annotations

import hashlib
import hmac
from typing import Any

import pytest

from unity_bridge.trust.plugin_challenge import PluginChallenge, Verdict, challenge
from unity_bridge.trust.proof import ATTACHED, OWNER, PLUGIN, SERVER, is_nonce, is_proof, new_nonce, proof

A, B = "a" * 32, "b" * 16


def test_it_is_what_the_contract_writes_down() -> None:
    words = b"server\n8091\n" + A.encode() + b"\n" + B.encode()
    assert proof(b"secret", SERVER, 8091, A, B) == hmac.new(b"secret", words, hashlib.sha256).hexdigest()


def test_whatever_else_is_different_is_another_proof() -> None:
    right = proof(b"secret", OWNER, 8091, A, B)
    assert is_proof(right, proof(b"secret", OWNER, 8091, A, B))
    for other in (
        proof(b"other", OWNER, 8091, A, B),
        proof(b"secret", ATTACHED, 8091, A, B),
        proof(b"secret", SERVER, 8091, A, B),
        proof(b"secret", OWNER, 8092, A, B),
        proof(b"secret", OWNER, 8091, B, A),
    ):
        assert not is_proof(other, right)


@pytest.mark.parametrize("given", ["", "x", "\ud800", "é", None, 1, True, [], {}, b"x"])
def test_what_is_no_proof_at_all_is_none(given: Any) -> None:
    assert not is_proof(given, proof(b"secret", OWNER, 8091, A, B))


def test_capitals_are_not_it() -> None:
    expected = proof(b"secret", OWNER, 8091, A, B)
    assert not is_proof(expected.upper(), expected)


@pytest.mark.parametrize("value", ["0123456789abcdef", "f" * 128])
def test_nonces(value: str) -> None:
    assert is_nonce(value)


@pytest.mark.parametrize(
    "value",
    ["", "f" * 15, "f" * 129, "F" * 16, "g" * 16, "f" * 16 + "\n", "\n" + "f" * 16, "\ud800" * 16, "٣" * 16]
    + [None, 0, 1.5, True, [], {}, ["f"] * 16],
)
def test_what_is_no_nonce(value: Any) -> None:
    assert not is_nonce(value)


def test_a_nonce_of_ours_is_one_and_never_the_same() -> None:
    made = {new_nonce() for _ in range(100)}
    assert len(made) == 100 and all(is_nonce(nonce) for nonce in made)


# What a plugin and a server prove to each other.


def asked() -> PluginChallenge:
    made = challenge(A, b"secret", 8091)
    assert made is not None
    return made


def test_a_plugin_of_the_same_user_is_proven() -> None:
    made = asked()
    assert made.proof == proof(b"secret", SERVER, 8091, A, made.nonce)
    assert made.verdict(proof(b"secret", PLUGIN, 8091, made.nonce, A)) is Verdict.PROVEN


def test_a_message_without_a_proof_says_nothing_yet() -> None:
    assert asked().verdict(None) is Verdict.NO_PROOF


def test_anything_else_is_wrong() -> None:
    made = asked()
    given: Any
    for given in (
        proof(b"another", PLUGIN, 8091, made.nonce, A),
        proof(b"secret", PLUGIN, 8092, made.nonce, A),
        proof(b"secret", PLUGIN, 8091, asked().nonce, A),
        made.proof,
        "",
        "\ud800",
        7,
        [],
    ):
        assert made.verdict(given) is Verdict.WRONG


@pytest.mark.parametrize("nonce", [None, "", "f" * 15, "F" * 32, 7, ["f" * 32]])
def test_who_sends_no_nonce_is_not_asked_for_a_proof(nonce: Any) -> None:
    assert challenge(nonce, b"secret", 8091) is None
