"""Figures in a real browser: all words within the edges, none on another, light and dark."""

import html
import json
import math
import re
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from assay.figures import figure as files
from assay.figures.curves import Panel, Series, curves, density_figure
from assay.figures.figure import Figure
from assay.figures.heatmap import heatmap
from assay.figures.intervals import REFERENCE, Mark, Row, interval_figure
from examples.browser import CHROMIUM, different_lines, run

pytestmark = pytest.mark.skipif(CHROMIUM is None, reason="needs Chromium")

NAMES = (
    "Ann",
    "MWMWMW" * 30,
    "A name of many words that go on and on " * 4,
    "王玥 Wáng Yuè",
    "Ğ. Ćirić@1972",
)

MEASURE = """
<script>
addEventListener("load", function () {
  var measured = [];
  document.querySelectorAll("svg.figure").forEach(function (figure) {
    var edge = figure.getBoundingClientRect(), boxes = [];
    figure.querySelectorAll("text").forEach(function (text) {
      var box = text.getBoundingClientRect();
      boxes.push({text: text.firstChild ? text.firstChild.data : "", turned: text.hasAttribute("transform"),
        left: box.left - edge.left, right: edge.right - box.right, top: box.top - edge.top,
        bottom: edge.bottom - box.bottom, width: box.width, height: box.height});
    });
    measured.push(boxes);
  });
  document.body.dataset.measured = JSON.stringify(measured);
});
</script>
"""


def figures() -> dict[str, Figure]:
    """One of each kind, with names that are hard to place."""
    lines = [
        Series(name, [1990, 2000, 2020], [0.5, 0.6, 0.4 + number / 10], number=number, titles=["", "t", ""])
        for number, name in enumerate(NAMES)
    ]
    panel = Panel(lines, title=NAMES[2], x_title="year", y_title="share of moves", y_text="{:.0%}".format)
    sizes = Panel(
        [Series("n", [1e2, 1e6], [1, 1e6], listed=False)], x_text="{:,.0f}".format, logarithmic=True
    )
    grid = np.linspace(0, 2, 201)
    bumps = [(name, grid, np.exp(-200 * (grid - 0.5 - place / 9) ** 2)) for place, name in enumerate(NAMES)]
    rows = [
        Row(
            name,
            2500,
            2300,
            2650,
            "t",
            [Mark(2400, 1, "m"), Mark(2600, REFERENCE, "r")],
            "2500 (2300 to 2650)",
        )
        for name in NAMES
    ]
    half = np.full((len(NAMES), len(NAMES)), 40.0)
    half[1, 2] = math.nan
    return {
        "curves": curves(NAMES[2], [panel, sizes]),
        "columns": curves("Three", [panel, sizes, panel], columns=3),
        "densities": density_figure("Densities", bumps, (0, 2), "skill c"),
        "heatmap": heatmap("Expectation", NAMES, half),
        "intervals": interval_figure(
            "Ratings", rows, marks=["gain", "bayes"], reference="published", x_title="Elo"
        ),
    }


@pytest.fixture(scope="module")
def measured(tmp_path_factory: pytest.TempPathFactory) -> dict[str, list[dict[str, Any]]]:
    """The box of every text of each figure, in units from its edges."""
    folder = tmp_path_factory.mktemp("figures")
    page = folder / "figures.html"
    drawn = figures()
    body = "".join(one.svg() for one in drawn.values())
    page.write_text(f'<!doctype html><meta charset="utf-8"><body>{body}{MEASURE}</body>', encoding="utf-8")
    shown = run(folder, "--window-size=1400,2000", "--dump-dom", page.as_uri()).stdout
    [found] = re.findall(r'data-measured="([^"]*)"', shown)
    return dict(zip(drawn, json.loads(html.unescape(found)), strict=True))


@pytest.mark.parametrize("name", sorted(figures()))
def test_no_word_is_cut_off(measured: dict[str, list[dict[str, Any]]], name: str) -> None:
    boxes = measured[name]
    assert len(boxes) > 8
    for box in boxes:
        assert min(box[side] for side in ("left", "right", "top", "bottom")) >= 0, box


@pytest.mark.parametrize("name", sorted(figures()))
def test_no_word_lies_on_another(measured: dict[str, list[dict[str, Any]]], name: str) -> None:
    level = [box for box in measured[name] if not box["turned"] and box["text"]]
    for place, one in enumerate(level):
        for other in level[:place]:
            across = min(one["left"] + one["width"], other["left"] + other["width"]) - max(
                one["left"], other["left"]
            )
            down = min(one["top"] + one["height"], other["top"] + other["height"]) - max(
                one["top"], other["top"]
            )
            # The box of a line of text is taller than its letters.
            assert across <= 0 or down <= 4, (one, other)


@pytest.mark.parametrize("ending", [".svg", ".html"])
def test_a_file_opens_without_complaints(ending: str, tmp_path: Path) -> None:
    file, image = tmp_path / f"figure{ending}", tmp_path / "figure.png"
    files.write_figure(file, figures()["curves"])
    said = run(tmp_path, "--window-size=1000,800", f"--screenshot={image}", file.as_uri())
    assert "CONSOLE" not in said.stderr
    assert different_lines(image) > 200


def test_it_is_dark_where_the_reader_wants_it(tmp_path: Path) -> None:
    """The first pixel is the ground."""
    grounds = []
    for scheme in ("light", "dark"):
        page = tmp_path / f"{scheme}.html"
        script = (
            "<script>addEventListener('load', function () { document.body.dataset.ground = "
            "getComputedStyle(document.querySelector('.ground')).fill; });</script>"
        )
        page.write_text(f"<!doctype html><body>{figures()['curves'].svg()}{script}</body>", encoding="utf-8")
        preferred = {"light": "1", "dark": "0"}[scheme]
        shown = run(
            tmp_path, f"--blink-settings=preferredColorScheme={preferred}", "--dump-dom", page.as_uri()
        ).stdout
        grounds += re.findall(r'data-ground="([^"]*)"', shown)
    assert grounds == ["rgb(251, 250, 247)", "rgb(20, 22, 26)"]
