"""Pages of ``verify --report`` for tests: made from the vectors' small matches, and read as strictly as can be."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from html.parser import HTMLParser
from pathlib import Path

from nodealer.cli.report_page.chronicle import Chronicle
from nodealer.cli.report_page.fairness import Sample
from nodealer.cli.report_page.page import Checked, build
from nodealer.cli.tally import Tally
from nodealer.p2p.events import PeerEvent
from nodealer.p2p.verify import verify

VECTORS = Path(__file__).resolve().parents[1] / "vectors"
VOID = {"meta", "br", "rect", "line", "path", "circle", "polyline"}


def page_of(*files: Path, change: Callable[[PeerEvent], PeerEvent | Sequence[PeerEvent]] = lambda event: event) -> str:
    """The page about these transcripts; ``change`` sees every event first."""
    samples: dict[str, Sample] = {}
    chronicles: list[Chronicle] = []
    checked: list[Checked] = []
    for path in files:
        chronicle, tally = Chronicle(samples), Tally()

        def on_event(event: PeerEvent, chronicle: Chronicle = chronicle, tally: Tally = tally) -> None:
            changed = change(event)
            for one in changed if isinstance(changed, Sequence) else (changed,):
                tally.on_event(one)
                chronicle.on_event(one)

        with path.open("rb") as file:
            report = verify(file, on_event)
        chronicle.decks.finish()
        if chronicle.players:
            report = replace(report, players=chronicle.players)
        chronicles.append(chronicle)
        checked.append(Checked(str(path), report, tally))
    return build(checked, chronicles[0], samples)


def vector(name: str) -> Path:
    return VECTORS / f"match-{name}.nodealer"


@dataclass
class Element:
    """An element with what stands in it."""

    tag: str
    attributes: dict[str, str | None]
    text: str = ""
    children: list[Element] = field(default_factory=list)

    def all(self, tag: str | None = None) -> list[Element]:
        found = [self] if tag in (None, self.tag) else []
        return found + [one for child in self.children for one in child.all(tag)]

    def find(self, id: str) -> Element:
        return next(one for one in self.all() if one.attributes.get("id") == id)

    @property
    def words(self) -> str:
        """All text in it, in order, with single blanks."""
        return " ".join(self.text.split())


class Reader(HTMLParser):
    """Takes well-formed pages alone: every element closed, in order, and no attribute twice."""

    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self.root = Element("", {})
        self._open = [self.root]
        self.comments: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        assert len({name for name, _ in attrs}) == len(attrs), (tag, attrs)
        element = Element(tag, dict(attrs))
        self._open[-1].children.append(element)
        if tag not in VOID:
            self._open.append(element)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        assert tag in VOID
        self.handle_starttag(tag, attrs)

    def handle_endtag(self, tag: str) -> None:
        assert self._open[-1].tag == tag, (tag, [one.tag for one in self._open])
        self._open.pop()

    def handle_data(self, data: str) -> None:
        for one in self._open:
            one.text += data

    def handle_comment(self, data: str) -> None:
        self.comments.append(data)

    def unknown_decl(self, data: str) -> None:
        raise AssertionError(data)

    def handle_pi(self, data: str) -> None:
        raise AssertionError(data)


def read(page: str) -> Element:
    """The page as elements; fails where it is not well formed."""
    reader = Reader()
    reader.feed(page)
    reader.close()
    assert [one.tag for one in reader._open] == [""]
    assert len(reader.comments) == 1
    return reader.root
