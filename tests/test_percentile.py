import math

import numpy as np
import pytest

from assay.errors import FitError, InputError
from assay.models.choice_curves import CURVES
from assay.models.choice_grid import ChoiceGrid, fit_grids
from assay.models.choice_probabilities import CONVERSIONS, log_units, play, probabilities
from assay.models.choice_spreads import Spreads
from assay.models.choice_sums import (
    AGREEMENT,
    DIFFERENCE,
    LIKELIHOOD,
    PERCENTILES,
    Summaries,
    up_products,
    up_share,
)
from assay.models.percentile import METHODS, Pull, fit_choice
from choice_agents import agent_spreads, made_spreads


def test_the_papers_example_of_a_turn_across_a_percentile() -> None:
    # Section 6: the best move, given 0.9, is played: at q = 0.30 one third up, two thirds down.
    assert up_share(0.30, 0.0, 0.9) == pytest.approx(1 / 3)
    assert up_share(0.95, 0.0, 0.9) == 1
    assert up_share(0.30, 0.3, 0.1) == 0
    assert up_share(0.40, 0.3, 0.1) == pytest.approx(1)


def slow_summary(spreads: Spreads, s: float, c: float, curve: str, conversion: str) -> list[float]:
    """Sums turn by turn in plain Python, as the paper words them."""
    p = probabilities(spreads, s, c, curve, conversion)
    up, first, lost, log_p = np.zeros(len(PERCENTILES)), 0.0, 0.0, 0.0
    for t in range(len(spreads)):
        a, b = spreads.offsets[t], spreads.offsets[t + 1]
        own, i = p[a:b], spreads.played[t]
        minus = sum(own[:i])
        plus = minus + own[i]
        for k, q in enumerate(PERCENTILES):
            if plus <= q:
                up[k] += 1
            elif minus < q:
                up[k] += abs(q - minus) / own[i]
        first += own[0]
        lost += sum(own * spreads.delta[a:b])
        log_p += math.log(own[i])
    return [*up, first, lost, log_p]


@pytest.mark.parametrize("curve", CURVES)
@pytest.mark.parametrize("conversion", CONVERSIONS)
def test_sums_and_gradients(curve: str, conversion: str) -> None:
    spreads = agent_spreads(300, 0.15, 0.5, seed=3)
    sums = Summaries(spreads, curve, conversion)
    point = np.log([0.2, 0.6])
    found = sums.at(*point)
    assert found[:, 0] == pytest.approx(slow_summary(spreads, 0.2, 0.6, curve, conversion), rel=1e-7)
    step = 1e-5
    for k, along in enumerate(np.eye(2)):
        there, back = sums.at(*(point + step * along))[:, 0], sums.at(*(point - step * along))[:, 0]
        # A turn whose interval ends on a percentile has a kink there; none of 300 moves a sum by more.
        assert found[:, k + 1] == pytest.approx((there - back) / (2 * step), rel=2e-3, abs=0.2)
    assert found[[AGREEMENT, DIFFERENCE, LIKELIHOOD], 1:].all()


def test_the_true_agent_is_up_at_q_in_a_share_q_of_turns() -> None:
    spreads = agent_spreads(20_000, 0.12, 0.5, seed=5)
    summary = Summaries(spreads).at(math.log(0.12), math.log(0.5))[:, 0] / len(spreads)
    assert np.abs(summary[: len(PERCENTILES)] - PERCENTILES).max() < 4 * 0.5 / math.sqrt(len(spreads))
    assert summary[AGREEMENT] == pytest.approx(np.mean(spreads.played == 0), abs=0.015)
    assert summary[DIFFERENCE] == pytest.approx(spreads.lost.mean(), rel=0.05)


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


# On a grid -----------------------------------------------------------------------------------------------


def test_grid_fits_agree_with_the_continuous_ones() -> None:
    grid, pull = ChoiceGrid(), Pull(weight=0.5)
    parts = [agent_spreads(2000, s, c, seed=7) for s, c in ((0.08, 0.55), (0.15, 0.5), (0.3, 0.42))]
    counts = np.concatenate(
        [Summaries(p).on_grid(grid.log_s, grid.log_c, np.zeros(len(p), np.int64), 1) for p in parts]
    )
    fits = fit_grids(grid, counts[:, : len(PERCENTILES)], np.full(3, 2000.0), pull)
    assert fits.converged.all()
    assert fits.inside.all()
    for part, point in zip(parts, np.exp(fits.points), strict=True):
        found = fit_choice(Summaries(part), pull=pull)
        assert point == pytest.approx([found.s, found.c], rel=0.02)


def test_the_grid_holds_the_sums_at_its_nodes_by_group() -> None:
    grid, spreads = ChoiceGrid(), agent_spreads(90, 0.15, 0.5, seed=9)
    group = np.arange(90) % 3
    sums = Summaries(spreads)
    counts = sums.on_grid(grid.log_s, grid.log_c, group, 3)
    for i, j in ((0, 0), (3, 2), (9, 6), (4, 5)):
        for one in range(3):
            part = Summaries(spreads.take(np.flatnonzero(group == one))).at(grid.log_s[i], grid.log_c[j])
            assert counts[one, :, i, j] == pytest.approx(part[:, 0], rel=1e-6)
    point = np.array([[grid.log_s[3], grid.log_c[2]]])
    assert grid.at(counts[:1], point)[0, :, 0] == pytest.approx(counts[0, :, 3, 2])
    step = 1e-6
    aside = np.array([step, 0.0])
    along = (grid.at(counts[:1], point + aside) - grid.at(counts[:1], point - aside))[0, :, 0]
    assert grid.at(counts[:1], point)[0, :, 1] == pytest.approx(along / (2 * step), rel=1e-4, abs=1e-4)


def test_products_of_up_shares() -> None:
    spreads = agent_spreads(40, 0.15, 0.5, seed=10)
    point = np.log([[0.15, 0.5]])
    found = up_products(Summaries(spreads), point, np.zeros(40, np.int64), 1)[0, 0]
    rows = np.array(
        [Summaries(spreads.take(np.array([t]))).at(*point[0])[: len(PERCENTILES), 0] for t in range(40)]
    )
    assert found == pytest.approx((rows.T @ rows)[np.tril_indices(len(PERCENTILES))], rel=1e-6)
