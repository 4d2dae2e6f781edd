"""A whole deal beside the npm package ``mental-poker``, which has no proofs: who cheats in it is not found out.

The job, for both: four players make their keys (with a public one for each card) and the points of 52 cards, everyone
for itself; each in turn permutes and masks the deck; each in turn puts a key of its own on every card in the place of
that mask; then 28 cards are opened with the keys of all. So its README tells it, on the curve secp256k1, by C where its
dependency could be compiled, else by JavaScript. Ours is done twice: without proofs, which is the same job, and whole,
where every shuffle and lock is proven, and checked by everybody else, as at a table. Processor time of all players
together, the best of the rounds, each program in turn.
"""

from __future__ import annotations

import json
import os
import subprocess
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from nodealer.crypto import shuffle
from nodealer.crypto.context import EpochId
from nodealer.crypto.deck import EpochDeck, EpochSecrets
from nodealer.crypto.group import ORDER, Point, hash_to_point, inverse, random_scalar
from nodealer.crypto.permutation import permutation
from nodealer.crypto.products import base_multiples, multiples

PLAYERS, CARDS, HAND = 4, 52, 7
DEALT = PLAYERS * HAND
WARM = 5
"""Deals of one run of the rival: its engine compiles what it does again and again."""
SCRIPT = Path(__file__).with_name("mental_poker.cjs")


class NotInstalled(Exception):
    """Node or the package is not there."""


Times = dict[str, float]


class Watch:
    """Milliseconds of processor time, by step."""

    def __init__(self) -> None:
        self.ms: Times = {}

    @contextmanager
    def timing(self, step: str) -> Iterator[None]:
        begun = time.process_time()
        yield
        self.ms[step] = self.ms.get(step, 0.0) + 1e3 * (time.process_time() - begun)


def theirs() -> dict[str, Any]:
    words = ["node", str(SCRIPT), *map(str, (PLAYERS, CARDS, HAND, WARM))]
    try:
        done = subprocess.run(words, capture_output=True, text=True)
    except FileNotFoundError:
        raise NotInstalled("node") from None
    if "Cannot find module 'mental-poker'" in done.stderr:
        raise NotInstalled("mental-poker")
    if done.returncode:
        raise RuntimeError(done.stderr)
    found: dict[str, Any] = json.loads(done.stdout)
    return found


def without_proofs() -> Times:
    """The job, by the functions of `nodealer.crypto` that do nothing else."""
    watch, everybody = Watch(), range(PLAYERS)
    with watch.timing("keys"):
        masks = [random_scalar() for _ in everybody]
        keys = [[random_scalar() for _ in range(CARDS)] for _ in everybody]
        for mine in keys:
            base_multiples(mine)
    with watch.timing("cards"):
        points, *_ = [[hash_to_point("rivals", bytes([card])) for card in range(CARDS)] for _ in everybody]
    deck: list[Point] = points
    with watch.timing("shuffle"):
        for mask in masks:
            deck = list(shuffle.mask(deck, mask, permutation(os.urandom(32), "rivals", b"", CARDS))[0])
    with watch.timing("lock"):
        for mask, mine in zip(masks, keys, strict=True):
            off = inverse(mask)
            deck = multiples([key * off % ORDER for key in mine], deck)
    with watch.timing("read"):
        faces = {point.data: card for card, point in enumerate(points)}
        read = []
        for place in range(DEALT):
            product = 1
            for mine in keys:
                product = product * mine[place] % ORDER
            read.append(faces[(inverse(product) * deck[place]).data])
    if len(set(read)) != DEALT:
        raise RuntimeError("a card did not open")
    return watch.ms


def whole() -> Times:
    """The same with everything proven by one and checked by all others, by the verbs that peers use."""
    watch, everybody = Watch(), range(PLAYERS)
    where = EpochId(os.urandom(32), 0, 0, 0)
    with watch.timing("keys"):
        secrets = [EpochSecrets(os.urandom(32), where, seat, CARDS) for seat in everybody]
    with watch.timing("cards"):
        decks = [EpochDeck(where, "rivals", range(CARDS), everybody) for _ in everybody]
    steps: tuple[tuple[str, Callable[..., bytes], Callable[..., None]], ...] = (
        ("shuffle", EpochSecrets.make_shuffle, EpochDeck.take_shuffle),
        ("lock", EpochSecrets.make_lock, EpochDeck.take_lock),
    )
    for step, make, take in steps:
        for seat in everybody:
            with watch.timing(step):
                data = make(secrets[seat], decks[seat], seat)
                for other in everybody:
                    take(decks[other], seat, seat, data, verified=other == seat)
    read = []
    with watch.timing("read"):
        for place in range(DEALT):
            owner = place % PLAYERS
            for giver in everybody:
                for taker in everybody if giver != owner else ():
                    decks[taker].take_key(giver, place, secrets[giver].key(place))
            read.append(secrets[owner].read(decks[owner], place))
    if len(set(read)) != DEALT:
        raise RuntimeError("a card did not open")
    return watch.ms


def race(rounds: int) -> dict[str, Any]:
    """Milliseconds by step of each, `all` of them, and how many times as long the rival takes; raises NotInstalled."""
    best: dict[str, Times] = {"mental-poker": {}, "without proofs": {}, "with proofs": {}}
    compiled = False
    for _ in range(rounds):
        rival = theirs()
        compiled = rival["compiled"]
        for name, found in zip(best, (rival["ms"], without_proofs(), whole()), strict=True):
            best[name] = {step: min(best[name].get(step, ms), ms) for step, ms in found.items()}
    totals = {name: sum(steps.values()) for name, steps in best.items()}
    return {
        "players": PLAYERS,
        "cards": CARDS,
        "dealt": DEALT,
        "compiled": compiled,
        "ms": {name: {**steps, "all": totals[name]} for name, steps in best.items()},
        "ratio": {name: totals["mental-poker"] / totals[name] for name in ("without proofs", "with proofs")},
    }


def told(figures: dict[str, Any]) -> list[str]:
    """Lines for a person."""
    how = "compiled" if figures["compiled"] else "in JavaScript"
    lines = [
        f"A deal of {figures['dealt']} of {figures['cards']} cards to {figures['players']} players, processor time of "
        f"all; mental-poker's arithmetic is {how}."
    ]
    for name, steps in figures["ms"].items():
        lines.append(f"{name:<16}" + ", ".join(f"{step} {ms:.1f} ms" for step, ms in steps.items()))
    for name, ratio in figures["ratio"].items():
        lines.append(f"mental-poker takes {ratio:.2f} times as long as nodealer {name}")
    return lines
