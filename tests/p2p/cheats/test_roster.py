"""Cheating before the first card: two lists of players, a stolen seat, a copied commitment, another coin."""

from __future__ import annotations

import io
from collections.abc import Callable

import pytest
from nodealer.crypto.identity import Identity
from nodealer.p2p.errors import WireError
from nodealer.p2p.events import Outcome
from nodealer.p2p.forming import Formed, HostTable, Own
from nodealer.p2p.offer import Offer, Roster, SignedOffer
from nodealer.p2p.options import TableOptions
from nodealer.p2p.peer import Peer
from nodealer.p2p.transcript import MAGIC, TwoRosters, frame, parse_record
from nodealer.p2p.verify import Status, verify
from nodealer.p2p.wire import encode

from examples.liar import CheatTable, Lie, LyingPlayer, Trick, caught, instead, play_out, report_of, when
from examples.table import Table, seeded

OPTIONS = TableOptions.defaults("four-colors", seats=3, target=0).fast()


class TwoListsHost(Peer):
    """A host that shows its second guest another first player than it shows the first: itself under a new offer."""

    def start_now(self, now: float) -> None:
        hosting = self._hosting
        assert isinstance(hosting, HostTable)
        formed = hosting.form(self.port)
        again = Own(self.own.identity, "Another name", seeded("another"))
        mine = again.offer(hosting.options, self.key, hosting.nonce)
        others = [signed for signed in formed.roster.offers if signed.offer.key != self.key]
        second = Formed(Roster.make(self.own.identity, [mine, *others]), formed.addresses)
        places = [list(address) if address else None for address in formed.addresses]
        for line, shown in zip(hosting.guests(), (formed, second), strict=True):
            self._mesh.send(line, "roster", shown.roster.to_wire(), places, True)
        self._begin(formed, now)


def two_lists() -> Table:
    def make(index: int, identity: Identity, name: str, stream: Callable[[int], bytes]) -> Peer:
        return TwoListsHost.host(identity, name, OPTIONS, stream) if index == 0 else Peer.join(identity, name, stream)

    return Table(3, OPTIONS, seed="two lists", make=make)


def test_different_rosters_shown_to_different_players():
    table = two_lists()
    table.form()
    table.run(60)
    for index in (1, 2):
        seated = table.seats[index]
        assert seated.ended is not None
        assert (seated.ended.outcome, seated.ended.check) == (Outcome.CHEAT, "roster")
        assert ("Player 0" if index == 1 else "Another name") in seated.ended.sentence
        report = report_of(seated)
        assert (report.status, report.check) == (Status.INVALID, "roster")
        assert report.writer == ("Player 0" if index == 1 else "Another name")
        assert any(isinstance(parse_record(record), TwoRosters) for record in seated.records)


def test_evidence_of_two_rosters_that_is_none():
    table = two_lists()
    table.form()
    table.run(60)
    records = table.seats[1].records
    at = next(i for i, record in enumerate(records) if isinstance(parse_record(record), TwoRosters))
    evidence = parse_record(records[at])
    assert isinstance(evidence, TwoRosters)
    match = table.seats[1].peer.match
    assert match is not None
    for false in (
        encode(["two rosters", b"t" * 32, evidence.host_signature]),
        encode(["two rosters", match.table, match.roster.host_signature]),
    ):
        report = verify(io.BytesIO(MAGIC + b"".join(map(frame, [*records[:at], false]))))
        assert (report.status, report.check, report.writer) == (Status.INVALID, "evidence", None)


def coin(reveal: Callable[[LyingPlayer], bytes | None]) -> Trick:
    def lie(player: LyingPlayer, body: bytes) -> Lie | None:
        share = reveal(player)
        return None if share is None else Lie(body=encode([share]))

    return when("coin", lie)


def test_a_coin_that_does_not_match_its_commitment():
    caught(CheatTable(coin(lambda player: b"c" * 32)), "coin")


def test_a_copied_coin_commitment(monkeypatch):
    """The cheat commits to what the host has committed to, waits for the host's coin, and reveals the same."""
    table = CheatTable(players=3, cheat=2)
    host = table.seats[0].peer
    copied: list[bytes] = []
    honest = Own.offer

    def offer(own: Own, options: TableOptions, host_key: bytes, host_nonce: bytes) -> SignedOffer:
        signed = honest(own, options, host_key, host_nonce)
        if own is not table.seats[2].peer.own:
            if own is table.seats[1].peer.own:
                copied.append(signed.offer.commitment)
            return signed
        o = signed.offer
        return SignedOffer.make(
            own.identity, Offer(o.options, o.host_key, o.host_nonce, o.key, o.name, o.nonce, copied[0])
        )

    monkeypatch.setattr(Own, "offer", offer)
    table.seats[2].peer.trick = coin(lambda player: table.seats[1].peer.own.coin_share)  # type: ignore[attr-defined]
    caught(table, "coin")
    match = host.match
    assert match is not None
    assert len({signed.offer.commitment for signed in match.roster.offers}) == 2


def test_a_coin_kept_back_dissolves_the_table():
    table = CheatTable(mute=frozenset({"coin"}))
    play_out(table)
    for seated in table.honest:
        assert seated.ended is not None
        assert seated.ended.outcome is not Outcome.CHEAT
        assert seated.ended.outcome is not Outcome.COMPLETE
        assert "Player 1" in seated.ended.sentence


def test_a_start_that_is_not_confirmed_dissolves_the_table():
    table = CheatTable(mute=frozenset({"start"}))
    table.form()
    began = table.now
    table.run(60)
    for seated in table.honest:
        assert seated.ended is not None
        assert seated.ended.outcome is Outcome.DISSOLVED
        assert "Player 1" in seated.ended.sentence
    assert table.now - began < 20


@pytest.mark.parametrize(
    "body",
    [[bytes(32), bytes(64)], [bytes(31), bytes(64)], [bytes(32)], [], [[bytes(32), bytes(64)]]],
    ids=["false", "short", "half", "empty", "nested"],
)
def test_a_false_start(body):
    caught(CheatTable(instead("start", body=encode(body))), "start" if body == [bytes(32), bytes(64)] else "body")


@pytest.mark.parametrize(
    "what", ["one left out", "one twice", "without me", "not signed by the host", "another's offer"]
)
def test_a_roster_that_a_joiner_refuses(what):
    own = Own(Identity.from_seed(b"j" * 32), "Joiner", seeded("joiner"))
    host = Identity.from_seed(b"h" * 32)
    nonce = b"n" * 32
    mine = own.offer(OPTIONS, host.public, nonce)
    theirs = Own(host, "Host", seeded("host")).offer(OPTIONS, host.public, nonce)
    third = Own(Identity.from_seed(b"k" * 32), "Third", seeded("third")).offer(OPTIONS, host.public, nonce)
    elsewhere = Own(Identity.from_seed(b"k" * 32), "Third", seeded("third")).offer(OPTIONS, host.public, b"m" * 32)
    lists = {
        "one left out": [mine],
        "one twice": [mine, theirs, mine],
        "without me": [theirs, third],
        "not signed by the host": [mine, theirs, third],
        "another's offer": [mine, theirs, elsewhere],
    }
    signer = own.identity if what == "not signed by the host" else host
    wire = Roster.make(signer, lists[what]).to_wire()
    peer = Peer(own, None, seeded("peer"))
    peer.line_up(1, host.public, True, ("10.0.0.1", 7425), 0.0)
    peer.receive(1, encode(["seat", OPTIONS.to_wire(), host.public, nonce, "Host"]), 0.0)
    with pytest.raises(WireError):
        peer.receive(1, encode(["roster", wire, [None] * len(lists[what])]), 0.0)
    assert peer.match is None


def test_a_stolen_seat():
    """An offer in another's name, and one signed with another key: the host lets in neither."""
    table = Table(3, OPTIONS, seed="stolen")
    host, thief, victim = (seated.peer for seated in table.seats)
    hosting = host._hosting
    assert hosting is not None
    host.line_up(1, thief.key, False, None, 0.0)
    offer = victim.own.offer(OPTIONS, host.key, hosting.nonce)
    with pytest.raises(WireError, match="another's name"):
        host.receive(1, encode(["offer", offer.to_wire()]), 0.0)
    forged = SignedOffer.make(thief.own.identity, offer.offer)
    with pytest.raises(WireError, match="did not sign"):
        host.receive(1, encode(["offer", forged.to_wire()]), 0.0)
    assert hosting.taken == 1
