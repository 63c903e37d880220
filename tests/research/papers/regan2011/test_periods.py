"""Mileposts of a period rated through those of other years."""

import math

import numpy as np
import pyarrow as pa
import pytest

from assay.decisions.decisions import Decisions
from examples.choice_agents import agent_decisions
from research.papers.regan2011 import periods
from research.papers.regan2011.periods import Milepost, Period, interval, period, rows, trend


def one(years: tuple[int, int], difference: float, deviation: float = 10.0) -> Period:
    return Period(years, 1000, (Milepost(2500, 1000, 20, difference, deviation),))


def test_mileposts_count_by_their_turns() -> None:
    two = (Milepost(2500, 900, 20, 30.0, 10.0), Milepost(2600, 300, 20, -10.0, 20.0))
    mean, deviation = Period((1991, 1994), 2000, two).difference()
    assert mean == pytest.approx(20.0)
    # They scatter more than they should, so the mean is less certain than their deviations say.
    assert deviation > math.hypot(0.75 * 10, 0.25 * 20)
    alike = (Milepost(2500, 900, 20, 20.0, 10.0), Milepost(2600, 300, 20, 20.0, 20.0))
    assert Period((1991, 1994), 2000, alike).difference()[1] < deviation
    assert math.isnan(Period((1976, 1979), 46, ()).difference()[0])


def test_the_trend_is_that_of_a_line() -> None:
    found = [
        one((1990, 1990), 20.0),
        one((2000, 2000), 10.0),
        one((2010, 2010), 0.0),
        Period((1976, 1979), 4, ()),
    ]
    slope, deviation = trend(found)
    assert slope == pytest.approx(-10.0)
    assert deviation == pytest.approx(10 * found[0].difference()[1] / math.sqrt(200))
    assert math.isnan(trend(found[:1])[0])


def test_what_stands_out() -> None:
    assert one((2015, 2022), 100.0).stands_out
    assert not one((2015, 2022), 10.0).stands_out
    assert not Period((1976, 1979), 4, ()).stands_out


def test_the_table_names_what_cannot_be_rated() -> None:
    text = rows([Period((1976, 1979), 46, ()), one((2006, 2009), 12.0)])
    assert "| 1976-1979 | yes | 46 |  | too few to rate |" in text
    assert f"| 2006-2009 | yes | 1,000 | 2500 | {interval(*one((2006, 2009), 12.0).difference())} |" in text
    assert interval(12.0, 10.0) == "+12 (-8 to +32)"


def test_players_of_one_elo_who_play_alike_in_all_years_show_no_inflation(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(periods, "FEWEST", 100)
    agents = {elo: (0.4 - (elo - 2000) / 4000, 0.5) for elo in range(2000, 2401, 100)}
    decisions = in_two_periods(agent_decisions(agents, games=14, turns=24))
    found = period(decisions, (2006, 2009))
    assert found.mileposts
    mean, deviation = found.difference()
    assert abs(mean) < 4 * deviation
    assert not period(decisions, (1976, 1979)).mileposts


def in_two_periods(decisions: Decisions) -> Decisions:
    """Every second game in 2007, the others in 1992."""
    table = decisions.to_table()
    even = np.isin(np.array(decisions.text("game_id")), decisions.games[::2])
    years = pa.array(np.where(even, 2007, 1992).astype(np.int16))
    return Decisions.from_table(table.set_column(table.column_names.index("year"), "year", years))
