"""Fit norms of honest games, and write them as `assay.screening.norms` reads them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np
from scipy.optimize import minimize, nnls
from scipy.special import expit

from assay.decisions.arrays import Floats
from assay.errors import FitError
from assay.screening.norms import FAR, Groups, Norms, Shape, TurnNorms, rating_error
from assay.screening.statistics import (
    CENTRE,
    NAMES,
    UNIT,
    Curves,
    Evidence,
    Projected,
    curve_features,
    error_scale,
    share_scale,
)
from assay.screening.z_scores import z_by_turns

Curve = Callable[[Floats], Floats]

DEVIATION = 0.5
"""Numbers on which few groups bear are shrunk towards zero, as if they were normal with this deviation."""

_STEPS, _SHAPE_STEPS = 60, 5000


# Turn by turn ------------------------------------------------------------------------------------------


def fit_curves(projected: Projected, observed: Floats, elo: Floats) -> Curves:
    """Fit the curves under which what was observed is most likely; of errors, by quasi-likelihood."""
    shares = [
        _fitted(
            curve_features(share_scale(projected.expected[:, k]), elo, projected.phase),
            observed[:, k],
            expit,
            lambda mean: mean * (1 - mean),
        )
        for k in range(2)
    ]
    features = curve_features(error_scale(-projected.expected[:, 2]), elo, projected.phase)
    return Curves(np.stack([*shares, _fitted(features, -observed[:, 2], np.exp, lambda mean: mean)]))


def fit_scale(z: Floats, elo: Floats) -> Floats:
    """Fit half the logarithm of the mean square of z as a line over Elo: at 2100, and for 400 points."""
    x = (elo - CENTRE) / UNIT
    return _fitted(np.column_stack((np.ones(len(x)), x)), np.square(z), np.exp, lambda mean: mean) / 2


def _fitted(features: Floats, observed: Floats, mean_of: Curve, slope_of: Curve) -> Floats:
    """Fit a generalised linear model with its natural link by Fisher scoring."""
    numbers = np.zeros(features.shape[1])
    if features.shape[1] > 2:
        numbers[1] = 1.0
    for _ in range(_STEPS):
        mean = mean_of(features @ numbers)
        # Where no turn is of a phase, nothing is learned of it: the ridge keeps its number at zero.
        matrix = features.T @ (features * slope_of(mean)[:, None]) + 1e-9 * np.eye(features.shape[1])
        step = np.linalg.solve(matrix, features.T @ (observed - mean))
        numbers = numbers + step
        if np.abs(step).max() < 1e-10:
            return numbers
    raise FitError("the curves of a screening could not be fitted: give more games")


def fit_components(evidence: Evidence, error: Floats) -> tuple[Floats, Floats]:
    """Fit dispersion and form of every statistic, from appearances of honest players of known rating.

    S^2 / V is regressed on 1 and D^2 / V, neither negative, after what the error of ratings takes of it.
    """
    dispersion, form = np.ones(len(NAMES)), np.zeros(len(NAMES))
    for k in range(len(NAMES)):
        variance = evidence.variance[:, k]
        by_elo = np.square(evidence.slope[:, k]) / variance
        target = np.square(evidence.apart[:, k]) / variance - error**2 * by_elo
        (dispersion[k], square), _ = nnls(np.column_stack((np.ones(len(variance)), by_elo)), target)
        form[k] = np.sqrt(square)
    return dispersion, form


def fit_turn_norms(source: str, evidence: Evidence, elo: Floats, curves: Curves) -> Norms:
    """Fit norms to honest appearances, each by itself."""
    error = rating_error(elo)
    dispersion, form = fit_components(evidence, error)
    groups = [np.array([row]) for row in range(len(elo))]
    spread = TurnNorms(curves=curves, dispersion=dispersion, form=form, scale=np.zeros((len(NAMES), 2)))
    z = z_by_turns(evidence, groups, Norms(source=source, turns=spread), elo, error)
    return Norms(source=source, turns=replace(spread, scale=np.array([fit_scale(x, elo) for x in z.T])))


# One value per position --------------------------------------------------------------------------------


def fit_source_norms(source: str, z: Floats, groups: Groups) -> Norms:
    """Fit norms to z of honest groups of one game and of more."""
    seen = np.isfinite(z)
    some = groups.only(seen)
    # Groups of five games are a tenth of those of one, and should count as well.
    return Norms(source=source, shape=fit_shape(z[seen], some.wide, some.narrow, np.sqrt(some.games)))


def fit_shape(z: Floats, wide: Floats, narrow: Floats, weight: Floats) -> Shape:
    """Fit the shape under which z are most likely; some groups may count more than others."""
    k, j = wide.shape[1], narrow.shape[1]
    start = np.zeros(2 * k + 2 * j)
    if len(z) <= len(start):
        raise FitError(f"{len(z)} honest groups do not tell how z vary: give more games")
    start[0], start[k] = np.average(z, weights=weight), np.log(z.std())
    # What middle and scale are at the centre is free; everything else is zero unless groups show otherwise.
    ridge = np.full(len(start), 1 / (DEVIATION**2 * len(z)))
    ridge[[0, k]] = 0.0
    fit = minimize(
        _loss,
        start,
        args=(z, wide, narrow, weight / weight.sum(), ridge),
        jac=True,
        method="L-BFGS-B",
        options={"maxiter": _SHAPE_STEPS},
    )
    if not (fit.success and np.isfinite(fit.x).all()):
        raise FitError(f"the shape of honest z could not be fitted ({fit.message})")
    middle, scale, skew, tail = np.split(fit.x, [k, 2 * k, 2 * k + j])
    plain = Shape(middle, scale, skew, tail, np.zeros(j), np.zeros(j))
    standard = plain.standard(z, wide, narrow)
    return replace(plain, above=_stretched(standard, narrow), below=_stretched(-standard, narrow))


def _stretched(z: Floats, narrow: Floats) -> Floats:
    """Fit logarithms of the factor under which z beyond FAR are as likely as can be for a normal tail."""
    beyond = z > FAR
    excess, known = z[beyond] - FAR, narrow[beyond]

    def loss(numbers: Floats) -> float:
        factor = known @ numbers
        shrinking = np.square(numbers / DEVIATION).sum() / 2
        return float(shrinking + (np.square(FAR + excess * np.exp(factor)) / 2 - factor).sum())

    return np.asarray(minimize(loss, np.zeros(narrow.shape[1]), method="L-BFGS-B").x)


def _loss(
    numbers: Floats, z: Floats, wide: Floats, narrow: Floats, weight: Floats, ridge: Floats
) -> tuple[float, Floats]:
    """Return minus the mean log-likelihood, with what shrinks numbers towards zero, and its gradient."""
    k, j = wide.shape[1], narrow.shape[1]
    middle, scale, skew, tail = np.split(numbers, [k, 2 * k, 2 * k + j])
    narrower = np.exp(-(wide @ scale))
    y = (z - wide @ middle) * narrower
    root, bent, power = np.sqrt(1 + y * y), np.arcsinh(y), np.exp(narrow @ tail)
    # A step that leads far off is no better for being finite.
    u = np.clip(power * bent - narrow @ skew, -30, 30)
    standard = np.sinh(u)
    likelihood = -standard * standard / 2 + np.log(np.cosh(u)) + narrow @ tail - np.log(root) - wide @ scale
    by_u = np.tanh(u) - standard * np.cosh(u)
    by_y = by_u * power / root - y / (root * root)
    slopes = (
        wide.T @ (weight * -by_y * narrower),
        wide.T @ (weight * (-by_y * y - 1)),
        narrow.T @ (weight * -by_u),
        narrow.T @ (weight * (by_u * power * bent + 1)),
    )
    shrinking = float(ridge @ np.square(numbers)) / 2
    return shrinking - float(weight @ likelihood), ridge * numbers - np.concatenate(slopes)


# Files -------------------------------------------------------------------------------------------------


def document(norms: Norms) -> dict[str, Any]:
    """Return norms as JSON has them."""
    numbers = vars(norms.turns or norms.shape)
    plain = {name: _plain(part.numbers if name == "curves" else part) for name, part in numbers.items()}
    return {
        "source": norms.source,
        "about": dict(norms.about),
        "turns" if norms.turns else "shape": plain,
        "rates": [dict(rate) for rate in norms.rates],
        "tails": [{**vars(tail), "z": np.round(tail.z, 3).tolist()} for tail in norms.tails],
        "opens": dict(norms.opens),
        "shift": [[games, round(deviation, 3)] for games, deviation in norms.shift],
        "power": [dict(sample) for sample in norms.power],
    }


def _plain(numbers: Floats) -> list[Any]:
    return list(np.round(numbers, 5).tolist())
