"""The page in a real browser: no error, nothing asked of a network, fit for narrow and wide, light and dark."""

from __future__ import annotations

import contextlib
import http.server
import re
import shutil
import subprocess
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.cli.report_page.test_page import hostile
from tests.helpers.pages import page_of, vector


def installed() -> str | None:
    """A browser that runs: some systems have a command of that name that only tells how to get one."""
    for name in ("chromium", "chromium-browser", "google-chrome"):
        path = shutil.which(name)
        if path is not None:
            with contextlib.suppress(OSError, subprocess.TimeoutExpired):
                if subprocess.run([path, "--version"], capture_output=True, timeout=60).returncode == 0:
                    return path
    return None


CHROMIUM = installed()
pytestmark = pytest.mark.skipif(CHROMIUM is None, reason="no chromium here")

QUIET = (
    *("--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-sync"),
    *("--disable-background-networking", "--disable-component-update", "--hide-scrollbars", "--disable-dev-shm-usage"),
    # The browser's own errands (updates, the time) find no host either.
    "--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1",
)
# Asked of the page from outside of it, in a frame: how wide is what it shows, and which of its parts stick out?
PROBE = """<!doctype html><meta charset="utf-8"><body style="margin:0">
<iframe id="f" src="page.html" style="width:%dpx;height:3000px;border:0"></iframe><pre id="out">waiting</pre><script>
const f=document.getElementById("f");f.onload=()=>{const d=f.contentDocument,w=%d;
for(const one of d.querySelectorAll("details"))one.open=true;
const inside=e=>{for(let p=e.parentElement;p;p=p.parentElement)
if(p.matches(".scroll,nav ul,svg"))return true;return false};
const out=[...d.querySelectorAll("main *,header *,footer *")].filter(e=>!inside(e)&&
e.getBoundingClientRect().right>w+1);document.getElementById("out").textContent=
"width "+d.documentElement.scrollWidth+" of "+w+"; out "+out.length+"; rects "+d.querySelectorAll("rect").length
+"; text "+(d.body.innerText.length>1000)+"; back "
+getComputedStyle(d.body).backgroundColor+"."}</script>"""


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[str, list[str]]]:
    """The pages and probes on this machine alone, and what was asked for."""
    folder = tmp_path_factory.mktemp("site")
    asked: list[str] = []
    (folder / "page.html").write_text(page_of(vector("minions"), change=hostile), encoding="utf-8")
    for width in (390, 1400):
        (folder / f"{width}.html").write_text(PROBE % (width, width), encoding="utf-8")

    class Handler(http.server.SimpleHTTPRequestHandler):
        def __init__(self, *arguments: object) -> None:
            super().__init__(*arguments, directory=str(folder))  # type: ignore[arg-type]

        def log_message(self, format: str, *arguments: object) -> None:
            asked.append(self.path)

    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    yield f"http://127.0.0.1:{server.server_address[1]}", asked
    server.shutdown()
    server.server_close()


def browse(url: str, profile: Path, *options: str) -> tuple[str, str]:
    """The document as the browser has it in the end, and what it complains of."""
    assert CHROMIUM is not None
    done = subprocess.run(
        [CHROMIUM, *QUIET, f"--user-data-dir={profile}", "--enable-logging=stderr", *options, url],
        capture_output=True,
        text=True,
        encoding="utf-8",
        timeout=240,
    )
    return done.stdout, "\n".join(line for line in done.stderr.splitlines() if "CONSOLE" in line)


@pytest.mark.parametrize("width", [390, 1400])
@pytest.mark.parametrize(("scheme", "back"), [(0, "rgb(21, 23, 26)"), (1, "rgb(251, 250, 247)")], ids=["dark", "light"])
def test_it_fits_and_asks_for_nothing(
    width: int, scheme: int, back: str, site: tuple[str, list[str]], tmp_path: Path
) -> None:
    url, asked = site
    asked.clear()
    shown, complaints = browse(
        f"{url}/{width}.html",
        tmp_path,
        "--dump-dom",
        "--virtual-time-budget=20000",
        f"--window-size={width + 20},1200",
        f"--blink-settings=preferredColorScheme={scheme}",
    )
    found = re.search(r'<pre id="out">(.*?)</pre>', shown)
    assert found is not None
    assert re.fullmatch(rf"width {width} of {width}; out 0; rects \d\d+; text true; back {re.escape(back)}\.", found[1])
    assert complaints == ""
    # What a browser asks of any site by itself is not the page's doing.
    assert set(asked) - {"/favicon.ico"} == {f"/{width}.html", "/page.html"}


def test_from_disk_without_an_error(tmp_path: Path) -> None:
    page = tmp_path / "page.html"
    page.write_text(page_of(vector("stacking")), encoding="utf-8")
    picture = tmp_path / "picture.png"
    _, complaints = browse(page.as_uri(), tmp_path / "profile", f"--screenshot={picture}", "--window-size=1400,1200")
    assert complaints == ""
    assert picture.read_bytes().startswith(b"\x89PNG")
    assert picture.stat().st_size > 20_000


def test_the_browser_would_tell(tmp_path: Path) -> None:
    """That the tests above can fail: a page that runs a script against its own policy is complained of."""
    page = tmp_path / "page.html"
    policy = '<meta http-equiv="Content-Security-Policy" content="default-src \'none\'">'
    page.write_text(f"<!doctype html>{policy}<script>1</script>", encoding="utf-8")
    _, complaints = browse(page.as_uri(), tmp_path / "profile", "--dump-dom")
    assert "CONSOLE" in complaints
