"""Side by side with other programs that can be installed from a public registry, the same job in one run.

    .venv/bin/python -m pip install curdleproofs==0.1.2
    npm install --prefix benchmarks --no-save --no-package-lock mental-poker@1.0.0
    .venv/bin/python -m benchmarks.rivals [--rounds 3] [--json]

What is not installed is left out. One verifiable shuffle: `curdleproofs` (PyPI), the shuffle proof of the Whisk
proposal, BLS12-381, its arithmetic compiled from Rust. It fixes n: 124 cards and 4 blinders. The same job for both: n
ciphertexts are masked by one secret and permuted, it is proven that they are the same ones, and the proof is decoded
from bytes and checked. (A ciphertext there is a pair of points, here a point; nodealer shows the mask's K with each
shuffle.) One thread, processor time, the best of the rounds, each in turn; the ratio is theirs to ours. A whole deal:
`mental-poker` (npm), see `mental_poker.py`.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import sys
import time
from collections.abc import Callable
from typing import Any

from nodealer.crypto import cores, shuffle
from nodealer.crypto.cards import cards_hash, deck_points, generators
from nodealer.crypto.context import Context
from nodealer.crypto.group import encode_scalar, random_scalar
from nodealer.crypto.permutation import permutation

from benchmarks import mental_poker

N = 124

Job = tuple[dict[str, Callable[[], object]], Callable[[], int]]


def ours() -> Job:
    """Steps in order, and the bytes of what is sent beside the cards."""
    ctx = Context(bytes(32), 0, 0, 0, 0, 0, N, cards_hash("rivals", range(N)))
    deck, k = deck_points("rivals", range(N)), random_scalar()
    order = permutation(os.urandom(32), "rivals", b"", N)
    generators(N)
    state: dict[str, Any] = {}

    def ahead() -> None:
        state["prepared"] = shuffle.prepare(ctx, order, encode_scalar(k))

    def prove() -> None:
        state["data"] = shuffle.prove(ctx, deck, k, order, state.pop("prepared")).encode()

    def verify() -> None:
        shuffle.verify(ctx, deck, shuffle.ShuffleStep.decode(N, state["data"]))

    return {"ahead": ahead, "prove": prove, "verify": verify}, lambda: len(state["data"]) - 32 * N


def curdleproofs() -> Job:
    """The same of the rival; it prepares nothing ahead."""
    from curdleproofs.crs import CurdleproofsCrs  # type: ignore[import-not-found]
    from curdleproofs.curdleproofs import (  # type: ignore[import-not-found]
        N_BLINDERS,
        CurdleProofsProof,
        shuffle_permute_and_commit_input,
    )
    from curdleproofs.util import BufReader, get_random_point, random_scalar  # type: ignore[import-not-found]

    crs = CurdleproofsCrs.new(N, N_BLINDERS)
    k = random_scalar()
    r = [get_random_point() for _ in range(N)]
    s = [get_random_point() for _ in range(N)]
    state: dict[str, Any] = {}

    def prove() -> None:
        order = list(range(N))
        random.SystemRandom().shuffle(order)
        t, u, m, blinders = shuffle_permute_and_commit_input(crs, r, s, order, k)
        proof = CurdleProofsProof.new(crs, r, s, t, u, m, order, k, blinders)
        state.update(t=t, u=u, m=m, data=proof.to_bytes())

    def verify() -> None:
        proof = CurdleProofsProof.from_bytes(BufReader(state["data"]), N + N_BLINDERS)
        proof.verify(crs, r, s, state["t"], state["u"], state["m"])

    return {"prove": prove, "verify": verify}, lambda: len(state["data"])


def race(rounds: int) -> dict[str, Any]:
    """Milliseconds and bytes of each, and how many times as long the rival takes."""
    jobs = {"nodealer": ours(), "curdleproofs": curdleproofs()}
    best: dict[str, dict[str, float]] = {name: {} for name in jobs}
    with cores.using(1):
        for _ in range(rounds):
            for name, (steps, _) in jobs.items():
                for step, call in steps.items():
                    start = time.process_time()
                    call()
                    spent = 1e3 * (time.process_time() - start)
                    best[name][step] = min(best[name].get(step, spent), spent)
    sizes = {name: size() for name, (_, size) in jobs.items()}
    mine, theirs = best["nodealer"], best["curdleproofs"]
    return {
        "n": N,
        "ms": best,
        "bytes": sizes,
        "ratio": {
            "prove": theirs["prove"] / mine["prove"],
            "prove, with what is prepared ahead": theirs["prove"] / (mine["ahead"] + mine["prove"]),
            "verify": theirs["verify"] / mine["verify"],
        },
    }


def told(figures: dict[str, Any]) -> list[str]:
    """Lines for a person."""
    lines = [f"One verifiable shuffle of {figures['n']} cards, processor time."]
    for name, steps in figures["ms"].items():
        times = ", ".join(f"{step} {ms:.0f} ms" for step, ms in steps.items())
        lines.append(f"{name:<16}{times}; {figures['bytes'][name]} bytes of proof")
    for step, ratio in figures["ratio"].items():
        lines.append(f"curdleproofs takes {ratio:.1f} times as long to {step}")
    return lines


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--json", action="store_true")
    args = parser.parse_args()
    rounds, figures, lines = max(1, args.rounds), {}, []
    try:
        figures["shuffle"] = race(rounds)
        lines += told(figures["shuffle"])
    except ModuleNotFoundError as missing:
        print(f"{missing.name} is not installed here; see the beginning of this file.", file=sys.stderr)
    try:
        with cores.using(1):
            figures["deal"] = mental_poker.race(rounds)
        lines += mental_poker.told(figures["deal"])
    except mental_poker.NotInstalled as missing:
        print(f"{missing} is not installed here; see the beginning of this file.", file=sys.stderr)
    for line in [json.dumps(figures)] if args.json else lines:
        print(line)
    return 0 if figures else 2


if __name__ == "__main__":
    sys.exit(main())
