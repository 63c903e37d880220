"""Every figure of the report layer with hostile names: all are shown as they are written."""

import importlib
import inspect
import pkgutil
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest

import assay.report
from assay.answers.insights import Period, Progress
from assay.answers.ratings import Rating
from assay.figures import files
from assay.figures.figure import Figure
from assay.live.analysis import LiveAnalysis
from assay.live.game import read_game
from assay.models import BayesModel, ConformanceModel, GainModel
from assay.models.bayes.skill import apparent_skill_by, training_curve
from assay.rating.backtest import Backtest
from assay.rating.careers import Careers, career_table, head_to_heads
from assay.results.metrics import CalibrationBin
from assay.testing import make_decisions
from examples.choice_mileposts import milepost
from examples.gain_examples import FISCHER, annotated_pgn
from examples.report_examples import chess_decisions, make_ratings
from examples.screenings import GAME, ONE
from examples.screenings import made as screening

HOSTILE = "<a href=x>Evil</a>%{x}</script>&lt;"


def drawings() -> dict[str, Callable[..., Any]]:
    """Every public function of the report layer that makes a figure, by its name."""
    found = pkgutil.walk_packages(assay.report.__path__, "assay.report.")
    modules = [importlib.import_module(one.name) for one in found]
    return {
        name: function
        for module in modules
        for name, function in inspect.getmembers(module, inspect.isfunction)
        if name.endswith("_figure") and function.__module__ == module.__name__
    }


def inputs(name: str, folder: Path) -> tuple[Any, ...]:
    """What the function of this name is called with, a hostile name in every place that takes one."""
    if name == "live_figure":
        path = folder / "game.pgn"
        path.write_text(annotated_pgn().replace(FISCHER, HOSTILE), encoding="utf-8")
        return (LiveAnalysis(None, perceived=GainModel()).update(read_game(path)),)
    if name == "calibration_figure":
        return (
            Backtest(
                rows=[],
                slices=[],
                differences=[],
                calibration={
                    HOSTILE: [CalibrationBin(low=0, high=1, games=50, forecast=0.5, result=0.5, error=0.1)]
                },
            ),
        )
    if name == "milepost_figure":
        return ({HOSTILE: [milepost(2400)]},)
    if name == "ratings_figure":
        return (make_ratings(chess_decisions((HOSTILE, "Bob"))),)
    if name == "funnel_figure":
        return (screening(players=(replace(ONE, player=HOSTILE),)),)
    if name == "games_figure":
        return (replace(ONE, each_game=(replace(GAME, about=f"against {HOSTILE}"),)),)
    if name == "progress_figure":
        rating = Rating("combined", 2000, low=1900, high=2100, decisions=90, games=9)
        periods = tuple(Period(name=str(year), time=float(year), rating=rating) for year in (2011, 2012))
        return (Progress(player=HOSTILE, by="month", periods=periods, trend=None, left_out=0),)
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


def test_all_figures_are_found() -> None:
    assert len(drawings()) == 11


@pytest.mark.parametrize("name", sorted(drawings()))
def test_names_are_shown_as_written(name: str, tmp_path: Path) -> None:
    figure: Figure = drawings()[name](*inputs(name, tmp_path))
    for text in (figure.svg(), files.page(figure)):
        assert "<a href" not in text
        assert "</script" not in text
    root = ElementTree.fromstring(figure.svg())
    shown = [one.text for one in root.iter() if one.text and "Evil" in one.text]
    if name != "training_figure":  # which shows no names
        assert shown
        assert any(HOSTILE in text for text in shown)
    tags = {one.tag.rpartition("}")[2] for one in root.iter()}
    assert tags <= {
        "svg",
        "title",
        "desc",
        "style",
        "rect",
        "text",
        "line",
        "path",
        "polyline",
        "polygon",
        "circle",
        "g",
    }


@pytest.mark.parametrize("name", sorted(drawings()))
def test_figures_say_what_they_show(name: str, tmp_path: Path) -> None:
    figure: Figure = drawings()[name](*inputs(name, tmp_path))
    root = ElementTree.fromstring(figure.svg())
    title, description = root[0], root[1]
    assert root.get("role") == "img"
    assert (title.tag.rpartition("}")[2], description.tag.rpartition("}")[2]) == ("title", "desc")
    assert title.text
    assert description.text
    assert len(description.text) > 20
