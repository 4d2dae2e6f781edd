"""The trace of a peer: every message and every step of a proof is in it, and no secret of anybody is."""

from __future__ import annotations

import random
from collections.abc import Iterator

import pytest
from nodealer import engine
from nodealer.crypto.group import encode_scalar
from nodealer.crypto.transcript import ProofStep, watching
from nodealer.p2p.mesh import MAX_FRAME
from nodealer.p2p.options import TableOptions
from nodealer.p2p.trace import Trace, shape
from nodealer.p2p.wire import decode

from examples.liar import sitting_of
from examples.rigged import DM, Deal, Rigged
from examples.table import Table, eager

WATCHED = 1


class Traced:
    """A table with a trace of one of its peers; proofs are those of all, as they share this process."""

    def __init__(self, table: Table) -> None:
        self.table = table
        self.lines: list[str] = []
        self.trace = Trace(self.lines.append, lambda: table.now, "me")
        self.trace.follow(table.seats[WATCHED].peer)
        with self.trace.watching():
            table.form()

    def run(self, **until: object) -> None:
        with self.trace.watching():
            self.table.run(600, **until)  # type: ignore[arg-type]

    @property
    def text(self) -> str:
        return "\n".join(self.lines)


def short(players: int = 3, edition: str = "despicable-me-4") -> Table:
    return Table(players, TableOptions.defaults(edition, players, 0).fast(), seed="trace", choose=eager)


def secrets(table: Table) -> Iterator[tuple[str, bytes | int]]:
    """Everything that no other program may ever learn, of every peer."""
    for index, seated in enumerate(table.seats):
        player = sitting_of(seated).player
        yield f"box secret of {index}", player._box_secret
        for secret in player._secrets.values():
            yield f"seed of {index}", secret._seed
            yield f"mask of {index}", secret._k
            yield from ((f"key {place} of {index}", key) for place, key in enumerate(secret._keys))
            for holder, sigma in secret._sigmas.items():
                yield f"sigma of {index} for {holder}", sigma
                yield from ((f"piece of {index} for {holder}", piece) for piece in secret._seeds[holder].pieces)
        if player._vault.challenge is not None:
            yield f"challenge of {index}", player._vault.challenge
        yield f"coin share of {index}", player._coin_share


def forms(secret: bytes | int) -> list[str]:
    """How a secret could stand in a text: whole or begun, in hex either way round, as a number, raw, as Python."""
    data = secret if isinstance(secret, bytes) else encode_scalar(secret)
    number = int.from_bytes(data, "little")
    hexes = [data.hex()[:12], data[::-1].hex()[:12], f"{number:x}"[:12], f"{int.from_bytes(data, 'big'):x}"[:12]]
    return [*hexes, *(h.upper() for h in hexes), str(number)[:14], str(int.from_bytes(data, "big"))[:14],
            data.decode("latin-1")[:6], repr(data)[2:14]]  # fmt: skip


def leaks(text: str, table: Table) -> list[str]:
    return [what for what, secret in secrets(table) if any(form in text for form in forms(secret))]


@pytest.mark.parametrize("edition", ["four-colors", "despicable-me-4"])
def test_no_secret_of_anybody_is_in_it(edition: str) -> None:
    traced = Traced(short(edition=edition))
    match = traced.table.seats[0].peer.match

    def in_play() -> bool:
        return match is not None and match.state is not None and len(match.state.discard) > 6

    traced.run(until=in_play)
    assert in_play()
    assert len(list(secrets(traced.table))) > 300
    assert leaks(traced.text, traced.table) == []
    # Cards that are still in hands, and the orders of the decks.
    for seated in traced.table.seats:
        player = sitting_of(seated).player
        assert len(player.known) > 1
        for card in player.known.values():
            assert f"card #{card} " not in traced.text
        for secret in player._secrets.values():
            order = [str(place) for place in secret._permutation[:5]]
            assert all(by.join(order) not in traced.text for by in (" ", ", ", ","))


def test_the_search_would_find_them() -> None:
    """The test above can fail: each secret, put into the trace in any of its forms, is found."""
    traced = Traced(short(players=2))
    traced.run(until=lambda: traced.table.seats[0].peer.match.slot.number > 12)  # type: ignore[union-attr]
    rng = random.Random(4)
    every = list(secrets(traced.table))
    for what, secret in rng.sample(every, 20):
        form = rng.choice(forms(secret))
        assert what in leaks(f"{traced.text} {form}", traced.table)


def test_a_challenge_and_its_one_time_key() -> None:
    deal = Deal(DM, ["", "wild draw four, blue 1 2 5, yellow 1 2 3", ""], top="orange 5")
    table = Rigged(deal, {1: ["wild draw four -> blue"], 2: ["challenge"]})
    traced = Traced(table)
    traced.run(until=lambda: "'seen'" in traced.text)
    text = traced.text
    assert any(what.startswith("challenge") for what, _ in secrets(table))
    assert leaks(text, table) == []
    for word in ("'challenge'", "'verdict'", "'seen'", "innocent, a box of"):
        assert word in text


def test_every_message_is_in_it() -> None:
    table = short(players=2)
    traced = Traced(table)
    traced.run()
    sent = received = 0
    for sender, receiver, frame in table.traffic:
        message = decode(frame, max_bytes=MAX_FRAME)
        whole = message[0] != "part" or message[1]
        sent += whole and sender == WATCHED
        received += whole and receiver == WATCHED
    assert sum(" me > " in line for line in traced.lines) == sent
    # What was still under way at the end was sent and not received.
    came = sum(" me < " in line for line in traced.lines)
    assert received - 4 <= came <= received
    for kind in ("'start'", "'coin'", "'shuffle'", "'lock'", "'epoch ok'", "'keys'", "'play'", "'open'", "'end'"):
        assert kind in traced.text, kind
    plays = [event for event in table.seats[0].told if isinstance(getattr(event, "event", None), engine.CardPlayed)]
    assert sum("'play'" in line and "shows card #" in line for line in traced.lines) == len(plays)


def test_every_step_of_a_proof_with_its_label() -> None:
    traced = Traced(short(players=2))
    traced.run(until=lambda: traced.table.seats[0].peer.match.slot.number > 4)  # type: ignore[union-attr]
    lines = [line.split("me ", 1)[1] for line in traced.lines if "me   " in line]
    starts = [at for at, line in enumerate(lines) if line.startswith("  proof of 'shuffle'")]
    assert len(starts) >= 2
    labels = [line.split(":")[0].split(" ", 4)[-1] for line in lines[starts[0] : starts[1]]]
    steps = [label for label in labels if label.split()[0] in ("append", "challenge")]
    assert [step for step in steps if step != "challenge"][:14] == [
        "append A", "append B", "append K", "append C_pi", "challenge u", "append C_u", "challenge lambda",
        "challenge x", "append C_d", "append C_delta", "append C_a", "append T", "append T_K", "challenge e",
    ]  # fmt: skip


def test_steps_are_seen_only_while_somebody_watches() -> None:
    seen: list[ProofStep] = []
    table = short(players=2)
    table.form()
    with watching(seen.append):
        pass
    table.run(600, until=lambda: table.seats[0].peer.match.slot.number > 3)  # type: ignore[union-attr]
    assert seen == []


def test_what_is_no_message_is_told_too() -> None:
    assert shape([b"ab", "x\x1b[2J", [1, None], True]) == "[<2 bytes> 'x[2J' [1 None] True]"
    lines: list[str] = []
    table = short(players=2)
    trace = Trace(lines.append, lambda: 0.0)
    trace.follow(table.seats[0].peer)
    link = type("Link", (), {"writer": None, "key": bytes(32)})()
    for message in (["entry", b"junk"], ["ping", [], [], False], [7], ["wholly", "new"], ["entry", b"", 5]):
        trace._message(False, link, message)
    assert len(lines) == 5
    assert "malformed" in lines[0]
