"""The main answer: every player of some decisions, rated by every method and all together, or measured."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from assay.answers.ratings import Measure, PlayerRating, Rating
from assay.decisions.decisions import Decisions
from assay.decisions.grouping import By
from assay.errors import InputError
from assay.models.appearances import Appearances
from assay.models.base import MoveModel
from assay.models.registry import make_model
from assay.rating.calibration import Calibration, rating_models
from assay.rating.contradictions import game_notes, method_notes
from assay.rating.gathered import Gathered
from assay.rating.groups import COMBINED, Group, Rater, groups_of, record_of
from assay.rating.measures import measures, standings
from assay.rating.priors import Priors, check_prior, prior_notes, priors_for
from assay.rating.with_results import Follows, meetings_of, notes_of, with_results

Progress = Callable[[int, int], None]
"""Is told how many groups are rated, and of how many."""

_NOTHING: Progress = lambda *_: None  # noqa: E731

LEAST_DECISIONS = 10
"""Fewer decisions after the opening than this are not rated unless asked for."""


@dataclass(frozen=True)
class Rated:
    """Everyone rated or measured, and what must be said with it."""

    players: tuple[PlayerRating, ...]
    """Strongest first."""
    too_few: Mapping[str, int]
    """How many decisions those have who are not rated for want of them, by title."""
    prior: str | None = None
    """What was taken to be known before any move, in words; None without a calibration."""
    notes: tuple[str, ...] = ()


def rate_decisions(
    decisions: Decisions | Iterable[Decisions], calibration: Calibration | None, **asked: Any
) -> tuple[tuple[PlayerRating, ...], Mapping[str, int]]:
    """Ratings, strongest first, and who has too few decisions, as `rate_everyone` finds them."""
    found = rate_everyone(decisions, calibration, **asked)
    return found.players, found.too_few


def rate_everyone(
    decisions: Decisions | Iterable[Decisions],
    calibration: Calibration | None,
    *,
    by: str = "player",
    methods: Sequence[str] | None = None,
    least: int = LEAST_DECISIONS,
    level: float = 0.95,
    periods: Mapping[str, str] | None = None,
    prior: str = "flat",
    results: bool = False,
    progress: Progress = _NOTHING,
) -> Rated:
    """Every player of some decisions, or their years, events or games.

    Without a calibration there are no ratings: players have measures, and are in the order of these
    (assay.rating.measures). `periods` names the period of each game, by its id, for the history of ratings;
    `prior` what is taken to be known before any move (assay.rating.priors). With `results` the combined
    rating is by the results too (assay.rating.with_results).
    Decisions may come in pieces, each of whole games, of which one is held at a time.
    """
    check_prior(prior)
    if methods is not None and not methods:
        raise InputError("no method is named to rate by: name one, or leave them out for all")
    if not 0 < level < 1:
        raise InputError(f"the level of intervals is between 0 and 1, not {level}")
    pieces = [decisions] if isinstance(decisions, Decisions) else decisions
    models = _models(calibration, methods)
    # Without a scale a method leaves out the games that tell it nothing, before they are put into blocks.
    # Periods divide a group's games otherwise, and results are held against the moves of single games.
    gathered = Gathered.of(pieces, models, by, apart=calibration is None or bool(periods) or results)
    appearances = gathered.appearances
    groups = groups_of(appearances, by)
    sizes = [int(appearances.size[group.rows].sum()) for group in groups]
    # Games without a decision that may be rated are not rated, and so not counted.
    groups = [replace(group, rows=group.rows[appearances.size[group.rows] > 0]) for group in groups]
    chosen = [group for group, size in zip(groups, sizes, strict=True) if size >= max(least, 1)]
    too_few = {group.title: size for group, size in zip(groups, sizes, strict=True) if size < max(least, 1)}
    if not chosen:
        raise InputError(
            f"nobody has {least} evaluated decisions after the opening: give more games, or lower "
            "--min-decisions"
        )
    notes: tuple[str, ...] = ()
    words = None
    if calibration is None:
        if results:
            raise InputError(
                "without a calibration there is no Elo, and nothing to weigh results with: see assay results"
            )
        found = _measured(gathered, appearances, models, chosen, level, progress)
    else:
        rater = Rater(
            appearances, calibration, methods=methods, stacks=gathered.stacks(), block_of=gathered.block_of
        )
        priors = priors_for(rater, prior, least)
        ratings, notes = _ratings(rater, chosen, priors, level, results, progress)
        histories = _histories(rater, chosen, priors, periods or {}, least, level)
        found = _in_order(appearances, chosen, ratings, histories)
        words = priors.words
        notes = (*prior_notes(priors, [one.games for one in found]), *method_notes(found), *notes)
        if by == By.GAME and not results:
            notes = (*notes, *game_notes(found, _together(rater, chosen, priors, level)))
    # Nothing that a method could use: for whoever reads it, that is too few decisions as well.
    known = {one.title for one in found}
    too_few |= {
        group.title: int(appearances.size[group.rows].sum()) for group in chosen if group.title not in known
    }
    return Rated(tuple(found), too_few, words, notes)


def _models(calibration: Calibration | None, methods: Sequence[str] | None) -> Mapping[str, MoveModel]:
    """The methods whose evidence is needed: to combine some, a calibration compares all that it knows."""
    if calibration is not None:
        known = calibration.spread.methods
        return {name: model for name, model in calibration.models.items() if name in known}
    return {name: make_model(name) for name in methods} if methods is not None else rating_models()


def _ratings(
    rater: Rater,
    groups: Sequence[Group],
    priors: Priors,
    level: float,
    results: bool,
    progress: Progress,
) -> tuple[list[dict[str, Rating]], tuple[str, ...]]:
    """The ratings of every group, and what must be said with them."""
    rows = [group.rows for group in groups]
    ratings, own, each = [], [], []
    for one, raw in zip(rows, rater.raw(rows), strict=True):
        before = priors.of(one)
        by_method = rater.ratings(raw, before, games=len(one), level=level)
        ratings.append(by_method)
        if results:
            own.append(rater.density(raw, before, by_method.get(COMBINED)))
            each.append(before)
        progress(len(ratings), len(groups))
    if not results:
        return ratings, ()
    meetings, sides, strangers = meetings_of(rater.appearances, rows, rater.calibration.range)
    said = rater.said_in_games(sides)
    follows = Follows.of(rater.calibration)
    found = with_results(ratings, own, each, strangers, meetings, said, level, follows)
    return found, notes_of(meetings, rater.calibration)


def _together(rater: Rater, games: Sequence[Group], priors: Priors, level: float) -> dict[str, Rating]:
    """The combined rating of each player who has more than one game, by all of them."""
    rows: dict[str, list[int]] = {}
    for group in games:
        rows.setdefault(group.player, []).extend(group.rows.tolist())
    several = {player: np.array(own) for player, own in rows.items() if len(own) > 1}
    rated = rater.rate(list(several.values()), level=level, prior=priors.of)
    return {player: one[COMBINED] for player, one in zip(several, rated, strict=True) if COMBINED in one}


def _in_order(
    appearances: Appearances,
    groups: Sequence[Group],
    ratings: Sequence[Mapping[str, Rating]],
    histories: Sequence[tuple[tuple[str, Rating], ...]],
) -> list[PlayerRating]:
    """Everyone on the Elo scale, strongest first."""
    found = [
        (-by_method[COMBINED].elo, _player(appearances, group, ratings=by_method, history=history))
        for group, by_method, history in zip(groups, ratings, histories, strict=True)
        if COMBINED in by_method
    ]
    return [one for _, one in sorted(found, key=lambda pair: (pair[0], pair[1].title))]


def _measured(
    gathered: Gathered,
    appearances: Appearances,
    models: Mapping[str, MoveModel],
    groups: Sequence[Group],
    level: float,
    progress: Progress,
) -> list[PlayerRating]:
    """Everyone by what the methods measure, in the order of that."""
    stacks, block_of = gathered.stacks(), gathered.block_of
    found = []
    for done, group in enumerate(groups, 1):
        found.append(measures(models, stacks, replace(group, rows=block_of[group.rows]), level))
        progress(done, len(groups))
    if not any(found):
        raise InputError(
            f"{', '.join(models)} can measure nothing in these decisions, for want of evaluations: choose "
            "other methods"
        )
    players = [
        (-standing, _player(appearances, group, measured=one))
        for group, one, standing in zip(groups, found, standings(found), strict=True)
        if one
    ]
    return [one for _, one in sorted(players, key=lambda pair: (pair[0], pair[1].title))]


def _player(
    appearances: Appearances,
    group: Group,
    *,
    ratings: Mapping[str, Rating] | None = None,
    measured: Mapping[str, Measure] | None = None,
    history: tuple[tuple[str, Rating], ...] = (),
) -> PlayerRating:
    elo = appearances.elo[group.rows]
    known = elo[~np.isnan(elo)]
    by_method = ratings or {}
    return PlayerRating(
        player=group.player,
        group=group.label,
        games=len(group.rows),
        decisions=int(appearances.size[group.rows].sum()),
        record=record_of(appearances, group.rows),
        reference=float(known.mean()) if len(known) else float("nan"),
        ratings={name: rating for name, rating in by_method.items() if name != COMBINED},
        combined=by_method.get(COMBINED),
        measures=measured or {},
        history=history,
        about=group.about,
    )


def _histories(
    rater: Rater,
    groups: Sequence[Group],
    priors: Priors,
    periods: Mapping[str, str],
    least: int,
    level: float,
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
    rated = rater.rate([rows for _, _, rows in parts], level=level, prior=priors.of)
    for (place, period, _), ratings in zip(parts, rated, strict=True):
        if COMBINED in ratings:
            answer[place].append((period, ratings[COMBINED]))
    return [tuple(history) for history in answer]


def ratings_of(
    parts: Sequence[Decisions], whole: Decisions, calibration: Calibration, method: str, level: float = 0.95
) -> list[Rating | None]:
    """Ratings by one method of parts of some decisions, the same as `rate_decisions` has of these games.

    Parts are decisions that passed the rules of the method. None for a part that is not of whole games: how
    far the first moves of a game stray has not been measured.
    """
    appearances = Appearances.of(whole)
    stack = appearances.stack(calibration.models[method])
    rows = []
    for part in parts:
        place = np.unique(appearances.place(part))
        complete = round(stack.decisions[place].sum()) == len(part)
        rows.append(place[appearances.size[place] > 0] if complete else np.zeros(0, np.int64))
    known = [index for index, place in enumerate(rows) if len(place)]
    players = [float(len(np.unique(appearances.player[rows[index]]))) for index in known]
    rater = Rater(appearances, calibration, methods=[method])
    answer: list[Rating | None] = [None] * len(parts)
    found = rater.rate([rows[index] for index in known], level=level, players=players)
    for index, ratings in zip(known, found, strict=True):
        answer[index] = ratings.get(method)
    return answer
