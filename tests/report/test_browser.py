"""The report in a real browser: headless Chromium draws it, wide and on a phone, light and dark, on paper."""

import html
import json
import re
from pathlib import Path
from typing import Any

import pytest

from assay.report.ratings import ratings_page
from assay.study import Study
from examples.browser import CHROMIUM, different_lines, run
from examples.pupil_games import pupil_games
from examples.report_examples import MADE, chess_decisions, make_ratings

PLAYERS = ("Ann <b>", "Bob", "A name that is longer than any line of a telephone could hold", "Unbroken" * 15)

pytestmark = pytest.mark.skipif(
    CHROMIUM is None, reason="needs Chromium (Debian: apt-get install chromium-headless-shell)"
)

MEASURE = """
<script>
addEventListener("load", function () {
  var measured = [];
  document.querySelectorAll("iframe").forEach(function (frame) {
    var page = frame.contentDocument, root = page.documentElement;
    function open() { return page.querySelectorAll("details.card[open]").length; }
    var counts = [open()];
    page.querySelector("[data-open=none]").click();
    counts.push(open());
    ["beforeprint", "afterprint"].forEach(function (name) {
      frame.contentWindow.dispatchEvent(new Event(name));
      counts.push(open());
    });
    page.querySelector("[data-open=all]").click();
    counts.push(open());
    var before = frame.contentWindow.getComputedStyle(page.body).backgroundColor;
    page.querySelector(".theme").click();
    measured.push({
      width: root.clientWidth,
      scroll: Math.max(root.scrollWidth, page.body.scrollWidth),
      dots: Array.from(page.querySelectorAll(".plot circle.combined")).filter(function (dot) {
        var box = dot.getBoundingClientRect();
        return box.width > 5 && box.left >= 0 && box.right <= root.clientWidth + 8;
      }).length,
      open: counts,
      narrowest: Math.min.apply(null, Array.from(page.querySelectorAll(".card .panel")).map(
        function (panel) { return panel.getBoundingClientRect().width; })),
      boards: Array.from(page.images).filter(function (one) { return one.naturalWidth > 0; }).length,
      grounds: [before, frame.contentWindow.getComputedStyle(page.body).backgroundColor]
    });
  });
  document.body.dataset.measured = JSON.stringify(measured);
});
</script>
"""


@pytest.fixture(scope="module")
def report(tmp_path_factory: pytest.TempPathFactory) -> Path:
    decisions = chess_decisions(PLAYERS, plies=44)
    path = tmp_path_factory.mktemp("report") / "report.html"
    made = ratings_page(make_ratings(decisions), decisions, source="games.pgn", provenance=MADE)
    path.write_text(made, encoding="utf-8")
    return path


@pytest.fixture(scope="module")
def measured(report: Path) -> list[dict[str, Any]]:
    """What a page of 1280 and one of 390 pixels measure.

    Frames of these widths, because a window of Chromium is never as narrow as a telephone.
    """
    text = html.escape(report.read_text(encoding="utf-8"))
    frames = "".join(
        f'<iframe style="width:{width}px;height:900px;border:0" srcdoc="{text}"></iframe>'
        for width in (1280, 390)
    )
    around = report.with_name("frames.html")
    around.write_text(f"<!doctype html><body>{frames}{MEASURE}</body>", encoding="utf-8")
    drawn = run(report.parent, "--window-size=1400,2000", "--dump-dom", around.as_uri()).stdout
    [found] = re.findall(r'data-measured="([^"]*)"', drawn)
    answer: list[dict[str, Any]] = json.loads(html.unescape(found))
    return answer


def test_nothing_scrolls_sideways(measured: list[dict[str, Any]]) -> None:
    assert [one["width"] for one in measured] == [1280, 390]
    for one in measured:
        assert one["scroll"] <= one["width"]


def test_every_player_has_a_dot_within_the_page(measured: list[dict[str, Any]]) -> None:
    assert [one["dots"] for one in measured] == [len(PLAYERS)] * 2


def test_cards_open_for_paper_and_close_again(measured: list[dict[str, Any]]) -> None:
    wide, phone = (one["open"] for one in measured)
    everyone = len(PLAYERS)
    assert wide == [everyone, 0, everyone, 0, everyone]  # first, closed, printed, after it, opened
    assert phone == [1, 0, everyone, 0, everyone]


def test_figures_are_large_enough_to_read(measured: list[dict[str, Any]]) -> None:
    assert all(one["narrowest"] > 240 for one in measured)


def test_boards_are_drawn(measured: list[dict[str, Any]]) -> None:
    assert [one["boards"] for one in measured] == [12, 12]


def test_the_button_changes_the_colours(measured: list[dict[str, Any]]) -> None:
    for one in measured:
        assert len(set(one["grounds"])) == 2


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_the_page_is_drawn_without_complaints(report: Path, theme: str) -> None:
    image = report.with_name(f"{theme}.png")
    said = run(
        report.parent, "--window-size=1280,1600", f"--screenshot={image}", f"{report.as_uri()}#{theme}"
    )
    assert "CONSOLE" not in said.stderr
    assert different_lines(image) > 400


def test_the_test_would_notice(report: Path) -> None:
    """A page with a script that the page itself does not allow is complained about; a blank one is blank."""
    broken = report.with_name("broken.html")
    text = report.read_text(encoding="utf-8")
    broken.write_text(
        re.sub("<main>.*</main>", "<script>1</script>", text, flags=re.DOTALL), encoding="utf-8"
    )
    image = report.with_name("broken.png")
    said = run(report.parent, "--window-size=1280,1600", f"--screenshot={image}", broken.as_uri())
    assert "CONSOLE" in said.stderr
    assert different_lines(image) < 400


def test_it_prints_on_some_pages(report: Path) -> None:
    printed = report.with_name("report.pdf")
    run(report.parent, "--no-pdf-header-footer", f"--print-to-pdf={printed}", report.as_uri())
    pages = len(re.findall(rb"/Type\s*/Page\b", printed.read_bytes()))
    assert 3 <= pages <= 12


ALONE = """
<script>
addEventListener("load", function () {
  document.body.dataset.measured = JSON.stringify(Array.from(document.querySelectorAll("iframe")).map(
    function (frame) { var page = frame.contentDocument; return {
    scroll: page.documentElement.scrollWidth,
    cut: Array.from(page.querySelectorAll(".scroll, .pair")).map(function (one) {
      return one.scrollWidth - one.clientWidth; }),
    tables: page.querySelectorAll("table.slices").length,
    widest: Math.max.apply(null, Array.from(page.querySelectorAll("table")).map(
      function (one) { return one.getBoundingClientRect().right; })),
    boards: Array.from(page.images).filter(function (one) { return one.naturalWidth > 0; }).length
  }; }));
});
</script>
"""
A4 = 703
"""Pixels between the margins of a page of paper."""


def test_a_report_on_one_player_is_not_cut_at_1200_pixels_nor_on_paper(tmp_path: Path) -> None:
    games = tmp_path / "pupil.parquet"
    pupil_games(6).write(games)
    study = Study(games)
    text = study.report(study.rate(players=["pupil"], history=True))
    assert "among others of the same rating" in text
    assert "1 players" not in text
    paper = text.replace("@media print", "@media screen")
    around = tmp_path / "frame.html"
    frames = "".join(
        f'<iframe style="width:{width}px;height:900px;border:0" srcdoc="{html.escape(page)}"></iframe>'
        for width, page in ((1200, text), (A4, paper))
    )
    around.write_text(f"<!doctype html><body>{frames}{ALONE}</body>", encoding="utf-8")
    drawn = run(tmp_path, "--window-size=1400,2000", "--dump-dom", around.as_uri()).stdout
    [found] = re.findall(r'data-measured="([^"]*)"', drawn)
    wide, printed = json.loads(html.unescape(found))
    assert wide["scroll"] <= 1200
    assert max(wide["cut"]) <= 0
    assert wide["tables"] >= 4
    assert wide["boards"] > 0
    assert printed["scroll"] <= A4
    assert printed["widest"] <= A4
