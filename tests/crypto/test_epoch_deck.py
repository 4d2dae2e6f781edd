"""The deck's verbs among several seats, and every misuse that they refuse."""

from __future__ import annotations

import os

import pytest
from nodealer.crypto import shuffle
from nodealer.crypto.cards import card_point
from nodealer.crypto.deck import EpochDeck, EpochId, EpochSecrets
from nodealer.crypto.errors import DeckError, DecodeError, VerificationError
from nodealer.crypto.group import ORDER, mul_base
from nodealer.crypto.lock import LockStep
from nodealer.crypto.shuffle import ShuffleStep

from tests.helpers.cheating import EDITION, TABLE, flip

WHERE = EpochId(TABLE, 0, 0, 0)


class Table:
    """One deck for each seat, and everybody's secrets."""

    def __init__(self, n: int, seats: int, where: EpochId = WHERE, escrow: bool = False) -> None:
        self.n = n
        self.escrow = escrow
        self.cards = list(range(3, 3 + n))
        self.seats = range(seats)
        self.decks = [EpochDeck(where, EDITION, self.cards, self.seats) for _ in self.seats]
        self.secrets = [
            EpochSecrets(os.urandom(32), where, seat, n, [q for q in self.seats if q != seat] if escrow else ())
            for seat in self.seats
        ]

    def make(self) -> Table:
        for seat in self.seats:
            data = self.secrets[seat].make_shuffle(self.decks[seat], seat)
            for deck in self.decks:
                deck.take_shuffle(seat, seat, data)
        for seat in self.seats:
            data = self.secrets[seat].make_lock(self.decks[seat], 20 + seat)
            pledges = [self.secrets[seat].pledge(q) for q in self.seats if q != seat] if self.escrow else []
            for deck in self.decks:
                deck.take_lock(seat, 20 + seat, data, pledges)
        return self

    def deal(self, position: int, owner: int) -> int:
        for seat in self.seats:
            if seat != owner:
                for deck in self.decks:
                    deck.take_key(seat, position, self.secrets[seat].key(position))
        return self.secrets[owner].read(self.decks[owner], position)


@pytest.mark.parametrize("escrow", [False, True])
@pytest.mark.parametrize(("n", "seats"), [(1, 2), (2, 3), (3, 2), (15, 4)])
def test_deal_read_show_and_turn_up(n, seats, escrow):
    table = Table(n, seats, escrow=escrow)
    for seat in range(0, seats, 2):
        table.secrets[seat].prepare(table.decks[seat])
    table.make()
    seen = []
    for position in range(n):
        owner = position % seats
        card = table.deal(position, owner)
        key = table.secrets[owner].key(position)
        for deck in table.decks:
            assert deck.missing(position) == {owner}
            assert deck.commitment(position, owner) == key * card_point(EDITION, card)
            assert deck.tag(owner, position) == mul_base(key)
            assert deck.key_of(owner, position) is None
            with pytest.raises(DeckError, match="not known"):
                deck.face(position)
            deck.check_show(owner, position, card, key)
            assert deck.face(position) == card
            assert deck.missing(position) == set()
            assert deck.key_of(owner, position) == key
        seen.append(card)
    assert sorted(seen) == table.cards


def test_other_seats_cannot_read_and_wrong_shows_are_named():
    table = Table(3, 3).make()
    card, deck, key = table.deal(0, 1), table.decks[0], table.secrets[1].key(0)
    other = next(c for c in table.cards if c != card)
    with pytest.raises(DeckError):
        table.secrets[0].read(deck, 0)
    for wrong_card, wrong_key, check in (
        (other, key, "shown face"),
        (99, key, "shown face"),
        (-1, key, "shown face"),
        (card, key + 1, "shown key"),
        (card, table.secrets[1].key(1), "shown key"),
        (card, 0, "shown key"),
        (card, key + ORDER, "shown key"),
    ):
        with pytest.raises(VerificationError) as caught:
            deck.check_show(1, 0, wrong_card, wrong_key)
        assert caught.value.check == check
    assert deck.missing(0) == {1}
    with pytest.raises(DeckError, match="not known"):
        deck.check_show(1, 1, card, key)


def test_a_wrong_key_is_named_and_not_kept():
    table = Table(2, 2).make()
    deck, key = table.decks[0], table.secrets[1].key(0)
    for wrong in (key + 1, table.secrets[1].key(1), table.secrets[0].key(0), 0, -key, key + ORDER):
        with pytest.raises(VerificationError) as caught:
            deck.take_key(1, 0, wrong)
        assert caught.value.check == "key share"
    assert deck.key_of(1, 0) is None
    deck.take_key(1, 0, key)


def test_bad_steps_change_nothing():
    table = Table(3, 2)
    deck, before = table.decks[0], table.decks[0].current
    data = table.secrets[0].make_shuffle(deck, 7)
    for bad in (b"", data[:-1], flip(data, 0), flip(data, len(data) - 40)):
        with pytest.raises((DecodeError, VerificationError)):
            deck.take_shuffle(0, 7, bad)
    with pytest.raises(VerificationError):
        deck.take_shuffle(0, 8, data)  # another slot
    with pytest.raises(DecodeError):
        deck.take_shuffle(0, 7, b"", verified=True)
    assert deck.current == before
    assert deck.next_shuffle == 0
    deck.take_shuffle(0, 7, data)
    with pytest.raises(VerificationError):
        deck.take_shuffle(1, 7, data)  # copied by another seat
    deck.take_shuffle(1, 8, table.secrets[1].make_shuffle(deck, 8))
    lock = table.secrets[0].make_lock(deck, 9)
    with pytest.raises(VerificationError):
        deck.take_lock(0, 10, lock)
    with pytest.raises(DecodeError):
        deck.take_lock(0, 9, lock[:-1])
    assert deck.next_lock == 0
    deck.take_lock(0, 9, lock)
    with pytest.raises(VerificationError):
        deck.take_lock(1, 9, lock)


def test_remembered_steps_skip_only_the_proof():
    table = Table(3, 2)
    deck = table.decks[0]
    step = ShuffleStep.decode(3, table.secrets[0].make_shuffle(deck, 7))
    forged = ShuffleStep(step.deck[::-1], step.key, step.proof).encode()
    with pytest.raises(VerificationError):
        deck.take_shuffle(0, 7, forged)
    deck.take_shuffle(0, 7, forged, verified=True)
    assert deck.current == step.deck[::-1]


def test_order_is_enforced():
    table = Table(2, 2)
    deck = table.decks[0]
    with pytest.raises(DeckError):
        table.secrets[1].make_shuffle(deck, 1)
    with pytest.raises(DeckError):
        table.secrets[0].make_lock(deck, 1)
    data = table.secrets[0].make_shuffle(deck, 0)
    with pytest.raises(DeckError):
        deck.take_shuffle(1, 0, data)
    with pytest.raises(DeckError):
        deck.take_lock(0, 0, data)
    with pytest.raises(DeckError):
        deck.mask_key(0)
    assert (deck.next_shuffle, deck.next_lock, deck.locked) == (0, None, False)
    for call in (
        lambda: deck.face(0),
        lambda: deck.missing(0),
        lambda: deck.tag(0, 0),
        lambda: deck.key_of(0, 0),
        lambda: deck.commitment(0, 0),
        lambda: deck.take_key(0, 0, 1),
        lambda: deck.check_show(0, 0, 3, 1),
    ):
        with pytest.raises(DeckError, match="not locked"):
            call()
    table.make()
    assert (deck.next_shuffle, deck.next_lock, deck.locked) == (None, None, True)
    with pytest.raises(DeckError):
        deck.take_shuffle(0, 0, data)
    with pytest.raises(DeckError):
        deck.take_lock(0, 0, data)
    for position in (-1, 2):
        with pytest.raises(DeckError, match="no position"):
            deck.face(position)
        with pytest.raises(DeckError, match="no position"):
            table.secrets[0].key(position)
    with pytest.raises(DeckError, match="no part"):
        deck.tag(2, 0)


@pytest.mark.parametrize(
    "other",
    [EpochId(b"v" * 32, 0, 0, 0), EpochId(TABLE, 1, 0, 0), EpochId(TABLE, 0, 1, 0), EpochId(TABLE, 0, 0, 1)],
)
def test_secrets_serve_their_own_epoch_only(other):
    secrets = EpochSecrets(bytes(32), WHERE, 0, 3)
    deck = EpochDeck(other, EDITION, [1, 2, 3], [0, 1])
    for call in (
        lambda: secrets.prepare(deck),
        lambda: secrets.make_shuffle(deck, 0),
        lambda: secrets.make_lock(deck, 0),
        lambda: secrets.read(deck, 0),
    ):
        with pytest.raises(DeckError, match="another epoch"):
            call()
    assert EpochSecrets(bytes(32), other, 0, 3).key(0) != secrets.key(0)


def test_secrets_serve_their_own_seat_and_size_only():
    secrets = EpochSecrets(bytes(32), WHERE, 0, 3)
    for deck in (EpochDeck(WHERE, EDITION, [1, 2], [0, 1]), EpochDeck(WHERE, EDITION, [1, 2, 3], [1, 2])):
        with pytest.raises(DeckError, match="another epoch"):
            secrets.make_shuffle(deck, 0)


def test_secrets_never_shuffle_a_second_input():
    """With a rotated input the same mask and order would show the permutation."""
    secrets = EpochSecrets(bytes(32), WHERE, 1, 3)
    mine, theirs = (EpochDeck(WHERE, EDITION, [1, 2, 3], [0, 1]) for _ in range(2))
    mine.take_shuffle(0, 0, EpochSecrets(b"a" * 32, WHERE, 0, 3).make_shuffle(mine, 0))
    theirs.take_shuffle(0, 0, EpochSecrets(b"b" * 32, WHERE, 0, 3).make_shuffle(theirs, 0))
    first = secrets.make_shuffle(mine, 1)
    with pytest.raises(DeckError, match="another deck"):
        secrets.make_shuffle(theirs, 1)
    again = secrets.make_shuffle(mine, 1)
    assert ShuffleStep.decode(3, first).deck == ShuffleStep.decode(3, again).deck
    assert ShuffleStep.decode(3, first).proof != ShuffleStep.decode(3, again).proof


def test_secrets_come_from_the_seed_alone_and_show_nothing():
    one, two = (EpochSecrets(bytes(32), WHERE, 0, 15) for _ in range(2))
    assert one._permutation == two._permutation
    assert [one.key(j) for j in range(15)] == [two.key(j) for j in range(15)]
    assert len({one.key(j) for j in range(15)}) == 15
    assert EpochSecrets(bytes(32), WHERE, 1, 15)._permutation != one._permutation
    assert str(one.key(0)) not in repr(one)
    for bad in ((b"", 0, 3), (bytes(31), 0, 3), (bytes(32), 0, 0)):
        with pytest.raises(DeckError):
            EpochSecrets(bad[0], WHERE, *bad[1:])
    with pytest.raises(DeckError):
        EpochSecrets(bytes(32), WHERE, 0, 3, [0, 1])


def test_permutations_are_uniform_enough_and_may_leave_cards_in_place():
    counts: dict[tuple[int, ...], int] = {}
    for seed in range(1200):
        order = EpochSecrets(seed.to_bytes(32, "big"), WHERE, 0, 3)._permutation
        counts[order] = counts.get(order, 0) + 1
    assert len(counts) == 6
    assert all(140 < count < 260 for count in counts.values())
    shuffle.check_permutation(EpochSecrets(bytes(32), WHERE, 0, 300)._permutation, 300)


@pytest.mark.parametrize("cards", [[], [1, 1], [2, 1], [-1, 2]])
def test_card_lists_are_ascending(cards):
    with pytest.raises(DeckError):
        EpochDeck(WHERE, EDITION, cards, [0, 1])


@pytest.mark.parametrize("seats", [[], [1, 1]])
def test_seats_are_named_once(seats):
    with pytest.raises(DeckError):
        EpochDeck(WHERE, EDITION, [1, 2], seats)


def test_a_position_without_a_face_is_an_unsound_proof():
    """A lock that nobody verified put a stranger's point into the deck."""
    table = Table(2, 2)
    deck = table.decks[0]
    for seat in (0, 1):
        deck.take_shuffle(seat, seat, table.secrets[seat].make_shuffle(deck, seat))
    deck.take_lock(0, 2, table.secrets[0].make_lock(deck, 2))
    step = LockStep.decode(2, table.secrets[1].make_lock(deck, 3))
    planted = LockStep((mul_base(5), step.deck[1]), step.tags, step.proof)
    with pytest.raises(VerificationError):
        deck.take_lock(1, 3, planted.encode())
    deck.take_lock(1, 3, planted.encode(), verified=True)
    for seat in (0, 1):
        deck.take_key(seat, 0, table.secrets[seat].key(0))
    with pytest.raises(DeckError, match="no card"):
        deck.face(0)
    with pytest.raises(DeckError, match="no card"):
        table.secrets[0].read(deck, 0)
