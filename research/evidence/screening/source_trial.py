"""Honest games with one value per position, judged by what has not seen them: norms of a source.

Players are dealt into three parts. A calibration is made from one of them, norms from the games of the second
as that calibration sees them, and the third is judged; each part is judged so by both of the others. Groups
are of one player, at one event as far as events are known, and no game is in two of the same size; of whoever
has many games a few groups are taken, so that nobody decides alone. Opponents may be of another part: of a
game that is judged, the other player's moves may have taught.

The norms that ship are learned from all games as the calibration that ships sees them: calibrations differ in
how wide they take games to be, so norms belong to one of them.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from assay.decisions.arrays import Floats, Ints, Mask
from assay.decisions.profile import ProfileStack
from assay.models.appearances import Appearances
from assay.rating.calibration import Calibration
from assay.rating.priors import RATING_ERROR
from assay.rating.rater import Rater
from assay.screening.losses import read_departures
from assay.screening.situations import LEAST_TURNS, MOVED
from assay.screening.source_norms import READ, Known, SourceNorms, fit_source_norms
from research.evidence.screening.trials import GAMES, rates_of

PARTS = 3

MOST_OF_ONE = {1: 20, 5: 4, 9: 4}
"""At most so many groups of one player."""

MOST = {1: 12_000, 5: 2_000, 9: 2_000}
"""At most so many groups of each number of games in each part."""

BANDS = ((600, 1400), (1400, 1800), (1800, 2100), (2100, 2400), (2400, 3400))

THRESHOLDS = (1.645, 2.326, 2.576, 3.09)
"""One-sided 5 in 100, 1 in 100, 5 in 1,000 and 1 in 1,000."""

_ELO = READ.index("elo")


@dataclass(frozen=True, eq=False)
class Judged:
    """Groups of honest games, and how far they depart."""

    known: Known
    departure: Floats
    """Shape (groups, READ), not made standard yet."""


def parts_of(appearances: Appearances, among: Ints, seed: int = 0) -> list[Ints]:
    """Appearances dealt in three by player."""
    players = np.unique(appearances.player[among])
    part = np.zeros(players.max() + 1, np.int64)
    part[np.random.default_rng(seed).permutation(players)] = np.arange(len(players)) % PARTS
    return [among[part[appearances.player[among]] == one] for one in range(PARTS)]


def groups_in(appearances: Appearances, rows: Ints, at_events: bool) -> list[Ints]:
    """Groups of one, five and nine games of one player each."""
    return [one for n in GAMES for one in groups_of_one_player(appearances, rows, n, at_events)]


def groups_of_one_player(
    appearances: Appearances, rows: Ints, n: int, at_events: bool = False, seed: int = 0
) -> list[Ints]:
    """Groups of n games of one player each, no game in two of them, with turns enough.

    With `at_events` they are of one event, as far as its games go; what is left over of a player's games
    makes groups over events. Whose rating moved too far within a group is screened by another rule.
    """
    rng = np.random.default_rng(seed)
    order = rng.permutation(rows)
    order = order[np.argsort(appearances.player[order], kind="stable")]
    event = appearances.codes("event")
    found: list[Ints] = []
    for own in np.split(order, np.flatnonzero(np.diff(appearances.player[order])) + 1):
        if at_events:
            own = _whole_events_first(own, event[own], n)
        some = [own[start : start + n] for start in range(0, len(own) - n + 1, n)]
        found += [one for one in some if _screened(appearances, one)][: MOST_OF_ONE[n]]
    return [found[place] for place in np.sort(rng.permutation(len(found))[: MOST[n]])]


def _whole_events_first(rows: Ints, event: Ints, n: int) -> Ints:
    """Games of one player so ordered that as many runs of n as can be are of one event."""
    whole, left = [], []
    for one in np.unique(event):
        own = rows[event == one]
        end = len(own) // n * n
        whole.append(own[:end])
        left.append(own[end:])
    return np.concatenate((*whole, *left))


def _screened(appearances: Appearances, rows: Ints) -> bool:
    """Whether these games of one player have turns enough, and one rating."""
    elo = appearances.elo[rows]
    return bool(appearances.size[rows].sum() >= LEAST_TURNS and elo.max() - elo.min() <= MOVED)


def judged(
    appearances: Appearances,
    stacks: Mapping[str, ProfileStack],
    groups: Sequence[Ints],
    calibration: Calibration,
    error: float = RATING_ERROR,
) -> Judged:
    """Groups judged by a calibration, their ratings trusted to some error."""
    rater = Rater(appearances, calibration, stacks=stacks)
    known = Known(
        np.array([float(len(one)) for one in groups]),
        np.array([appearances.size[one].sum() for one in groups]),
        np.array([appearances.elo[one].mean() for one in groups]),
    )
    return Judged(known, read_departures(rater, groups, known.reference, error=error))


class SourceTrial:
    """Every part of some appearances judged by calibrations of the others."""

    def __init__(
        self,
        source: str,
        appearances: Appearances,
        stacks: Mapping[str, ProfileStack],
        parts: Sequence[Ints],
        calibrations: Sequence[Calibration],
        at_events: bool = False,
    ) -> None:
        """Each of the calibrations was made from one part, in the same order."""
        self.appearances, self.stacks, self.calibrations = appearances, stacks, calibrations
        self.groups = [groups_in(appearances, rows, at_events) for rows in parts]
        self.judged = {
            (k, j): judged(appearances, stacks, self.groups[j], calibrations[k])
            for k in range(PARTS)
            for j in range(PARTS)
            if j != k
        }
        self.norms = norms_of(source, self.judged)

    def every_group(self) -> list[Ints]:
        """The groups of all parts."""
        return [rows for groups in self.groups for rows in groups]

    def again(self, chosen: Sequence[Mask], error: float) -> dict[tuple[int, int], Floats]:
        """Standard departures by `elo` of some groups of each part, with another error of their ratings."""
        found = {}
        for (k, j), norms in self.norms.items():
            groups = [self.groups[j][place] for place in np.flatnonzero(chosen[j])]
            z = np.full(len(self.groups[j]), np.nan)
            if groups:
                own = judged(self.appearances, self.stacks, groups, self.calibrations[k], error)
                z[chosen[j]] = norms.standard(own.departure, own.known)[:, _ELO]
            found[k, j] = z
        return found


def norms_of(source: str, trial: Mapping[tuple[int, int], Judged]) -> dict[tuple[int, int], SourceNorms]:
    """The norms that judge part j through the calibration of part k, at (k, j): of the part left over."""
    found = {}
    for k, j in trial:
        (third,) = set(range(PARTS)) - {k, j}
        found[k, j] = fit_source_norms(source, trial[k, third].departure, trial[k, third].known)
    return found


def kept_out(
    trial: Mapping[tuple[int, int], Judged], norms: Mapping[tuple[int, int], SourceNorms]
) -> tuple[Floats, Known]:
    """Standard departures by `elo` of all groups kept out, each as often as it is judged."""
    z = [norms[place].standard(own.departure, own.known)[:, _ELO] for place, own in trial.items()]
    names = ("games", "turns", "reference")
    known = [np.concatenate([getattr(own.known, name) for own in trial.values()]) for name in names]
    return np.concatenate(z), Known(*known)


def source_rates(z: Floats, known: Known) -> list[Mapping[str, Any]]:
    """How often groups kept out are beyond thresholds, by number of games and band."""
    rates: list[Mapping[str, Any]] = []
    for n in GAMES:
        own = np.isfinite(z) & (known.games == n)
        rates += rates_of(z[own], known.reference[own], n, THRESHOLDS, PARTS - 1, BANDS)
    return rates
