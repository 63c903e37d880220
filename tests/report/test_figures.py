"""Every figure of the report layer: all with hostile names, which are shown as written, then one by one."""

import importlib
import inspect
import math
import pkgutil
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import numpy as np
import pytest

import assay.report
from assay.answers.insights import Period, PlayerSlices, Progress, Slice, Slices, Trend
from assay.answers.live import Known
from assay.answers.ratings import Rating
from assay.answers.results import Backtest, CalibrationBin, Mileposts
from assay.figures import figure as files
from assay.figures.figure import Figure
from assay.live.analysis import LiveAnalysis
from assay.live.game import read_game
from assay.models.bayes import BayesModel, apparent_skill_by, training_curve
from assay.models.conformance import ConformanceModel
from assay.models.gain import GainModel
from assay.rating.careers import Careers, career_table, head_to_heads
from assay.rating.champions import Champions
from assay.rating.comparisons import career
from assay.report.figures import (
    calibration_figure,
    career_figure,
    density_figure,
    figure_of,
    milepost_figure,
    training_figure,
    versus_figure,
)
from assay.testing import make_decisions
from examples.choice_mileposts import milepost
from examples.gain_examples import FISCHER, annotated_pgn
from examples.made_up_champions import write_champions
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
                errors=[],
                slices=[],
                differences=[],
                calibration={
                    HOSTILE: [CalibrationBin(low=0, high=1, games=50, forecast=0.5, result=0.5, error=0.1)]
                },
            ),
        )
    if name == "milepost_figure":
        return (Mileposts({HOSTILE: [milepost(2400)]}),)
    if name == "ratings_figure":
        return (make_ratings(chess_decisions((HOSTILE, "Bob"))),)
    if name == "funnel_figure":
        return (screening(players=(replace(ONE, player=HOSTILE),)),)
    if name == "games_figure":
        return (replace(ONE, each_game=(replace(GAME, about=f"against {HOSTILE}"),)),)
    if name == "slices_figure":
        rating = Rating("combined", 2000, low=1900, high=2100, decisions=90, games=9)
        parts = tuple(
            Slice(name=part, games=5, decisions=9, rating=rated, difference=None)
            for part, rated in ((f"against {HOSTILE}", rating), ("nothing to compare", None))
        )
        player = PlayerSlices(
            player=HOSTILE, whole=rating, reference=math.nan, slices=parts, too_few={}, unknown=0
        )
        ratings = make_ratings(chess_decisions())
        return (Slices(by="opponent", players=(player,), ratings=ratings, rate=0.05, compared=True),)
    if name == "progress_figure":
        rating = Rating("combined", 2000, low=1900, high=2100, decisions=90, games=9)
        periods = tuple(Period(name=str(year), time=float(year), rating=rating) for year in (2011, 2012))
        return (Progress(player=HOSTILE, by="month", periods=periods, trend=None, left_out=0),)
    if name in ("champions_figure", "rated_career_figure"):
        file = write_champions(folder / "champions.npz", {HOSTILE: 1960, "Bob": 1980})
        roster = Champions.read(file)
        return (roster if name == "champions_figure" else career(roster, [HOSTILE]),)
    decisions = make_decisions(games=10, plies=80, players=(HOSTILE, "Bob"))
    if name == "career_figure":
        careers = Careers(ConformanceModel(), decisions, min_moves=10)
        return {HOSTILE: career_table(HOSTILE, careers, resamples=5)}, 30
    if name == "gain_figure":
        model = GainModel()
        return {HOSTILE: model.profile(decisions.select(player=HOSTILE))}, model.limit
    if name == "versus_figure":
        table = head_to_heads(Careers(ConformanceModel(), decisions, min_moves=10))
        return (replace(table, method=HOSTILE),)
    if name == "density_figure":
        return apparent_skill_by(BayesModel(), decisions, "player"), HOSTILE
    if name == "training_figure":
        return (training_curve(BayesModel(), decisions),)
    raise AssertionError(f"say here how {name} is drawn with hostile names")


@pytest.mark.parametrize("name", sorted(drawings()))
def test_names_are_shown_as_written_and_figures_say_what_they_show(name: str, tmp_path: Path) -> None:
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
    drawn = {"rect", "text", "line", "path", "polyline", "polygon", "circle", "g"}
    assert tags <= {"svg", "title", "desc", "style"} | drawn
    title, description = root[0], root[1]
    assert root.get("role") == "img"
    assert (title.tag.rpartition("}")[2], description.tag.rpartition("}")[2]) == ("title", "desc")
    assert title.text
    assert description.text
    assert len(description.text) > 20


# One by one ----------------------------------------------------------------------------------------------


def test_live_strength_without_a_scale(pgn: Path, tmp_path: Path) -> None:
    page = files.page(figure_of(LiveAnalysis(None, perceived=GainModel()).update(read_game(pgn))))
    # Minus infinity is drawn at the edge.
    assert page.count("all moves so far on one side") == page.count('beyond-below"') == 6
    empty = tmp_path / "empty.pgn"
    empty.write_text('[White "A"]\n[Black "B"]\n\n*\n')
    perceived = figure_of(LiveAnalysis(None, perceived=GainModel()).update(read_game(empty)))
    assert "Perceived difference to the engine (not Elo)" in perceived.svg()
    assert "Mean gain (pawns)" in figure_of(LiveAnalysis(None).update(read_game(empty))).svg()


def test_a_live_rating_is_drawn_on_its_scale(pgn: Path) -> None:
    live = LiveAnalysis(None).update(read_game(pgn))
    rating = Rating("combined", 2200, low=1900, high=2500, decisions=20, games=1)
    rated = [replace(move, known=Known(20, {"combined": rating})) for move in live.moves[40:]]
    page = files.page(figure_of(replace(live, moves=(*live.moves[:40], *rated), scale="made")))
    assert "Rating (made)" in page
    assert page.count("2200 (1900 to 2500)") == 42  # moves before are too early, and not drawn


def labels(figure: Figure, axis: str = "y") -> list[str]:
    """Give the numbers along an axis."""
    anchor = {"x": "middle", "y": "end"}[axis]
    texts = ElementTree.fromstring(figure.svg()).iter("{http://www.w3.org/2000/svg}text")
    return [
        str(text.text) for text in texts if (text.get("class"), text.get("text-anchor")) == ("tick", anchor)
    ]


def test_a_live_rating_that_is_not_there_yet_is_not_drawn_about_zero(pgn: Path) -> None:
    """The axis of ratings showed `1, 0, 0, -0, -1` where there was no rating, or one alone."""
    live = replace(LiveAnalysis(None).update(read_game(pgn)), scale="made")
    assert {"1600", "2600"} <= set(labels(figure_of(live)))
    assert "-0" not in labels(figure_of(live))
    rating = Rating("combined", 2200, low=math.nan, high=math.nan, decisions=20, games=1)
    alone = replace(live.moves[40], known=Known(20, {"combined": rating}))
    shown = labels(figure_of(replace(live, moves=(*live.moves[:40], alone))))
    assert shown.count("2200") == 1
    assert {"2160", "2240"} <= set(shown)


@pytest.mark.parametrize(
    ("times", "shown"),
    [
        ((2013.17, 2013.25, 2013.29), ["Mar 2013", "Apr 2013"]),
        ((2012.9, 2013.2), ["Dec 2012", "2013", "Feb 2013", "Mar 2013"]),
        ((2011.0, 2019.0), [str(year) for year in range(2011, 2020)]),
        ((1990.0, 2020.0), ["1990", "1995", "2000", "2005", "2010", "2015", "2020"]),
    ],
)
def test_progress_is_drawn_by_months_and_years(times: tuple[float, ...], shown: list[str]) -> None:
    """The axis of progress showed `2013.2` five times."""
    rating = Rating("combined", 2000, low=1900, high=2100, decisions=90, games=9)
    periods = tuple(Period(name=str(time), time=time, rating=rating) for time in times)
    figure = figure_of(Progress(player="A", by="month", periods=periods, trend=None, left_out=0))
    assert labels(figure, "x") == shown


def year(number: int, *, active: bool = True) -> dict[str, object]:
    ends = {f"{name}_{end}": 0.5 for name in ("conformance", "conformance_0") for end in ("low", "high")}
    shares = {"conformance": 0.625, "conformance_0": 0.5}
    return {"year": number, **shares, **ends, "decisions": 80.0, "active": active}


def test_careers_show_every_year_at_both_bounds() -> None:
    rows = {"Ann": [year(2001), year(2002)], "Bob": [year(2001)]}
    text = career_figure(rows, bound=30).svg()
    for words in ("Ann, 2001: 62.5%", "Ann, 2002: 50.0%", "Bob, 2001: 62.5%"):
        assert text.count(f"{words} of 80 moves") == 1
    assert "lose at most 0.3 pawns" in text
    assert "hollow: too few moves" not in text
    assert "hollow: too few moves" in career_figure({"Ann": [year(2001, active=False)]}, bound=30).svg()


def test_the_heat_map_has_everyone_against_everyone() -> None:
    decisions = make_decisions(games=10, plies=80)
    table = head_to_heads(Careers(ConformanceModel(), decisions, min_moves=10))
    shared, white = (versus_figure(replace(table, white=white)).svg() for white in (False, True))
    assert "with colours shared" in shared
    assert "with White" in white
    assert all(str(key) in shared for key in table.keys[:2])
    assert f"{100 * table.match[0, 1]:.1f}%" in shared


def test_every_milepost_is_marked_in_every_panel_and_projections_have_no_marks() -> None:
    tables = {"then": [milepost(2300, 0.12), milepost(2400, 0.11)], "now": [milepost(2300, 0.09)]}
    root = ElementTree.fromstring(milepost_figure(Mileposts(tables)).svg())
    titles = [one.text or "" for one in root.iter() if one.tag.endswith("title")]
    for elo, s in ((2300, "0.120"), (2400, "0.110")):
        for words in (f"s_fit {s}", "c 0.500", "mm_actual 5", "ad_actual 0.080"):
            assert any(text.startswith(f"then, {elo}: {words}") for text in titles)
    marks = {text.split(": ")[1].split()[0] for text in titles if text.startswith("then, ")}
    assert marks == {"s_fit", "c", "mm_actual", "ad_actual"}
    assert any(text.startswith("now, 2300") for text in titles)


def test_every_density_has_a_look_of_its_own() -> None:
    figure = density_figure(apparent_skill_by(BayesModel(), make_decisions(games=30), "player", "game_id"))
    lines = [one for one in figure.root.iter("polyline") if "stroke" in str(one.get("class"))]
    styles = [(one.get("class"), one.get("stroke-dasharray")) for one in lines]
    assert len(styles) > 20
    assert len(set(styles)) == len(styles)


def test_only_the_densities_that_rest_on_most_are_shown(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("assay.report.figures.MOST_CURVES", 2)
    made = make_decisions(games=3, plies=80)
    sizes = {"game0": 80, "game1": 40, "game2": 60}
    pairs = zip(made.text("game_id"), made.numbers("ply"), strict=True)
    rows = [row for row, (game, ply) in enumerate(pairs) if ply < sizes[game or ""]]
    text = density_figure(apparent_skill_by(BayesModel(), made.take(np.array(rows)), "game_id")).svg()
    assert [game in text for game in sizes] == [True, False, True]


def test_training_shows_what_more_decisions_tell() -> None:
    curve = training_curve(BayesModel(), make_decisions(games=10, plies=80))
    text = training_figure(curve).svg()
    for skill in curve:
        for number in (skill.posterior.mean, skill.posterior.deviation):
            assert f"{skill.profile.decisions:,.0f} decisions: {number:.3f}" in text


def test_bins_of_few_games_are_not_drawn_and_the_stamp_is_told() -> None:
    def of(games: int) -> CalibrationBin:
        return CalibrationBin(low=0, high=1, games=games, forecast=0.25, result=0.5, error=0.1)

    bins = {"elo": [of(9), of(10), of(1000)]}
    figure = calibration_figure(
        Backtest(errors=[], slices=[], differences=[], calibration=bins, stamp={"digest": "abc123"})
    )
    text = files.page(figure)
    assert "expected 0.250, happened 0.500, 10 games" in text
    assert "1,000 games" in text
    assert "9 games" not in text
    assert "abc123" in text


def test_progress_at_true_distances_with_few_games_marked() -> None:
    def period(time: float, elo: float, games: int) -> Period:
        rating = Rating("combined", elo, low=elo - 90, high=elo + 90, decisions=30 * games, games=games)
        return Period(name=f"{time:.1f}", time=time, rating=rating)

    trend = Trend(a_year=40, low=-30, high=110, time=2012.0, elo=1750.0)
    periods = (period(2011.0, 1700, 9), period(2011.5, 1750, 1), period(2014.0, 1800, 9))
    progress = Progress(player="Pat", by="month", periods=periods, trend=trend, left_out=0)
    text = figure_of(progress).svg()
    for words in (
        "+40 points a year (-30 to +110)",
        "2011.5: 1750 (1660 to 1840), 1 game",
        ">trend<",
        "hollow: few",
    ):
        assert words in text
    alone = figure_of(replace(progress, periods=periods[:1], trend=None)).svg()
    assert "few games" not in alone
    assert ">trend<" not in alone
