"""Calibrations of evaluated games: which appearances teach, on made-up games."""

from collections.abc import Sequence

import numpy as np
import pytest

from assay.decisions.decisions import Decisions
from assay.decisions.evaluation import EVALUATED
from assay.models.appearances import Appearances
from examples.evaluated_games import evaluated_games
from research.calibration.evaluated import METHODS, TEACHINGS, Teaching, evidence_of, usable

TEACHING = Teaching(EVALUATED[0], "FIDE Elo, classical", "nobody", (), 1500, 2600, 8)


@pytest.fixture(scope="module")
def games() -> Decisions:
    return evaluated_games(np.arange(1400, 2800, 100), games=6)


def test_every_source_has_a_teaching() -> None:
    assert [teaching.source for teaching in TEACHINGS] == list(EVALUATED)
    assert len({teaching.scale for teaching in TEACHINGS}) == len(EVALUATED)


def test_centuries_with_too_few_appearances_do_not_teach(games: Decisions) -> None:
    appearances = Appearances.of(games)
    rows = usable(appearances, TEACHING)
    assert set(appearances.elo[rows]) == set(range(1500, 2600, 100))
    fewer: Sequence[int] = rows[appearances.elo[rows] == 1500][:5].tolist()
    some = np.append(rows[appearances.elo[rows] > 1500], fewer)
    assert appearances.elo[usable(appearances, TEACHING, some)].min() == 1600


def test_methods_that_one_value_per_position_speaks_to(games: Decisions) -> None:
    _, stacks = evidence_of(games)
    assert set(stacks) == set(METHODS)
