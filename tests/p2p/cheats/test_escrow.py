"""Peers that cheat with the pieces of their keys (proofs §3)."""

from __future__ import annotations

from dataclasses import replace

from nodealer import engine
from nodealer.crypto import schnorr
from nodealer.crypto.box import TAG_BYTES, Box, _transcript, seal
from nodealer.crypto.deck import EpochDeck, EpochSecrets
from nodealer.crypto.escrow import SIGMA_BYTES
from nodealer.crypto.group import G, mul_base, random_scalar
from nodealer.crypto.schnorr import KnowledgeProof
from nodealer.p2p.bodies import NOTHING
from nodealer.p2p.events import GameEvent, Outcome, PlayerOut
from nodealer.p2p.verify import Status
from nodealer.p2p.wire import decode, encode

from examples.cheats.escrow import Pieces, changed, complaint, pieces, reseal, true_opening
from examples.liar import CheatTable, Lie, LyingPlayer, caught, instead, report_of, sitting_of, when


def test_a_wrong_seed_in_a_box_is_complained_about_and_names_its_giver():
    caught(CheatTable(pieces(lambda player, given: reseal(player, given, bytes(32))), escrow=True), "escrow piece")


def test_garbage_in_a_box():
    def garbage(player: LyingPlayer, given: Pieces) -> None:
        # The proof of the box is over its ciphertext, so that must be proven too: seal, then present as other context.
        escrow, slot = player.match.making_escrow, player.match.slot.number
        holder = escrow.holders(player.seat)[0]
        other = escrow.deck.context(player.seat, slot + 1)
        given[0][1] = seal(other, holder, escrow._box_keys[holder], bytes(32)).encode()

    caught(CheatTable(pieces(garbage), escrow=True), "box proof")


def test_noise_in_a_box_with_a_right_proof():
    """Everybody takes the box; its holder alone sees that nothing opens it, and is believed."""

    def noise(player: LyingPlayer, given: Pieces) -> None:
        escrow, slot = player.match.making_escrow, player.match.slot.number
        ctx, holder = escrow.deck.context(player.seat, slot), escrow.holders(player.seat)[-1]
        key, e = escrow._box_keys[holder], random_scalar()
        empty = Box(mul_base(e), KnowledgeProof(1, 1), bytes(SIGMA_BYTES + TAG_BYTES))
        proof = schnorr.prove(_transcript(ctx, holder, key, empty), empty.ephemeral, e)
        given[-1][1] = replace(empty, proof=proof).encode()

    caught(CheatTable(pieces(noise), escrow=True), "escrow piece")


def test_the_box_of_an_honest_giver_in_ones_own_lock():
    """An honest complaint about it would open what the other had sealed: it is refused before anybody complains."""

    def copy(player: LyingPlayer, body: bytes) -> Lie | None:
        escrow = player._escrow_being_made()
        if not escrow.given:
            return None
        earlier = min(escrow.given)
        holder = next(seat for seat in escrow.holders(player.seat) if seat != earlier)
        data, given = decode(body, max_bytes=1 << 17)
        given[escrow.holders(player.seat).index(holder)][1] = escrow.given[earlier][holder].box.encode()
        return Lie(body=encode([data, given]))

    caught(CheatTable(when("lock", copy), escrow=True, seed="not the first seat"), "box proof")


def test_a_giver_and_a_holder_in_league_void_a_round_and_nobody_else_is_blamed():
    """The giver seals a wrong seed and the holder says nothing; then the giver goes, and the holder owes the piece."""
    table = CheatTable(instead("draw", body=b"\xc1"), escrow=True)
    table.form()
    table.run(until=lambda: all(seated.peer.match is not None for seated in table.seats))
    giver, holder = table.liar, sitting_of(table.honest[-1]).player
    lock = giver._lock

    def seal_wrongly(deck: EpochDeck, secrets: EpochSecrets) -> bytes:
        data, given = decode(lock(deck, secrets), max_bytes=1 << 17)
        reseal(giver, given, bytes(32), holder.seat)
        return encode([data, given])

    giver._lock = seal_wrongly  # type: ignore[method-assign]
    check = holder._check_pieces
    complaints: list[str] = []

    def say_nothing() -> tuple[str, bytes]:
        kind, body = check()
        if kind == "epoch ok":
            return kind, body
        complaints.append(kind)
        holder._share = lambda piece: bytes(32)  # type: ignore[method-assign]
        return "epoch ok", NOTHING

    holder._check_pieces = say_nothing  # type: ignore[method-assign]
    table.run()
    assert complaints == ["escrow complaint"]  # what an honest holder would have written
    names = [table.seats[table.cheat].peer.own.name, table.honest[-1].peer.own.name]
    for seated in table.honest[:-1]:
        assert seated.ended is not None
        assert seated.ended.outcome is Outcome.COMPLETE
        out = [(event.name, event.check) for event in seated.told if isinstance(event, PlayerOut)]
        assert out == list(zip(names, ("body", "escrow piece"), strict=True))
        assert sum(isinstance(e, GameEvent) and isinstance(e.event, engine.RoundLost) for e in seated.told) == 1
        assert report_of(seated).status is Status.COMPLETE


def test_pieces_that_do_not_sum_up_to_the_keys():
    caught(CheatTable(pieces(lambda player, given: changed(given, 0, more=1)), escrow=True), "escrow sum")


def test_answers_that_only_sum_up_are_complained_about_and_name_their_giver():
    """What one holder's answer has too much the other's has too little: the holders find it."""

    def move(player: LyingPlayer, given: Pieces) -> None:
        changed(given, 0, more=1)
        changed(given, 1, more=-1)

    caught(CheatTable(pieces(move), escrow=True), "escrow piece")


def test_another_hash_or_blinding_point_than_the_lock_was_proven_with():
    caught(CheatTable(pieces(lambda player, given: changed(given, 0, commitment=bytes(32))), escrow=True), "lock proof")
    caught(CheatTable(pieces(lambda player, given: changed(given, 1, blind=G.data)), escrow=True), "lock proof")


def test_a_pledge_that_does_not_decode():
    caught(CheatTable(pieces(lambda player, given: changed(given, 0, blind=bytes(32))), escrow=True), "encoding")


def test_pieces_of_other_keys_pledged_by_the_honest_program():
    """The whole lock made anew, honestly but for one seed that is no part of the keys."""

    def lie(player: LyingPlayer, body: bytes) -> Lie:
        _, given = decode(body, max_bytes=1 << 17)
        secrets = player._secret(player._deck_being_made())
        deck, escrow = player.match.making, player.match.making_escrow
        assert deck is not None
        holder = escrow.holders(player.seat)[0]
        other = EpochSecrets(b"another seed".ljust(32), deck.where, player.seat, deck.n, escrow.holders(player.seat))
        secrets._sigmas[holder] = other.sigma(holder)
        secrets._seeds[holder] = other._seeds[holder]
        step = secrets.make_lock(deck, player.match.slot.number)
        pieces = escrow.give(secrets, player.seat, player.match.slot.number)
        assert len(pieces) == len(given)
        return Lie(body=encode([step, pieces]))

    caught(CheatTable(when("lock", lie), escrow=True), "escrow sum")


def test_a_piece_too_few():
    caught(CheatTable(pieces(lambda player, given: given.pop()), escrow=True), "escrow length")


def test_a_box_of_another_holder():
    def swap(player: LyingPlayer, given: Pieces) -> None:
        given[0][1], given[1][1] = given[1][1], given[0][1]

    caught(CheatTable(pieces(swap), escrow=True), "box proof")


def test_pieces_where_there_is_no_escrow():
    def extra(player: LyingPlayer, given: Pieces) -> None:
        given.append([b"", b""])

    caught(CheatTable(pieces(extra), players=2), "body")


def test_a_false_complaint_names_its_author():
    caught(CheatTable(complaint(true_opening), escrow=True), "escrow complaint")


def test_a_complaint_without_proof():
    caught(CheatTable(complaint(lambda player, about: bytes(96)), escrow=True), "escrow complaint")


def test_a_complaint_about_nobody():
    caught(CheatTable(complaint(lambda player, about: bytes(96), giver=9), escrow=True), "escrow complaint")
