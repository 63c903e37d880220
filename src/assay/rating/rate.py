"""The main answer: every player of some decisions, rated by every method and all together, or measured."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence, Set
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from assay.answers.ratings import Measure, PlayerRating, Rating, Ratings
from assay.decisions.decisions import Decisions
from assay.decisions.evaluation import ANNOTATED, EVALUATED
from assay.decisions.exclusions import Exclusion
from assay.decisions.grouping import By
from assay.decisions.names import find_player
from assay.errors import InputError, ReadOnlyError
from assay.models.appearances import Appearances
from assay.models.base import MoveModel
from assay.models.intervals import FEWEST_GAMES
from assay.models.registry import make_model
from assay.models.traits.model import CLOCKS
from assay.rating.calibration import Calibration, find_calibration, rating_models, with_clocks
from assay.rating.evidence import Gathered, Group, Pieces, groups_of, record_of
from assay.rating.measures import ORDER, measures, standings
from assay.rating.priors import Priors, check_prior, prior_notes, priors_for
from assay.rating.rater import COMBINED, Rater, beyond
from assay.rating.scale import (
    ONE_VALUE,
    caveats_of,
    check_can_speak,
    kind_of,
    other_time_classes,
    scale_of,
    what_it_takes,
)
from assay.rating.with_results import Follows, meetings_of, notes_of, with_results
from assay.source import Source, Valuation

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


# Where a rating lies beyond all that it was made from, the output says why, in one line.

_SHOWN = 2
"""How many are named."""


def method_notes(players: Iterable[PlayerRating]) -> tuple[str, ...]:
    """Who is rated beyond all methods, and why: one line."""
    found: dict[str, list[str]] = {}
    for one in players:
        if one.combined is not None and one.combined.note:
            found.setdefault(one.combined.note, []).append(one.title)
    said = "; ".join(f"{_named(titles)} ({why})" for why, titles in found.items())
    return (f"Rated beyond every single method: {said}.",) if said else ()


def game_notes(games: Sequence[PlayerRating], together: Mapping[str, Rating]) -> tuple[str, ...]:
    """Whose games together make a rating beyond each of them: one line."""
    elos: dict[str, list[float]] = {}
    for one in games:
        if one.combined is not None:
            elos.setdefault(one.player, []).append(one.combined.elo)
    found = []
    for player, whole in together.items():
        single = elos.get(player, [])
        if beyond(whole.elo, single):
            low, high = min(single), max(single)
            found.append(f"{player} ({whole.elo:.0f}, single games {low:.0f} to {high:.0f})")
    if not found:
        return ()
    return (
        f"Together beyond each of their games: {_named(found)}. Why: one game is unsure and drawn to the "
        "prior, all together are surer and drawn less.",
    )


def _named(titles: Sequence[str]) -> str:
    more = f" and {len(titles) - _SHOWN:,} more" if len(titles) > _SHOWN else ""
    return "; ".join(titles[:_SHOWN]) + more


# Clocks that count besides the moves, where that is asked for: through which scale, and what is said.

NOTE = "The clocks count besides the moves (--with clocks): how fast moves are made, and with how much left."
_NAMED = 3
"""Players without clocks who are named."""


def timed_calibration(recipe_id: str, given: Calibration | None) -> Calibration:
    """The calibration of a source of values by which clocks count; an InputError where there is none."""
    if given is not None:
        raise InputError("--with clocks brings a calibration of its own: leave --calibration out")
    return with_clocks(recipe_id)


def clock_notes(found: Sequence[PlayerRating]) -> tuple[str, ...]:
    """What must be said where the clocks count; an InputError where no game has them."""
    without = [one.player for one in found if CLOCKS not in one.ratings]
    if len(without) == len(found):
        raise InputError(
            "these games have no clocks, or too few ([%clk] behind the moves): leave --with clocks out"
        )
    if not without:
        return (NOTE,)
    more = f" and {len(without) - _NAMED:,} more" if len(without) > _NAMED else ""
    shown = ", ".join(without[:_NAMED])
    return (f"{NOTE} Too few moves of {shown}{more} have a clock: theirs count alone.",)


# What must be said with ratings: which scale they are on, what was left out, what was not read.

FEW_VALUES = 0.05
"""A share of moves without a value that is said: games have at least their first or last."""


def notes_on(
    found: Sequence[PlayerRating],
    pieces: Pieces,
    calibration: Calibration | None,
    made: tuple[str, str],
    methods: Sequence[str] | None,
) -> tuple[str, ...]:
    """All that must be said with the ratings `found`, made by an engine and a recipe of these names."""
    engine, recipe = made
    return (
        *_on_the_scale(found, calibration, engine, recipe, pieces.recipe_id),
        *_of_comments(pieces, calibration),
        *_on_another_scale(pieces.time_classes, calibration),
        *_without_trace(pieces, calibration, methods),
    )


def made_with(source: Source, recipe_id: str, calibration: Calibration | None = None) -> tuple[str, str]:
    """Names of the engine and the recipe, from the source or else from the calibration."""
    about = source.about(recipe_id)
    if about:
        return about["engine"]["name"], about["recipe"]["name"]
    made = {} if calibration is None else calibration.about
    return made.get("engine", "unknown engine"), made.get("recipe", recipe_id or "unknown recipe")


def _on_the_scale(
    found: Sequence[PlayerRating],
    calibration: Calibration | None,
    engine: str,
    recipe: str,
    recipe_id: str = "",
) -> tuple[str, ...]:
    """What must be said with these ratings."""
    if calibration is None:
        notes = [what_it_takes(engine, recipe, recipe_id)]
        if any(one.games < FEWEST_GAMES for one in found):
            notes.append(
                f"Below {FEWEST_GAMES} games there is no interval: how games vary cannot be told from fewer."
            )
        return tuple(notes)
    low, high = calibration.mileposts.min(), calibration.mileposts.max()
    elos = [one.combined.elo for one in found if one.combined is not None]
    notes = caveats_of(calibration)
    if not all(low - 50 <= elo <= high + 50 for elo in elos):
        notes.append(
            f"The scale is calibrated from {low:.0f} to {high:.0f}: ratings beyond are drawn to that "
            "range, and mean no more than 'at least' or 'at most' so much."
        )
    return tuple(notes)


def _on_another_scale(time_classes: Set[str], calibration: Calibration | None) -> tuple[str, ...]:
    """What must be said where games are rated that are not of the calibration's time class."""
    if calibration is None:
        return ()
    said = other_time_classes(time_classes, calibration.recipe_id)
    return (said,) if said else ()


def left_out(stored: Mapping[str, int], pieces: Pieces) -> dict[str, int]:
    """How many games are not rated, by reason: as stored, and what only those who read decisions know."""
    found = dict(pieces.left_out)
    if not stored:
        return found
    other = Exclusion.OTHER_SCALE.value
    return {**stored, other: found[other]} if other in found else dict(stored)


def _of_comments(pieces: Pieces, calibration: Calibration | None) -> tuple[str, ...]:
    """What must be said where the values are those that the games bring along."""
    if pieces.recipe_id not in (ANNOTATED, *EVALUATED):
        return ()
    notes = []
    if calibration is not None and calibration.recipe_id in EVALUATED:
        made = calibration.about
        notes.append(
            f"Calibrated by {made.get('games', 0):,} games of {made.get('players', 0):,} players, "
            f"evaluated by {made.get('engine')} (docs/evaluated.md)."
        )
        notes += [made["caveat"]] if made.get("caveat") else []
    notes.append(ONE_VALUE)
    if pieces.without_value > FEW_VALUES:
        notes.append(f"{pieces.without_value:.0%} of the moves here have no value before or after them.")
    return tuple(notes)


def _without_trace(
    pieces: Pieces, calibration: Calibration | None, names: Sequence[str] | None
) -> tuple[str, ...]:
    """What must be said where methods of the calibration are missing because the trace was not read."""
    if calibration is None or names is not None or pieces.traced or pieces.only is not None:
        return ()
    absent = [name for name in calibration.spread.methods if calibration.models[name].reads_trace]
    if not absent:
        return ()
    return (
        f"With so many games the values at smaller depths are not read, so {' and '.join(absent)} are left "
        f"out; ask for one by name (--method {absent[0]}), which takes longer.",
    )


# From an open source of games to ratings: what is read, by which calibration, and what is said with them.


def rate_source(
    source: Source,
    valuation: Valuation,
    *,
    players: Sequence[str] | None,
    methods: Sequence[str] | None,
    by: str,
    least: int,
    calibration: Calibration | None,
    level: float,
    prior: str,
    with_results: bool,
    with_clocks: bool,
    history: bool,
    progress: Callable[..., None],
    rating: Progress,
) -> Ratings:
    """What `Study.rate` says, of one source by one valuation."""
    check_prior(prior)
    # With a calibration players are rated by themselves, and only their games need be analysed: unless
    # what the others did counts too.
    others = prior == "pool" or with_results
    alone = (
        players is not None
        and not others
        and (calibration is not None or planned_calibration(source, valuation) is not None)
    )
    whom = players if alone else None
    pieces = Pieces(_read(source, valuation, players, alone, _reads_trace(methods), progress))
    recipe_id = pieces.recipe_id
    check_can_speak(recipe_id, methods)
    if with_clocks:
        calibration = timed_calibration(recipe_id, calibration)
    elif calibration is None:
        calibration = find_calibration(recipe_id)
    else:
        calibration.check(recipe_id)
    wanted = None
    if players is not None:
        some = [] if pieces.only is None else pieces.only.players
        wanted = [find_player(name, some) for name in players] if not alone or not some else None
    answer = rate_everyone(
        pieces.read(wanted if calibration is not None and not others else None),
        calibration,
        by=by,
        methods=methods,
        least=least,
        level=level,
        periods=_periods(source) if history else None,
        prior=prior,
        results=with_results,
        progress=rating,
    )
    found, too_few = answer.players, answer.too_few
    if wanted is None and players is not None:
        wanted = [find_player(name, pieces.players) for name in players]
    if wanted is not None:
        found = tuple(one for one in found if one.player in wanted)
        too_few = {title: n for title, n in too_few.items() if title.startswith(tuple(wanted))}
    engine, recipe = made_with(source, recipe_id, calibration)
    span = calibration.range if calibration is not None else None
    clocks = clock_notes(found) if with_clocks else ()
    ratings = Ratings(
        engine=engine,
        recipe=recipe,
        recipe_id=recipe_id,
        by=by,
        players=found,
        too_few=too_few,
        notes=(*notes_on(found, pieces, calibration, (engine, recipe), methods), *clocks, *answer.notes),
        scale=scale_of(calibration),
        calibration=kind_of(calibration),
        prior=answer.prior,
        order=ORDER if calibration is None else "combined rating",
        span=(math.nan, math.nan) if span is None else (span.lowest, span.highest),
        level=level,
        left_out=left_out(source.left_out(valuation), pieces),
        read=lambda: pieces.only or _again(source, valuation, recipe_id, whom),
    )
    try:
        source.keep(ratings)
    except ReadOnlyError:
        valuation.say(f"{source.path} cannot be written to: these ratings are not kept there")
    return ratings


def planned_calibration(source: Source, valuation: Valuation) -> Calibration | None:
    """The calibration through which what is analysed here will be rated, where there is one."""
    planned = source.recipe_id(valuation)
    return None if planned is None else find_calibration(planned)


def _reads_trace(names: Sequence[str] | None) -> bool | None:
    """Whether any of these methods reads the trace; None, where it costs little, if none are named."""
    return None if names is None else any(make_model(name).reads_trace for name in names)


def _read(
    source: Source,
    valuation: Valuation,
    players: Sequence[str] | None,
    alone: bool,
    trace: bool | None,
    progress: Callable[..., None],
) -> Iterator[Decisions]:
    """All decisions, or those of some players; in one piece where players are found among the others."""
    if players is not None and not alone:
        return iter([source.decisions(valuation, trace=trace is not False, progress=progress)])
    return source.iter_decisions(
        valuation, players=players if alone else None, trace=trace, progress=progress
    )


def _again(source: Source, valuation: Valuation, recipe_id: str, players: Sequence[str] | None) -> Decisions:
    """The decisions that were rated in pieces, at once."""
    return source.kept().decisions(recipe_id, players=players, choice=valuation.choice)


def _periods(source: Source) -> dict[str, str]:
    """The year of each game; its month, or day, where all are of one. For those whose date is known."""
    dates = source.dates()
    for length in (len("2011"), len("2011-12"), len("2011-12-31")):
        periods = {game: date[:length] for game, date in dates.items() if "?" not in date[:length]}
        if len(set(periods.values())) > 1:
            break
    return periods
