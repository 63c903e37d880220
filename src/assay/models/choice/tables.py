"""The paper's tables from any games: mileposts, and ratings by player, period or time control.

Regan and Haworth 2011, sections 5 and 7. A milepost is what `assay.models.appearances` says; the paper's were
games of two players within 10 points of the century.
Fit s and c of each; draw a straight line through the c by Elo; with c on that line fit s alone.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from assay.answers.ratings import Rating
from assay.decisions.arrays import Floats, Ints
from assay.decisions.decisions import Decisions
from assay.errors import FitError, InputError
from assay.models.appearances import FEWEST_APPEARANCES, HALF_WIDTH, appearances_near, split_by_milepost
from assay.models.choice.model import ChoiceFit, ChoiceModel
from assay.models.choice.spreads import Spreads, spreads_of
from assay.models.choice.sums import CONVERSIONS, CURVES, probabilities
from assay.models.intervals import FEWEST_GAMES, resample_weights, variance_correction

FEWEST_DECISIONS = 100
"""Groups with fewer decisions than this are not rated unless asked for."""


def mileposts_of(
    model: ChoiceModel, decisions: Decisions, within: float = HALF_WIDTH
) -> dict[int, Decisions]:
    """Decisions that pass the rules by milepost, strongest first."""
    parts = split_by_milepost(decisions, within)
    passed = {century: model.select(parts[century])[0] for century in sorted(parts, reverse=True)}
    filled = {century: part for century, part in passed.items() if len(part)}
    if len(filled) < 2:
        near = appearances_near(decisions, within)
        counts = ", ".join(f"{n} near {century}" for century, n in near.items()) or "none with a rating"
        raise InputError(
            f"a table of mileposts needs two centuries of rating with {FEWEST_APPEARANCES} players in games "
            f"at each, and within {within:g} points (--width) there are: {counts}. Widen the mileposts with "
            f"--width, up to {HALF_WIDTH}, or give more games with ratings in their tags"
        )
    return filled


def consistency_line(elos: Sequence[int], c: Sequence[float], weights: Sequence[float]) -> Floats:
    """Slope and value at zero of the straight line through c by Elo."""
    return np.asarray(np.polyfit(elos, c, 1, w=np.sqrt(np.asarray(weights, dtype=np.float64))))


def milepost_table(
    model: ChoiceModel,
    decisions: Decisions,
    *,
    within: float = HALF_WIDTH,
    line: Floats | None = None,
) -> list[dict[str, Any]]:
    """The paper's table, strongest first, shares in per cent; `line` takes the c of another period's.

    Intervals of s and c, at 95%, are from resampled games; None where that does not settle.
    """
    parts = mileposts_of(model, decisions, within)
    free = {elo: _fit_milepost(model, elo, part) for elo, part in parts.items()}
    if line is None:
        line = consistency_line(
            list(free), [fit.c for fit in free.values()], [fit.decisions for fit in free.values()]
        )
    rows = []
    for elo, part in parts.items():
        c_fit = float(np.polyval(line, elo))
        s_fit = _fit_milepost(model, elo, part, c_fit).s
        row: dict[str, Any] = {"elo": elo, "games": len(part.games), "decisions": len(part)}
        row |= {"s": free[elo].s, "c": free[elo].c, "c_fit": c_fit, "s_fit": s_fit}
        row |= dict.fromkeys(("s_low", "s_high", "c_low", "c_high"))
        with suppress(FitError):
            estimate = model.resampled(model.profiles_by(part))
            s, c = estimate["s"], estimate["c"]
            row |= {"s_low": s.low, "s_high": s.high, "c_low": c.low, "c_high": c.high}
        projections = projections_of(model, part, s_fit, c_fit)
        mm, ad = projections["mm"], projections["ad"]
        row |= {"mm_projected": 100 * mm.projected, "mm_actual": 100 * mm.actual}
        row |= {"ad_projected": ad.projected, "ad_actual": ad.actual, "q_fit": projections["Q_fit"].actual}
        rows.append(row | {"mm_variance_ratio": mm.ratio, "ad_variance_ratio": ad.ratio})
    return rows


def _fit_milepost(model: ChoiceModel, elo: int, part: Decisions, c: float | None = None) -> ChoiceFit:
    """The fit of one milepost. The line goes through all of them: one that fails is named, not dropped."""
    try:
        return model.fit(part, c=c)
    except FitError as error:
        raise FitError(f"milepost {elo}: {error}") from error


def projections_of(model: ChoiceModel, decisions: Decisions, s: float, c: float) -> dict[str, Projection]:
    """Projections of an agent on the decisions that pass the rules, beside what was played."""
    passed, _ = model.select(decisions)
    if not len(passed):
        raise InputError(model.none_passes(decisions))
    spreads, game = spreads_of(passed, model.scaling), passed.codes("game_id")
    return project(spreads, game, s, c, curve=model.curve, conversion=model.conversion)


def milepost_tables(
    model: ChoiceModel, decisions: Decisions, periods: Sequence[tuple[int, int]], **options: Any
) -> dict[str, list[dict[str, Any]]]:
    """One table for each period of years; c lies on the line of the first period, as in the paper."""
    tables: dict[str, list[dict[str, Any]]] = {}
    line: Floats | None = None
    for first, last in periods:
        part = decisions.select(year=range(first, last + 1))
        rows = milepost_table(model, part, line=line, **options)
        if line is None:
            line = np.asarray(np.polyfit([row["elo"] for row in rows], [row["c_fit"] for row in rows], 1))
        tables[f"{first}-{last}"] = rows
    return tables


def rate_groups(
    model: ChoiceModel,
    decisions: Decisions,
    labels: Sequence[str | None],
    rate: Callable[[Sequence[Decisions]], Sequence[Rating | None]],
    fewest: int = FEWEST_DECISIONS,
) -> tuple[list[dict[str, Any]], dict[str, str]]:
    """Intrinsic ratings of the groups that the labels make, as rows, and why each other group has none.

    `rate` gives ratings of several sets of decisions that passed the rules. A group has no rating with too
    few decisions, or where its fit does not settle. `difference` is intrinsic minus published: it falls from
    period to period where the published scale inflates.
    """
    names = sorted({label for label in labels if label is not None})
    place = np.array([-1 if label is None else names.index(label) for label in labels])
    rows: list[dict[str, Any]] = []
    parts: list[Decisions] = []
    left_out: dict[str, str] = {}
    for code, name in enumerate(names):
        part, _ = model.select(decisions.take(np.flatnonzero(place == code)))
        if len(part) < fewest:
            left_out[name] = f"fewer than {fewest} decisions"
            continue
        try:
            estimate = model.resampled(model.profiles_by(part))
        except FitError as error:
            left_out[name] = str(error)
            continue
        s, c = estimate["s"], estimate["c"]
        counts = {"games": int(estimate.games), "decisions": int(estimate.decisions)}
        intervals = {"s_low": s.low, "s_high": s.high, "c_low": c.low, "c_high": c.high}
        rows.append({"group": name, **counts, "s": s.value, "c": c.value, **intervals})
        parts.append(part)
    for row, part, rating in zip(rows, parts, rate(parts), strict=True):
        elo = part.numbers("player_elo")
        published = None if np.isnan(elo).all() else float(np.nanmean(elo))
        row |= {name: getattr(rating, name, None) for name in ("elo", "low", "high")}
        row |= {"published": published, "difference": None}
        if rating is not None and published is not None:
            row["difference"] = rating.elo - published
    return rows, left_out


def period_labels(decisions: Decisions, periods: Sequence[tuple[int, int]]) -> list[str | None]:
    """The period of each decision; None outside all of them or without a year."""
    years = decisions.numbers("year")
    labels: list[str | None] = [None] * len(decisions)
    for first, last in periods:
        for row in np.flatnonzero((years >= first) & (years <= last)):
            labels[row] = f"{first}-{last}"
    return labels


# Projections (section 6) ---------------------------------------------------------------------------------
#
# mm, ad, M_i, Q_fit as an agent projects them beside what was played, each with its variance, the next task
# that section 8 names. Under the model turns are independent (principle (a)); over games they need not be.

Q_FIT_SCALE = 1e4
"""Squares of percentages: the paper multiplies the squares of shares by this."""


@dataclass(frozen=True)
class Projection:
    """A quantity as the agent projects it and as it was, with standard deviations of their difference."""

    name: str
    projected: float
    actual: float
    model_deviation: float
    """Under the model: turns independent."""
    games_deviation: float
    """Over resampled games; NaN where they are too few."""

    @property
    def ratio(self) -> float:
        """Variance over games by variance under the model: 1 if turns are independent, as the model says."""
        if not self.model_deviation > 0:
            return float("nan")
        return float(np.square(self.games_deviation) / np.square(self.model_deviation))


def project(
    spreads: Spreads,
    game: Ints,
    s: float,
    c: float,
    *,
    curve: str = CURVES[0],
    conversion: str = CONVERSIONS[0],
) -> dict[str, Projection]:
    """Projections of the agent (s, c) beside what was played; `game` is the game of each turn.

    By name: mm, ad, Q_fit (`actual` is the paper's; `projected` what it would be by chance if the agent were
    right), and the frequency M_i of each rank.
    """
    p = probabilities(spreads, s, c, curve, conversion)
    lengths = np.diff(spreads.offsets)
    turns, widest = len(lengths), int(lengths.max())
    turn = np.repeat(np.arange(turns), lengths)
    ranked = np.zeros((turns, widest))  # probabilities of turns by ranks
    ranked[turn, np.arange(len(p)) - spreads.offsets[turn]] = p
    chosen = np.zeros_like(ranked)
    chosen[np.arange(turns), spreads.played] = 1.0
    expected = np.add.reduceat(p * spreads.delta, spreads.offsets[:-1])
    square = np.add.reduceat(p * np.square(spreads.delta), spreads.offsets[:-1])
    covariance = (np.diag(ranked.sum(axis=0)) - ranked.T @ ranked) / turns**2
    off = np.column_stack((chosen - ranked, spreads.lost - expected))
    resampled = _resampled_means(off, game)
    deviations = np.append(np.sqrt(np.diag(covariance)), np.sqrt((square - expected**2).sum()) / turns)
    projected = np.append(ranked.mean(axis=0), expected.mean())
    actual = np.append(chosen.mean(axis=0), spreads.lost.mean())
    names = [f"M_{i}" for i in range(widest)] + ["ad"]
    columns = (column.tolist() for column in (projected, actual, deviations, resampled.std(axis=0)))
    by_name = {row[0]: Projection(*row) for row in zip(names, *columns, strict=True)}
    q_fit = _q_fit(off[:, :-1].mean(axis=0), covariance, resampled[:, :-1])
    return {"mm": replace(by_name["M_0"], name="mm"), "ad": by_name.pop("ad"), "Q_fit": q_fit, **by_name}


def _resampled_means(off: Floats, game: Ints) -> Floats:
    """Mean of actual minus projected in each resample of the games, as far apart as new games would be.

    Shape (resamples, columns).
    """
    _, codes = np.unique(game, return_inverse=True)
    n_games = int(codes.max()) + 1
    if n_games < FEWEST_GAMES:
        return np.full((1, off.shape[1]), np.nan)
    sums = np.zeros((n_games, off.shape[1]))
    np.add.at(sums, codes, off)
    weights = resample_weights(n_games, 1000, seed=0)
    means: Floats = weights @ sums / (weights @ np.bincount(codes))[:, None]
    middle: Floats = means.mean(axis=0)
    return middle + math.sqrt(variance_correction(n_games)) * (means - middle)


def _q_fit(off: Floats, covariance: Floats, resampled: Floats) -> Projection:
    """Mean square of M_i - mm_a(i), in squared percent; by chance: the trace of the covariance.

    A sum of squares of correlated normal numbers has the variance 2 tr(C C).
    """
    scale = Q_FIT_SCALE / len(off)
    centred = resampled - resampled.mean(axis=0)
    return Projection(
        "Q_fit",
        scale * float(np.trace(covariance)),
        scale * float(np.square(off).sum()),
        scale * float(np.sqrt(2 * np.trace(covariance @ covariance))),
        scale * float(np.square(centred).sum(axis=1).std()),
    )
