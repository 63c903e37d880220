"""The Markov method on real games: priors, classes, scale; and players simulated from known matrices."""

from __future__ import annotations

import math

import numpy as np
from scipy.special import logsumexp

from assay.decisions.decisions import Decisions
from assay.errors import FitError
from assay.models.markov import MarkovModel, ValueClasses
from assay.models.markov_prior import (
    GRID,
    fit_levels,
    fit_prior,
    log_likelihoods,
    log_marginal,
    log_weights,
    one_move_per_row,
    shares,
    tilted,
)
from assay.rating.careers import Careers
from assay.rating.forecasts import forecast_matches, match_errors
from assay.reproduce.alliot2017 import championships, printed_matrices, recovery
from research.markdown import table
from research.papers.alliot2017.numbers import percent, two

ONE_YEAR = 1e9
"""A forgetting factor that leaves the year before alone."""

PRIORS = ("none", "pooled", "level")


class RawMarkov(MarkovModel):
    """The paper's own: raw counts."""

    name = "markov raw"

    def __init__(self, **settings: object) -> None:
        super().__init__(prior="none", **settings)  # type: ignore[arg-type]


class PooledMarkov(MarkovModel):
    """Rows drawn to those of all players as they are."""

    name = "markov pooled"

    def __init__(self, **settings: object) -> None:
        super().__init__(prior="pooled", **settings)  # type: ignore[arg-type]


def markov_variants(decisions: Decisions) -> str:
    """Mean errors on the championships by classes, scale and prior."""
    schemes = {
        f"growing 19, scale {s:g}": ValueClasses.growing(scale=s) for s in (0.5, 0.75, 1, 1.25, 1.5, 2)
    }
    schemes |= {f"uniform 10, scale {s:g}": ValueClasses.uniform(scale=s) for s in (0.5, 1, 2)}
    lines = []
    for name, classes in schemes.items():
        lines.append((name, *_variant(decisions, classes, "pooled")))
    lines.append(("growing 19, colours apart", *_variant(decisions, ValueClasses.growing(), "apart")))
    return table(
        (
            "classes",
            *(f"{p}: {what}" for p in PRIORS for what in ("error %", "correlation")),
            "strength, level",
        ),
        lines,
    )


def _variant(decisions: Decisions, classes: ValueClasses, colours: str) -> tuple[str, ...]:
    cells: list[str] = []
    strength = math.nan
    for prior in PRIORS:
        model = MarkovModel(classes, prior=prior, colours=colours, draws=0)  # type: ignore[arg-type]
        careers = Careers(model, decisions, forgetting=ONE_YEAR)
        try:
            errors = match_errors(forecast_matches(championships(), [careers], resamples=0))[0]
            cells += [percent(errors.error, 1), two(errors.correlation)]
        except FitError as error:
            cells += [type(error).__name__, ""]
        strength = float(np.ravel(model.prior_.strength)[0]) if model.prior_ else math.nan
    return (*cells, f"{strength:.0f}")


def prior_strengths(decisions: Decisions) -> str:
    """Which prior the player-years themselves speak for, by their marginal likelihood."""
    model = MarkovModel()
    counts = np.stack([one.evidence for one in model.profiles_by_year(decisions).values()])
    floor = one_move_per_row(len(model.classes))
    likelihood = {}
    for per_row in (False, True):
        prior = fit_prior(counts, per_row=per_row, floor=floor)
        likelihood[per_row] = sum(
            log_marginal(np.log(s), counts[:, row][:, p > 0], p[p > 0])
            for row, (p, s) in enumerate(zip(prior.rows, prior.strength, strict=True))
            if (p > 0).sum() > 1
        )
    level = fit_levels(counts, floor)
    tilts = level.strength * tilted(level.rows, GRID)
    with_levels = sum(
        float(logsumexp(log_likelihoods(one, tilts, level.strength) + log_weights(level.spread)))
        for one in counts
    )
    return (
        f"Log marginal likelihoods of the {len(counts)} player-years: {likelihood[False]:.1f} with one "
        f"strength for all rows, {likelihood[True]:.1f} with one per row (18 more numbers), "
        f"{with_levels:.1f} with one strength and levels (one more number, their spread: "
        f"{level.spread:.2f}). So levels are the default."
    )


def simulated(pairs: int = 300) -> str:
    """How often intervals hold the known expectation of players drawn about the printed matrices."""
    white, black = printed_matrices()
    rows = shares(shares(white) + shares(black)[::-1, ::-1])
    lines = []
    for spread, prior, moves in (
        (0.0, "pooled", 1500),
        (0.0, "level", 1500),
        (0.3, "pooled", 1500),
        (0.3, "level", 500),
        (0.3, "level", 1500),
        (0.3, "level", 5000),
    ):
        one = recovery(
            rows,
            ValueClasses.uniform(),
            pairs=pairs,
            moves=moves,
            seed=moves,
            spread=spread,
            prior=prior,  # type: ignore[arg-type]
        )
        errors = (percent(one.coverage, 1), percent(one.error, 1), percent(one.raw_error, 1))
        lines.append((spread, prior, moves, pairs, *errors, f"{one.strength:.0f}"))
    return table(
        (
            "spread of levels",
            "prior",
            "moves a player",
            "pairs",
            "intervals that hold the truth, %",
            "mean error %",
            "raw counts: mean error %",
            "strength found (500 is true)",
        ),
        lines,
    )
