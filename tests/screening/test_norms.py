"""Norms: those that ship, of both kinds, and how files are read."""

import numpy as np
import pytest

from assay.decisions.evaluation import EVALUATED
from assay.screening.norms import Groups, any_norms, find_norms, rating_error
from assay.screening.statistics import NAMES, PROJECTED, Evidence
from examples.screened_games import PLAIN, PLAIN_TURNS, STANDARD

N = len(NAMES)
SOURCES = [source for source in EVALUATED if find_norms(source) is not None]


def test_the_norms_that_ship_are_there_and_sound() -> None:
    norms = find_norms(STANDARD)
    assert norms is not None
    assert any_norms() is norms
    spread = norms.turns
    assert spread is not None
    assert spread.curves.numbers.shape == (len(PROJECTED), 5)
    assert spread.scale.shape == (len(NAMES), 2)
    assert (spread.dispersion > 1).all()
    assert (spread.dispersion < 2).all(), "Regan and Haworth bound deviations by 1.15 and 1.4"
    assert norms.about["players"] > 700
    assert 80 < rating_error() < 130, "learned: form of players by their games"
    assert find_norms("another") is None
    assert len(SOURCES) == 4


@pytest.mark.parametrize("source", [STANDARD, *SOURCES])
def test_honest_games_held_out_were_named_about_as_often_as_they_should(source: str) -> None:
    """Within a factor of 1.5 where enough groups are there to tell, both tails together.

    With the lines of an engine three statistics share the error, whatever their correlation: less often.
    """
    norms = find_norms(source)
    assert norms is not None
    assert {rate["games"] for rate in norms.rates} <= {1, 5, 9}
    for rate in norms.rates:
        if rate["band"] == "all" and rate["groups"] * rate["nominal"] >= (5 if source == STANDARD else 25):
            least = rate["nominal"] / (2.5 if source == STANDARD else 1.5)
            assert least < (rate["above"] + rate["below"]) / 2 < rate["nominal"] * 1.5


@pytest.mark.parametrize(
    ("source", "least"), [(STANDARD, 0.01), ("evaluated-fide-classical", 0.001), (SOURCES[-1], 0.005)]
)
def test_p_is_as_small_as_honest_games_can_show(source: str, least: float) -> None:
    """Ten honest games are due beyond it: of 1,120, 31,503 and 1,907 to 7,022."""
    norms = find_norms(source)
    assert norms is not None
    assert norms.least_p == least


@pytest.mark.parametrize("source", [STANDARD, "evaluated-fide-classical"])
def test_from_how_many_games_on_players_are_named_was_measured(source: str) -> None:
    norms = find_norms(source)
    assert norms is not None
    assert norms.opens["naming"] >= 2, "nobody is named by one game"
    for counted in norms.opens["by_games"]:
        assert counted["opens"] == 200
        assert counted["players"] >= 110
        if counted["games"] == norms.opens["naming"]:
            assert counted["named"] <= 10, "one open of 20"


def test_a_field_is_shifted_where_its_middle_is_further_than_that_of_honest_events() -> None:
    """The more players, the less chance moves the middle: at 5 it may be 1.5 from zero, at 120 about 0.6."""
    shifts = {}
    for n in (4, 5, 120):
        z = np.linspace(-2, 2, n + 1 - n % 2)[:n]
        z = z - np.median(z)
        shifts[n] = next((s for s in np.arange(0, 5, 0.05) if PLAIN.shifted(z + s, 9)), None)
        assert shifts[n] == next((s for s in np.arange(0, 5, 0.05) if PLAIN.shifted(z - s, 9)), None)
    assert shifts[4] is None, "too few players to tell"
    assert 1.2 < shifts[5] < 1.8
    assert 0.4 < shifts[120] < 0.8


def test_variance_of_games_of_one_player_and_of_many() -> None:
    zeros, slope = np.zeros((4, N)), np.full((4, N), 0.01)
    sums = Evidence(zeros, np.full((4, N), 2.0), zeros, slope, zeros, np.full(4, 30))
    assert PLAIN_TURNS.variance(sums, 0.0) == pytest.approx(np.full(N, 8.0))
    assert PLAIN_TURNS.variance(sums, 100.0) == pytest.approx(np.full(N, 8.0 + 16.0))
    assert PLAIN_TURNS.variance(sums, 100.0, alone=False) == pytest.approx(np.full(N, 8.0 + 4.0))


def test_many_games_are_of_the_shape_of_nine() -> None:
    nine, many = (Groups(np.array([n]), np.array([35 * n]), np.array([2100.0])) for n in (9.0, 90.0))
    assert many.narrow.tolist() == nine.narrow.tolist()
    assert many.wide[0, 3] > nine.wide[0, 3]
