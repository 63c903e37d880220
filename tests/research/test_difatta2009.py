"""Positions with every legal move valued: read as if the engine had listed fewer."""

import math
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from assay.models.bayes import HONEST, BayesModel, apparent_skill, apparent_skill_by
from assay.rating.calibration import find_calibration
from assay.reproduce import facts
from assay.testing import make_decisions
from examples.drawings import texts
from examples.gain_examples import with_column
from research.papers import Games, difatta2009
from research.papers.all_moves import all_moves, every_choice, read_as
from research.papers.difatta2009 import density_svg, log_ratios, toga_row


def test_all_legal_moves_are_listed_best_first() -> None:
    every = all_moves()
    assert (every.n_options == every.numbers("n_legal")).all()
    assert (every.n_options == every.numbers("n_lines")).all()
    falls = np.diff(every.values)
    within = np.ones(len(falls), dtype=bool)
    within[every.offsets[1:-1] - 1] = False
    assert (falls[within] <= 0).all()


def test_fewer_lines_keep_the_first_and_the_played_move() -> None:
    every = all_moves()
    some = read_as(every, 5)
    assert (some.numbers("n_legal") == every.n_options).all()
    assert (some.numbers("n_lines") == np.minimum(every.n_options, 5)).all()
    assert np.array_equal(some.played_value, every.played_value)
    assert np.array_equal(some.best_value, every.best_value)
    outside = every.played_index >= 5
    assert (some.n_options[outside] == 6).all()
    assert (some.n_options[~outside] == np.minimum(every.n_options[~outside], 5)).all()


def test_every_choice_is_each_option_once() -> None:
    few = all_moves().take(np.arange(3))
    each = every_choice(few)
    assert len(each) == len(few.values)
    assert np.array_equal(each.played_value, few.values)


# Agents that choose among all legal moves, seen through some lines: found, covered, and alike.


def test_c_does_not_depend_on_the_number_of_lines() -> None:
    every = difatta2009.all_moves()
    whole = np.arange(len(every))[None]
    found = [
        difatta2009.posteriors(difatta2009.evidence("tail", every, lines), whole)[0].mean
        for lines in (500, *difatta2009.LINES)
    ]
    assert max(found) - min(found) < 0.05


# Agents that choose among all legal moves, by the number of decisions: the table of the page.


def test_agents_of_known_skill_are_covered() -> None:
    lines = difatta2009.simulation(BayesModel(), 60).splitlines()
    rows = [[cell.strip() for cell in line.strip("|").split("|")] for line in lines[2:]]
    assert {int(row[0]) for row in rows} == {30, 250, 1000}
    covered = [float(row[3].rstrip("%")) / 100 for row in rows]
    drawn = [int(row[2]) for row in rows]
    # Of all together: if 95% are covered, under 92% or over 98% happen less than once in 10,000 times.
    share = sum(one * n for one, n in zip(covered, drawn, strict=True)) / sum(drawn)
    assert 0.92 < share < 0.98
    assert all(abs(float(row[4])) < 0.5 for row in rows)


# How much more c varies over games than its posterior says.


def test_games_that_repeat_themselves_vary_more_than_the_posterior_says(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Eight copies of each decision in one game: games are then eight times as variable as their moves."""
    model = BayesModel(opening_turns=0)
    one = make_decisions(games=60, options=4)
    rows = np.arange(len(one)).repeat(8)
    repeated, plain = (difatta2009.dispersion(model, table, 200) for table in (one.take(rows), one))
    assert repeated > 4 * plain


# How often honest players look like an engine.


def test_engine_seldom_describes_honest_games_better(shared_data: Callable[[str], Path]) -> None:
    """The rate that is printed is the measured one; few are favoured by a factor of a hundred."""
    calibration = find_calibration("672593ce2551e878")
    assert calibration is not None
    found = log_ratios(
        Games(shared_data("analysed/mileposts-standard").parents[1]).mileposts(), calibration.spread
    )
    assert (int((found > 0).sum()), len(found)) == HONEST
    assert (found > math.log(100)).sum() == 1  # as docs/evidence/paper_difatta2009.md has it


# Skill in the games of one milepost, as a row of the page.


@pytest.mark.parametrize("elo", [2100, 2700])
def test_a_row_has_the_skill_of_its_milepost(elo: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(difatta2009, "RESAMPLES", 20)
    model, decisions = BayesModel(), make_decisions(games=8, plies=60)
    games = decisions.text("game_id")
    near = [elo if game in ("game0", "game1", "game2", "game3", "game4") else 1500 for game in games]
    for name in ("player_elo", "opponent_elo"):
        decisions = with_column(decisions, name, near)
    row = toga_row(model, decisions, elo)
    own = apparent_skill(model, decisions.select(game=[f"game{n}" for n in range(5)]))
    low, high = own.posterior.region()
    assert row[:7] == (
        str(elo),
        model.outside,
        "5",
        f"{own.profile.decisions:,.0f}",
        f"{own.posterior.mean:.3f}",
        f"{own.posterior.deviation:.3f}",
        f"{low:.2f} to {high:.2f}",
    )
    (paper,) = [one["mean_c"] for one in facts("difatta2009")["apparent_skill"] if one["name"] == f"E{elo}"]
    assert row[-1] == f"{paper:.3f}"


# Posteriors over c, drawn.


def test_densities_have_their_names_at_the_peaks() -> None:
    skills = apparent_skill_by(BayesModel(), make_decisions(games=10, players=("1600", "2700")), "player")
    drawn = density_svg(skills)
    assert drawn.count("<polyline") == 2
    assert texts(drawn).count("1600") == texts(drawn).count("2700") == 2  # in the legend, and at the peak
    assert drawn.endswith("</svg>\n")


# What the method finds on milepost games.

DOCS = Path(__file__).resolve().parents[2] / "docs"


def test_the_page_has_what_the_milepost_games_give(shared_data: Callable[[str], Path]) -> None:
    decisions = Games(shared_data("analysed/mileposts-standard").parents[1]).mileposts()
    text = (DOCS / "evidence" / "paper_difatta2009.md").read_text(encoding="utf-8")
    model = BayesModel()
    assert difatta2009.table_3(model, decisions) in text
    assert difatta2009.training(model, decisions) in text
    assert difatta2009.order(model, decisions) in text
