"""Ratings beyond all that they were made from: found, and explained."""

from dataclasses import replace

import numpy as np
import pytest

from assay.answers.ratings import PlayerRating, Rating, Record
from assay.models.bayes.posterior import Posterior
from assay.rating.contradictions import SURER, beyond, game_notes, method_notes, why_beyond
from assay.rating.posterior import Range, RawRatings, elo_posterior, heard
from examples.spreads import known

SPAN = Range(1500, 2800)


def rating(elo: float, method: str = "combined", note: str = "") -> Rating:
    return Rating(method, elo, low=elo - 100, high=elo + 100, decisions=30, games=1, note=note)


def player(name: str, elo: float, group: str = "", note: str = "") -> PlayerRating:
    return PlayerRating(
        player=name,
        group=group,
        games=1,
        decisions=30,
        record=Record(),
        reference=float("nan"),
        ratings={},
        combined=rating(elo, note=note),
    )


def mean(posterior: Posterior | None) -> float:
    assert posterior is not None
    return posterior.mean


def test_beyond_is_meant_as_printed() -> None:
    assert beyond(1999, [2000, 2100])
    assert not beyond(1999.6, [2000, 2100])
    assert beyond(2101, [2000, 2100])
    assert not beyond(1900, [2000])  # one method alone is itself


def test_two_unsure_methods_that_agree_are_surer_together() -> None:
    """As a user saw it: both drawn to the middle of the scale, together drawn less."""
    spread, raw = known(), RawRatings(np.array([2700.0, 2700.0]), 30.0)
    spread = replace(spread, unit=np.broadcast_to(np.diag([250_000.0, 250_000.0]), spread.unit.shape))
    single = [rating(mean(elo_posterior(raw, spread, SPAN, [k]))) for k in (0, 1)]
    combined = rating(mean(elo_posterior(raw, spread, SPAN, [0, 1])))
    assert combined.elo > max(one.elo for one in single)
    assert why_beyond(combined, single) == SURER
    assert why_beyond(combined, [rating(2000), rating(2790)]) == ""


def test_a_method_that_repeats_a_better_one_is_not_counted_against_it() -> None:
    spread = known()
    alike = np.array([[90_000.0, 140_000.0], [140_000.0, 250_000.0]])
    spread = replace(spread, unit=np.broadcast_to(alike, spread.unit.shape))
    raw = RawRatings(np.array([2100.0, 1900.0]), 30.0)
    combined = rating(mean(elo_posterior(raw, spread, SPAN, [0, 1])))
    single = [rating(mean(elo_posterior(raw, spread, SPAN, [k]))) for k in (0, 1)]
    assert heard(raw, spread, [0, 1]) == [0]
    assert combined.elo == single[0].elo
    assert why_beyond(combined, single) == ""


def test_who_is_beyond_is_said_in_one_line() -> None:
    players = [player(name, 2000, note=SURER) for name in ("Ann", "Bob", "Cy", "Dee", "Eve")]
    players += [player("Guy", 2000)]
    (said,) = method_notes(players)
    assert said == f"Rated beyond every single method: Ann; Bob and 3 more ({SURER})."
    assert method_notes([player("Guy", 2000)]) == ()


def test_three_games_that_together_make_less() -> None:
    """The numbers that a user saw, and why they are right: single games are drawn to 2150."""
    games = [player("Ann", elo, str(elo)) for elo in (2224.0, 2029.0, 1913.0)]
    (said,) = game_notes(games, {"Ann": rating(1896)})
    assert said.startswith("Together beyond each of their games: Ann (1896, single games 1913 to 2224). Why:")
    assert game_notes(games, {"Ann": rating(2000)}) == ()
    spread, each = known(), np.array([2300.0, 1850.0, 1500.0])
    single = [mean(elo_posterior(RawRatings(np.full(2, one), 30.0), spread, SPAN, [0, 1])) for one in each]
    together = mean(elo_posterior(RawRatings(np.full(2, each.mean() - 150), 90.0), spread, SPAN, [0, 1]))
    assert each.min() < each.mean() - 150
    assert together < min(single) == pytest.approx(single[2])
