import numpy as np
import pytest

from assay.answers.screening import SIDES
from assay.screening.norms import Norms
from examples.screened_games import calibration
from research.evidence.screening.dealings import honest_of, honest_rates, joined
from research.evidence.screening.measured import Measurement
from research.evidence.screening.power import share


@pytest.fixture(scope="package")
def norms(measurement: Measurement) -> Norms:
    rates = honest_rates(joined([honest_of(lambda: measurement)]), 1)
    return measurement.norms(calibration(), {"games": 30}, list(rates))


def test_norms_carry_their_rates(norms: Norms) -> None:
    assert {one["games"] for one in norms.rates} == {1, 2}
    assert {one["level"] for one in norms.sequence["rates"]} == {0.1, 0.05, 0.01}
    assert Norms.of(norms.document()).document() == norms.document()


def test_honest_agents_seldom_make_the_bettor_rich(measurement: Measurement) -> None:
    assert (measurement.bets[1] >= 20).mean() <= 0.05


def test_the_bettor_sees_that_all_moves_are_the_engines(measurement: Measurement) -> None:
    reached = measurement.moved_in_sequence(share(1.0))
    assert (reached[1] >= 100).mean() > 0.5
    fold = measurement.trial.fold
    assert len(reached[1]) == (fold == 0).sum(), "in one fold"
    assert len(measurement.moved_in_sequence(share(1.0), np.array([3, 4]))[1]) == 2


def test_a_rating_that_is_off_makes_honest_players_unusual(measurement: Measurement) -> None:
    for side in SIDES:
        sure, unsure, right = (
            measurement.stale(*given, side, n=2) for given in ((600.0, 60.0), (600.0, 400.0), (0.0, 60.0))
        )
        assert sure >= unsure
        assert sure > right


def test_beginnings_are_looked_for(measurement: Measurement) -> None:
    found = measurement.beginnings()
    assert found["games"] >= found["named"] > 0
    assert 0 <= found["inside"] <= 1
