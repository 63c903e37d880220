"""The pages in a real browser: Debian's Chromium, driven by playwright, which downloads nothing."""

import os
import re
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pytest

from examples.browser import CHROMIUM
from examples.engines import scripted_engine
from examples.gain_examples import annotated_pgn
from examples.served import HOSTILE

pytestmark = [
    pytest.mark.skipif(CHROMIUM is None, reason="needs Chromium"),
    pytest.mark.skipif(find_spec("playwright") is None, reason="needs playwright"),
]

WHOLE = pytest.mark.skipif(not os.environ.get("ASSAY_BROWSER"), reason="takes long: make browser runs it")
"""A whole story, or every page: not with every run of the tests."""

PATIENCE = 60_000
"""Milliseconds after which a test gives up: nothing takes that long."""


@pytest.fixture(scope="module")
def browser() -> Iterator[Any]:
    from playwright.sync_api import sync_playwright

    with sync_playwright() as started:
        made = started.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox", "--disable-gpu"])
        yield made
        made.close()


@pytest.fixture
def tab(browser: Any) -> Iterator[Callable[[], Any]]:
    """A function that opens a new tab; what a page complains of is an error of the test."""
    context = browser.new_context()
    context.set_default_timeout(PATIENCE)
    complaints: list[str] = []

    def opened() -> Any:
        page = context.new_page()
        page.on("pageerror", lambda error: complaints.append(str(error)))
        page.on("console", lambda said: complaints.append(said.text) if said.type == "error" else None)
        return page

    yield opened
    context.close()
    # A server that was killed, or a request that was refused on purpose, is told by the browser too.
    told = [one for one in complaints if "Failed to load resource" not in one and "ERR_" not in one]
    assert told == []


class Server:
    """`assay serve` as a process of its own."""

    def __init__(self, folder: Path, recipe: Path, engine: Path, extra: dict[str, str]) -> None:
        self._command = [sys.executable, "-m", "assay", "serve", str(folder), "--no-browser", "--port", "0"]
        self._command += ["--recipe", str(recipe), "--engine", str(engine), "--jobs", "1"]
        self._environment = {**os.environ, **extra}
        self.start()

    def start(self) -> None:
        self._process = subprocess.Popen(
            self._command, stderr=subprocess.PIPE, text=True, env=self._environment, start_new_session=True
        )
        assert self._process.stderr is not None
        said = self._process.stderr.readline()
        found = re.search(r"http://\S+/", said)
        assert found, said
        self.address = found[0].rstrip("/")

    def kill(self) -> None:
        """End it as a power cut does, its engines with it."""
        os.killpg(self._process.pid, signal.SIGKILL)
        self._process.communicate()

    def end(self) -> None:
        if self._process.poll() is None:
            self._process.send_signal(signal.SIGINT)
            try:
                self._process.communicate(timeout=30)
            except subprocess.TimeoutExpired:
                self.kill()


@pytest.fixture
def serve(tmp_path: Path, kitchen: Path) -> Iterator[Callable[..., Server]]:
    """A function that starts a server with an engine that takes its time."""
    started: list[Server] = []

    def start(folder: Path, *engine: object, calibrations: Path | None = None) -> Server:
        path = scripted_engine(tmp_path, *engine).path if engine else kitchen / "engine"
        extra = {} if calibrations is None else {"ASSAY_CALIBRATIONS": str(calibrations)}
        started.append(Server(folder, kitchen / "few.toml", Path(str(path)), extra))
        return started[-1]

    yield start
    for one in started:
        one.end()


def drop(page: Any, name: str, content: str) -> None:
    """Drop a file on the page, as a hand would."""
    page.evaluate(
        """([name, content]) => {
          const data = new DataTransfer();
          data.items.add(new File([content], name));
          window.dispatchEvent(new DragEvent("drop", { dataTransfer: data, cancelable: true }));
        }""",
        [name, content],
    )


@WHOLE
def test_drop_watch_pause_kill_and_go_on(
    serve: Callable[..., Server], tab: Callable[[], Any], tmp_path: Path
) -> None:
    from playwright.sync_api import expect

    server = serve(tmp_path / "served", "--delay", "0.05")
    page, other = tab(), tab()
    page.goto(server.address)
    other.goto(f"{server.address}/players")
    drop(page, "no.pgn", "nothing of chess \0")
    expect(page.locator(".job.failed .warn")).to_contain_text("not PGN", timeout=PATIENCE)
    drop(page, "games.pgn", annotated_pgn())
    expect(page.locator(".job.done").first).to_contain_text("1 games added", timeout=PATIENCE)
    page.get_by_role("button", name="Analyse").click(timeout=PATIENCE)
    expect(page.locator("progress")).to_be_visible(timeout=PATIENCE)
    expect(other.locator("#work-line")).to_contain_text("Analysing", timeout=PATIENCE)  # the other tab knows
    page.get_by_role("button", name="Pause").click()
    expect(page.locator(".job.paused")).to_be_visible(timeout=PATIENCE)
    page.get_by_role("button", name="Go on").click()
    expect(page.locator(".job.running progress")).to_be_visible(timeout=PATIENCE)
    server.kill()
    server.start()
    page.goto(server.address)  # nobody asks for it again
    expect(page.locator(".job.done")).to_contain_text("positions analysed", timeout=PATIENCE)
    page.goto(f"{server.address}/players")
    expect(page.locator("table.ratings")).to_contain_text("Fischer", timeout=PATIENCE)


def test_a_game_step_by_step_and_the_slider(
    serve: Callable[..., Server], tab: Callable[[], Any], analysed: Path, calibrations: Path
) -> None:
    from playwright.sync_api import expect

    server = serve(analysed, calibrations=calibrations)
    page = tab()
    page.goto(f"{server.address}/games")
    page.get_by_role("link", name="Fischer").click(timeout=PATIENCE)
    expect(page.locator("#board img")).to_have_count(32, timeout=PATIENCE)
    page.keyboard.press("End")
    expect(page.locator("#position-words")).to_contain_text("After 41… Rc2#")
    page.keyboard.press("Home")
    for _ in range(33):
        page.keyboard.press("ArrowRight")
    expect(page.locator("#moves a[aria-current]")).to_contain_text("Kf1")
    expect(page.locator("#position-words")).to_contain_text("Next: 17… Be6.")
    cells = page.locator("#options tr:first-child td:last-child")
    expect(cells).to_contain_text(re.compile(r"\d"), timeout=PATIENCE)
    weak = cells.inner_text()
    page.locator("#elo").focus()
    page.keyboard.press("End")
    expect(page.locator("#elo-shown")).to_have_text("2800")
    expect(cells).not_to_have_text(weak, timeout=PATIENCE)
    expect(page.locator(".game-figure .cursor")).to_have_count(1, timeout=PATIENCE)
    expect(page.locator("#strength")).to_contain_text("95% band")


def test_a_hostile_name_does_nothing(
    serve: Callable[..., Server], tab: Callable[[], Any], analysed: Path
) -> None:
    from playwright.sync_api import expect

    server = serve(analysed)
    page = tab()
    page.on("dialog", lambda _: pytest.fail("a name ran as a script"))
    page.goto(f"{server.address}/games?q=script")
    page.get_by_role("link", name=HOSTILE.removesuffix("\u202e")).first.click(timeout=PATIENCE)
    expect(page.locator("h1")).to_contain_text("<script>alert(1)</script>")
    page.locator("h1 a").first.click()
    expect(page.locator("h1")).to_contain_text("<script>alert(1)</script>")


@WHOLE
def test_everybody_can_use_it(serve: Callable[..., Server], tab: Callable[[], Any], analysed: Path) -> None:
    """No page breaks a rule of WCAG 2.1, level AA, that axe can check; light and dark."""
    pytest.importorskip("axe_playwright_python")
    from axe_playwright_python.sync_playwright import Axe
    from playwright.sync_api import expect

    server = serve(analysed)
    page, axe = tab(), Axe()
    page.goto(f"{server.address}/games?q=byrne")
    game = page.locator("table a").first.get_attribute("href", timeout=PATIENCE)
    addresses = ["/", "/players", "/games", "/compare?first=Byrne&second=Fischer", "/everyone", "/tournament"]
    addresses += ["/screen", "/results", "/live", "/spar", "/workspace", game, "/players/Ann"]
    wrong = []
    for scheme in ("light", "dark"):
        page.emulate_media(color_scheme=scheme)
        for address in addresses if scheme == "light" else ["/", "/players", game]:
            page.goto(f"{server.address}{address}")
            expect(page.locator("[data-pending]")).to_have_count(0, timeout=PATIENCE)
            rules = {"runOnly": ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa"]}
            found = axe.run(page, options=rules).response["violations"]
            wrong += [
                (scheme, address, one["id"], [n["html"][:120] for n in one["nodes"][:3]]) for one in found
            ]
    assert wrong == []
