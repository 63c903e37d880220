"""The main answer: every player of some decisions, rated by every method and by all together."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

import numpy as np

from assay.domain.decisions import Decisions
from assay.domain.rating import PlayerRating, Rating
from assay.errors import InputError
from assay.models.appearances import Appearances
from assay.models.calibration import Calibration, rating_models
from assay.models.rated_groups import COMBINED, Group, Rater, groups_of, record_of
from assay.models.registry import make_model
from assay.models.relative import Pool, relative_ratings

Progress = Callable[[int, int], None]
"""Is told how many groups are rated, and of how many."""

_NOTHING: Progress = lambda *_: None  # noqa: E731

LEAST_DECISIONS = 10
"""Fewer decisions after the opening than this are not rated unless asked for."""


def rate_decisions(
    decisions: Decisions,
    calibration: Calibration | None,
    *,
    by: str = "player",
    methods: Sequence[str] | None = None,
    least: int = LEAST_DECISIONS,
    level: float = 0.95,
    periods: Mapping[str, str] | None = None,
    progress: Progress = _NOTHING,
) -> tuple[tuple[PlayerRating, ...], dict[str, int]]:
    """Ratings, strongest first, and how many decisions those have who are not rated for want of them.

    Without a calibration, ratings are relative to the pool. `periods` names the period of each game, by its
    id, for the history of every rating.
    """
    if methods is not None and not methods:
        raise InputError("no method is named to rate by: name one, or leave them out for all")
    if not 0 < level < 1:
        raise InputError(f"the level of intervals is between 0 and 1, not {level}")
    appearances = Appearances.of(decisions)
    groups = groups_of(appearances, by)
    sizes = [int(appearances.size[group.rows].sum()) for group in groups]
    chosen = [group for group, size in zip(groups, sizes, strict=True) if size >= max(least, 1)]
    too_few = {group.title: size for group, size in zip(groups, sizes, strict=True) if size < max(least, 1)}
    if not chosen:
        raise InputError(
            f"nobody has {least} evaluated decisions after the opening: give more games, or lower "
            "--min-decisions"
        )
    if calibration is None:
        ratings = _relative(appearances, chosen, methods, level)
        histories: list[tuple[tuple[str, Rating], ...]] = [()] * len(chosen)
    else:
        rater = Rater(appearances, calibration, methods=methods)
        rated = rater.rate([group.rows for group in chosen], level=level)
        ratings = list(_counted(rated, len(chosen), progress))
        histories = _histories(rater, chosen, periods or {}, least, level)
    players = [
        _player(appearances, group, by_method, history)
        for group, by_method, history in zip(chosen, ratings, histories, strict=True)
        if COMBINED in by_method
    ]
    # Nothing that a method could use: for whoever reads it, that is too few decisions as well.
    too_few |= {
        group.title: int(appearances.size[group.rows].sum())
        for group, by_method in zip(chosen, ratings, strict=True)
        if COMBINED not in by_method
    }
    return tuple(sorted(players, key=lambda one: (-one.combined.elo, one.title))), too_few


def _counted(
    rated: Iterable[dict[str, Rating]], total: int, progress: Progress
) -> Iterator[dict[str, Rating]]:
    for done, one in enumerate(rated, 1):
        yield one
        progress(done, total)


def _relative(
    appearances: Appearances, groups: Sequence[Group], methods: Sequence[str] | None, level: float
) -> list[dict[str, Rating]]:
    models = {name: make_model(name) for name in methods} if methods is not None else rating_models()
    stacks = {name: appearances.stack(model) for name, model in models.items()}
    return relative_ratings(Pool(appearances, stacks, groups), models, level)


def _player(
    appearances: Appearances,
    group: Group,
    ratings: Mapping[str, Rating],
    history: tuple[tuple[str, Rating], ...],
) -> PlayerRating:
    elo = appearances.elo[group.rows]
    known = elo[~np.isnan(elo)]
    return PlayerRating(
        group.player,
        group.label,
        len(group.rows),
        int(appearances.size[group.rows].sum()),
        record_of(appearances, group.rows),
        float(known.mean()) if len(known) else float("nan"),
        {name: rating for name, rating in ratings.items() if name != COMBINED},
        ratings[COMBINED],
        history,
        group.about,
    )


def _histories(
    rater: Rater, groups: Sequence[Group], periods: Mapping[str, str], least: int, level: float
) -> list[tuple[tuple[str, Rating], ...]]:
    """Combined rating of each group by period, in order; periods with too few decisions are left out."""
    if not periods:
        return [()] * len(groups)
    games = rater.appearances.games()
    parts = []
    for place, group in enumerate(groups):
        by_period: dict[str, list[int]] = {}
        for row in group.rows:
            if games[row] in periods:
                by_period.setdefault(periods[games[row]], []).append(int(row))
        parts += [
            (place, period, np.array(rows))
            for period, rows in sorted(by_period.items())
            if rater.appearances.size[rows].sum() >= least
        ]
    answer: list[list[tuple[str, Rating]]] = [[] for _ in groups]
    rated = rater.rate([rows for _, _, rows in parts], level=level)
    for (place, period, _), ratings in zip(parts, rated, strict=True):
        if COMBINED in ratings:
            answer[place].append((period, ratings[COMBINED]))
    return [tuple(history) for history in answer]
