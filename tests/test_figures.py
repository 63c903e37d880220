"""Every figure with hostile names: plotly must show them as they are written."""

import importlib
import inspect
import pkgutil
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from plotly.basedatatypes import BaseFigure

import assay.report
from assay.live import LiveAnalysis, read_game
from assay.models import BayesModel, ConformanceModel, GainModel
from assay.models.apparent_skill import apparent_skill_by, training_curve
from assay.models.careers import Careers, head_to_heads
from assay.models.choice_projections import Projection, Projections
from assay.models.choice_tables import Milepost
from assay.report.markup import literal
from assay.validation.backtest import Backtest
from assay.validation.career_table import career_table
from assay.validation.metrics import CalibrationBin
from decision_tables import make_decisions
from gain_examples import FISCHER, annotated_pgn

NOT_PLOTLY = {f"assay.report.{name}" for name in ("lines", "markup", "pages", "parts", "provenance")}
"""Modules that make no figure of plotly; the page of ratings has its hostile names in test_report.py."""

HOSTILE = "<a href=https://x>Evil</a>%{x}</script><br>"


def drawings() -> dict[str, Callable[..., Any]]:
    """Every public function of the report package that makes a figure of plotly, by its name."""
    modules = [
        importlib.import_module(f"assay.report.{found.name}")
        for found in pkgutil.iter_modules(assay.report.__path__)
        if f"assay.report.{found.name}" not in NOT_PLOTLY
    ]
    return {
        name: function
        for module in modules
        for name, function in inspect.getmembers(module, inspect.isfunction)
        if name.endswith(("_figure", "_page")) and function.__module__ == module.__name__
    }


def inputs(name: str, folder: Path) -> tuple[Any, ...]:
    """What the function of this name is called with, a hostile name in every place that takes one."""
    if name == "live_figure":
        path = folder / "game.pgn"
        path.write_text(annotated_pgn().replace(FISCHER, HOSTILE), encoding="utf-8")
        return (LiveAnalysis(GainModel(), None).update(read_game(path)),)
    if name.startswith("calibration"):
        return (Backtest([], [], [], {HOSTILE: [CalibrationBin(0, 1, 50, 0.5, 0.5, 0.1)]}),)
    if name == "milepost_page":
        one = Projection("mm", 0.5, 0.5, 0.1, 0.1)
        row = Milepost(2400, 10, 100, 0.1, 0.5, 0.5, 0.1, Projections(one, one, (one,), one))
        return ({HOSTILE: [row]},)
    decisions = make_decisions(games=10, plies=80, players=(HOSTILE, "Bob"))
    if name == "career_figure":
        return {HOSTILE: career_table(decisions, HOSTILE, min_moves=10, resamples=5)}, 30
    if name == "versus_figure":
        return head_to_heads(Careers(ConformanceModel(), decisions, min_moves=10)), HOSTILE
    if name == "density_figure":
        return apparent_skill_by(BayesModel(), decisions, "player"), HOSTILE
    if name == "training_figure":
        return (training_curve(BayesModel(), decisions),)
    raise AssertionError(f"say here how {name} is drawn with hostile names")


def texts(part: Any, key: str = "") -> Iterator[tuple[str, str]]:
    """Every text of a figure, with the property that it is the value of."""
    if isinstance(part, str):
        yield key, part
    elif isinstance(part, dict):
        for name, inner in part.items():
            yield from texts(inner, name)
    elif isinstance(part, (list, tuple)) or hasattr(part, "tolist"):
        for inner in part if isinstance(part, (list, tuple)) else part.tolist():
            yield from texts(inner, key)


@pytest.mark.parametrize("name", sorted(drawings()))
def test_names_are_shown_as_written(name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    drawn: list[BaseFigure] = []
    monkeypatch.setattr(BaseFigure, "to_html", lambda figure, **_: drawn.append(figure) or "")
    result = drawings()[name](*inputs(name, tmp_path))
    (figure,) = drawn or [result]
    found = [(key, text) for key, text in texts(figure.to_plotly_json()) if "Evil" in text]
    assert found or name == "training_figure"  # which shows no names
    for key, text in found:
        assert not key.endswith("template"), f"a name in {key} is read as a template"
        assert literal(HOSTILE) in text
        assert HOSTILE not in text


def test_every_module_of_figures_is_looked_at() -> None:
    looked_at = {function.__module__ for function in drawings().values()}
    every = {f"assay.report.{found.name}" for found in pkgutil.iter_modules(assay.report.__path__)}
    assert every - looked_at == NOT_PLOTLY


def test_literal_text_is_what_was_written() -> None:
    assert literal("a &lt; <b>\x1b") == "a &amp;lt; &lt;b&gt; "
