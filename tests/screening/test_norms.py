"""Norms: those that ship, of both kinds, and how files are read."""

import json
from importlib.resources import files

import numpy as np
import pytest

from assay.decisions.evaluation import EVALUATED
from assay.screening.norms import Groups, Norms, any_norms, find_norms
from assay.screening.statistics import COUNTED, NAMES, Evidence
from examples.screened_games import PLAIN_TURNS, STANDARD

N = len(COUNTED)
SOURCES = [source for source in EVALUATED if find_norms(source) is not None]


def test_the_norms_that_ship_are_there_and_sound() -> None:
    norms = find_norms(STANDARD)
    assert norms is not None
    assert any_norms() is norms
    spread = norms.turns
    assert spread is not None
    assert spread.curves.numbers.shape == (4, 5)
    assert spread.scale.shape == (len(NAMES), 2)
    assert (spread.dispersion > 1).all()
    assert (spread.dispersion < 2).all(), "Regan and Haworth bound deviations by 1.15 and 1.4"
    assert norms.about["players"] > 700
    assert all(rate["share"] <= rate["level"] for rate in norms.sequence["rates"])
    assert find_norms("another") is None
    assert len(SOURCES) == 4


@pytest.mark.parametrize("source", [STANDARD, *SOURCES])
def test_honest_games_held_out_were_named_about_as_often_as_they_should(source: str) -> None:
    """Within a factor of 1.5 where enough groups are there to tell, both tails together."""
    norms = find_norms(source)
    assert norms is not None
    assert {rate["games"] for rate in norms.rates} <= {1, 5, 9}
    for rate in norms.rates:
        if rate["band"] == "all" and rate["groups"] * rate["nominal"] >= (11 if source == STANDARD else 25):
            if source == STANDARD and rate["games"] > 1:
                continue
            assert rate["nominal"] / 1.5 < (rate["above"] + rate["below"]) / 2 < rate["nominal"] * 1.5


@pytest.mark.parametrize(
    ("source", "least"), [(STANDARD, 0.01), ("evaluated-fide-classical", 0.001), (SOURCES[-1], 0.005)]
)
def test_p_is_as_small_as_honest_games_can_show(source: str, least: float) -> None:
    """Ten honest games are due beyond it: of 1,120, 31,503 and 1,907 to 7,022."""
    norms = find_norms(source)
    assert norms is not None
    assert norms.least_p == least


def test_files_may_name_their_statistics_and_lack_some() -> None:
    """A statistic that a file does not have has no norms; the others are found by name, in any order."""
    text = (files("assay") / "data" / "norms" / f"{STANDARD}.json").read_text()
    document = json.loads(text)
    plain = Norms.of(document).turns
    assert plain is not None
    order = [5, 0, 1, 3, 4, 6]  # without `three`
    document["statistics"] = [NAMES[place] for place in order]
    document["curves"] = [document["curves"][place] for place in (3, 0, 1)]
    for part, places in (
        ("dispersion", order[:-1]),
        ("form", order[:-1]),
        ("scale", order),
        ("excess", order),
    ):
        document[part] = [document[part][place] for place in places]
    again = Norms.of(document).turns
    assert again is not None
    three = NAMES.index("three")
    assert np.isnan(again.scale[three]).all()
    assert np.isnan(again.dispersion[three])
    others = [place for place in range(N) if place != three]
    assert again.dispersion[others].tolist() == plain.dispersion[others].tolist()
    assert again.curves.numbers[[0, 1, 3]].tolist() == plain.curves.numbers[[0, 1, 3]].tolist()


def test_variance_of_games_of_one_player_and_of_many() -> None:
    zeros, slope = np.zeros((4, N)), np.full((4, N), 0.01)
    sums = Evidence(zeros, np.full((4, N), 2.0), zeros, slope, zeros, np.full(4, 30))
    assert PLAIN_TURNS.variance(sums, error=0.0) == pytest.approx(np.full(N, 8.0))
    assert PLAIN_TURNS.variance(sums, error=100.0) == pytest.approx(np.full(N, 8.0 + 16.0))
    assert PLAIN_TURNS.variance(sums, error=100.0, alone=False) == pytest.approx(np.full(N, 8.0 + 4.0))


def test_many_games_are_of_the_shape_of_nine() -> None:
    nine, many = (Groups(np.array([n]), np.array([35 * n]), np.array([2100.0])) for n in (9.0, 90.0))
    assert many.narrow.tolist() == nine.narrow.tolist()
    assert many.wide[0, 3] > nine.wide[0, 3]


def test_a_z_that_is_not_known_stays_unknown() -> None:
    norms = find_norms(SOURCES[0])
    assert norms is not None
    groups = Groups(np.array([3.0]), np.array([90.0]), np.array([2000.0]))
    z = norms.standard(np.array([[np.nan, 1.0]]), groups)
    assert np.isnan(z).tolist() == [[True, False]]
