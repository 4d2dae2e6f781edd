"""A table with a passphrase deals with nobody who has not proven it; one guess a line, and waits after wrong ones."""

from __future__ import annotations

import random
from collections.abc import Callable
from dataclasses import replace

import pytest
from nodealer.crypto.identity import Identity
from nodealer.p2p.errors import LocalProtocolError, WireError
from nodealer.p2p.events import LobbyChanged, Notice, Outcome
from nodealer.p2p.guesses import AT_ONCE, FREE_OVERALL, LONGEST_WAIT, MAX_PLACES, Guesses, place_of
from nodealer.p2p.mesh import Mesh
from nodealer.p2p.options import TableOptions
from nodealer.p2p.passphrase import Exchange, Passphrase
from nodealer.p2p.peer import Peer
from nodealer.p2p.wire import decode, encode

from examples.table import FAST, HOP, Table, seeded
from tests.helpers.secured import SecuredTable

SECRET = "vier Füße auf dem Tisch"
THREE = replace(FAST, seats=3)


def locked(*passphrases: str | None, make: type[Table] = Table, seats: int | None = None) -> Table:
    """A table whose first player hosts with the first passphrase, and the others join with theirs."""
    given = [None if text is None else Passphrase(text) for text in passphrases]

    def peer(index: int, identity: Identity, name: str, stream: Callable[[int], bytes]) -> Peer:
        if index == 0:
            options = TableOptions.defaults("four-colors", seats or len(passphrases), 0).fast()
            return Peer.host(identity, name, options, stream, passphrase=given[0])
        return Peer.join(identity, name, stream, passphrase=given[index])

    return make(len(passphrases), FAST, seed=passphrases, make=peer)


def said(table: Table, sender: int) -> list[list[object]]:
    """What this peer has sent while the table was formed, in the clear."""
    return [decode(frame, max_bytes=1 << 16) for index, _, frame in table.traffic if index == sender]


def names(messages: list[list[object]]) -> list[object]:
    return [message[0] for message in messages]


@pytest.mark.parametrize("make", [Table, SecuredTable], ids=["plain", "secured"])
def test_who_knows_it_plays_a_whole_match(make: type[Table]) -> None:
    table = locked(SECRET, f"  {SECRET}\n", make=make)
    ended = table.play()
    assert [end.outcome for end in ended if end is not None] == [Outcome.COMPLETE, Outcome.COMPLETE]
    assert names(said(table, 1))[:4] == ["pake", "confirm", "hello", "offer"]
    assert SECRET.encode() not in b"".join(frame for _, _, frame in table.traffic)


def test_the_lines_of_the_match_need_no_passphrase() -> None:
    table = locked(SECRET, SECRET, SECRET)
    table.form()
    table.run(60, until=lambda: all(seated.peer.seat is not None for seated in table.seats))
    between = {(index, other) for index, other, frame in table.traffic if decode(frame, max_bytes=1 << 16)[0] == "pake"}
    assert between == {(0, 1), (1, 0), (0, 2), (2, 0)}


@pytest.mark.parametrize(("text", "sentence"), [("wrong", "The passphrase is wrong"), (None, "asks for a passphrase")])
def test_a_wrong_passphrase_or_none_is_one_sentence(text: str | None, sentence: str) -> None:
    table = locked(SECRET, text)
    table.form()
    ended = table.seats[1].ended
    assert ended is not None
    assert (ended.outcome, ended.outcome.value) == (Outcome.LOCKED, 7)
    assert sentence in ended.sentence
    told = names(said(table, 0))
    assert not {"seat", "lobby", "roster"} & set(told)
    assert not [event for event in table.seats[1].told if isinstance(event, LobbyChanged)]
    assert not any(b"Player 1" in encode(message) for message in said(table, 1)) or text is None


def test_a_joiner_with_a_passphrase_sits_down_nowhere_else() -> None:
    for host in (None, "another"):
        table = locked(host, SECRET)
        table.form()
        assert table.seats[1].ended is not None
        assert not {"hello", "offer"} & set(names(said(table, 1)))


def test_an_invitation_or_a_confirmation_out_of_the_blue_opens_nothing() -> None:
    options = TableOptions.defaults("four-colors", 2, 0).fast().to_wire()
    for message in (
        ["seat", options, b"h" * 32, b"n" * 32, "Host"],
        ["confirm", bytes(32)],
        ["locked"],
        ["pake", b"\1" + bytes(31)],
        ["pake", bytes(31)],
    ):
        peer = Peer.join(Identity.from_seed(b"j" * 32), "Joiner", seeded("j"), passphrase=Passphrase(SECRET))
        peer.line_up(1, b"h" * 32, True, ("10.0.0.1", 7425), 0.0, bytes(32))
        with pytest.raises(WireError):
            peer.receive(1, encode(message), 0.0)
        assert names([decode(frame, max_bytes=1 << 16) for _, frame in peer.data_to_send()]) == ["pake"]


def test_a_host_that_only_pretends_is_found_out() -> None:
    """A false host learns whether its one guess was right, and the joiner says no hello."""
    joiner = Identity.from_seed(b"j" * 32)
    peer = Peer.join(joiner, "Joiner", seeded("j"), passphrase=Passphrase(SECRET))
    peer.line_up(1, b"h" * 32, True, None, 0.0, b"b" * 32)
    [(_, first)] = peer.data_to_send()
    exchange = Exchange(Passphrase("guess"), joining=False, binding=b"b" * 32, joiner=joiner.public, host=b"h" * 32)
    mine, theirs = exchange.finish(decode(first, max_bytes=100)[1])
    peer.receive(1, encode(["pake", exchange.share]), 0.0)
    [(_, second)] = peer.data_to_send()
    assert decode(second, max_bytes=100) != ["confirm", theirs]
    peer.receive(1, encode(["confirm", mine]), 0.0)
    assert peer.data_to_send() == []
    assert peer.ended is not None
    assert peer.ended.outcome is Outcome.LOCKED


def exchanges(**change: bytes) -> tuple[Exchange, Exchange]:
    """Both ends of an exchange; ``change`` is what the host has otherwise than the joiner."""
    place = {"binding": b"b" * 32, "joiner": b"j" * 32, "host": b"h" * 32}
    one = Exchange(Passphrase(SECRET), joining=True, randbytes=seeded(1), **place)
    return one, Exchange(Passphrase(SECRET), joining=False, randbytes=seeded(2), **{**place, **change})


@pytest.mark.parametrize("change", ["binding", "joiner", "host", ""])
def test_a_proof_holds_for_one_line_and_its_two_ends(change: str) -> None:
    """Somebody in the middle has two lines, and so two handshakes: what is proven on one is no proof on the other."""
    one, two = exchanges(**({change: b"x" * 32} if change else {}))
    mine, theirs = one.finish(two.share)
    assert (two.finish(one.share) == (theirs, mine)) is (change == "")
    assert mine != theirs


@pytest.mark.parametrize(
    "share",
    [
        b"",
        bytes(32),
        b"\1" + bytes(31),
        b"\xff" * 32,
        b"\xec" + b"\xff" * 30 + b"\x7f",
        b"A" * 33,
        b"\xee" + b"\xff" * 30 + b"\x7f",
    ],
)
def test_shares_that_are_none(share: bytes) -> None:
    with pytest.raises(WireError):
        exchanges()[0].finish(share)


def test_a_share_sent_back_is_refused() -> None:
    one, _ = exchanges()
    with pytest.raises(WireError):
        one.finish(one.share)


def test_a_passphrase_is_text_and_hides() -> None:
    for text in ("", "  \n", "x" * 257, "\ud800"):
        with pytest.raises(LocalProtocolError):
            Passphrase(text)
    assert "Tisch" not in repr(Passphrase(SECRET))
    assert Passphrase("Fu\u0308ße").line == Passphrase("Füße").line


class Guesser:
    """A client with lines of its own to one host."""

    def __init__(self, host: Peer) -> None:
        self.host = host
        self.line = 0
        self.mesh = Mesh()

    def open(self, address: str = "10.0.0.9", now: float = 0.0) -> int:
        self.line += 1
        self.host.line_up(self.line, b"k" * 32, False, (address, 4000), now, self.binding(self.line))
        return self.line

    @staticmethod
    def binding(line: int) -> bytes:
        return line.to_bytes(32, "big")

    def exchange(self, line: int, text: str) -> Exchange:
        return Exchange(
            Passphrase(text), joining=True, binding=self.binding(line), joiner=b"k" * 32, host=self.host.key
        )

    def ask(self, line: int, *message: object, now: float = 0.0) -> list[list[object]]:
        self.host.receive(line, encode(list(message)), now)
        return [decode(frame, max_bytes=1 << 16) for to, frame in self.host.data_to_send() if to == line]

    def guess(self, text: str, *, address: str = "10.0.0.9", now: float = 0.0, finish: bool = True) -> list[object]:
        """One whole guess on a line of its own; the host's last word."""
        line = self.open(address, now)
        exchange = self.exchange(line, text)
        [answer] = self.ask(line, "pake", exchange.share, now=now)
        if answer[0] == "pake" and finish:
            share = answer[1]
            assert isinstance(share, bytes)
            [answer] = self.ask(line, "confirm", exchange.finish(share)[0], now=now)
        if answer[0] in ("no", "locked"):
            assert self.host.lines_to_close() == [line]
        if answer[0] != "confirm":
            self.host.line_down(line, "closed", now)
        return answer


@pytest.fixture
def guesser() -> Guesser:
    host = Peer.host(Identity.from_seed(b"h" * 32), "Host", THREE, seeded("h"), passphrase=Passphrase(SECRET))
    host.events()
    return Guesser(host)


def test_the_table_says_that_it_has_a_passphrase(guesser: Guesser) -> None:
    [answer] = guesser.ask(guesser.open(), "query")
    assert answer[6] is True


def test_before_the_proof_nothing_but_the_description(guesser: Guesser) -> None:
    line = guesser.open()
    assert guesser.ask(line, "hello", "Mallory", 1) == [["locked"]]
    assert guesser.ask(line, "offer", [b"", b""]) == []
    assert guesser.ask(line, "entry", b"") == []
    assert [event for event in guesser.host.events() if isinstance(event, LobbyChanged)] == []


def test_one_guess_a_line(guesser: Guesser) -> None:
    line = guesser.open()
    exchange = guesser.exchange(line, "guess")
    guesser.ask(line, "pake", exchange.share)
    with pytest.raises(WireError, match="second guess"):
        guesser.ask(line, "pake", guesser.exchange(line, "another").share)
    other = guesser.open()
    with pytest.raises(WireError, match="nothing went before"):
        guesser.ask(other, "confirm", bytes(32))


def test_a_share_that_is_none_is_a_wrong_guess(guesser: Guesser) -> None:
    line = guesser.open()
    [answer] = guesser.ask(line, "pake", bytes(32))
    assert answer[0] == "pake"
    with pytest.raises(WireError):
        guesser.ask(line, "confirm", bytes(32))
    assert guesser.guess(SECRET)[0] == "no"


def test_waits_grow_after_wrong_guesses_and_another_address_does_not_wait(guesser: Guesser) -> None:
    now = 0.0
    for wait in (1, 2, 4, 8):
        assert guesser.guess("wrong", now=now) == ["locked"]
        refusal = guesser.guess(SECRET, now=now + wait - 0.1)
        assert refusal[0] == "no"
        assert "try again in" in str(refusal[1])
        now += wait
    assert guesser.guess(SECRET, address="10.0.0.8", now=now)[0] == "confirm"
    assert guesser.guess(SECRET, now=now)[0] == "confirm"


def test_breaking_off_is_a_wrong_guess(guesser: Guesser) -> None:
    assert guesser.guess("wrong", finish=False)[0] == "pake"
    assert guesser.guess("wrong")[0] == "no"


def test_many_lines_at_once_are_no_way_around_the_waits(guesser: Guesser) -> None:
    """Counted from the beginning: a hundred lines that are opened together give twelve guesses, then one a wait."""
    lines = [guesser.open() for _ in range(100)]
    answers = [guesser.ask(line, "pake", guesser.exchange(line, "x").share)[0][0] for line in lines]
    assert answers.count("pake") == AT_ONCE
    assert len(guesser.host.lines_to_close()) == 100 - AT_ONCE
    for line in lines:
        guesser.host.line_down(line, "", 0.0)
    assert guesser.guess(SECRET, now=LONGEST_WAIT - 1)[0] == "no"
    line = guesser.open(now=LONGEST_WAIT)
    other = guesser.open(now=LONGEST_WAIT)
    assert guesser.ask(line, "pake", guesser.exchange(line, "x").share, now=LONGEST_WAIT)[0][0] == "pake"
    assert guesser.ask(other, "pake", guesser.exchange(other, "x").share, now=LONGEST_WAIT)[0][0] == "no"


def test_the_host_is_told_ever_more_rarely(guesser: Guesser) -> None:
    for number in range(20):
        guesser.guess("wrong", address=f"10.1.0.{number}", now=number * 10.0)
    notices = [event.text for event in guesser.host.events() if isinstance(event, Notice)]
    assert len(notices) == 5  # 1, 2, 4, 8, 16
    assert notices[0] == "A wrong passphrase came lately, the last from 10.1.0.0."


def test_from_everywhere_there_is_a_wait_for_all_and_memory_is_bounded() -> None:
    guesses = Guesses()
    for number in range(FREE_OVERALL):
        place = f"place {number}"
        assert guesses.wait(place, 0.0) == 0
        guesses.begin(place, 0.0)
        guesses.end(place, False, 0.0)
    assert guesses.wait("elsewhere", 0.0) == 0
    for number in range(MAX_PLACES * 2):
        guesses.begin(f"more {number}", 1.0)
        guesses.end(f"more {number}", False, 1.0)
    assert guesses.wait("elsewhere", 1.0) == 5
    assert guesses.wait("elsewhere", 6.0) == 0
    assert len(guesses._places) <= MAX_PLACES
    assert guesses.wait("more 1023", 700.0) == 0


def test_places() -> None:
    assert place_of(("10.0.0.1", 5)) == "10.0.0.1" == place_of(("::ffff:10.0.0.1", 5))
    assert place_of(("2001:db8::1", 5)) == place_of(("2001:db8::ffff:2", 5))
    assert place_of(("fe80::1%2", 5)) != place_of(("fe80::2%2", 5))
    assert place_of(None) == ""


@pytest.mark.parametrize("seed", range(4))
def test_whatever_is_said_at_the_door_it_stays_shut(seed: int) -> None:
    """Thousands of messages in any order with any bytes: WireError or nothing, and no hello gets a seat."""
    rng = random.Random(seed)
    host = Peer.host(Identity.from_seed(b"h" * 32), "Host", THREE, seeded("h"), passphrase=Passphrase(SECRET))
    joiner = Peer.join(Identity.from_seed(b"j" * 32), "Joiner", seeded("j"), passphrase=Passphrase(SECRET))
    joiner.line_up(1, host.key, True, ("10.0.0.1", 7425), 0.0, bytes(32))
    shares = [exchanges()[0].share, bytes(32), b"", rng.randbytes(32), rng.randbytes(33), 7, None, "x", [b""]]
    now, line = 0.0, 0
    for _ in range(1500):
        now += rng.random()
        if line == 0 or rng.random() < 0.3:
            line += 1
            host.line_up(line, rng.randbytes(32), False, (f"10.0.0.{rng.randrange(9)}", 1), now, bytes(32))
        name = rng.choice(["pake", "confirm", "locked", "hello", "offer", "seat", "roster", "query"])
        parts = [rng.choice([*shares, "Mallory", 1]) for _ in range(rng.choice([1, 1, 1, 2, 0]))]
        for peer, where in ((host, line), (joiner, 1)):
            try:
                peer.receive(where, encode([name, *parts]), now)
            except WireError:
                if peer is host:
                    host.line_down(line, "closed", now)
                    line += 1
                    host.line_up(line, rng.randbytes(32), False, ("10.0.0.9", 1), now, bytes(32))
            said = [decode(frame, max_bytes=1 << 16)[0] for _, frame in peer.data_to_send()]
            assert not {"seat", "lobby", "roster", "hello", "offer"} & set(said)
    assert host._hosting is not None
    assert host._hosting.taken == 1
    assert host._door is not None
    assert not host._door._proven


def test_a_frame_lost_on_the_way_leaves_nobody_waiting() -> None:
    table = locked(SECRET, SECRET)
    table.meddle = lambda sender, receiver, frame: [] if sender == 0 else [(HOP, frame)]
    table.form()
    table.run(60, until=lambda: table.seats[1].ended is not None)
    assert table.seats[1].ended is not None
