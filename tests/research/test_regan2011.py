"""Mileposts beside the paper's, drawn."""

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest

from assay.decisions.decisions import Decisions
from assay.models.choice.model import ChoiceModel
from assay.models.choice.spreads import Scaling, spreads_of
from assay.models.choice.sums import probabilities
from assay.models.choice.tables import mileposts_of
from assay.reproduce import facts
from examples.choice_agents import agent_decisions
from examples.choice_mileposts import milepost
from examples.drawings import texts
from research.markdown import table
from research.papers import Games, regan2011
from research.papers import regan2011_simulation as simulation
from research.papers.all_moves import all_moves, read_as
from research.papers.regan2011 import OURS, PERIODS, THEIRS, Cell, change, svg


def test_mileposts_are_ours_filled_and_the_papers_hollow() -> None:
    rows = [milepost(elo) for elo in (2400, 2500)]
    published = {row["elo"]: row for row in facts("regan2011")["periods"]["2006-2009"]}
    drawn = svg(rows, published)
    assert {OURS, THEIRS, "sensitivity s_fit", "first-move agreement, %"} <= set(texts(drawn))
    assert drawn.count(' class="mark-0"') == 1 + 2 * len(rows)  # one in the legend
    assert drawn.count(' class="line-1 hollow"') == 1 + 2 * len(published)


# The page of Regan and Haworth 2011.


def test_a_simulation_becomes_a_row() -> None:
    found = {"median_off_percent": 1.25, "deviation_percent": 30.0, "coverage_percent": 94.96}
    row = {"turns": 1000, "s": 0.1, "c": 0.5, "replications": 10, "failed": 0}
    text = simulation.simulation_table([{**row, "quantities": dict.fromkeys(simulation.NAMES, found)}])
    cells = "| 1,000 | 0.1, 0.5 | 10 | 0 | +1.2 (30.0) | +1.2 (30.0) | +1.2 (30.0) | 95.0, 95.0, 95.0 |"
    assert text.splitlines()[-1] == cells


# Agents that choose among all legal moves, seen through some lines.


@pytest.mark.parametrize(
    ("lines", "replications"), [(5, 20), *(pytest.param(n, 40, marks=pytest.mark.proof) for n in (5, 10))]
)
def test_agents_are_found_and_covered_through_few_lines(lines: int, replications: int) -> None:
    """An agent of s .16 and c .47; through all its lines such moves give the same within 6%."""
    numbers, every, biased = (
        simulation.through_lines(*seen, 0.16, 0.47, replications)
        for seen in ((lines, "measured"), (500, "measured"), (5, "tail"))
    )
    for name in ("s", "c"):
        assert numbers[name][0] == pytest.approx(every[name][0], rel=0.06)
        assert numbers[name][1] >= 0.8  # of 20 intervals of 95%, fewer than 16 would be one chance in 3,000
    assert biased["s"][0] < 0.92 * every["s"][0]


def test_a_move_searched_alone_changes_nothing_else_behind_the_lines() -> None:
    """It stands in for the guessed move nearest to it: there are as many options as legal moves."""
    whole = all_moves()
    through = spreads_of(read_as(whole, 5), Scaling(unlisted="measured"))
    assert np.array_equal(np.diff(through.offsets), whole.n_options)
    assert (
        np.diff(through.delta)[np.diff(np.repeat(np.arange(len(whole)), whole.n_options)) == 0] > -0.04
    ).all()
    assert through.lost == pytest.approx(spreads_of(whole).lost)


# Inflation: players of one rating in two periods.


@pytest.mark.parametrize("worse", [1.0, 1.6])
def test_inflation_is_seen_where_later_players_err_more(
    worse: float, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(regan2011, "MILEPOSTS", range(2000, 2401, 200))
    agents = {elo: (0.4 - (elo - 2000) / 2000, 0.5) for elo in range(2000, 2401, 200)}
    later = {elo: (worse * s, c) for elo, (s, c) in agents.items()}
    parts = [
        with_column(agent_decisions(who, games=20, turns=30, seed=seed), "year", year)
        for seed, (who, year) in enumerate(((agents, 1992), (later, 2007)))
    ]
    cells = [
        Cell.of(part, elo, period, resamples=60)
        for elo in agents
        for part, period in zip(parts, PERIODS, strict=True)
    ]
    points, low, high = change(cells)
    assert low < points < high
    assert (high < 0) == (worse > 1)


def with_column(decisions: Decisions, name: str, value: int) -> Decisions:
    table = decisions.table()
    column = pa.array(np.full(len(table), value, np.int16))
    return Decisions.from_table(table.set_column(table.column_names.index(name), name, column))


def test_the_page_of_inflation_has_the_columns_that_the_command_prints() -> None:
    text = (DOCS / "evidence" / "paper_regan2011_periods.md").read_text(encoding="utf-8")
    assert text.count("| 1991-1994 |") == text.count("| 2006-2009 |") == len(regan2011.MILEPOSTS)
    assert "| Elo | years | games | turns | s | c | expected error | first choices, % |" in text


# What the method finds on milepost games.

DOCS = Path(__file__).resolve().parents[2] / "docs"


def test_the_page_has_what_the_milepost_games_give(shared_data: Callable[[str], Path]) -> None:
    decisions = Games(shared_data("analysed/mileposts-standard").parents[1]).mileposts()
    model = ChoiceModel()
    parts = mileposts_of(model, decisions)
    text = (DOCS / "evidence" / "paper_regan2011.md").read_text(encoding="utf-8")
    assert f"outside the lines in {100 * regan2011.outside_lines(parts):.1f}% of the turns" in text
    default = regan2011.quality_row("as by default", regan2011.quality(model, parts))
    assert table((), [default]).splitlines()[-1] in text


# Agents on reference positions: what is drawn and prepared.


def test_whole_games_are_drawn_until_there_are_turns_enough() -> None:
    units = [np.arange(0, 7), np.arange(7, 20)]
    rows, game = simulation.drawn(units, 40, np.random.default_rng(1))
    assert len(rows) == len(game) == 40
    starts = np.flatnonzero(np.diff(game, prepend=-1))
    assert set(rows[starts].tolist()) <= {0, 7}


def test_what_is_prepared_is_what_the_model_finds() -> None:
    """`check` compares both; it must notice other probabilities."""
    model = ChoiceModel()
    turns = model.reference
    agent = probabilities(turns, 0.2, 0.5)
    rows = np.arange(len(turns))
    played = simulation.drawn_moves(turns, agent, rows, np.random.default_rng(2))
    spreads = turns.replayed(played)
    prepared = simulation.Prepared(model, spreads)
    simulation.check(model, spreads, prepared)
    prepared.before += 0.05
    with pytest.raises(AssertionError):
        simulation.check(model, spreads, prepared)
