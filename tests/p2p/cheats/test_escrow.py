"""Peers that cheat with the pieces of their keys (proofs §3)."""

from __future__ import annotations

from nodealer.crypto.box import seal
from nodealer.crypto.deck import EpochSecrets
from nodealer.crypto.group import G
from nodealer.p2p.wire import decode, encode

from examples.cheats.escrow import Pieces, changed, complaint, pieces, reseal, true_opening
from examples.liar import CheatTable, Lie, LyingPlayer, caught, when


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
