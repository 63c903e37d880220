"""How well every scale of evaluated games rates held-out players.

Nobody who is rated, and no event or game that is rated, is in the calibration. Over the board both players
and events are split at random: with events alone the players who are left over would be those who play
little, and are weaker. On servers games are split.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from assay.decisions.arrays import Ints, Mask
from assay.decisions.evaluation import FICS_BLITZ, FIDE_CLASSICAL, LICHESS, OF_SERVERS
from assay.decisions.profile import ProfileStack
from assay.models.appearances import Appearances, assign_folds
from assay.rating.calibration import Calibration
from assay.rating.priors import population
from research.calibration.evaluated import Teaching, fit_teaching
from research.evidence.judge import LEAST, Judge, RatedGroups, concat, of_one_player
from research.markdown import PLAIN, RIGHT, table

NUMBERS = (1, 3, 5, 10, 20)
"""Games of one player that are rated together."""

FEWEST_GROUPS = 30
"""Of fewer groups nothing is said."""

MOST_GAMES = 1500
"""Of groups of several games there are no more than have so many games together."""

THIRDS = ("lowest third", "middle", "highest")
"""Of the groups, by the rating that was estimated: of each the share in the interval, and the bias."""

FLAT, POPULATION = "flat", "population"


@dataclass(frozen=True)
class Trial:
    """How players of one scale are held out, and how many groups are rated."""

    parts: int
    """Players are split into so many."""
    rated: int
    """So many of the parts are rated in turn, by what the others teach."""
    most: int
    """Groups of one game from each part, at most; of several games a third as many."""


TRIALS = {
    FIDE_CLASSICAL: Trial(2, 2, 1000),
    LICHESS["bullet"]: Trial(2, 2, 450),
    LICHESS["blitz"]: Trial(3, 3, 400),
    LICHESS["rapid"]: Trial(3, 3, 300),
    LICHESS["classical"]: Trial(3, 3, 400),
    FICS_BLITZ: Trial(2, 1, 600),
}
"""By source. A scale is made anew for each part that is rated."""


@dataclass(frozen=True, eq=False)
class HeldOut:
    """Ratings of held-out players, by prior and number of games."""

    scale: str
    games: int
    """That the scale of the first part was made from."""
    players: int
    range: tuple[float, float]
    by_prior: Mapping[str, Mapping[int, RatedGroups]]


def splits_of(
    appearances: Appearances, source: str, trial: Trial, seed: int = 1
) -> Iterator[tuple[Ints, Ints]]:
    """For each part that is rated: the rows that teach, and the rows that are rated."""
    deal = _by_games if source in OF_SERVERS else _by_events
    usable = (appearances.size >= LEAST) & np.isfinite(appearances.elo)
    for teach, rated in deal(appearances, usable, trial, np.random.default_rng(seed)):
        yield np.flatnonzero(usable & teach), np.flatnonzero(usable & rated)


def _by_events(
    appearances: Appearances, usable: Mask, trial: Trial, rng: np.random.Generator
) -> Iterator[tuple[Mask, Mask]]:
    """Some players at half of the events teach, and the others at the other half are rated."""
    part = rng.integers(0, trial.parts, int(appearances.player.max()) + 1)[appearances.player]
    event = appearances.codes("event") * 10_000 + np.nan_to_num(appearances.numbers("year")).astype(np.int64)
    _, unit = np.unique(event, return_inverse=True)
    first = (rng.random(unit.max() + 1) < 0.5)[unit]
    for number in range(trial.rated):
        yield (part != number) & first, (part == number) & ~first


def _by_games(
    appearances: Appearances, usable: Mask, trial: Trial, rng: np.random.Generator
) -> Iterator[tuple[Mask, Mask]]:
    """All games of whoever plays most are in one part; rated are those of a part who are in no other.

    On servers few players have most of the games, against many who have one.
    """
    rows = np.flatnonzero(usable)
    century = np.round(appearances.elo[rows] / 100).astype(np.int64)
    part = np.full(len(appearances), -1)
    part[rows] = assign_folds(appearances.game[rows], appearances.player[rows], century, trial.parts, rng)
    for number in range(trial.rated):
        teach = usable & (part != number)
        yield teach, (part == number) & ~np.isin(appearances.player, appearances.player[teach])


def measure_scale(
    teaching: Teaching,
    appearances: Appearances,
    stacks: Mapping[str, ProfileStack],
    trial: Trial,
) -> HeldOut:
    """Rate held-out players, part after part, with the flat prior and with the population."""
    by_prior: dict[str, dict[int, list[RatedGroups]]] = {}
    calibrations: list[Calibration] = []
    taught = replace(teaching, fewest=max(teaching.fewest // 2, 8))  # of fewer games
    for teach, rows in splits_of(appearances, teaching.source, trial):
        calibration = fit_teaching(taught, appearances, stacks, teach)
        calibrations.append(calibration)
        judge = Judge(appearances, dict(stacks), calibration)
        players_of_scale = population(calibration)
        low, high = calibration.range.lowest - 50, calibration.range.highest + 50
        # Beyond its mileposts a scale promises nothing.
        within = rows[(appearances.elo[rows] >= low) & (appearances.elo[rows] <= high)]
        for n in NUMBERS:
            groups = of_one_player(
                appearances, within, n, trial.most if n == 1 else min(trial.most // 3, MOST_GAMES // n)
            )
            if not groups:
                continue
            raws = judge.raw(groups)
            priors = {FLAT: judge.flat(groups), POPULATION: [players_of_scale.of(group) for group in groups]}
            for name, each in priors.items():
                by_prior.setdefault(name, {}).setdefault(n, []).append(judge.rated(groups, raws, each))
    first = calibrations[0]
    return HeldOut(
        teaching.scale,
        int(first.about["games"]),
        int(first.about["players"]),
        (first.range.lowest, first.range.highest),
        {name: _enough(by_games) for name, by_games in by_prior.items()},
    )


def _enough(by_games: Mapping[int, Sequence[RatedGroups]]) -> dict[int, RatedGroups]:
    """All parts together, for the numbers of games of which there are groups enough."""
    whole = {n: concat(several) for n, several in by_games.items()}
    return {n: groups for n, groups in whole.items() if len(groups) >= FEWEST_GROUPS}


def by_estimate(rated: RatedGroups) -> list[RatedGroups]:
    """The groups in thirds by the rating that was estimated, lowest first: what a reader can look up."""
    order = np.argsort(rated.elo, kind="stable")
    place = np.empty(len(order), np.int64)
    place[order] = np.arange(len(order)) * len(THIRDS) // len(order)
    return [rated.where(place == third) for third in range(len(THIRDS))]


def scales_table(several: Sequence[HeldOut], prior: str) -> str:
    """What came out with one prior, a row for each scale and number of games."""
    heads = ("scale", "games", "groups", "error", "guessing the average", "ratio", "bias", "in 95%", *THIRDS)
    rows: list[Sequence[object]] = []
    for scale in several:
        for n, groups in scale.by_prior[prior].items():
            rows.append(
                (
                    scale.scale,
                    n,
                    len(groups),
                    f"{groups.error:.0f}",
                    f"{groups.guess:.0f}",
                    f"{groups.error / groups.guess:.2f}",
                    f"{groups.bias:+.0f}",
                    f"{groups.coverage:.1%}",
                    *(f"{third.coverage:.0%} ({third.bias:+.0f})" for third in by_estimate(groups)),
                )
            )
    return table(heads, rows, (PLAIN, *[RIGHT] * 10))


def made_from(several: Sequence[HeldOut]) -> str:
    """What the scales were made from that are measured here."""
    heads = ("scale", "games", "players", "from", "to")
    rows = [
        (scale.scale, f"{scale.games:,}", f"{scale.players:,}", *(f"{end:.0f}" for end in scale.range))
        for scale in several
    ]
    return table(heads, rows, (PLAIN, *[RIGHT] * 4))
