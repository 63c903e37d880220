"""Norms: those that ship, of both kinds, and how files are read."""

import numpy as np
import pytest

from assay.answers.screening import share_interval
from assay.decisions.evaluation import EVALUATED
from assay.screening.norms import Groups, Tail, find_norms, rating_error
from assay.screening.statistics import NAMES, PROJECTED
from examples.screened_games import PLAIN, STANDARD

SOURCES = [source for source in EVALUATED if find_norms(source) is not None]


def test_the_norms_that_ship_are_there_and_sound() -> None:
    norms = find_norms(STANDARD)
    assert norms is not None
    spread = norms.turns
    assert spread is not None
    assert spread.curves.numbers.shape == (len(PROJECTED), 5)
    assert spread.scale.shape == (len(NAMES), 2)
    assert (spread.dispersion > 1).all()
    assert (spread.dispersion < 2).all(), "Regan and Haworth bound deviations by 1.15 and 1.4"
    assert norms.about["players"] > 700
    errors = rating_error(np.array([1500.0, 2100.0, 2600.0]))
    assert (np.diff(errors) < 0).all(), "learned: the ratings of weak players are less exact"
    assert 80 < errors[1] < 130
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
    ("source", "games", "least"),
    [
        (STANDARD, 1, 0.005),
        (STANDARD, 9, 0.05),
        ("evaluated-fide-classical", 1, 0.001),
        ("evaluated-fide-classical", 9, 0.005),
        ("evaluated-fide-classical", 40, 0.005),
    ],
)
def test_p_is_shown_as_small_as_honest_groups_of_as_many_games_can_show(
    source: str, games: int, least: float
) -> None:
    """Three of them are due beyond it: of 1,120 and 112, of 31,503 and 1,268; of 40 games as of nine."""
    norms = find_norms(source)
    assert norms is not None
    assert norms.least_p(games) == least


def test_p_is_the_rank_among_honest_groups_and_never_below_one_of_them() -> None:
    """(1 + as far as that) / (1 + groups); beyond all of them 1 in 200, whatever the distribution."""
    z = np.random.default_rng(0).standard_cauchy(199)
    tail = Tail.of(3, z)
    furthest = np.sort(np.abs(z))[::-1]
    assert tail.p(furthest[:5]) == pytest.approx(np.arange(2, 7) / 200)
    assert tail.p(-furthest[:5]) == pytest.approx(np.arange(2, 7) / 200)
    assert tail.p(np.array([1e9])) == pytest.approx([1 / 200])
    assert tail.p(np.array([0.0, 1.0])) == pytest.approx([1.0, 0.317311], abs=1e-6)
    twice = Tail.of(3, np.concatenate((z, z)), dealt=2)
    assert twice.groups == 199
    assert twice.p(furthest[:5]) == pytest.approx(np.arange(2, 7) / 200)


def test_honest_players_have_a_valid_p_whatever_the_distribution_of_z() -> None:
    """Heavy tails and 60 honest groups: p of 5% or less in 5% of 20,000 at most, and never below 1 / 61."""
    rng = np.random.default_rng(1)
    p = np.array([Tail.of(1, rng.standard_t(2, 60)).p(rng.standard_t(2, 1))[0] for _ in range(20_000)])
    assert (p <= 0.05).mean() <= 0.05 + 3 * np.sqrt(0.05 * 0.95 / 20_000)
    assert (p <= 2 / 61).mean() == pytest.approx(2 / 61, rel=0.15)
    assert p.min() == pytest.approx(1 / 61)


@pytest.mark.parametrize("source", [STANDARD, "evaluated-fide-classical"])
def test_from_how_many_games_on_players_are_named_was_measured(source: str) -> None:
    norms = find_norms(source)
    assert norms is not None
    assert norms.opens["naming"] >= 2, "nobody is named by one game"
    assert {tail.games for tail in norms.tails} == set(range(1, 10))
    for counted in norms.opens["by_games"]:
        assert counted["opens"] == 200
        if counted["games"] >= norms.opens["naming"]:
            assert share_interval(counted["named"], counted["opens"])[0] <= 0.05, "one open of 20"


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


def test_many_games_are_of_the_shape_of_nine() -> None:
    nine, many = (Groups(np.array([n]), np.array([35 * n]), np.array([2100.0])) for n in (9.0, 90.0))
    assert many.narrow.tolist() == nine.narrow.tolist()
    assert many.wide[0, 3] > nine.wide[0, 3]
