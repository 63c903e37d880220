"""Agents of known s and c: their probabilities in the paper's words, and whether fits find them again."""

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.integrate import quad
from scipy.optimize import brentq

from assay.decisions.arrays import Floats
from assay.decisions.decisions import Decisions
from assay.decisions.profile import ProfileStack
from assay.errors import FitError, InputError
from assay.models.choice.model import METHODS, PULLED_TO, ChoiceGrid, ChoiceModel, fit_choice, fit_grids
from assay.models.choice.spreads import Scaling, Spreads, antiderivative, differences, extended
from assay.models.choice.sums import (
    AGREEMENT,
    CONVERSIONS,
    CURVES,
    DIFFERENCE,
    LARGEST_INVERSE,
    N_UP,
    PERCENTILES,
    Summaries,
    log_units,
    play,
    probabilities,
)
from assay.models.elo_mapping import ScalarMapping
from assay.testing import make_decisions
from examples.choice_agents import agent_decisions, agent_spreads, made_spreads

AGENTS = {2000: (0.2, 0.48), 2600: (0.1, 0.52)}


@pytest.fixture(scope="module")
def decisions() -> Decisions:
    return agent_decisions(AGENTS, games=12, turns=30)


# Probabilities and sums, beside slow versions in the paper's words.

PROXIES = {
    "inverse-exponential": lambda ratio, c: np.exp(-(ratio**c)),
    "ipa": lambda ratio, c: 1 / (1 + ratio**c),
    "ipb": lambda ratio, c: 1 / (1 + ratio) ** c,
    "secha": lambda ratio, c: 1 / np.cosh(ratio**c),
    "sechb": lambda ratio, c: 2 / (np.cosh(ratio**c) + 1),
}


def slow_probabilities(delta: Floats, s: float, c: float, curve: str, conversion: str) -> Floats:
    """Of one turn: shares of the proxies, or p_0 where sum p_0^(1/y_i) is one."""
    with np.errstate(over="ignore"):
        w = np.minimum(1 / np.maximum(PROXIES[curve](delta / s, c), 1e-300), LARGEST_INVERSE)
    if conversion == "share":
        return np.asarray(1 / w / (1 / w).sum())
    if len(delta) == 1:
        return np.ones(1)
    log_u = brentq(
        lambda v: np.exp(-np.exp(v) * w).sum() - 1, -60, math.log(math.log(len(w)) + 1), xtol=1e-14
    )
    return np.exp(-math.exp(log_u) * w)


@pytest.mark.parametrize("curve", CURVES)
@pytest.mark.parametrize("conversion", CONVERSIONS)
@settings(deadline=None, max_examples=40)
@given(gaps=st.lists(st.floats(0, 2), min_size=1, max_size=60), s=st.floats(0.02, 1.5), c=st.floats(0.1, 1.6))
def test_probabilities_are_the_papers(
    curve: str, conversion: str, gaps: list[float], s: float, c: float
) -> None:
    delta = np.array([0.0, *sorted(gaps)])
    p = probabilities(Spreads(delta, np.array([0, len(delta)]), np.array([0])), s, c, curve, conversion)
    assert p == pytest.approx(slow_probabilities(delta, s, c, curve, conversion), abs=1e-8)


def joined(turns: list[tuple[list[float], int]]) -> Spreads:
    """Spreads of turns of any length: their differences and what was played."""
    ends = np.cumsum([0, *(len(delta) for delta, _ in turns)])
    return Spreads(
        np.concatenate([delta for delta, _ in turns]), ends, np.array([played for _, played in turns])
    )


HARD = joined(
    [
        ([0.0], 0),  # forced
        ([0.0, 0.0], 1),  # two that are worth the same
        ([0.0] * 40, 39),
        ([0.0, 1e-9, 5.0], 2),
        ([0.0, 60.0], 0),  # so far apart that nobody would
        ([0.0, 60.0, 70.0, 80.0, 90.0], 4),
        ([0.0, 0.03, 0.02, 0.03, 0.01], 2),  # ties set apart stand above later lines
        ([0.0, *np.linspace(0.01, 4, 70)], 13),
    ]
)
"""What tables of real games hardly have, and hostile ones may."""


def slow_sums(spreads: Spreads, s: float, c: float, *kind: str) -> tuple[list[float], Floats]:
    """The summary of all turns, and each one's up-shares with a one behind them, as the paper words them."""
    ups, first, lost, log_p = [], 0.0, 0.0, 0.0
    for a, b, played in zip(spreads.offsets[:-1], spreads.offsets[1:], spreads.played, strict=True):
        p = slow_probabilities(spreads.delta[a:b], s, c, *kind)
        below, own = p[:played].sum(), max(p[played], 1e-300)
        ups.append([*(min(max((q - below) / own, 0.0), 1.0) for q in PERCENTILES), 1.0])
        first += p[0]
        lost += float(p @ spreads.delta[a:b])
        log_p += math.log(p[played]) if p[played] > 0 else -math.inf
    return [*np.sum(ups, axis=0)[:-1], first, lost, log_p], np.array(ups)


@pytest.mark.parametrize("spreads", [HARD, agent_spreads(60, 0.1, 0.5, seed=1)], ids=["hard", "made"])
@pytest.mark.parametrize("kind", [("inverse-exponential", "power"), ("ipb", "share"), ("secha", "power")])
def test_sums_at_every_node_are_the_slow_ones(spreads: Spreads, kind: tuple[str, str]) -> None:
    grid, sums = ChoiceGrid(*kind), Summaries(spreads, *kind)
    group = np.arange(len(spreads)) % 2
    on_grid = sums.on_grid(grid.log_s, grid.log_c, group, 2)
    assert np.isfinite(on_grid).all()
    for i, j in ((0, 0), (9, 6), (3, 2), (9, 0), (0, 6), (5, 4)):
        s, c = math.exp(grid.log_s[i]), math.exp(grid.log_c[j])
        expected, ups = slow_sums(spreads, s, c, *kind)
        # A probability that is below what a number can hold has a logarithm only in the kernel.
        rows = slice(None) if math.isfinite(expected[-1]) else slice(-1)
        assert on_grid.sum(axis=0)[rows, i, j] == pytest.approx(expected[rows], rel=1e-6, abs=1e-6), (i, j)
        assert sums.at(math.log(s), math.log(c)) == pytest.approx(on_grid.sum(axis=0)[:, i, j], rel=1e-9)
        products = sums.up_products([math.log(s)], math.log(c), group, 2)[:, 0].sum(axis=0)
        assert products == pytest.approx((ups.T @ ups)[np.tril_indices(N_UP + 1)], rel=1e-6, abs=1e-6)
    own = Summaries(spreads.take(np.flatnonzero(group)), *kind).at(grid.log_s[3], grid.log_c[2])
    assert on_grid[1, :, 3, 2] == pytest.approx(own, rel=1e-9)


def test_slopes_and_the_spline_between_nodes() -> None:
    grid, sums = ChoiceGrid(), Summaries(agent_spreads(300, 0.15, 0.5, seed=3))
    table = sums.on_grid(grid.log_s, grid.log_c, np.zeros(300, np.int64), 1)
    point = np.array([grid.log_s[5], grid.log_c[4]])
    there, back = (sums.at(point[0] + far, point[1]) for far in (1e-4, -1e-4))
    # A turn whose interval ends on a percentile has a kink there; none of 300 moves a sum by more.
    assert sums.slopes(*point)[:, 0] == pytest.approx((there - back) / 2e-4, rel=2e-3, abs=0.2)
    at_node = grid.at(table, point[None])[0]
    assert at_node[:, 0] == pytest.approx(table[0, :, 5, 4])
    along = [grid.at(table, (point + aside)[None])[0, :, 0] - at_node[:, 0] for aside in 1e-6 * np.eye(2)]
    assert at_node[:, 1:] == pytest.approx(np.transpose(along) / 1e-6, rel=1e-3, abs=1e-3)


def test_the_true_agent_is_up_at_q_in_a_share_q_of_turns() -> None:
    spreads = agent_spreads(20_000, 0.12, 0.5, seed=5)
    summary = Summaries(spreads).at(math.log(0.12), math.log(0.5)) / len(spreads)
    assert np.abs(summary[:N_UP] - PERCENTILES).max() < 4 * 0.5 / math.sqrt(len(spreads))
    assert summary[AGREEMENT] == pytest.approx(np.mean(spreads.played == 0), abs=0.015)
    assert summary[DIFFERENCE] == pytest.approx(spreads.lost.mean(), rel=0.05)


# Scaled differences of the options of a turn.


@settings(deadline=None)
@given(high=st.floats(-8, 8), drop=st.floats(0, 8))
def test_a_difference_is_the_integral_across_zero_too(high: float, drop: float) -> None:
    low = high - drop
    area, _ = quad(lambda x: 1 / (1 + abs(x)), low, high, points=[0] if low < 0 < high else None)
    assert float(antiderivative(high) - antiderivative(low)) == pytest.approx(area, abs=1e-9)


def test_later_ties_are_set_apart_and_everything_can_be_switched_off() -> None:
    offsets = np.array([0, 4])
    values = [0, 0, -1, -3000]
    assert differences(values, offsets) == pytest.approx([0, 0.03, math.log(1.01), math.log(5)])
    plain = Scaling(logarithmic=False, tie=0, cap=None)
    assert differences(values, offsets, plain) == pytest.approx([0, 0, 0.01, 30])
    for wrong, said in (({"unlisted": "ignored"}, "tail"), ({"cap": 0}, "cap")):
        with pytest.raises(InputError, match=said):
            Scaling(**wrong)  # type: ignore[arg-type]


def test_options_searched_alone_take_their_place_among_the_guessed() -> None:
    generator = np.random.default_rng(4)
    lengths = generator.integers(1, 9, 300)
    lines = np.array([generator.integers(1, n + 1) for n in lengths])
    legal = lengths + generator.integers(0, 12, 300)
    offsets = np.concatenate(([0], np.cumsum(lengths)))
    delta = np.round(generator.exponential(0.2, offsets[-1]), 2)  # in steps, so that some are equal
    played = np.array([generator.integers(0, n) for n in lengths])
    spreads = extended(Spreads(delta, offsets, played), lines, legal)
    for t in np.flatnonzero((lines >= 3) & (legal > lengths)).tolist():
        own, n = delta[offsets[t] : offsets[t + 1]].tolist(), int(lines[t])
        step = max(own[n - 1] - own[(n - 1) // 2], 0.0) / max(n - 1 - (n - 1) // 2, 1)
        behind = [(own[k], 0, k) for k in range(n, len(own))]
        behind += [(own[n - 1] + rank * step, 1, -1) for rank in range(1, legal[t] - len(own) + 1)]
        placed = [(own[k], 0, k) for k in range(n)] + sorted(behind)
        assert spreads.delta[spreads.offsets[t] : spreads.offsets[t + 1]].tolist() == [
            d for d, _, _ in placed
        ]
        assert spreads.played[t] == [k for _, _, k in placed].index(played[t])


# Fits.


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize(("s", "c"), [(0.09, 0.5), (0.3, 0.45)])
def test_every_method_finds_the_agent_again(method: str, s: float, c: float) -> None:
    spreads = agent_spreads(20_000, s, c, seed=11)
    fit = fit_choice(Summaries(spreads), method)
    # Agreement of 20,000 turns is known to 0.0035, and falls by 0.1 when s grows e-fold: s to 3.5%.
    assert (fit.s, fit.c) == pytest.approx((s, c), rel=0.1)
    assert fit_choice(Summaries(spreads), method, c=c).s == pytest.approx(s, rel=0.1)
    if method == "matching":
        means = Summaries(spreads).at(math.log(fit.s), math.log(fit.c)) / len(spreads)
        assert means[AGREEMENT] == pytest.approx(np.mean(spreads.played == 0), abs=1e-5)
        assert means[DIFFERENCE] == pytest.approx(spreads.lost.mean(), abs=1e-5)


def test_other_curves_and_conversions_are_fitted_too() -> None:
    spreads = made_spreads(5_000, seed=2)
    for curve in CURVES:
        for conversion in CONVERSIONS:
            s, c = np.array([0.15, 0.5]) * np.exp(log_units(curve, conversion))
            sums = Summaries(
                play(spreads, probabilities(spreads, s, c, curve, conversion), 3), curve, conversion
            )
            fit = fit_choice(sums)
            at_truth, at_fit = (sums.at(*np.log(point)) / 5_000 for point in ((s, c), (fit.s, fit.c)))
            off = [np.square(at[:N_UP] - PERCENTILES).sum() for at in (at_fit, at_truth)]
            assert off[0] <= off[1]
            # Of some curves s and c are hard to tell apart; the differences they project are not.
            assert at_fit[DIFFERENCE] == pytest.approx(sums.spreads.lost.mean(), rel=0.08)


def test_a_player_who_never_errs_gets_no_number() -> None:
    for method in METHODS:  # nothing is determined but that s is small
        with pytest.raises(FitError):
            fit_choice(Summaries(made_spreads(200, seed=1)), method)
    perfect, model = agent_decisions({2900: (0.011, 1.5)}, games=3, turns=20), ChoiceModel(pull=0.0)
    with pytest.raises(FitError, match="decisions"):
        model.estimate(model.profile(perfect))


def test_the_pull_holds_few_decisions_and_fades_with_many() -> None:
    moved = []
    for turns in (60, 20_000):
        spreads = agent_spreads(turns, 0.15, 0.3, seed=8)
        free, pulled = (math.log(fit_choice(Summaries(spreads), pull=pull).c) for pull in (0.0, 5.0))
        assert abs(pulled - PULLED_TO) < abs(free - PULLED_TO)
        moved.append(abs(pulled - free))
    assert moved[0] > 0.05
    assert moved[1] < 0.01


def test_grid_fits_agree_with_the_continuous_ones() -> None:
    grid = ChoiceGrid()
    parts = [agent_spreads(2000, s, c, seed=7) for s, c in ((0.08, 0.55), (0.15, 0.5), (0.3, 0.42))]
    rows = np.concatenate([grid.collect(Summaries(part), np.zeros(2000, np.int64), 1) for part in parts])
    fits = fit_grids(grid, grid.tables(rows)[:, :N_UP], np.full(3, 2000.0), 0.5)
    assert fits.converged.all()
    assert fits.inside.all()
    for part, point in zip(parts, np.exp(fits.points), strict=True):
        fit = fit_choice(Summaries(part), pull=0.5)
        assert point == pytest.approx([fit.s, fit.c], rel=0.02)


# Estimates: deviations, coverage, the reference positions.


def test_the_rules_leave_out_what_the_paper_leaves_out() -> None:
    kept, left_out = ChoiceModel().select(make_decisions(plies=40))
    assert kept.numbers("ply").min() >= 16
    assert (np.abs(kept.best_value) <= 300).all()
    assert left_out["after turn 8"] > 0
    assert "not repeated" in left_out


def test_the_estimate_finds_the_agents(decisions: Decisions) -> None:
    model = ChoiceModel()
    for elo, (s, c) in AGENTS.items():
        part = decisions.select(player_elo=elo)
        estimate, fit = model.estimate(model.profile(part)), model.fit(part)
        for name, truth, fitted in (("s", s, fit.s), ("c", c, fit.c)):
            # Deviations of the logarithms: 95% intervals would miss one agent in twenty, four never do.
            quantity = estimate[name]
            assert abs(math.log(quantity.value / truth)) < 4 * quantity.deviation / quantity.value
            assert quantity.value == pytest.approx(fitted, rel=0.05)
        assert estimate["mm_projected"].value == pytest.approx(estimate["mm_actual"].value, abs=0.05)
        assert estimate["ad_projected"].value == pytest.approx(estimate["ad_actual"].value, rel=0.15)
        assert estimate["strength"].value == -estimate["reference_ad"].value


def test_games_are_resampled_and_few_games_are_not(decisions: Decisions) -> None:
    model, part = ChoiceModel(), decisions.select(player_elo=2000)
    many = model.resampled(model.profiles_by(part))
    assert "12 games resampled" in many.note
    few = model.resampled(model.profiles_by(part.select(game=part.games[:3])))
    assert "independent turns" in few.note
    assert few["s"].deviation > many["s"].deviation


def test_the_deviation_is_the_spread_of_many_estimates() -> None:
    model, spreads = ChoiceModel(pull=0.0), made_spreads(1000, seed=6)
    p, game = probabilities(spreads, 0.15, 0.5), np.zeros(1000, np.int64)
    points, variances = [], []
    for seed in range(30):
        row = model.grid.collect(Summaries(play(spreads, p, seed)), game, 1)
        stack = ProfileStack(model.identity, ("a",), row, model.shape, np.full(1, 1000.0), np.ones(1))
        s, c = (model.estimate(stack.total())[name] for name in ("s", "c"))
        points.append([math.log(s.value), math.log(c.value)])
        variances.append([(q.deviation / q.value) ** 2 / 1.7 for q in (s, c)])  # without DISPERSION
    # A variance from 30 draws is known to 26%; three times that.
    assert np.mean(variances, axis=0) == pytest.approx(np.var(points, axis=0, ddof=1), rel=0.78)


def test_intervals_cover_the_truth() -> None:
    """Thirty replications of 300 turns here; 300 of 200, 1,000 and 5,000 in regan2011_simulation."""
    model, hits, game = ChoiceModel(), np.zeros(2), np.arange(300) // 30
    for seed in range(30):
        rows = model.grid.collect(Summaries(agent_spreads(300, 0.15, 0.5, seed=100 + seed)), game, 10)
        counts = np.full(10, 30.0), np.ones(10)
        stack = ProfileStack(model.identity, tuple("abcdefghij"), rows, model.shape, *counts)
        estimate = model.resampled(stack, resamples=150, seed=seed)
        hits += [
            estimate[name].low <= truth <= estimate[name].high for name, truth in (("s", 0.15), ("c", 0.5))
        ]
    # If 95% are covered, fewer than 24 of 30 happen once in 1,700 times.
    assert (hits >= 24).all()


def test_the_rating_does_not_depend_on_how_hard_the_positions_were() -> None:
    model, losses = ChoiceModel(), []
    for hardness in (20, 60):
        played = agent_decisions({2300: (0.15, 0.5)}, games=25, turns=40, hardness=hardness, seed=5)
        estimate = model.estimate(model.profile(played))
        losses.append((estimate["ad_actual"].value, estimate["reference_ad"]))
    (own_easy, easy), (own_hard, hard) = losses
    assert abs(math.log(own_easy / own_hard)) > 0.2
    spread = math.hypot(easy.deviation / easy.value, hard.deviation / hard.value)
    assert abs(math.log(easy.value / hard.value)) < 3 * spread


def test_ratings_and_forecasts(decisions: Decisions) -> None:
    model = ChoiceModel()
    profiles = {elo: model.profile(decisions.select(player_elo=elo)) for elo in AGENTS}
    model.mapping = ScalarMapping.fit(model, profiles[2600].recipe_id, list(profiles.items()))
    # One alone is computed where many are interpolated on the grid: two points apart.
    assert model.mapping.elos(model, [profiles[2600]]) == pytest.approx([2600], abs=0.01)
    assert model.rate(profiles[2600]).elo == pytest.approx(2600, abs=3)
    forecast = model.forecast(profiles[2600], profiles[2000]).expectation
    assert forecast == pytest.approx(1 / (1 + 10 ** (-600 / 400)), abs=0.01)
    assert model.rate(profiles[2000]).low < 2000 < model.rate(profiles[2000]).high


def test_the_reference_is_harder_for_weaker_agents() -> None:
    reference = ChoiceModel().reference
    assert len(reference) == 300
    strong, middling, weak = (
        probabilities(reference, s, 0.5) @ reference.delta / 300 for s in (0.08, 0.15, 0.3)
    )
    # About what players of 2700 and 1600 lose per turn, in scaled pawns.
    assert 0.05 < strong < 0.1 < middling < 0.18 < weak < 0.26
