"""Figures of the paper from made decisions."""

import re
from xml.etree import ElementTree

import numpy as np
import pyarrow as pa
import pytest

from assay.decisions.decisions import Decisions
from assay.testing import make_decisions
from research.papers.alliot2017 import figures


@pytest.fixture(scope="module")
def decisions() -> Decisions:
    table = make_decisions(games=20, plies=80).to_table()
    depth = pa.array(10 + np.arange(len(table)) % 5, pa.int16())
    return Decisions.from_table(table.set_column(table.column_names.index("depth"), "depth", depth))


def test_every_figure_is_whole_and_small(decisions: Decisions, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(figures, "figure_7", lambda _: figures.figure_3(decisions))
    made = figures.pages(decisions, decisions)
    page = made.pop("reproduction/alliot-figures.md")
    assert set(made) == {f"images/{name}" for name in re.findall(r"images/(alliot-\d+\.svg)", page)}
    for svg in made.values():
        ElementTree.fromstring(svg)
        assert len(svg) < 60_000


def test_the_highest_value_of_a_game_and_its_result(decisions: Decisions) -> None:
    one = decisions.select(player="Ann")
    reached, result = figures._highest_values(one)
    codes = sorted(set(one.codes("game_id").tolist()))
    for game, own in one.by_game():
        place = codes.index(one.names("game_id").index(game))
        assert reached[place] == np.nanmax(own.best_value)
        assert result[place] == own.numbers("result")[0]


def test_classes_of_equal_size_hold_the_mean_of_what_is_lost(decisions: Decisions) -> None:
    x, y = figures._pooled_means(decisions, 10_000, 1)
    losing = decisions.take(np.flatnonzero(figures.LossMeasure().of(decisions) > 0))
    assert y[0] == pytest.approx(figures.LossMeasure().of(losing).mean() / 100)
    assert x[0] == pytest.approx(losing.best_value.mean() / 100)


def test_player_years_are_counted(decisions: Decisions) -> None:
    assert figures._player_years(decisions) == 2 * len(set(decisions.numbers("year").tolist()))
