"""Peers that cheat with the keys they owe: for the deal, a draw, the card that is turned up."""

from __future__ import annotations

import pytest
from nodealer.crypto.group import ORDER

from examples.cheats.keys import add, shares
from examples.liar import CheatTable, caught
from examples.table import hoard


@pytest.mark.parametrize("kind", ["keys", "turn up"])
def test_a_wrong_key_share(kind):
    caught(CheatTable(shares(kind, add(1))), "key share")


def test_a_wrong_key_share_in_a_draw():
    # The deal has 21 keys; a draw has one.
    trick = shares("keys", lambda keys: add(1)(keys) if len(keys) < 21 else keys, after=14)
    caught(CheatTable(trick, choose=hoard), "key share")


def test_the_keys_of_the_deal_in_another_order():
    caught(CheatTable(shares("keys", lambda keys: keys[::-1], least=2)), "key share")


@pytest.mark.parametrize("change", [lambda keys: keys[:-1], lambda keys: [*keys, keys[0]], lambda keys: []])
def test_a_wrong_number_of_keys(change):
    caught(CheatTable(shares("keys", change)), "key count")


@pytest.mark.parametrize(
    "last",
    [bytes(32), ORDER.to_bytes(32, "little"), (ORDER + 1).to_bytes(32, "little"), b"\xff" * 32, b"\x01" * 31],
    ids=["zero", "order", "order + 1", "all ones", "short"],
)
def test_a_key_that_is_no_scalar(last):
    caught(CheatTable(shares("keys", lambda keys: [*keys[:-1], last]), players=2), "body")


def test_the_right_key_not_reduced():
    caught(CheatTable(shares("keys", add(ORDER))), "body")
