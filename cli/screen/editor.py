"""One line of text being typed: for chat, names and addresses."""

from __future__ import annotations

from dataclasses import dataclass

from nodealer.p2p.names import clean_text

from .text import Line, Span, cut, line, width


@dataclass(slots=True)
class Editor:
    """``text`` with the cursor before character ``at``; takes at most ``limit`` bytes of UTF-8."""

    text: str = ""
    at: int = 0
    limit: int = 500
    hidden: bool = False

    def __post_init__(self) -> None:
        self.at = len(self.text)

    def press(self, key: str) -> bool:
        """Take a key; False for one that means nothing here."""
        match key:
            case "left":
                self.at = max(self.at - 1, 0)
            case "right":
                self.at = min(self.at + 1, len(self.text))
            case "home" | "c-a":
                self.at = 0
            case "end" | "c-e":
                self.at = len(self.text)
            case "backspace" if self.at:
                self.text = self.text[: self.at - 1] + self.text[self.at :]
                self.at -= 1
            case "backspace":
                pass
            case "delete":
                self.text = self.text[: self.at] + self.text[self.at + 1 :]
            case "c-u":
                self.text, self.at = self.text[self.at :], 0
            case _ if len(key) == 1:
                self.insert(key)
            case _:
                return False
        return True

    def insert(self, text: str) -> None:
        """Put text at the cursor, cleaned; what is over the limit is not taken."""
        for char in clean_text(text):
            if len((self.text + char).encode()) > self.limit:
                return
            self.text = self.text[: self.at] + char + self.text[self.at :]
            self.at += 1

    def shown(self, cells: int, style: str = "", *, cursor: bool = True) -> Line:
        """The part around the cursor in exactly so many cells."""
        text = "*" * len(self.text) if self.hidden else self.text
        before, rest = text[: self.at], text[self.at :]
        on, after = (rest[:1] or " "), rest[1:]
        start = max(width(before) + width(on) - cells, 0)
        whole = line(Span(style, before), Span("cursor" if cursor else style, on), Span(style, after))
        return cut(whole, start, cells)
