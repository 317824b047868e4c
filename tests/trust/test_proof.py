"""Proofs: of one secret, one role, one port and two nonces, and of nothing else (SPEC §17.1)."""

from __future__ import annotations

import hashlib
import hmac
import json
import socket
from pathlib import Path
from typing import Any, Dict

import pytest

from unity_bridge.trust.plugin_challenge import PluginChallenge, ProofVerdict, challenge
from unity_bridge.trust.proof import (
    ATTACHED,
    OWNER,
    PLUGIN,
    SERVER,
    Ends,
    is_nonce,
    is_proof,
    new_nonce,
    proof,
)

A, B = "a" * 32, "b" * 16
ENDS = Ends("127.0.0.1:50001", "127.0.0.1:8091")
RELAYED = Ends("127.0.0.1:50002", "127.0.0.1:8091")
ELSEWHERE = Ends("127.0.0.1:50001", "127.0.0.1:8092")


def test_it_is_what_the_contract_writes_down() -> None:
    words = b"server\n127.0.0.1:50001\n127.0.0.1:8091\n" + A.encode() + b"\n" + B.encode()
    assert (
        proof(b"secret", SERVER, ENDS, A, B)
        == hmac.new(b"secret", words, hashlib.sha256).hexdigest()
    )


VECTORS = json.loads((Path(__file__).parents[2] / "protocol" / "proofs.json").read_text("utf-8"))


@pytest.mark.parametrize("vector", VECTORS["proofs"], ids=lambda vector: vector["role"])
def test_the_vectors_of_the_protocol(vector: Dict[str, str]) -> None:
    ends = Ends(vector["client"], vector["server"])
    made = proof(
        bytes.fromhex(VECTORS["secret"]),
        vector["role"],
        ends,
        vector["others_nonce"],
        vector["own_nonce"],
    )
    assert made == vector["proof"]


def test_the_plugin_is_tested_with_the_same_vectors() -> None:
    tests = (
        Path(__file__).parents[2]
        / "unity_bridge"
        / "unity_package"
        / "Tests"
        / "Editor"
        / "TrustTests.cs"
    )
    for vector in VECTORS["proofs"]:
        if vector["role"] in (SERVER, PLUGIN):
            assert vector["proof"] in tests.read_text("utf-8")


def test_any_other_input_gives_another_proof() -> None:
    right = proof(b"secret", OWNER, ENDS, A, B)
    assert is_proof(right, proof(b"secret", OWNER, ENDS, A, B))
    for other in (
        proof(b"other", OWNER, ENDS, A, B),
        proof(b"secret", ATTACHED, ENDS, A, B),
        proof(b"secret", SERVER, ENDS, A, B),
        proof(b"secret", OWNER, ELSEWHERE, A, B),
        proof(b"secret", OWNER, RELAYED, A, B),
        proof(b"secret", OWNER, ENDS, B, A),
    ):
        assert not is_proof(other, right)


@pytest.mark.parametrize("given", ["", "x", "\ud800", "é", None, 1, True, [], {}, b"x"])
def test_an_invalid_proof_is_refused(given: Any) -> None:
    assert not is_proof(given, proof(b"secret", OWNER, ENDS, A, B))


def test_a_proof_in_capitals_is_refused() -> None:
    expected = proof(b"secret", OWNER, ENDS, A, B)
    assert not is_proof(expected.upper(), expected)


@pytest.mark.parametrize("value", ["0123456789abcdef", "f" * 128])
def test_sixteen_to_128_hex_digits_are_a_nonce(value: str) -> None:
    assert is_nonce(value)


@pytest.mark.parametrize(
    "value",
    [
        "",
        "f" * 15,
        "f" * 129,
        "F" * 16,
        "g" * 16,
        "f" * 16 + "\n",
        "\n" + "f" * 16,
        "\ud800" * 16,
        "٣" * 16,
    ]
    + [None, 0, 1.5, True, [], {}, ["f"] * 16],
)
def test_an_invalid_nonce_is_refused(value: Any) -> None:
    assert not is_nonce(value)


def test_a_nonce_of_ours_is_one_and_never_the_same() -> None:
    made = {new_nonce() for _ in range(100)}
    assert len(made) == 100 and all(is_nonce(nonce) for nonce in made)


# What a plugin and a server prove to each other.


def asked() -> PluginChallenge:
    made = challenge(A, b"secret", ENDS)
    assert made is not None
    return made


def test_a_plugin_of_the_same_user_is_proven() -> None:
    made = asked()
    assert made.proof == proof(b"secret", SERVER, ENDS, A, made.nonce)
    assert made.verdict(proof(b"secret", PLUGIN, ENDS, made.nonce, A)) is ProofVerdict.PROVEN


def test_a_message_without_a_proof_says_nothing_yet() -> None:
    assert asked().verdict(None) is ProofVerdict.NO_PROOF


def test_any_other_proof_is_wrong() -> None:
    made = asked()
    given: Any
    for given in (
        proof(b"another", PLUGIN, ENDS, made.nonce, A),
        proof(b"secret", PLUGIN, ELSEWHERE, made.nonce, A),
        proof(b"secret", PLUGIN, RELAYED, made.nonce, A),
        proof(b"secret", PLUGIN, ENDS, asked().nonce, A),
        made.proof,
        "",
        "\ud800",
        7,
        [],
    ):
        assert made.verdict(given) is ProofVerdict.WRONG


@pytest.mark.parametrize("nonce", [None, "", "f" * 15, "F" * 32, 7, ["f" * 32]])
def test_without_a_nonce_no_proof_is_asked_for(nonce: Any) -> None:
    assert challenge(nonce, b"secret", ENDS) is None


def test_both_sides_see_the_same_ends() -> None:
    with socket.create_server(("127.0.0.1", 0)) as listening, socket.create_connection(
        listening.getsockname()
    ) as client:
        accepted, address = listening.accept()
        with accepted:
            assert Ends.of_client(client) == Ends.of_server(accepted, address)


@pytest.mark.skipif(not socket.has_dualstack_ipv6(), reason="this system has no dual-mode sockets")
def test_an_ipv4_address_on_a_dual_mode_socket_is_an_ipv4_address() -> None:
    with socket.create_server(("", 0), family=socket.AF_INET6, dualstack_ipv6=True) as listening:
        with socket.create_connection(("127.0.0.1", listening.getsockname()[1])) as client:
            accepted, address = listening.accept()
            with accepted:
                assert Ends.of_server(accepted, address) == Ends.of_client(client)
