"""Players kept out of a scale: nobody and no game is on both sides, and the measure finds what is there."""

import numpy as np
import pytest

from assay.decisions.evaluation import FIDE_CLASSICAL, LICHESS
from assay.models.appearances import Appearances
from examples.evaluated_games import evaluated_games
from research.calibration.evaluated import Teaching, evidence_of
from research.evidence.evaluated_accuracy import Rated
from research.evidence.evaluated_scales import (
    TRIALS,
    Trial,
    by_estimate,
    deals,
    measure_scale,
    over_events,
)


@pytest.mark.parametrize("source", [FIDE_CLASSICAL, LICHESS["blitz"]])
def test_nobody_who_is_rated_has_taught(source: str) -> None:
    appearances = Appearances.of(evaluated_games(np.arange(1500, 2700, 100), games=9, plies=60))
    trial = Trial(2, 2, 10)
    several = list(deals(appearances, source, trial))
    assert len(several) == 2
    for teach, rated in several:
        assert len(teach)
        assert len(rated)
        for codes in (appearances.player, appearances.game):
            assert not set(codes[teach].tolist()) & set(codes[rated].tolist())


def test_every_scale_has_a_trial() -> None:
    from assay.decisions.evaluation import EVALUATED

    assert set(TRIALS) == set(EVALUATED)
    assert all(1 <= one.rated <= one.parts for one in TRIALS.values())


def test_bands_are_by_what_was_estimated() -> None:
    elo = np.array([2000.0, 1500, 1800, 1400, 2200, 1900])
    found = by_estimate(Rated(elo + 5, elo, elo - 10, elo + 10, elo))
    assert [sorted(one.elo) for one in found] == [[1400, 1500], [1800, 1900], [2000, 2200]]
    assert all(one.bias == pytest.approx(-5) for one in found)


def test_made_up_players_are_rated_by_others() -> None:
    """Games whose losses hang on Elo: players kept out are rated far better than by the mean of all."""
    decisions = evaluated_games(np.arange(1500, 2700, 100), games=12, plies=80, source=LICHESS["blitz"])
    appearances, stacks = evidence_of(decisions)
    some = {name: stacks[name] for name in ("conformance", "covariance")}
    teaching = Teaching(LICHESS["blitz"], "made up", "nobody", (), 1400, 2700, 16)
    kept = measure_scale(teaching, appearances, some, Trial(2, 2, 60))
    assert set(kept.by_prior) == {"flat", "population"}
    for by_games in kept.by_prior.values():
        assert by_games[1].error < 0.7 * by_games[1].guess
        assert by_games[1].coverage > 0.85
    assert kept.by_prior["population"][3].error < kept.by_prior["population"][1].error


def test_over_events_every_way_rates_the_same_games() -> None:
    decisions = evaluated_games(np.arange(1500, 2700, 200), games=40, plies=50, source=LICHESS["blitz"])
    appearances, stacks = evidence_of(decisions)
    some = {name: stacks[name] for name in ("conformance", "traits")}
    teaching = Teaching(LICHESS["blitz"], "made up", "nobody", (), 1400, 2700, 8)
    found = over_events(teaching, appearances, some, 20)
    ways = ["traits, flat", "traits, population", "all methods, flat", "all methods, population"]
    assert list(found) == ways
    published = found["traits, flat"].published
    assert all((one.published == published).all() for one in found.values())
    assert len(published) == 40
    assert found["all methods, flat"].error < found["all methods, flat"].guess
