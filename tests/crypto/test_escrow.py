"""Pieces of keys: they add up to the keys, and a wrong one is seen before a card is dealt."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from itertools import product

import pytest
from nodealer.crypto import escrow, lock
from nodealer.crypto.deck import EpochDeck, EpochId, EpochSecrets
from nodealer.crypto.errors import DeckError, DecodeError, VerificationError
from nodealer.crypto.escrow import Pledge, Seed
from nodealer.crypto.group import ORDER, G, counting, inverse, mul_base, random_scalar
from nodealer.crypto.lock import LockStep
from nodealer.crypto.products import sum_of_products

from tests.helpers.cheating import TABLE

WHERE = EpochId(TABLE, 2, 0, 0)
N = 4
HOLDERS = (1, 2, 3)
SLOT = 9


class Giver:
    """Seat 0, alone in a deck that others hold the pieces of: its lock, its pledges, and what may be changed."""

    def __init__(self, n: int = N) -> None:
        self.secrets = EpochSecrets(b"s" * 32, WHERE, 0, n, HOLDERS)
        self.deck = EpochDeck(WHERE, "test", range(n), [0])
        self.deck.take_shuffle(0, 1, self.secrets.make_shuffle(self.deck, 1))
        self.data = self.secrets.make_lock(self.deck, SLOT)
        self.pledges = [self.secrets.pledge(holder) for holder in HOLDERS]

    def lie(
        self, seeds: dict[int, Seed], claimed: dict[int, Seed] | None = None, *, late_blind: bool = False
    ) -> tuple[bytes, list[Pledge]]:
        """An honest lock of the keys, with pledges by the honest program for other seeds than those of the keys."""
        deck, secrets = self.deck, self.secrets
        ctx, key = deck.context(0, SLOT), deck.mask_key(0)
        place = deck.lock_place(SLOT)
        blinds = {holder: mul_base(seed.blind(place)) for holder, seed in seeds.items()}
        pledged = escrow.pledged([(seed.commitment, blinds[holder]) for holder, seed in seeds.items()])
        step = lock.prove(ctx, deck.current, key, secrets._k, secrets._keys, pledged=pledged)
        rho = lock.weights(ctx, deck.current, key, step, pledged=pledged)
        answers = {holder: seed.answer(rho, place) for holder, seed in (claimed or seeds).items()}
        if late_blind:
            # The last B is the one that makes the sum come out.
            total = mul_base(sum(answers.values()))
            for part in (sum_of_products(rho, step.tags), *list(blinds.values())[:-1]):
                total = total - part
            blinds[HOLDERS[-1]] = total
        return step.encode(), [
            Pledge(seed.commitment, blinds[holder], answers[holder]) for holder, seed in seeds.items()
        ]


def seeds(secrets: EpochSecrets) -> dict[int, Seed]:
    return {holder: Seed.make(secrets.sigma(holder), WHERE, 0, holder, secrets.n) for holder in HOLDERS}


def refused(deck: EpochDeck, data: bytes, pledges: list[Pledge]) -> str:
    with pytest.raises(VerificationError) as caught:
        deck.take_lock(0, SLOT, data, pledges)
    assert not deck.locked
    return caught.value.check


@pytest.mark.parametrize("verified", [False, True])
def test_pieces_add_up_to_the_keys(verified):
    giver = Giver()
    giver.deck.take_lock(0, SLOT, giver.data, giver.pledges, verified=verified)
    shares = [
        giver.deck.open_pledge(0, holder, pledge, giver.secrets.sigma(holder))
        for holder, pledge in zip(HOLDERS, giver.pledges, strict=True)
    ]
    keys = escrow.join_keys(shares)
    assert keys == [giver.secrets.key(j) for j in range(N)]
    assert [mul_base(key) for key in keys] == list(giver.deck.tags(0))
    assert Pledge.decode(giver.pledges[0].encode()) == giver.pledges[0]


def test_what_112_cards_cost():
    """Pieces for three others: a blinding point and its addition for each, one sum; opening them costs nothing."""
    giver = Giver(112)
    with counting() as ops:
        giver.secrets.make_lock(giver.deck, SLOT)
    assert (ops.mul, ops.mul_base, ops.add) == (224, 5, 0)  # the tags were made for the shuffle already
    with counting() as ops:
        giver.deck.take_lock(0, SLOT, giver.data, giver.pledges)
    assert (ops.mul, ops.mul_base, ops.add) == (338, 3, 228)
    with counting() as ops:
        giver.deck.open_pledge(0, 1, giver.pledges[0], giver.secrets.sigma(1))
    assert (ops.mul, ops.mul_base, ops.add) == (0, 0, 0)


def test_pieces_belong_to_their_place():
    giver = Giver()
    giver.deck.take_lock(0, SLOT, giver.data, giver.pledges)
    sigma, pledge = giver.secrets.sigma(1), giver.pledges[0]
    sums = giver.deck._lock_sums[0]
    for where, seat, holder in (
        (replace(WHERE, attempt=1), 0, 1),
        (replace(WHERE, epoch=1), 0, 1),
        (replace(WHERE, round=3), 0, 1),
        (replace(WHERE, table=b"v" * 32), 0, 1),
        (WHERE, 1, 1),
        (WHERE, 0, 2),
    ):
        with pytest.raises(VerificationError) as caught:
            escrow.open_pledge(sigma, pledge, *sums, where, seat, holder, N)
        assert caught.value.check == "escrow piece"
    for wrong in (giver.secrets.sigma(2), bytes(32)):
        with pytest.raises(VerificationError) as caught:
            giver.deck.open_pledge(0, 1, pledge, wrong)
        assert caught.value.check == "escrow piece"


def test_each_part_of_a_pledge_is_checked():
    giver = Giver()
    first, *rest = giver.pledges
    # The hash and B are part of what the lock is about; the answer is what the sum is about.
    for wrong in (replace(first, commitment=bytes(32)), replace(first, blind=first.blind + G)):
        assert refused(giver.deck, giver.data, [wrong, *rest]) == "lock proof"
    assert refused(giver.deck, giver.data, [rest[0], first, rest[1]]) == "lock proof"
    assert refused(giver.deck, giver.data, giver.pledges[1:]) == "lock proof"
    assert refused(giver.deck, giver.data, []) == "lock proof"
    more = replace(first, answer=(first.answer + 1) % ORDER)
    assert refused(giver.deck, giver.data, [more, *rest]) == "escrow sum"


def test_answers_that_only_add_up_are_found_by_the_holders():
    """One answer more and another less: the sum stands, but neither holder's own pieces fit its answer."""
    giver = Giver()
    one, two, three = giver.pledges
    moved = [replace(one, answer=one.answer + 1), replace(two, answer=two.answer - 1), three]
    giver.deck.take_lock(0, SLOT, giver.data, moved)
    for holder, pledge in ((1, moved[0]), (2, moved[1])):
        with pytest.raises(VerificationError, match="escrow piece"):
            giver.deck.open_pledge(0, holder, pledge, giver.secrets.sigma(holder))
    giver.deck.open_pledge(0, 3, three, giver.secrets.sigma(3))


def test_pieces_that_are_not_those_of_the_keys():
    """A seed that is not part of the keys, pledged and answered for by the honest program: the sum shows it."""
    giver = Giver()
    honest = seeds(giver.secrets)
    other = Seed.make(b"o" * 32, WHERE, 0, 1, N)
    assert refused(giver.deck, *giver.lie({**honest, 1: other})) == "escrow sum"
    # Answered as if it were the right one, the sum stands, and the holder finds that its seed does not fit.
    data, pledges = giver.lie({**honest, 1: other}, claimed=honest)
    before = giver.deck.lock_place(SLOT)
    claimed = pledges[0].answer - honest[1].blind(before) + other.blind(before)
    pledges[0] = replace(pledges[0], answer=claimed % ORDER)
    giver.deck.take_lock(0, SLOT, data, pledges)
    with pytest.raises(VerificationError, match="escrow piece"):
        giver.deck.open_pledge(0, 1, pledges[0], b"o" * 32)


def test_pieces_moved_between_positions_would_pass_with_weights_known_before():
    """Why the weights depend on the hashes of all seeds: keys moved so that one known sum stays the same are wrong."""
    giver = Giver()
    giver.deck.take_lock(0, SLOT, giver.data, giver.pledges)
    rho, keys = giver.deck._lock_sums[0][0], giver.secrets._keys
    moved = [(keys[0] + rho[1]) % ORDER, (keys[1] - rho[0]) % ORDER, *keys[2:]]
    assert sum(r * s for r, s in zip(rho, moved, strict=True)) % ORDER == (
        sum(r * s for r, s in zip(rho, keys, strict=True)) % ORDER
    )
    again = Giver()
    again.secrets._keys = moved
    data, pledges = again.lie(seeds(again.secrets))
    assert LockStep.decode(N, data).tags[0] == mul_base(moved[0])
    assert refused(again.deck, data, pledges) == "escrow sum"


def test_a_pledge_hides_the_pieces():
    """Without the last seed, but free to set the weights first, anybody makes a pledge for it that everybody takes."""
    giver = Giver()
    giver.deck.take_lock(0, SLOT, giver.data, giver.pledges)
    rho, known = [random_scalar() for _ in range(N)], list(seeds(giver.secrets).values())[1:]
    others = [sum(r * seed.pieces[j] for seed in known) for j, r in enumerate(rho)]
    tags_sum = sum_of_products(rho, giver.deck.tags(0))
    answer = random_scalar()
    made = Pledge(giver.pledges[0].commitment, mul_base(answer + sum(others)) - tags_sum, answer)
    place = giver.deck.lock_place(SLOT)
    honest = [Pledge(seed.commitment, mul_base(seed.blind(place)), seed.answer(rho, place)) for seed in known]
    escrow.check_sum(tags_sum, [made, *honest])
    # The sum binds: with another answer, or for other tags, it does not hold.
    for wrong, total in ((replace(made, answer=answer + 1), tags_sum), (made, tags_sum + G)):
        with pytest.raises(VerificationError, match="escrow sum"):
            escrow.check_sum(total, [wrong, *honest])


def sums(values: list[int]) -> Iterator[int]:
    """Every sum of these, each taken as it is, subtracted, or not at all."""
    for signs in product((0, 1, -1), repeat=len(values)):
        yield sum(sign * value for sign, value in zip(signs, values, strict=True)) % ORDER


@pytest.mark.parametrize("n", [1, 2])
def test_all_holders_but_one_find_no_key_in_what_is_public(n):
    """Sums of their pieces, blinds and weighted pieces, the last holder's answer, all that over each weight."""
    giver = Giver(n)
    giver.deck.take_lock(0, SLOT, giver.data, giver.pledges)
    (rho, place), given = giver.deck._lock_sums[0], seeds(giver.secrets)

    def find(known: list[Seed], answers: list[int]) -> set[int]:
        """The positions whose key comes out."""
        found = set()
        for j in range(n):
            weighted = [r * t for seed in known for r, t in zip(rho, seed.pieces, strict=True)]
            weighted += [seed.blind(place) for seed in known]
            hidden = {
                value * factor % ORDER for value in sums([*answers, *weighted]) for factor in (1, inverse(rho[j]))
            }
            shares = list(sums([seed.pieces[j] for seed in known]))
            key = giver.secrets.key(j)
            if any((value + share) % ORDER == key for value in {0, *hidden} for share in shares):
                found.add(j)
        return found

    others = [giver.pledges[0].answer]
    assert find([given[2], given[3]], others) == set()
    # The search finds what is there: with the last seed too, or with an answer that has no blind.
    assert find([given[1], given[2], given[3]], []) == set(range(n))
    bare = sum(r * t for r, t in zip(rho, given[1].pieces, strict=True))
    assert find([given[2], given[3]], [bare]) == (set(range(n)) if n == 1 else set())


def test_a_blinding_point_chosen_after_the_weights_would_hide_a_wrong_piece(monkeypatch):
    """A seed that is no part of the keys, rightly pledged, and one B that evens out the sum: no holder would notice."""
    other = Seed.make(b"o" * 32, WHERE, 0, 1, N)

    def forge() -> tuple[Giver, bytes, list[Pledge]]:
        giver = Giver()
        return giver, *giver.lie({**seeds(giver.secrets), 1: other}, late_blind=True)

    giver, data, pledges = forge()
    assert refused(giver.deck, data, pledges) == "lock proof"
    # With the hashes alone in the lock it passes, for everybody and for every holder, and the keys are wrong.
    monkeypatch.setattr(escrow, "pledged", lambda parts: b"".join([commitment for commitment, _ in parts]))
    giver, data, pledges = forge()
    giver.deck.take_lock(0, SLOT, data, pledges)
    sigmas = (b"o" * 32, giver.secrets.sigma(2), giver.secrets.sigma(3))
    shares = [
        giver.deck.open_pledge(0, holder, pledge, sigma)
        for holder, pledge, sigma in zip(HOLDERS, pledges, sigmas, strict=True)
    ]
    assert escrow.join_keys(shares) != [giver.secrets.key(j) for j in range(N)]


@pytest.mark.parametrize("moved", ["slot", "deck"])
def test_one_blind_for_two_sums_would_show_the_last_piece(moved):
    """Two locks by the same secrets, one slot later or of another deck: the blind falls out of v - v'."""
    secrets = EpochSecrets(b"s" * 32, WHERE, 0, 1, HOLDERS)
    deck = EpochDeck(WHERE, "test", range(1), [0])
    deck.take_shuffle(0, 1, secrets.make_shuffle(deck, 1))

    def lock_and_look(slot: int) -> tuple[int, int]:
        data, place = secrets.make_lock(deck, slot), deck.context(0, slot)
        pledges = [secrets.pledge(holder) for holder in HOLDERS]
        pledged = escrow.pledged([(pledge.commitment, pledge.blind) for pledge in pledges])
        step = LockStep.decode(1, data)
        (rho,) = lock.weights(place, deck.current, deck.mask_key(0), step, pledged=pledged)
        return rho, pledges[0].answer

    one = lock_and_look(SLOT)
    if moved == "deck":
        deck._current = (G,)
    two = lock_and_look(SLOT + (moved == "slot"))
    assert one[0] != two[0]
    read = (one[1] - two[1]) * inverse(one[0] - two[0]) % ORDER
    assert mul_base(read) != mul_base(Seed.make(secrets.sigma(1), WHERE, 0, 1, 1).pieces[0])


def test_bad_bytes_and_strangers():
    giver = Giver()
    data = giver.pledges[0].encode()
    assert len(data) == escrow.PLEDGE_BYTES
    for bad in (b"", data[:-1], data + b"\0", data[:32] + bytes(32) + data[64:], data[:64] + bytes(32)):
        with pytest.raises(DecodeError):
            Pledge.decode(bad)
    for bad in (b"", bytes(31), bytes(33)):
        with pytest.raises(DecodeError):
            Seed.make(bad, WHERE, 0, 1, N)
    fresh = EpochSecrets(b"s" * 32, WHERE, 0, N, HOLDERS)
    for asked in (lambda: fresh.sigma(0), lambda: fresh.pledge(1), lambda: giver.secrets.pledge(0)):
        with pytest.raises(DeckError):
            asked()
    with pytest.raises(DeckError):
        EpochSecrets(b"s" * 32, WHERE, 0, N).sigma(1)
    with pytest.raises(DeckError):
        giver.deck.open_pledge(0, 1, giver.pledges[0], giver.secrets.sigma(1))
    assert str(seeds(giver.secrets)[1].pieces[0]) not in repr(seeds(giver.secrets)[1])
