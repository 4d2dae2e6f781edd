"""What a match gives away: from the whole traffic no key before its card is shown, and no card to any coalition."""

from __future__ import annotations

import random
from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import cache

import pytest
from nodealer.crypto.group import encode_scalar, mul_base, random_scalar
from nodealer.engine import Handle
from nodealer.p2p import bodies
from nodealer.p2p.player import Player

from examples.table import FAST, Table
from tests.helpers.eavesdropper import (
    Eavesdropper,
    linked_points,
    multipliers,
    players_of,
    readable,
    small_multiples,
)

PLAYERS = 3


@dataclass(frozen=True)
class Played:
    """A hand that was played, with all its frames, and who knew what."""

    table: Table
    players: dict[int, Player]
    frames: list[bytes]

    def keys(self, seat: int) -> dict[Handle, bytes]:
        """This seat's key of every position of every epoch."""
        return {
            Handle(where.epoch, position): encode_scalar(secrets.key(position))
            for where, secrets in self.players[seat]._secrets.items()
            for position in range(secrets.n)
        }


@cache
def played() -> Played:
    table = Table(PLAYERS, replace(FAST, seats=PLAYERS, escrow=False), seed="secrecy")
    table.form()
    table.run(600)
    assert all(seated.ended is not None and seated.ended.outcome.value == 0 for seated in table.seats)
    return Played(table, players_of(table), [frame for _, _, frame in table.traffic])


def test_no_key_of_a_hand_card_leaves_before_the_card_is_shown():
    """Searched for as bytes in every frame: entries, lists, parts, whatever they are."""
    game = played()
    spy = Eavesdropper(game.table)
    owners: dict[Handle, int] = {}
    allowed_at: dict[Handle, int] = {}
    for at, frame in enumerate(game.frames):
        before = spy.match.state
        spy.hear(frame)
        state = spy.match.state
        if state is None:
            continue
        for seat, hand in enumerate(state.hands):
            for handle in hand:
                owners[handle] = seat
        if before is not None:
            for seat, hand in enumerate(before.hands):
                for handle in hand:
                    if handle not in state.hands[seat]:
                        allowed_at.setdefault(handle, at)
    # The hands that were opened at the end.
    opening = next(at for at, frame in enumerate(game.frames) if b"\xa4open" in frame[:400])
    assert len(owners) > 7 * PLAYERS
    for handle, owner in owners.items():
        key = game.keys(owner)[handle]
        first = next((at for at, frame in enumerate(game.frames) if key in frame), None)
        assert first is not None, "every card of a finished round is shown"
        # The frame that shows it is the one by which the spy's machine moved it from the hand, or the opening.
        assert first >= min(allowed_at.get(handle, opening), opening), (handle, owner)


def test_the_deal_and_the_draws_release_the_others_keys_only():
    game = played()
    spy = Eavesdropper(game.table)
    everything = b"".join(game.frames)
    for frame in game.frames:
        spy.hear(frame)
    state = spy.match.playing()
    for handle in state.draw:
        for seat in range(PLAYERS):
            assert game.keys(seat)[handle] not in everything, "a key of a card that was never dealt"


def test_no_seed_mask_or_coin_leaves_a_peer():
    game = played()
    everything = b"".join(game.frames)
    for player in game.players.values():
        for secrets in player._secrets.values():
            assert secrets._seed not in everything
            assert encode_scalar(secrets._k) not in everything
            assert bytes(secrets._permutation) not in everything
    for seated in game.table.seats:
        share = seated.peer.own.coin_share
        first_share = next(at for at, frame in enumerate(game.frames) if share in frame)
        starts = [at for at, frame in enumerate(game.frames) if b"\xa5start" in frame[:400]]
        assert first_share > min(starts)


def test_no_piece_of_a_key_leaves_a_peer():
    """With escrow on, in all frames until the first move: what is sealed is never there in the clear."""
    table = Table(PLAYERS, replace(FAST, seats=PLAYERS, escrow=True), seed="pieces")
    table.form()
    matches = [seated.peer.match for seated in table.seats]
    table.run(600, until=lambda: all(match is not None and match.slot.kind.value == "move" for match in matches))
    everything = b"".join(frame for _, _, frame in table.traffic)
    for seat, player in players_of(table).items():
        for where, secrets in player._secrets.items():
            deck = player.match.decks[where.epoch]
            _, place = deck._lock_sums[seat]
            for holder, seed in secrets._seeds.items():
                hidden = [seed.sigma, *map(encode_scalar, [seed.blind(place), *seed.pieces])]
                assert not any(value in everything for value in hidden)
                # The frames that were searched are those in which it would be.
                assert secrets.pledge(holder).encode() in everything


def moments(wanted: list[str]) -> Iterator[tuple[str, Eavesdropper]]:
    """The eavesdropper when each of these slots opens for the first time, and after the last frame."""
    game = played()
    spy = Eavesdropper(game.table)
    wanted = list(wanted)
    for frame in game.frames:
        if spy.hear(frame) and wanted and spy.match.slot.kind.value == wanted[0]:
            yield wanted.pop(0), spy
    assert not wanted


def secrets_of(game: Played, coalition: set[int], handle: Handle) -> list[int]:
    """Keys for this position and masks of this epoch of everybody in the coalition."""
    known = []
    for seat in sorted(coalition):
        (secrets,) = (s for where, s in game.players[seat]._secrets.items() if where.epoch == handle.epoch)
        known += [secrets.key(handle.index), secrets._k]
    return known


@pytest.mark.parametrize("victim", range(PLAYERS))
def test_all_others_together_cannot_read_a_hidden_card(victim):
    """Brute force over all cards, all products of all their keys and masks, all points that belong to the position."""
    game = played()
    rng = random.Random(victim)
    others = set(range(PLAYERS)) - {victim}
    for moment, spy in moments(["move", "open"]):
        match, state = spy.match, spy.match.playing()
        hand = list(state.hands[victim])
        for handle in rng.sample(hand, min(1, len(hand))) + rng.sample(state.draw, 1):
            deck = match.decks[handle.epoch]
            targets = linked_points(match, deck, handle.index, victim)
            known = secrets_of(game, others, handle)
            assert readable(deck, targets, known) == set(), (moment, handle)
            # With the victim's key as well it is one card, so the search above could have found it.
            key = game.players[victim]._secrets_of(handle).key(handle.index)
            product = 1
            for scalar in [key, *known[::2]]:
                product *= scalar
            found = readable(deck, {deck.current[handle.index].data}, [product])
            assert len(found) == 1
            if handle in hand:
                assert found == {cards_opened()[handle]}


@cache
def cards_opened() -> dict[Handle, int]:
    """Every face that became public, by handle."""
    game = played()
    faces: dict[Handle, int] = {}
    match = game.table.seats[0].peer.match
    assert match is not None
    for feed in match.feeds:
        for entry in feed.entries:
            if entry.header.kind == "play":
                shown = bodies.parse_play(entry.body).shown
                faces[shown.handle] = shown.card
    state = match.playing()
    for player in game.players.values():
        faces.update(player.known)
        faces.update(zip(state.hands[player.seat], state.opened[player.seat], strict=False))
    return faces


def test_an_outsider_reads_nothing_but_what_was_shown():
    """Every published number times every card, against every point that was ever published."""
    game = played()
    for moment, spy in moments(["move", "open"]):
        deck = spy.match.decks[0]
        rng = random.Random(moment)
        for scalar in [1, *rng.sample(sorted(spy.scalars), 12)]:
            assert readable(deck, spy.published, [scalar]) == set(), moment
    # After the show the product of all keys of a position does take its card to a published point.
    state = spy.match.playing()
    handle = next(handle for handle in cards_opened() if handle.epoch == 0 and handle not in state.draw)
    product = 1
    for player in game.players.values():
        product *= player._secrets_of(handle).key(handle.index)
    assert readable(deck, spy.published, [product]) == {cards_opened()[handle]}


def test_no_commitment_is_a_small_multiple_of_its_tag():
    """Where the cards are known multiples of one point, Y = c·S reads every hand. Ours are not."""
    game = played()
    (_, spy) = next(moments(["move"]))
    deck = spy.match.decks[0]
    for seat, hand in enumerate(spy.match.playing().hands):
        for handle in hand[:3]:
            multiples = small_multiples(deck.tag(seat, handle.index), range(1, 113))
            assert deck.commitment(handle.index, seat).data not in multiples
    assert len(game.frames) > 100
    key, card = random_scalar(), 7
    weak = key * mul_base(card)
    assert small_multiples(mul_base(key), range(1, 113))[weak.data] == card


def test_multipliers_are_all_there():
    values = set(multipliers([2, 3]))
    assert {1, 2, 3, 6} <= values
    assert len(values) == 9
