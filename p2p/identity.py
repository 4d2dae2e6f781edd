"""Who a player is, for the program around the table: cli keeps the seed and never touches ``crypto`` itself."""

from nodealer.crypto.identity import Identity

__all__ = ["Identity"]
