"""The pages in a real browser: Debian's Chromium, driven by playwright, which downloads nothing."""

import os
import re
import shutil
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from examples.browser import CHROMIUM
from examples.engines import scripted_engine
from examples.gain_examples import annotated_pgn
from examples.served import EVALUATED, HOSTILE

pytestmark = pytest.mark.skipif(CHROMIUM is None, reason="needs Chromium")
playwright = pytest.importorskip("playwright.sync_api")
expect = playwright.expect

WHOLE = pytest.mark.skipif(not os.environ.get("ASSAY_BROWSER"), reason="takes long: make browser runs it")
"""A whole story, or every page: not with every run of the tests."""

PATIENCE = 120_000
"""Milliseconds after which a test gives up: nothing takes that long."""


@pytest.fixture(scope="module")
def browser() -> Iterator[Any]:
    with playwright.sync_playwright() as started:
        expect.set_options(timeout=PATIENCE)
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
    for page in context.pages:
        page.unroute_all(behavior="ignoreErrors")  # a page may ask until it is closed
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
        self.folder = folder
        self.start()

    def start(self, port: int = 0) -> None:
        command = [str(port) if each == "0" else each for each in self._command]
        self._process = subprocess.Popen(
            command, stderr=subprocess.PIPE, text=True, env=self._environment, start_new_session=True
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

    def start(folder: Path, *engine: object) -> Server:
        path = scripted_engine(tmp_path, *engine).path
        started.append(Server(folder, kitchen / "few.toml", Path(str(path)), {}))
        return started[-1]

    yield start
    for one in started:
        one.end()


@pytest.fixture(scope="module")
def server(
    tmp_path_factory: pytest.TempPathFactory, analysed: Path, calibrations: Path, kitchen: Path
) -> Iterator[Server]:
    """One server for all who only look, or play: games that are analysed, with an Elo scale."""
    folder = tmp_path_factory.mktemp("browsed") / "served"
    shutil.copytree(analysed, folder)
    extra = {"ASSAY_CALIBRATIONS": str(calibrations)}
    started = Server(folder, kitchen / "few.toml", kitchen / "engine", extra)
    yield started
    started.end()


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
    server = serve(tmp_path / "served", "--delay", "0.05")
    page, other = tab(), tab()
    page.goto(server.address)
    other.goto(f"{server.address}/players")
    drop(page, "games.pgn", annotated_pgn())
    expect(page.locator(".job.done").first).to_contain_text("1 game added")
    page.get_by_role("button", name="Analyse").click()
    expect(page.locator("progress")).to_be_visible()
    expect(other.locator("#work-line")).to_contain_text("Analysing")  # the other tab knows
    page.get_by_role("button", name="Pause").click()
    expect(page.locator(".job.paused")).to_be_visible()
    page.get_by_role("button", name="Go on").click()
    expect(page.locator(".job.running progress")).to_be_visible()
    page.get_by_role("button", name="Stop").click()
    expect(page.locator(".job.stopped")).to_be_visible()
    page.get_by_role("button", name="Analyse").click()
    expect(page.locator(".job.running progress")).to_be_visible()
    server.kill()
    server.start()
    page.goto(server.address)  # nobody asks for it again
    expect(page.locator(".job.done")).to_contain_text("positions analysed")
    page.goto(f"{server.address}/players")
    expect(page.locator("table.ratings")).to_contain_text("Fischer")


def test_a_game_step_by_step_and_the_slider(server: Server, tab: Callable[[], Any]) -> None:
    page = tab()
    page.goto(f"{server.address}/games")
    page.get_by_role("link", name=re.compile("Open the game .* Fischer")).click()
    expect(page.locator("#board img")).to_have_count(32)
    page.keyboard.press("End")
    expect(page.locator("#position-words")).to_contain_text("41… Rc2#")
    page.keyboard.press("Home")
    for _ in range(33):
        page.keyboard.press("ArrowRight")
    expect(page.locator("#moves a[aria-current]")).to_contain_text("Kf1")
    expect(page.locator("#position-words")).to_contain_text("Next: 17… Be6.")
    expect(page.locator("#expected")).to_have_attribute("aria-label", re.compile(r"White: \d+ of 100"))
    cells = page.locator("#options tr:first-child td:last-child")
    expect(cells).to_contain_text(re.compile(r"\d"))
    expect(page.locator("#slider")).to_be_visible()
    weak = cells.inner_text()
    page.locator("#elo").focus()
    page.keyboard.press("End")
    expect(page.locator("#elo-shown")).to_have_text("2800")
    page.get_by_text("Legend and keys").click()
    expect(page.locator("#predicted")).to_contain_text("of 41 positions by White")
    expect(cells).not_to_have_text(weak)
    expect(page.locator(".game-figure .cursor")).to_have_count(2)
    expect(page.locator("#strength")).to_contain_text("95% range")


def test_a_mistake_is_pointed_at_with_what_was_better(server: Server, tab: Callable[[], Any]) -> None:
    page = tab()
    page.context.grant_permissions(["clipboard-read", "clipboard-write"])
    page.goto(f"{server.address}/games?q=fischer")
    page.get_by_role("link", name=re.compile("Open the game .* Fischer")).click()
    expect(page.locator("#board img")).to_have_count(32)
    page.get_by_role("button", name="To the next mistake").click()
    words = page.locator("#position-words")
    expect(words).to_contain_text(re.compile(r"lost \d+ points of 100; better was \d+"))
    expect(words).to_contain_text(re.compile(r"\d+ of 100 players of 2800 find \S+, \d+ of 1800"))
    expect(page.locator(".arrow-played")).to_have_count(1)
    expect(page.locator(".arrow-better")).to_have_count(1)
    first = words.inner_text()
    page.keyboard.press("n")
    expect(words).not_to_have_text(first)
    page.keyboard.press("p")
    expect(words).to_have_text(first)
    page.get_by_role("button", name="Copy FEN").click()
    expect(page.get_by_role("button", name="Copied")).to_have_count(1)
    assert page.evaluate("navigator.clipboard.readText()").count("/") == 7
    page.locator("#graph svg").hover()
    expect(page.locator("#graph-words")).to_contain_text("of 100")
    taken = """key => !document.body.dispatchEvent(
        new KeyboardEvent("keydown", { key: key, bubbles: true, cancelable: true }))"""
    assert [page.evaluate(taken, key) for key in ("ArrowRight", "ArrowDown", "ArrowUp", " ")] == [
        *(True, False, False, False)  # what scrolls a page is left to it
    ]


@pytest.mark.parametrize("height", [800, pytest.param(1000, marks=WHOLE)])
def test_the_review_of_a_game_is_on_one_screen(sample: Server, tab: Callable[[], Any], height: int) -> None:
    """Board, verdict, graph, options and moves, whichever move is shown; a phone shows nothing wider."""
    page = tab()
    opened_sample(sample, page)
    page.set_viewport_size({"width": 1280, "height": height})
    page.goto(f"{sample.address}/games?q=maple")
    page.locator(".open-game").first.click()
    expect(page.locator(".game-head .verdict")).to_contain_text("played like")
    expect(page.locator("#slider")).to_be_visible()
    for _ in range(3):
        page.keyboard.press("n")
        for part in (
            "#board",
            "#position-words",
            "#graph svg",
            ".options-box",
            "#moves-box",
            "[data-copy=fen]",
        ):
            box = page.locator(part).bounding_box()
            assert box["y"] + box["height"] <= height, part
        assert page.locator(".options-box").bounding_box()["height"] >= 100
    page.set_viewport_size({"width": 390, "height": 844})
    assert page.evaluate("document.documentElement.scrollWidth") <= 390


def test_the_lesson_of_a_player_is_asked_on_the_page(sample: Server, tab: Callable[[], Any]) -> None:
    page = tab()
    opened_sample(sample, page)
    page.goto(f"{sample.address}/players/Rowan%2CH")
    words = page.locator("#train-words")
    expect(words).to_contain_text("to move: your move.")
    page.get_by_label("Or type your move").fill("Kh9")
    page.get_by_role("button", name="Play", exact=True).click()
    expect(words).to_contain_text("Kh9 is not a legal move")
    page.get_by_role("button", name="Show me").click()
    expect(words).to_contain_text("was asked for")
    expect(page.locator("#train .arrow-better")).to_have_count(1)
    page.get_by_text("All positions with their answers").click()
    expect(page.locator(".answers li").first).to_contain_text("Of 100 players rated")


def test_a_folder_with_one_bad_file_says_which_and_what_it_added(
    serve: Callable[..., Server], tab: Callable[[], Any], tmp_path: Path
) -> None:
    page, server, folder = tab(), serve(tmp_path / "served"), tmp_path / "some"
    folder.mkdir()
    (folder / "good.pgn").write_text(annotated_pgn())
    (folder / "broken.pgn").write_bytes(b"\0\1 nothing of chess")
    page.goto(server.address)
    page.get_by_label("Or name a file or folder").fill(str(folder))
    page.get_by_role("button", name="Import the file").click()
    expect(page.locator(".job.done")).to_contain_text("1 game added")
    expect(page.locator(".job.done .warn")).to_contain_text("broken.pgn is not PGN")


def test_one_player_has_one_rating_on_every_page(sample: Server, tab: Callable[[], Any]) -> None:
    page, rows = tab(), []
    opened_sample(sample, page)
    event = page.locator("table.games td:nth-child(4)").first.inner_text()
    for address in ("/", "/players", "/compare?first=Maple&second=Alder", f"/tournament?event={event}"):
        page.goto(f"{sample.address}{address}")
        row = page.locator("main table:not(.games) tr", has=page.locator("th a", has_text="Maple,G")).first
        expect(row).to_be_visible()
        rows.append(re.findall(r"\b\d{4}(?:-\d{4})?\b", row.inner_text()))
    page.goto(f"{sample.address}/players/Maple%2CG")
    told = page.locator("#player .verdict")
    expect(told).to_contain_text("Played like")
    rating, span = re.findall(r"\d{4}(?:-\d{4})?", told.inner_text())[:2]
    assert all({rating, span} <= set(row) for row in rows), rows
    methods = page.locator("#methods table")
    expect(methods).to_be_hidden()  # ratings of single methods are folded
    page.get_by_text("Ratings by each method").click()
    expect(methods).to_contain_text("markov")


@WHOLE
def test_exported_pages_open_from_the_disk(sample: Server, tab: Callable[[], Any], tmp_path: Path) -> None:
    page, folder = tab(), tmp_path / "site"
    opened_sample(sample, page)
    command = [sys.executable, "-m", "assay", "serve", str(sample.folder), "--export", str(folder)]
    subprocess.run(command, check=True, capture_output=True, timeout=600)
    asked: list[str] = []
    page.on("request", lambda request: asked.append(request.url))
    page.goto(f"file://{folder}/index.html")
    page.get_by_role("link", name="Games", exact=True).click()
    page.locator(".open-game").first.click()
    expect(page.locator("#board img")).to_have_count(32)
    page.keyboard.press("n")
    expect(page.locator("#position-words")).to_contain_text("of 100")
    expect(page.locator(".arrow-played")).to_have_count(1)
    page.locator("h1 a").first.click()  # to the player
    expect(page.locator("#player .verdict")).to_contain_text("95% range")
    assert [url for url in asked if not url.startswith("file://")] == []


@pytest.fixture(scope="module")
def sample(tmp_path_factory: pytest.TempPathFactory, kitchen: Path) -> Iterator[Server]:
    """A server whose folder is empty at first; the engine plays a part for moves that are tried."""
    started = Server(
        tmp_path_factory.mktemp("sample") / "served", kitchen / "few.toml", kitchen / "engine", {}
    )
    yield started
    started.end()


def opened_sample(server: Server, page: Any) -> None:
    """Open the sample event with one click, where it is not open yet."""
    page.goto(server.address)
    button = page.get_by_role("button", name="Open the sample event")
    if button.count():
        button.click()
    page.get_by_role("heading", name="Newest games").wait_for()


def middle(page: Any, square: str) -> tuple[float, float]:
    """The middle of a square of the board, in pixels."""
    box = page.locator(f"#board [data-square={square}]").bounding_box()
    return box["x"] + box["width"] / 2, box["y"] + box["height"] / 2


def dragged(page: Any, start: str, end: str) -> None:
    """Drag a piece, as a hand would."""
    page.locator("#board").scroll_into_view_if_needed()
    page.mouse.move(*middle(page, start))
    page.mouse.down()
    page.mouse.move(*middle(page, end), steps=4)
    page.mouse.up()


def test_the_sample_event_opens_in_one_click_and_home_answers_first(
    sample: Server, tab: Callable[[], Any]
) -> None:
    page = tab()
    opened_sample(sample, page)
    expect(page.locator("#here table").first).to_contain_text("Alder,A")
    expect(page.locator("#drop")).to_be_hidden()  # one line, until it is asked for
    page.get_by_text("+ Add games").click()
    expect(page.locator("#drop")).to_be_visible()
    expect(page.get_by_role("link", name=re.compile(r"Train \d+ positions"))).to_be_visible()


def test_moves_are_tried_by_drag_tap_keys_and_typing(sample: Server, tab: Callable[[], Any]) -> None:
    page = tab()
    opened_sample(sample, page)
    page.goto(f"{sample.address}/games?q=maple&sort=moves")
    page.locator(".open-game").first.click()
    expect(page.locator("#board img")).to_have_count(32)
    expect(page.get_by_text("Reading the game")).to_have_count(0)  # it moves the board
    words, told = page.locator("#position-words"), re.compile("expected score .* of 100")
    dragged(page, "g1", "h3")
    expect(words).to_contain_text(told)
    expect(words).to_contain_text("1. Nh3")
    expect(page.locator("#board .to")).to_have_attribute("data-square", "h3")
    page.get_by_role("button", name="Back to the game").click()
    expect(words).to_contain_text("The beginning.")
    for square in ("b1", "a3"):  # two taps
        page.mouse.click(*middle(page, square))
    expect(words).to_contain_text("1. Na3")
    expect(words).to_contain_text(told)
    page.keyboard.press("ArrowLeft")  # the keys are still those of the game
    expect(words).to_contain_text("The beginning.")
    page.locator("#board [data-square=e2]").focus()
    for key in ("ArrowLeft", "Enter", "ArrowUp", "ArrowUp", "Enter"):  # to d2, chosen, to d4
        page.keyboard.press(key)
    expect(words).to_contain_text("1. d4")
    page.get_by_label("Try a move").fill("e5")
    page.get_by_role("button", name="Try", exact=True).click()
    expect(words).to_contain_text("1… e5")  # the variation goes on
    page.get_by_label("Try a move").fill("Ke7")
    page.get_by_role("button", name="Try", exact=True).click()
    expect(words).to_contain_text("Ke7 is not a legal move")
    page.get_by_role("button", name="Turn the board").click()
    assert page.locator("#board button").first.get_attribute("data-square") == "h1"


def test_a_pawn_that_arrives_asks_what_it_becomes_and_a_check_is_shown(
    serve: Callable[..., Server], tab: Callable[[], Any], tmp_path: Path
) -> None:
    page, server = tab(), serve(tmp_path / "served")
    page.goto(f"{server.address}/players")
    tags = '[White "Ann"]\n[Black "Bob"]\n[SetUp "1"]\n[FEN "7k/P7/8/8/8/8/8/K7 w - - 0 1"]\n'
    drop(page, "games.pgn", f"{tags}\n1. Kb2 Kg7 *\n")  # on any page
    expect(page.locator("#uploads")).to_contain_text("Home shows how far it is")
    expect(page.locator("#uploads, #ratings")).to_have_count(2)
    page.goto(f"{server.address}/games")
    page.locator(".open-game").click()
    expect(page.locator("#board img")).to_have_count(3)
    expect(page.get_by_text("Reading the game")).to_have_count(0)  # it moves the board
    dragged(page, "a7", "a8")
    asked = page.get_by_role("dialog", name="Promote to")
    expect(asked.get_by_role("button")).to_have_count(4)
    asked.get_by_role("button", name="rook").click()
    expect(page.locator("#position-words")).to_contain_text("a8=R+")
    expect(page.locator("#board .check")).to_have_attribute("data-square", "h8")


def test_training_asks_and_what_was_wrong_comes_again(sample: Server, tab: Callable[[], Any]) -> None:
    page = tab()
    opened_sample(sample, page)
    page.goto(f"{sample.address}/train?player=Maple%2CG")
    words = page.locator("#train-words")
    expect(words).to_contain_text("to move: your move.")
    count = page.locator("#train-count")
    before = count.inner_text()
    page.get_by_role("button", name="Show me").click()
    expect(words).to_contain_text("was asked for")
    expect(page.locator("#train-more")).to_contain_text("Of 100 players rated")
    expect(page.locator(".arrow-better")).to_have_count(1)
    expect(count).to_contain_text(f"0 of 1 right; {before}")  # it comes again
    page.get_by_role("button", name="Next").click()
    expect(words).to_contain_text("to move: your move.")
    page.goto(f"{sample.address}/train?player=Maple%2CG")
    expect(page.locator("#train-where")).to_contain_text("It went wrong last time.")
    page.get_by_role("button", name="Show me").click()
    expect(words).to_contain_text("was asked for")
    best = words.inner_text().split()[0]
    page.reload()
    expect(words).to_contain_text("to move: your move.")
    page.get_by_label("Or type your move").fill(best)
    page.get_by_role("button", name="Play", exact=True).click()
    expect(words).to_contain_text("Right.")
    expect(count).to_contain_text("1 of 1 right")


def test_tables_are_filtered_and_sorted(sample: Server, tab: Callable[[], Any]) -> None:
    page = tab()
    opened_sample(sample, page)
    page.get_by_role("link", name="Games", exact=True).click()
    page.get_by_text("Filter").click()
    page.get_by_label("Player").fill("Alder")
    page.get_by_label("Colour").select_option("white")
    page.get_by_role("button", name="Find").click()
    expect(page.locator("table.games tbody tr")).to_have_count(4)
    page.get_by_role("link", name="Largest loss").click()
    expect(page.locator("[data-pending]")).to_have_count(0)
    losses = [int(text) for text in page.locator("table.games td:last-child").all_inner_texts()]
    assert losses == sorted(losses, reverse=True)
    page.locator("table.games td:last-child a").first.click()  # to the move itself
    expect(page.locator("#position-words")).to_contain_text(f"lost {losses[0]} points")
    page.get_by_role("link", name="Players", exact=True).first.click()
    page.get_by_label("Fewest games").fill("8")
    page.get_by_role("button", name="Find").click()
    expect(page.locator("#players-title")).to_contain_text("0 players with at least 8 games")
    page.goto(f"{sample.address}/players")
    page.get_by_role("link", name="Lower end").click()
    expect(page.locator("th[aria-sort=descending]")).to_contain_text("Lower end")


def test_five_doors_and_the_wheel(sample: Server, tab: Callable[[], Any]) -> None:
    page = tab()
    page.goto(f"{sample.address}/tournament")
    doors = page.get_by_role("navigation", name="Doors").get_by_role("link")
    assert doors.all_inner_texts() == ["Home", "Players", "Games", "Compare", "Play"]
    expect(page.locator("header nav [aria-current]")).to_have_text("Compare")
    inside = page.get_by_role("navigation", name="Compare").get_by_role("link").all_inner_texts()
    assert set(inside) >= {"Two players", "Everyone", "Tournament", "Results"}
    page.locator(".wheel summary").click()
    page.get_by_role("link", name="Fair play").click()
    expect(page.locator("h1")).to_have_text("Fair play")


def test_boards_of_all_games_of_a_file_are_followed(
    serve: Callable[..., Server], tab: Callable[[], Any], tmp_path: Path
) -> None:
    page, server, path = tab(), serve(tmp_path / "served"), tmp_path / "live.pgn"
    path.write_text(annotated_pgn(6, result="*") + "\n\n" + annotated_pgn(9, result="*"))
    page.goto(f"{server.address}/live")
    page.get_by_label("PGN file on this machine").fill(str(path))
    page.get_by_role("button", name="Follow").click()
    expect(page.locator(".boards .board[role=img]")).to_have_count(2)
    expect(page.locator(".boards .board .to")).to_have_count(2)
    page.locator(".boards a").first.click()
    expect(page.locator("#live table")).to_contain_text("3... ")
    path.write_text(annotated_pgn(8, result="*") + "\n\n" + annotated_pgn(9, result="*"))
    expect(page.locator(".boards li").first).to_contain_text("4… ")  # by itself


def test_a_blunder_is_not_framed_as_the_best_move(
    serve: Callable[..., Server], tab: Callable[[], Any], tmp_path: Path
) -> None:
    page, server = tab(), serve(tmp_path / "served")
    page.goto(server.address)
    drop(page, "games.pgn", EVALUATED)
    expect(page.locator(".job.done")).to_contain_text("1 game added")
    page.goto(f"{server.address}/games")
    page.get_by_role("link", name="Open the game").click()
    expect(page.locator("#board img")).to_have_count(32)
    for _ in range(4):
        page.keyboard.press("ArrowRight")
    expect(page.locator("#position-words")).to_contain_text("Next: 3. g4.")
    expect(page.locator("#options .is-played")).to_have_count(1)
    expect(page.locator(".arrow-better")).to_have_count(0)
    page.keyboard.press("n")  # to the mistake
    expect(page.locator("#position-words")).to_contain_text(
        re.compile(r"3\. g4\?\? lost \d\d points of 100\.")
    )
    expect(page.locator(".arrow-played")).to_have_count(1)
    expect(page.locator(".arrow-better")).to_have_count(0)  # these games do not tell what was better


def test_an_open_board_follows_the_analysis(
    serve: Callable[..., Server], tab: Callable[[], Any], tmp_path: Path
) -> None:
    page, server = tab(), serve(tmp_path / "served")
    page.goto(server.address)
    plain = re.sub(r"\{[^}]*\}", "", annotated_pgn())
    drop(page, "games.pgn", plain)
    expect(page.locator(".job.done")).to_contain_text("1 game added")
    page.goto(f"{server.address}/games")
    page.get_by_role("link", name="Open the game").click()
    expect(page.locator("#board img")).to_have_count(32)
    for _ in range(33):
        page.keyboard.press("ArrowRight")
    expect(page.locator("#options")).to_have_text("Not analysed yet.")
    page.evaluate("window.same = true")
    page.request.post(f"{server.address}/analyse")
    expect(page.locator("#options .is-played")).to_have_count(1)
    expect(page.locator("#expected")).to_be_visible()
    expect(page.locator("#position-words")).to_contain_text("Next: 17… Be6.")  # the same place
    assert page.evaluate("window.same")  # the page was not loaded again


def test_what_ratings_are_made_by_is_chosen_in_the_head(server: Server, tab: Callable[[], Any]) -> None:
    page = tab()
    page.goto(f"{server.address}/players?q=fischer")
    switch = page.get_by_role("form", name="By what ratings are made")
    own, engine = switch.get_by_role("button").first, switch.get_by_role("button").last
    expect(engine).to_have_attribute("aria-pressed", "true")
    expect(page.locator("#ratings")).to_contain_text("few with Scripted 1")
    own.click()
    expect(own).to_have_attribute("aria-pressed", "true")
    assert page.url.endswith("/players?q=fischer")
    expect(page.locator("#ratings")).to_contain_text("There are no ratings here")
    engine.click()
    expect(page.locator("#ratings")).to_contain_text("few with Scripted 1")


def test_compare_two_players(server: Server, tab: Callable[[], Any]) -> None:
    page = tab()
    page.goto(f"{server.address}/compare")
    page.get_by_label("First player").fill("Fischer")
    page.get_by_label("Second player").fill("Byrne@1956")
    page.get_by_role("button", name="Compare").click()
    expect(page.locator("#compared")).to_contain_text("is expected to score")
    expect(page.locator("#compared")).to_contain_text("Fischer, Robert James")
    expect(page.locator("#compared details table").first).to_be_hidden()
    page.get_by_text("By each method").click()
    expect(page.locator("#compared details table").first).to_contain_text("markov")
    page.get_by_label("Second player").fill("Morphy")
    page.get_by_role("button", name="Compare").click()
    expect(page.get_by_role("alert")).to_contain_text("there is no player 'Morphy'")


def test_spar_in_two_tabs_and_what_is_no_pgn(server: Server, tab: Callable[[], Any]) -> None:
    page, other = tab(), tab()
    page.goto(f"{server.address}/spar")
    page.get_by_label("Your name").fill("Ann <b>")
    page.get_by_role("button", name="New game").click()
    page.locator("[data-square=e2]").click()
    expect(page.locator(".board .target")).to_have_count(2)
    page.locator("[data-square=e4]").click()
    moves = page.locator("#spar-moves li span")
    expect(moves.nth(1)).to_have_text("e4")
    expect(moves.nth(2)).to_have_text(re.compile("[a-h]"))  # the agent answered
    other.goto(f"{server.address}/spar")
    expect(other.locator("#spar-moves li span").nth(1)).to_have_text("e4")
    other.get_by_label("Or type your move").fill("Ke4")
    other.get_by_role("button", name="Play", exact=True).click()
    expect(other.locator("#spar-error")).to_contain_text("Ke4 is not a legal move")
    other.get_by_role("button", name="Give up").click()
    for each in (other, page):  # the first tab is told by the server
        expect(each.locator("#spar-words")).to_contain_text("The game is over: 0–1")
    expect(page.locator("#kept")).to_contain_text("Ann <b>")
    # The card comes by itself; a game of one move has an answer too.
    expect(page.locator("#verdict")).to_contain_text("points of 100 in a move on average")
    expect(page.locator("#verdict")).to_contain_text("A rating takes 10 moves after the opening")
    expect(page.get_by_role("button", name="Play again")).to_be_visible()
    page.get_by_role("link", name="The game move by move").click()
    expect(page.locator("#game-head .verdict")).to_contain_text("Ann <b> lost")
    page.goto(server.address)
    drop(page, "no.pgn", "nothing of chess \0")
    expect(page.locator(".job.failed .warn")).to_contain_text("not PGN")


def test_a_page_is_filled_in_and_not_loaded_again(server: Server, tab: Callable[[], Any]) -> None:
    """What pages have for browsers without scripts must not come alive when a part is replaced."""
    page, asked = tab(), []

    def waiting(route: Any) -> None:
        asked.append(route.request.resource_type)
        part = '<div id="status" data-live>'
        reload = '<noscript><meta http-equiv="refresh" content="0"></noscript>'
        pending = f"<p data-pending>look {len(asked)}.{reload}"
        answer = route.fetch()
        route.fulfill(response=answer, body=answer.text().replace(part, f"{part}{pending}</p>"))

    page.route("**/workspace", waiting)
    page.goto(f"{server.address}/workspace")
    for looks in (r"look ([2-9]|\d\d)\.", r"look ([3-9]|\d\d)\."):  # something changes, and once more
        page.request.post(f"{server.address}/spar/new", form={"elo": "1500"})
        expect(page.locator("#status")).to_contain_text(re.compile(looks))
    assert asked.count("document") == 1
    assert asked.count("fetch") >= 2


def test_fourteen_tabs_share_one_stream(server: Server, tab: Callable[[], Any]) -> None:
    """A browser has six connections to a server: a stream in each tab would leave none for the seventh."""
    asked: list[str] = []
    pages = [tab() for _ in range(14)]
    for page in pages:
        page.on("request", lambda request: asked.append(request.url))
        page.goto(f"{server.address}/spar")
    assert sum(url.endswith("/events") for url in asked) == 1
    pages[0].close()  # another tab takes over
    pages[1].request.post(f"{server.address}/spar/new", form={"elo": "1500", "name": "Tabby"})
    for page in pages[1:]:
        expect(page.locator("#board img")).to_have_count(32)


def test_without_a_secure_context_a_hidden_tab_has_no_stream(server: Server, tab: Callable[[], Any]) -> None:
    page = tab()
    page.add_init_script("Object.defineProperty(navigator, 'locks', { value: undefined })")
    page.add_init_script(
        """window.streams = []; const Plain = EventSource;
        EventSource = class extends Plain { constructor(url) { super(url); streams.push(this); } };
        Object.defineProperty(document, "hidden", { get: () => window.away === true });"""
    )
    page.goto(f"{server.address}/workspace")
    states = "streams.map(one => one.readyState === EventSource.CLOSED)"
    assert page.evaluate(states) == [False]
    turn = "away => { window.away = away; document.dispatchEvent(new Event('visibilitychange')); }"
    page.evaluate(turn, True)
    assert page.evaluate(states) == [True]
    page.evaluate(turn, False)
    assert page.evaluate(states) == [True, False]


def test_a_server_that_is_gone_is_said_and_found_again(
    serve: Callable[..., Server], tab: Callable[[], Any], tmp_path: Path
) -> None:
    server = serve(tmp_path / "served")
    first, second = tab(), tab()
    for page in (first, second):
        page.goto(f"{server.address}/workspace")
        expect(page.locator("#lost")).to_be_hidden()
    server.kill()
    for page in (first, second):  # one has the stream, the other is told
        expect(page.locator("#lost")).to_contain_text("Connection lost, trying again")
    server.start(int(server.address.rsplit(":", 1)[1]))
    for page in (first, second):
        expect(page.locator("#lost")).to_be_hidden()


def test_a_table_that_is_filled_in_anew_keeps_scroll_and_focus(
    server: Server, tab: Callable[[], Any]
) -> None:
    page, looks = tab(), 0

    def changing(route: Any) -> None:
        nonlocal looks
        looks += 1
        answer = route.fetch()
        part = '<div id="status" data-live>'
        route.fulfill(response=answer, body=answer.text().replace(part, f"{part}<p>look {looks}.</p>"))

    page.route("**/workspace", changing)
    page.set_viewport_size({"width": 200, "height": 800})
    page.goto(f"{server.address}/workspace")
    page.wait_for_selector("#status .scroll")
    scrolled = page.evaluate(
        """() => {
          const one = document.querySelector('#status .scroll');
          one.focus();
          one.scrollLeft = 40;
          return one.scrollLeft;
        }"""
    )
    assert scrolled > 0
    before = looks
    page.request.post(f"{server.address}/spar/new", form={"elo": "1500"})
    expect(page.locator("#status")).not_to_contain_text(f"look {before}.")
    assert page.evaluate("document.activeElement.matches('#status .scroll')")
    assert page.evaluate("document.activeElement.scrollLeft") == scrolled


def test_a_hostile_name_does_nothing(server: Server, tab: Callable[[], Any]) -> None:
    page = tab()
    page.on("dialog", lambda _: pytest.fail("a name ran as a script"))
    page.goto(f"{server.address}/games?q=script")
    page.get_by_role("link", name=f"Open the game {HOSTILE[:20]}").first.click()
    expect(page.locator("h1")).to_contain_text("<script>alert(1)</script>")
    page.locator("h1 a").first.click()
    expect(page.locator("h1")).to_contain_text("<script>alert(1)</script>")


@WHOLE
def test_everybody_can_use_it(server: Server, tab: Callable[[], Any]) -> None:
    """No page breaks a rule of WCAG 2.1 AA, or good practice, that axe can check, light or dark.

    None is wider than a phone, or tells of options of the command line.
    """
    pytest.importorskip("axe_playwright_python")
    from axe_playwright_python.sync_playwright import Axe

    page, axe = tab(), Axe()
    page.goto(f"{server.address}/games?q=byrne")
    game = page.locator("table a.open-game").first.get_attribute("href")
    addresses = ["/", "/players", "/games", "/compare?first=Byrne&second=Fischer", "/everyone?moves=10"]
    addresses += ["/everyone", "/tournament", "/screen", "/results", "/live", "/spar", "/workspace", game]
    addresses += [
        "/train",
        "/train?player=Fischer%2C%20Robert%20James",
        "/players/Ann",
        "/players/Fischer%2C%20Robert%20James",
        "/nowhere",
    ]
    addresses += ["/champions", "/champions/Tal"]
    page.goto(f"{server.address}/spar")  # a game under way is looked at, too
    page.get_by_role("button", name="New game").click()
    expect(page.locator("#board img")).to_have_count(32)
    rules = {"runOnly": ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "best-practice"]}
    wrong: list[Any] = []
    for address in addresses:
        for scheme, width in (("light", 1280), ("dark", 390)):
            page.emulate_media(color_scheme=scheme)
            page.set_viewport_size({"width": width, "height": 844})
            page.goto(f"{server.address}{address}")
            expect(page.locator("[data-pending]"), address).to_have_count(0)
            found = axe.run(page, options=rules).response["violations"]
            wrong += [
                (scheme, address, one["id"], [n["html"][:120] for n in one["nodes"][:3]]) for one in found
            ]
            text = page.locator("body").inner_text()
            wrong += [(address, told) for told in re.findall(r".{0,60}(?:--[a-z]|docs/).{0,30}", text)]
            if page.evaluate("document.documentElement.scrollWidth") > width:
                wrong.append((address, "is wider than", width))
    assert wrong == []
