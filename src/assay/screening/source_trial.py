"""Honest games with one value per position, judged by what has not seen them: norms of a source.

Players are dealt into two halves. Games of each half are judged by a calibration made from the appearances
of the other, and made standard by norms learned there. Groups are of one player, no game in two of them; of
whoever has many games a few groups are taken, so that nobody decides alone. Opponents may be of the other
half: of a game that is judged, the other player's moves may have taught.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from assay.domain.arrays import Floats, Ints
from assay.domain.profile import ProfileStack
from assay.models.appearances import Appearances
from assay.rating.calibration import Calibration
from assay.rating.groups import Rater
from assay.screening.losses import read_departures
from assay.screening.situations import LEAST_TURNS
from assay.screening.source_norms import READ, SourceNorms, fit_source_norms
from assay.screening.trials import GAMES, rates_of

MOST = {1: 1500, 5: 250, 9: 150}
"""At most so many groups of each number of games in each half."""

MOST_OF_ONE = {1: 3, 5: 2, 9: 2}
"""At most so many groups of one player."""

BANDS = ((600, 1400), (1400, 1800), (1800, 2100), (2100, 2400), (2400, 3400))

THRESHOLDS = (1.645, 2.326, 3.09)
"""One-sided 5 in 100, 1 in 100 and 1 in 1,000."""


@dataclass(frozen=True, eq=False)
class Judged:
    """Groups of honest games of one half, and how far they depart."""

    games: Floats
    reference: Floats
    departure: Floats
    """Shape (groups, READ), not made standard yet."""


def halves_of(appearances: Appearances, among: Ints, seed: int = 0) -> tuple[Ints, Ints]:
    """Appearances dealt in two by player."""
    players = np.unique(appearances.player[among])
    first = np.random.default_rng(seed).permutation(players)[: len(players) // 2]
    inside = np.isin(appearances.player[among], first)
    return among[inside], among[~inside]


def judged(
    appearances: Appearances, stacks: dict[str, ProfileStack], rows: Ints, calibration: Calibration
) -> Judged:
    """Groups of the games of some appearances, judged by a calibration that has not seen these players."""
    rater = Rater(appearances, calibration, stacks=stacks)
    groups = [one for n in GAMES for one in groups_of_one_player(appearances, rows, n)]
    reference = np.array([appearances.elo[one].mean() for one in groups])
    departure = read_departures(rater, groups, reference)
    return Judged(np.array([float(len(one)) for one in groups]), reference, departure)


def groups_of_one_player(appearances: Appearances, rows: Ints, n: int, seed: int = 0) -> list[Ints]:
    """Groups of n games of one player each, no game in two of them, with turns enough."""
    rng = np.random.default_rng(seed)
    order = rows[np.argsort(appearances.player[rows], kind="stable")]
    found = []
    for own in np.split(order, np.flatnonzero(np.diff(appearances.player[order])) + 1):
        own = rng.permutation(own)
        some = [own[start : start + n] for start in range(0, len(own) - n + 1, n)]
        found += [one for one in some if appearances.size[one].sum() >= LEAST_TURNS][: MOST_OF_ONE[n]]
    return [found[place] for place in np.sort(rng.permutation(len(found))[: MOST[n]])]


def measured_source(source: str, halves: Sequence[Judged], about: Mapping[str, Any]) -> SourceNorms:
    """Norms from both halves, with the error rates of each by norms of the other."""
    norms = [
        fit_source_norms(source, half.departure, half.reference, half.games) for half in reversed(halves)
    ]
    names = ("games", "reference", "departure")
    whole = Judged(*(np.concatenate([getattr(half, name) for half in halves]) for name in names))
    standard = [
        own.standard(half.departure, half.reference, half.games)
        for own, half in zip(norms, halves, strict=True)
    ]
    z = np.concatenate(standard)[:, READ.index("elo")]
    rates: list[Mapping[str, Any]] = []
    for n in GAMES:
        kept = np.isfinite(z) & (whole.games == n)
        rates += rates_of(z[kept], whole.reference[kept], n, THRESHOLDS, 1, BANDS)
    found = fit_source_norms(source, whole.departure, whole.reference, whole.games)
    return replace(found, rates=tuple(rates), about=about)
