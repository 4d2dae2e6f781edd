"""The speed of this machine, for the program around the table: cli never touches ``crypto`` itself."""

from nodealer.crypto.bench import measure

from .round_bench import measure_rounds

__all__ = ["measure", "measure_rounds"]
