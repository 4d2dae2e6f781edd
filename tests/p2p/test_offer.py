"""Offers and rosters: signed, complete, sorted, and for one table only."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given
from nodealer.crypto.identity import Identity
from nodealer.p2p.errors import WireError
from nodealer.p2p.forming import Own
from nodealer.p2p.offer import Roster, SignedOffer, coin_commitment, coin_opens, table_id
from nodealer.p2p.options import TableOptions
from nodealer.p2p.wire import decode, encode

from examples.table import seeded
from tests.helpers.fuzz import mutated, noise, values

HOST = Identity.from_seed(b"h" * 32)
NONCE = b"n" * 32
OPTIONS = TableOptions(seats=3, escrow=False)


def own(name: str) -> Own:
    return Own(Identity.from_seed(seeded(name)(32)), name, seeded((name, "random")))


def offer(who: Own, options: TableOptions = OPTIONS, nonce: bytes = NONCE) -> SignedOffer:
    return who.offer(options, HOST.public, nonce)


MINE = offer(Own(HOST, "Host", seeded("host")))
ANNA, BEN, CLEO, DORA = (offer(own(name)) for name in ("Anna", "Ben", "Cleo", "Dora"))
ROSTER = Roster.make(HOST, [MINE, BEN, ANNA])


def test_an_offer_and_a_roster_come_back():
    assert SignedOffer.from_wire(ANNA.to_wire()) == ANNA
    assert Roster.from_wire(decode(encode(ROSTER.to_wire()), max_bytes=1 << 16)) == ROSTER
    assert list(ROSTER.keys) == sorted(ROSTER.keys)
    assert ROSTER.keys[ROSTER.host] == HOST.public
    assert ROSTER.options == OPTIONS
    with pytest.raises(ValueError, match="not in"):
        ROSTER.writer_of(b"x" * 32)


def test_the_table_is_fresh_by_every_nonce_and_every_player():
    again = Own(own("Anna").identity, "Anna", seeded("other randomness"))
    tables = {
        ROSTER.table,
        Roster.make(HOST, [MINE, ANNA]).table,
        Roster.make(HOST, [MINE, ANNA, CLEO]).table,
        Roster.make(HOST, [MINE, BEN, offer(again)]).table,
    }
    assert len(tables) == 4
    assert Roster.make(HOST, [ANNA, BEN, MINE]).table == ROSTER.table == table_id(ROSTER.offers)


@pytest.mark.parametrize(
    "offers",
    [
        [MINE],
        [],
        [ANNA, BEN],
        [MINE, ANNA, BEN, CLEO],
        [MINE, ANNA, ANNA],
        [MINE, ANNA, offer(own("Ben"), nonce=b"m" * 32)],
        [MINE, ANNA, offer(own("Ben"), replace(OPTIONS, target=500))],
        [MINE, ANNA, own("Ben").offer(OPTIONS, own("Ben").identity.public, NONCE)],
    ],
    ids=["alone", "empty", "no host", "too many", "twice", "other nonce", "other options", "other host"],
)
def test_a_roster_that_no_honest_host_makes(offers):
    wire: Any = Roster.make(HOST, offers).to_wire() if offers else [[], bytes(64)]
    with pytest.raises(WireError):
        Roster.from_wire(wire)


def test_a_roster_out_of_order_or_signed_by_another():
    offers, signature = ROSTER.to_wire()
    assert isinstance(offers, list)
    for wire in (
        [offers[::-1], signature],
        [offers, bytes(64)],
        [offers, Roster.make(own("Anna").identity, [MINE, ANNA, BEN]).host_signature],
        [offers, Roster.make(HOST, [MINE, ANNA]).host_signature],
        [offers, signature[:-1]],
        [offers],
        offers,
    ):
        with pytest.raises(WireError):
            Roster.from_wire(wire)


def test_changed_offers_are_not_signed():
    raw, signature = ANNA.to_wire()
    fields = decode(raw, max_bytes=2048)
    for at, value in ((0, 2), (2, b"k" * 32), (4, BEN.offer.key), (5, "Eve"), (6, b"x" * 32), (7, b"c" * 32)):
        changed = list(fields)
        changed[at] = value
        with pytest.raises(WireError):
            SignedOffer.from_wire([encode(changed), signature])


@pytest.mark.parametrize("name", ["", " Anna", "A  B", "x" * 25, "a\u202eb", "a\x1b[2J", "a\nb", "\u200b"])
def test_a_name_that_is_not_clean(name):
    anna = own("Anna")
    made = SignedOffer.make(anna.identity, replace(ANNA.offer, name=name))
    with pytest.raises(WireError, match="name"):
        SignedOffer.from_wire(made.to_wire())


@given(noise)
def test_noise_is_no_offer(data):
    for wire in ([data, bytes(64)], [ANNA.raw, data], data):
        if wire != ANNA.to_wire():
            with pytest.raises(WireError):
                SignedOffer.from_wire(wire)


@given(values)
def test_no_value_is_a_roster_or_options(value):
    for parse in (Roster.from_wire, SignedOffer.from_wire, TableOptions.from_wire):
        with pytest.raises(WireError):
            parse(value)


@given(mutated(encode(ROSTER.to_wire())))
def test_a_changed_roster_is_refused(data):
    try:
        wire = decode(data, max_bytes=1 << 16)
        roster = Roster.from_wire(wire)
    except WireError:
        return
    assert roster == ROSTER


@given(mutated(encode(OPTIONS.to_wire())))
def test_changed_options_are_refused_or_possible(data):
    try:
        options = TableOptions.from_wire(decode(data, max_bytes=1 << 10))
    except WireError:
        return
    assert options.check() == options
    assert encode(options.to_wire()) == data


def test_a_commitment_opens_for_its_own_key_and_share_alone():
    share = b"s" * 32
    commitment = coin_commitment(ANNA.offer.key, share)
    assert coin_opens(commitment, ANNA.offer.key, share)
    assert not coin_opens(commitment, BEN.offer.key, share)
    assert not coin_opens(commitment, ANNA.offer.key, b"t" * 32)
