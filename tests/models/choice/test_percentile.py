import math

import numpy as np
import pytest

from assay.errors import FitError, InputError
from assay.models.choice.curves import CURVES
from assay.models.choice.percentile import METHODS, Pull, fit_choice
from assay.models.choice.probabilities import CONVERSIONS, log_units, play, probabilities
from assay.models.choice.sums import (
    AGREEMENT,
    DIFFERENCE,
    LIKELIHOOD,
    PERCENTILES,
    Summaries,
)
from examples.choice_agents import agent_spreads, made_spreads


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize(("s", "c"), [(0.09, 0.5), (0.3, 0.45)])
def test_every_method_finds_the_agent_again(method: str, s: float, c: float) -> None:
    spreads = agent_spreads(20_000, s, c, seed=11)
    found = fit_choice(Summaries(spreads), method)
    # Agreement of 20,000 turns is known to 0.0035, and falls by 0.1 when s grows e-fold: s to 3.5%.
    assert (found.s, found.c) == pytest.approx((s, c), rel=0.1)
    assert fit_choice(Summaries(spreads), method, c=c).s == pytest.approx(s, rel=0.1)
    assert found.decisions == 20_000


def test_other_curves_and_conversions_are_fitted_too() -> None:
    spreads = made_spreads(5_000, seed=2)
    for curve in CURVES:
        for conversion in CONVERSIONS:
            s, c = np.array([0.15, 0.5]) * np.exp(log_units(curve, conversion))
            played = play(spreads, probabilities(spreads, s, c, curve, conversion), 3)
            sums = Summaries(played, curve, conversion)
            found = fit_choice(sums)
            at_truth = sums.at(math.log(s), math.log(c))[: len(PERCENTILES), 0] / len(played)
            assert found.objective <= np.square(at_truth - PERCENTILES).sum()
            # Of some curves s and c are hard to tell apart; the differences they project are not.
            lost = sums.at(math.log(found.s), math.log(found.c))[DIFFERENCE, 0] / len(played)
            assert lost == pytest.approx(played.lost.mean(), rel=0.08)


def test_matching_matches_the_two_averages() -> None:
    spreads = agent_spreads(3000, 0.12, 0.5, seed=4)
    sums = Summaries(spreads)
    found = fit_choice(sums, "matching")
    means = sums.at(math.log(found.s), math.log(found.c))[:, 0] / len(spreads)
    assert means[AGREEMENT] == pytest.approx(np.mean(spreads.played == 0), abs=1e-5)
    assert means[DIFFERENCE] == pytest.approx(spreads.lost.mean(), abs=1e-5)


def test_the_likelihood_has_no_slope_at_its_maximum() -> None:
    sums = Summaries(agent_spreads(3000, 0.12, 0.5, seed=4))
    found = fit_choice(sums, "likelihood")
    slopes = sums.at(math.log(found.s), math.log(found.c))[LIKELIHOOD, 1:] / 3000
    assert slopes == pytest.approx(0, abs=1e-5)


def test_a_fit_into_the_bounds_gives_no_number() -> None:
    # Whoever always plays the best move determines nothing but that s is small.
    spreads = made_spreads(200, seed=1)
    for method in METHODS:
        with pytest.raises(FitError):
            fit_choice(Summaries(spreads), method)


def test_wrong_input_is_a_clear_error() -> None:
    with pytest.raises(InputError, match="percentile"):
        fit_choice(Summaries(made_spreads(5)), "guess")
    with pytest.raises(InputError, match="no decisions"):
        fit_choice(Summaries(made_spreads(5).take(np.arange(0))))


def test_the_pull_holds_few_decisions_and_fades_with_many() -> None:
    pull = Pull(weight=5.0)
    off = []
    for turns in (60, 20_000):
        spreads = agent_spreads(turns, 0.15, 0.3, seed=8)
        free, drawn = fit_choice(Summaries(spreads)), fit_choice(Summaries(spreads), pull=pull)
        off.append(
            (abs(pull.off(math.log(free.s), math.log(free.c))), abs(math.log(drawn.c) - math.log(free.c)))
        )
        assert abs(pull.off(math.log(drawn.s), math.log(drawn.c))) < off[-1][0]
    assert off[0][1] > 0.05
    assert off[1][1] < 0.01
