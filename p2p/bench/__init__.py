"""The speed of this machine, for the program around the table: cli never touches ``crypto`` itself."""

from nodealer.crypto.bench import measure, multiplication

from .deal import measure_deals
from .growth import measure_growth
from .play import measure_play
from .rounds import measure_rounds

__all__ = ["measure", "measure_deals", "measure_growth", "measure_play", "measure_rounds", "multiplication"]
