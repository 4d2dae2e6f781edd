"""A coverage-guided fuzzer over every decoder of bytes that somebody else may have written (`make fuzz`).

    python -m tests.soak_fuzz [--inputs 10000000] [--only NAME …] [--corpus FOLDER]

The decoders and their seeds are those of `tests/helpers/decoders.py`. Each is fuzzed in a process of its own, one after
the other, with its share of the inputs, so that none starves beside one that is quicker or has more branches. A fault
is an error that is no error of the decoder's own, a value that does not encode to what it was read from, an input that
takes half a second, or a process that grows beyond 400 MB. What the fuzzer has found worth keeping stays in the corpus
folder, and the next run begins with it; an input that is a fault is left in its folder `faults`.

Needs the PyPI package `atheris`, which has no wheel for every Python that nodealer runs on.
"""

from __future__ import annotations

import argparse
import os
import random
import sys
import time
from pathlib import Path

try:
    import atheris
except ImportError:
    sys.exit("This needs the fuzzer: pip install atheris")

with atheris.instrument_imports(include=["nodealer"]):
    from tests.helpers.decoders import Decoder, registry
    from tests.helpers.fuzz import changed

    # Its modules are imported by this call, and with them everything that is to be watched.
    DECODERS = registry()

from nodealer.p2p.errors import WireError
from nodealer.p2p.wire import decode, encode

ROOT = Path(__file__).resolve().parent.parent
LONGEST = 4096
# Of the processor's time: a machine that is busy with something else is no fault.
MOST_SECONDS = 0.5
MOST_MB = 400


def mutate(data: bytes, max_size: int, seed: int) -> bytes:
    """Half of the time bytes are changed, else, where it is a value of ours, something in it: it stays canonical."""
    rng = random.Random(seed)
    if rng.random() < 0.5:
        try:
            return encode(changed(rng, decode(data, max_bytes=LONGEST)))[:max_size]
        except (WireError, ValueError, OverflowError):
            pass
    return bytes(atheris.Mutate(data, max_size))


def fuzz(decoder: Decoder, inputs: int, folder: Path, faults: Path) -> None:
    """Never returns: the process ends, with 0 if there was no fault."""

    def test(data: bytes) -> None:
        began = time.process_time()
        decoder.takes(data)
        took = time.process_time() - began
        assert took < MOST_SECONDS, f"{took:.2f} s for {len(data)} bytes"

    options = {
        "runs": inputs,
        "max_len": LONGEST,
        "timeout": 60,
        "rss_limit_mb": MOST_MB,
        "artifact_prefix": f"{faults}/{folder.name}-",
        "verbosity": 0,
        "reload": 0,
        "len_control": 0,
        "use_value_profile": 1,
    }
    words = [sys.argv[0], *(f"-{name}={value}" for name, value in options.items()), str(folder)]
    atheris.Setup(words, test, custom_mutator=mutate)
    atheris.Fuzz()


def child(decoder: Decoder, inputs: int, folder: Path, faults: Path) -> int:
    """Fuzz one decoder in a process of its own; its exit code. What the fuzzer tells is shown if there is a fault."""
    told = faults / f"{folder.name}.log"
    with told.open("wb") as log:
        process = os.fork()
        if not process:
            os.dup2(log.fileno(), 1)
            os.dup2(log.fileno(), 2)
            try:
                fuzz(decoder, inputs, folder, faults)
            finally:
                os._exit(1)
    _, status = os.waitpid(process, 0)
    code = os.waitstatus_to_exitcode(status)
    if code:
        print("\n".join(told.read_text(errors="replace").splitlines()[-60:]))
    else:
        told.unlink()
    return code


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--inputs", type=int, default=10_000_000)
    parser.add_argument("--only", nargs="*", metavar="NAME", help="of these decoders alone")
    parser.add_argument("--corpus", type=Path, default=ROOT / ".fuzz")
    args = parser.parse_args()
    decoders = {name: decoder for name, decoder in DECODERS.items() if not args.only or name in args.only}
    whole, begun, failed, done = sum(decoder.share for decoder in decoders.values()), time.monotonic(), [], 0
    faults = args.corpus / "faults"
    faults.mkdir(parents=True, exist_ok=True)
    for name, decoder in decoders.items():
        folder = args.corpus / name.replace(" ", "-")
        folder.mkdir(exist_ok=True)
        for number, seed in enumerate(decoder.seeds()):
            (folder / f"seed-{number}").write_bytes(seed)
        inputs, since = round(args.inputs * decoder.share / whole), time.monotonic()
        code = child(decoder, inputs, folder, faults)
        took = time.monotonic() - since
        done += inputs
        kept = sum(1 for _ in folder.iterdir())
        print(f"{name}: {inputs} inputs in {took:.0f} s, {kept} kept{f', FAILED ({code})' if code else ''}", flush=True)
        if code:
            failed.append(name)
    took, spent = time.monotonic() - begun, os.times()
    core = spent.children_user + spent.children_system
    print(f"{done} inputs to {len(decoders)} decoders in {took:.0f} s, {core:.0f} s of one core", flush=True)
    print(f"failed: {', '.join(failed) or 'none'}", flush=True)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
