"""Every kind of cheat once: in words, with the table at which it happens and the check that must find it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

from nodealer.crypto.context import Context
from nodealer.crypto.group import hash_to_point
from nodealer.p2p.bodies import NOTHING
from nodealer.p2p.slots import SlotKind
from nodealer.p2p.wire import encode

from examples.liar import CheatTable, Trick, forge, instead
from examples.rigged import DM, LS
from examples.table import hoard
from examples.two_faces import TwoFaces

from . import cards, equivocation, escrow, keys, lock, shuffle, specials, verdict, window


@dataclass(frozen=True)
class Cheat:
    """``table`` makes the table, ready to be played; ``shown`` is false where no transcript can show it.

    ``sent`` is what it sends where that is not one false entry.
    """

    name: str
    told: str
    check: str
    table: Callable[[], CheatTable]
    shown: bool = True
    sent: str = ""


def one(name: str, told: str, check: str, trick: Trick, **where: object) -> Cheat:
    """A cheat that is one false entry at an ordinary table."""
    return Cheat(name, told, check, lambda: CheatTable(trick, **{"players": 3, **where}))  # type: ignore[arg-type]


def at_play(then: Callable[[CheatTable], None]) -> Callable[[], CheatTable]:
    """A table in the middle of the game, at which the cheat then does something."""

    def make() -> CheatTable:
        table = CheatTable(players=3)
        table.form()
        table.until(lambda match: match.slot.kind is SlotKind.MOVE and table.liar.seat not in match.slot.owed)
        then(table)
        return table

    return make


def two_lines(table: CheatTable) -> None:
    for text in ("yes", "no"):
        table.say_now("entry", forge(table.liar, "chat", encode([text])).encode())


def shuffle_for_another_table(s: shuffle.Shuffler) -> bytes:
    elsewhere: Context = replace(s.ctx, table=b"another table".ljust(32))
    return s.prove(s.honest, ctx=elsewhere)


def locked(change: Callable[[lock.Locker], None]) -> Trick:
    def make(locker: lock.Locker) -> bytes:
        change(locker)
        return locker.prove()

    return lock.locks(make)


CATALOGUE = (
    one("coin", "reveals another coin than it had committed to", "coin", instead("coin", body=encode([b"c" * 32]))),
    one(
        "shuffle",
        "puts a point that is no card in the place of one, under the honest prover's proof",
        "shuffle V4",
        shuffle.shuffles(shuffle.with_points(shuffle.replaced)),
    ),
    one(
        "copied proof",
        "sends a true shuffle with a proof made for another table",
        "shuffle V1",
        shuffle.shuffles(shuffle_for_another_table),
    ),
    one("lock", "exchanges two positions while it locks", "lock proof", locked(lock.two_positions_exchanged)),
    one(
        "false key tag",
        "publishes another key's tag in its lock, to open the position to another card later",
        "lock proof",
        locked(lock.another_key_than_its_tag),
    ),
    one(
        "escrow",
        "complains about a sealed piece that is in order",
        "escrow complaint",
        escrow.complaint(escrow.true_opening),
        escrow=True,
    ),
    one("key", "sends a wrong key for a card that is dealt", "key share", keys.shares("keys", keys.add(1))),
    one("keys kept back", "sends one key too few", "key count", keys.shares("keys", lambda given: given[:-1])),
    one("card", "plays a card of another hand as its own", "hand", cards.plays(cards.of_another_hand)),
    one("face", "plays a card of its hand as another card", "shown face", cards.plays(cards.another_face)),
    one("second play", "plays a card again that it has played before", "hand", cards.plays(cards.played_before)),
    one("rules", "passes although cards are left to draw", "rules", instead("draw", kind="pass"), choose=hoard),
    Cheat(
        "out of turn",
        "draws while it is another's turn",
        "slot",
        at_play(lambda table: table.write_now("draw", NOTHING)),
    ),
    one("kind", "answers with an entry that its slot does not take", "kind", instead("draw", kind="take")),
    one("digest", "acts on another state than the table's", "digest", instead("draw", header={"digest": b"x" * 32})),
    one("malformed", "signs bytes that are no body", "body", instead("keys", body=bytes(range(200)))),
    Cheat(
        "two faces",
        "draws before some and plays before the others: two entries with one number. It is out, and the rest deal anew",
        "equivocation",
        lambda: TwoFaces(equivocation.draw_or_play, {0}, lists=True).seat(players=3),
        sent="'draw' to one and 'play' to the other, with one number",
    ),
    Cheat(
        "two lines of chat",
        "signs two different lines with one number",
        "equivocation",
        at_play(two_lines),
        sent="'chat' twice, with one number",
    ),
    one(
        "UNO",
        "claims to have heard a call that the owner of the window never signed",
        "heard",
        window.heard(window.signed_by_the_cheat),
        choose=window.silent,
        players=4,
    ),
    Cheat(
        "bluff denied",
        "played a wild draw four while it held the colour, and swears that it held none",
        "hand all, keys proof",
        lambda: verdict.table(verdict.GUILTY, verdict.verdict(verdict.swears_to_other_cards)),
    ),
    Cheat(
        "guilt pretended",
        "played it rightly, and claims a bluff, so that the challenger does not draw",
        "hand one proof",
        lambda: verdict.table(verdict.INNOCENT, verdict.verdict(verdict.swears_to_a_red_card)),
    ),
    Cheat(
        "sealed garbage",
        "proves its verdict, but seals garbage to the challenger in the place of its hand",
        "sealed hand",
        lambda: verdict.table(verdict.INNOCENT, verdict.verdict(verdict.garbage)),
    ),
    Cheat(
        "false complaint",
        "challenged, and complains about a sealed hand that is in order",
        "complaint",
        lambda: verdict.table(verdict.INNOCENT, verdict.complains_with(0), cheat=verdict.CHALLENGER),
    ),
    Cheat(
        "Mega Minions",
        "keeps an icon card back and swears that it is a number",
        "hand all, keys proof",
        lambda: specials.table(DM, specials.MIXED, specials.show(specials.keeps_one_and_swears)),
    ),
    Cheat(
        "Ohana",
        "reveals another choice than it had committed to",
        "choice",
        lambda: specials.table(LS, specials.SEVEN, specials.reveals(specials.other_cards)),
    ),
    one(
        "opened hand",
        "keeps a card back when hands are opened at the end of the round",
        "hand",
        cards.opens(lambda opened: opened[1:]),
        players=4,
        seed="the cheat loses",
    ),
    one(
        "final digest",
        "names another final state than all others",
        "final digest",
        instead("end", body=encode([b"x" * 32])),
    ),
    Cheat(
        "noise",
        "sends what is no message of the protocol, unsigned",
        "line",
        at_play(lambda table: table.say_now("nonsense", hash_to_point("noise").data)),
        shown=False,
        sent="a message that nobody signs",
    ),
)
