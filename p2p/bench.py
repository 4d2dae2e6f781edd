"""The speed of the deck on this machine, for the program around the table: cli never touches ``crypto`` itself."""

from nodealer.crypto.bench import measure

__all__ = ["measure"]
