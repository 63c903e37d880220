"""What players of known Elo show in each slice of their decisions: without it a slice says nothing of one.

The agents of a calibration are right for whole games; in endgames alone, or with few men, players of every
Elo may look stronger or weaker than they are, because the agents do not know everything about positions. That
bias is learned from the mileposts, by slice and as a straight line over Elo, in points of Elo: the sums of
slopes over those of information (assay.models.depth.expected), less the same of a player of that Elo.

    bias_k(E) = line_k[0] + line_k[1] (E - CENTRE) / UNIT

Its own error is kept with it (games are drawn, not moves), and so is the *dispersion*: how much more the
difference between a slice and the rest varies from game to game than independent moves would have it.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from assay.decisions.arrays import Floats, Ints, Mask
from assay.decisions.decisions import Decisions
from assay.decisions.grouping import By
from assay.decisions.measures import expectation, loss
from assay.decisions.slices import slicing
from assay.models.appearances import Appearances, Mileposts
from assay.models.depth.agents import LIMIT, AgentsByElo
from assay.models.depth.expected import Expected, expected, slopes
from assay.models.depth.model import DepthModel

LEARNED = (By.PHASE, By.COLOUR, By.PIECES, By.OPPONENT)
"""Slices that games without clocks and without names of openings show."""

CENTRE, UNIT = 2100.0, 400.0

_RISES = (0.5, 2.0)
"""A point of Elo shows in a slice as no less and no more than this."""

FEWEST = 300
"""Decisions of a slice in the milepost games, at least: with fewer there is nothing to compare with."""


@dataclass(frozen=True, eq=False, kw_only=True)
class SliceReference:
    """What the mileposts show in the slices of one kind."""

    lines: Floats
    """Bias at CENTRE, and its change over UNIT points: shape (slices, 2), in points of Elo."""
    covariance: Floats
    """Of the lines, flattened: shape (2 slices, 2 slices)."""
    dispersion: Floats
    """Variance of a slice against the rest, by that of independent moves: shape (slices,)."""
    decisions: Floats
    """How many decisions of the mileposts are in each slice; below FEWEST it was not learned."""

    @property
    def learned(self) -> Mask:
        """Which slices can be compared."""
        return np.asarray(self.decisions >= FEWEST)

    def bias(self, elo: float) -> Floats:
        """By how many points players of this Elo look stronger in each slice than they are."""
        return np.asarray(self.lines @ _point(elo))

    @property
    def stretch(self) -> Floats:
        """What a slice's points are multiplied by: where the bias rises with Elo, players differ by more."""
        return np.asarray(1.0 / np.clip(1.0 + self.lines[:, 1] / UNIT, *_RISES))

    def bias_covariance(self, elo: float) -> Floats:
        """Covariance of these biases, for want of more games: shape (slices, slices)."""
        n = len(self.lines)
        blocks = self.covariance.reshape(n, 2, n, 2)
        point = _point(elo)
        return np.asarray(np.einsum("i,kilj,j->kl", point, blocks, point))


def _point(elo: float) -> Floats:
    return np.array([1.0, (elo - CENTRE) / UNIT])


@dataclass(frozen=True, eq=False)
class SliceSums:
    """Sums over the decisions of each appearance in each slice: shape (appearances, slices)."""

    slope: Floats
    information: Floats
    decisions: Floats


def sums_by_slice(
    slope: Floats, information: Floats, place: Ints, n_places: int, part: Ints, n_parts: int
) -> SliceSums:
    """Sums of slopes, information and ones by appearance and slice; what has no slice is left out."""
    known = part >= 0
    cell = place[known] * n_parts + part[known]
    shape = n_places, n_parts

    def added(values: Floats) -> Floats:
        return np.asarray(np.bincount(cell, values[known], minlength=n_places * n_parts), np.float64).reshape(
            shape
        )

    return SliceSums(added(slope), added(information), added(np.ones(len(part))))


def independent(information: Floats, stretch: Floats) -> Floats:
    """Variance of each slice's mean less that of the rest, if moves were independent: shape (slices,).

    `stretch` is what each slice's sums are multiplied by. NaN where there is no slice, or no rest.
    """
    own = information.sum(axis=0)
    rest = own.sum() - own
    weighed = np.square(stretch) * own
    with np.errstate(divide="ignore", invalid="ignore"):
        found = weighed / np.square(own) + (weighed.sum() - weighed) / np.square(rest)
    return np.asarray(np.where((own > 0) & (rest > 0), found, np.nan))


def against_rest(slope: Floats, information: Floats, stretch: Floats | None = None) -> Floats:
    """Robust variance of each slice's mean less that of the rest, by the variance of independent moves.

    `slope` has what is left over in each appearance and slice. The difference of two means is a sum over
    appearances, slice and rest of one game together, so moves of one game need not be independent.
    """
    own = information.sum(axis=0)
    rest = own.sum() - own
    scale = np.ones(len(own)) if stretch is None else stretch
    scaled = slope * scale
    with np.errstate(divide="ignore", invalid="ignore"):
        parts = scaled / own - (scaled.sum(axis=1, keepdims=True) - scaled) / rest
        ratio = np.square(parts).sum(axis=0) / independent(information, scale)
    return np.asarray(np.where(np.isfinite(ratio), ratio, np.nan))


def fit_reference(sums: SliceSums, elo: Floats) -> SliceReference:
    """Lines of bias over Elo from appearances of known Elo, with their covariance and the dispersion."""
    n_slices = sums.slope.shape[1]
    points = np.stack([np.ones(len(elo)), (elo - CENTRE) / UNIT], axis=1)
    lines, influence = np.zeros((n_slices, 2)), np.zeros((len(elo), n_slices, 2))
    left = np.zeros_like(sums.slope)
    decisions = sums.decisions.sum(axis=0)
    for k in range(n_slices):
        if decisions[k] < FEWEST:
            continue
        weighed = points * sums.information[:, [k]]
        inverse = np.linalg.pinv(points.T @ weighed)
        lines[k] = inverse @ (points.T @ sums.slope[:, k])
        left[:, k] = sums.slope[:, k] - weighed @ lines[k]
        influence[:, k] = (points * left[:, [k]]) @ inverse
    flat = influence.reshape(len(elo), -1)
    dispersion = np.nan_to_num(against_rest(left, sums.information), nan=1.0)
    return SliceReference(
        lines=lines,
        covariance=flat.T @ flat,
        dispersion=np.maximum(dispersion, 1.0),
        decisions=decisions,
    )


def fit_references(
    appearances: Appearances, mileposts: Mileposts, agents: AgentsByElo | None
) -> dict[str, SliceReference]:
    """What the mileposts show in slices of every kind; nothing where no trace was read."""
    if agents is None:
        return {}
    kept = appearances.decisions.filter(*DepthModel().rules())
    place = np.full(len(appearances), -1, np.int64)
    place[mileposts.rows] = np.arange(len(mileposts.rows))
    place = place[appearances.place(kept)]
    own = kept.take(np.flatnonzero(place >= 0))
    place = place[place >= 0]
    found = slopes(own, agents, mileposts.elo[place])
    answer = {}
    for by in LEARNED:
        cut = slicing(own, by)
        sums = sums_by_slice(
            found.slope, found.information, place, len(mileposts.rows), cut.slice, len(cut.names)
        )
        if cut.known:
            answer[by.value] = fit_reference(sums, mileposts.elo)
    return answer


# Expected losses as players have them: the agents' own, drawn to what the mileposts lost.

CENTRE, UNIT = 2100.0, 400.0
KINDS = ("loss", "lost")


@dataclass(frozen=True, eq=False)
class ExpectedLosses:
    """The four numbers for losses in centipawns, and for those in expectation: shape (2, 4)."""

    lines: Floats

    def drawn(self, found: Expected, elo: float) -> Expected:
        """What an agent of an Elo loses, as players of that Elo do."""
        t = (elo - CENTRE) / UNIT
        made = {}
        for name, (a, b, c, d) in zip(KINDS, self.lines, strict=True):
            made[name] = np.maximum(a + b * t + (c + d * t) * getattr(found, name), 0.0)
        return replace(found, **made)


def lost_expectation(decisions: Decisions) -> Floats:
    """What each played move lost of the mover's expectation, 0 to 1; NaN where that is not known."""
    known = loss(decisions)
    lost = expectation(decisions.best_value) - expectation(decisions.played_value)
    return np.asarray(np.where(np.isnan(known), np.nan, lost))


def fit_expected_losses(
    appearances: Appearances, mileposts: Mileposts, agents: AgentsByElo | None
) -> ExpectedLosses | None:
    """The numbers from the games of the mileposts; None where no trace was read."""
    if agents is None:
        return None
    kept = appearances.decisions.filter(*DepthModel().rules())
    at = np.full(len(appearances), -1, np.int64)
    at[mileposts.rows] = mileposts.milepost
    place = at[appearances.place(kept)]
    rows: dict[str, list[Floats]] = {name: [] for name in KINDS}
    truth: dict[str, list[Floats]] = {name: [] for name in KINDS}
    for milepost, elo in enumerate(mileposts.elos.tolist()):
        own = kept.take(np.flatnonzero(place == milepost))
        if not len(own):
            continue
        found, t = expected(own, agents, elo), (elo - CENTRE) / UNIT
        actual = {"loss": loss(own, int(LIMIT)), "lost": lost_expectation(own)}
        for name in KINDS:
            x = getattr(found, name)
            known = ~np.isnan(x) & ~np.isnan(actual[name])
            one = np.ones(known.sum())
            rows[name].append(np.stack((one, t * one, x[known], t * x[known]), axis=1))
            truth[name].append(actual[name][known])
    if not rows["loss"]:
        return None
    lines = [np.linalg.lstsq(np.concatenate(rows[n]), np.concatenate(truth[n]), rcond=None)[0] for n in KINDS]
    return ExpectedLosses(np.stack(lines))
