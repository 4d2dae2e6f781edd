"""A row of samples that never grows beyond a bound: when it is full, every second one goes."""

from __future__ import annotations

MAX_SAMPLES = 2_000


class Series:
    """Samples in order, thinned evenly, and where each round began among all samples given."""

    def __init__(self) -> None:
        self.samples: list[tuple[int, ...]] = []
        self.begins: list[int] = []
        self.given = 0
        self._every = 1

    def begin(self) -> None:
        """A round begins with the next sample."""
        if len(self.begins) < MAX_SAMPLES:
            self.begins.append(self.given)

    def add(self, sample: tuple[int, ...]) -> None:
        if self.given % self._every == 0:
            self.samples.append(sample)
            if len(self.samples) > MAX_SAMPLES:
                self.samples = self.samples[::2]
                self._every *= 2
        self.given += 1
