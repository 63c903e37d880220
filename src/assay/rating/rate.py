"""The main answer: every player of some decisions, rated by every method and all together, or measured."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence, Set
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from assay.answers.ratings import PlayerRating, Rating, Ratings
from assay.decisions.decisions import Decisions
from assay.decisions.evaluation import ANNOTATED, EVALUATED
from assay.decisions.exclusions import Exclusion
from assay.decisions.grouping import RATED_BY, By, check_by
from assay.decisions.names import find_player
from assay.errors import InputError, ReadOnlyError
from assay.machine import one_blas_thread
from assay.models.appearances import Appearances
from assay.models.base import MoveModel
from assay.models.intervals import FEWEST_GAMES
from assay.models.registry import make_model
from assay.models.traits.model import CLOCKS
from assay.rating.calibration import Calibration, find_calibration, rating_models, with_clocks
from assay.rating.evidence import Evidence, Group, Pieces, Sums
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
class Request:
    """What is asked of ratings."""

    by: str = By.PLAYER
    """What is rated apart: each player, or their years, events or games."""
    methods: Sequence[str] | None = None
    """The methods that count; None for all."""
    least: int = LEAST_DECISIONS
    level: float = 0.95
    """Of all intervals."""
    prior: str = "flat"
    """What is taken to be known before any move (assay.rating.priors)."""
    results: bool = False
    """Whether the results of the games count too (assay.rating.with_results)."""
    clocks: bool = False
    """Whether the clocks count too, where there is a scale for that."""
    history: bool = False
    """Whether the combined rating of each year, or month or day, is wanted as well."""

    def __post_init__(self) -> None:
        check_prior(self.prior)
        if self.methods is not None and not self.methods:
            raise InputError("no method is named to rate by: name one, or leave them out for all")
        if not 0 < self.level < 1:
            raise InputError(f"the level of intervals is between 0 and 1, not {self.level}")


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
    rated = rate_everyone(decisions, calibration, Request(**asked))
    return rated.players, rated.too_few


def rate_everyone(
    decisions: Decisions | Iterable[Decisions],
    calibration: Calibration | None,
    request: Request | None = None,
    *,
    periods: Mapping[str, str] | None = None,
    progress: Progress = _NOTHING,
) -> Rated:
    """Every player of some decisions, or their years, events or games.

    Without a calibration there are no ratings: players have measures, and are in the order of these
    (assay.rating.measures). `periods` names the period of each game, by its id, for the history of ratings.
    Decisions may come in pieces, each of whole games, of which one is held at a time.
    """
    asked = request or Request()
    check_by(asked.by, RATED_BY)
    if calibration is None and asked.results:
        raise InputError(
            "without a calibration there is no Elo, and nothing to weigh results with: see assay results"
        )
    pieces = [decisions] if isinstance(decisions, Decisions) else decisions
    models = _models(calibration, asked.methods)
    # Periods divide a group's games otherwise, and results are held against the moves of single games.
    apart = bool(periods) or asked.results
    evidence = Evidence.of(pieces, models, asked.by, apart=apart)
    if not len(evidence):
        raise InputError("no decisions to rate: check the selection")
    sums = evidence.sums()
    chosen, too_few = enough(sums, asked.least)
    if not chosen:
        raise nobody(asked.least)
    notes: tuple[str, ...] = ()
    words = None
    if calibration is None:
        players = [one for one in measured(sums, models, chosen, asked.level, progress) if one.measures]
        if not players:
            raise InputError(
                f"{', '.join(models)} can measure nothing here, for want of evaluations: choose other methods"
            )
    else:
        rater = Rater(sums, calibration, methods=asked.methods)
        priors = priors_for(rater, asked.prior, asked.least)
        single = evidence.appearances if apart else None
        players, notes = rated_groups(rater, chosen, priors, asked, single, progress)
        if periods and single is not None:
            players = _with_history(players, rater, chosen, priors, asked, single.games(), periods)
        players = [one for one in players if one.combined is not None]
        words = priors.words
        notes = (*prior_notes(priors, [one.games for one in players]), *method_notes(players), *notes)
        if asked.by == By.GAME and not asked.results:
            notes = (*notes, *game_notes(players, _together(rater, chosen, priors, asked.level)))
    # Nothing that a method could use: for whoever reads it, that is too few decisions as well.
    found = {one.title for one in players}
    too_few |= {
        group.title: round(sums.size[group.rows].sum()) for group in chosen if group.title not in found
    }
    return Rated(in_order(players), too_few, words, notes)


def _models(calibration: Calibration | None, methods: Sequence[str] | None) -> Mapping[str, MoveModel]:
    """The methods whose evidence is needed: to combine some, a calibration compares all that it knows."""
    if calibration is not None:
        known = calibration.spread.methods
        return {name: model for name, model in calibration.models.items() if name in known}
    return {name: make_model(name) for name in methods} if methods is not None else rating_models()


def enough(sums: Sums, least: int) -> tuple[list[Group], dict[str, int]]:
    """The groups that have so many decisions, and how many the others have, by title."""
    chosen, too_few = [], {}
    for group in sums.titled():
        size = round(sums.size[group.rows].sum())
        if size >= max(least, 1):
            chosen.append(group)
        else:
            too_few[group.title] = size
    return chosen, too_few


def nobody(least: int) -> InputError:
    """Why there are no ratings at all."""
    return InputError(
        f"nobody has {least} evaluated decisions after the opening: give more games, or lower --min-decisions"
    )


def rated_groups(
    rater: Rater,
    groups: Sequence[Group],
    priors: Priors,
    asked: Request,
    single: Appearances | None = None,
    progress: Progress = _NOTHING,
) -> tuple[list[PlayerRating], tuple[str, ...]]:
    """Each group with its ratings, and what must be said with them; `single` are its games, for results."""
    assert isinstance(rater.appearances, Sums)
    rows = [group.rows for group in groups]
    games = [rater.games(one) for one in rows]
    raws = []
    with one_blas_thread():
        for raw in rater.raw(rows):
            raws.append(raw)
            progress(len(raws), len(groups))
    notes: tuple[str, ...] = ()
    if priors.name == "flat":
        ratings = rater.many_ratings(raws, games=games, level=asked.level)
    else:
        ratings = [
            rater.ratings(raw, priors.of(one), games=n, level=asked.level)
            for raw, one, n in zip(raws, rows, games, strict=True)
        ]
    if asked.results and single is not None:
        each = [priors.of(one) for one in rows]
        own = [
            rater.density(raw, before, by_method.get(COMBINED))
            for raw, before, by_method in zip(raws, each, ratings, strict=True)
        ]
        meetings, sides, strangers = meetings_of(single, rows, rater.calibration.range)
        said = rater.said_in_games(sides)
        follows = Follows.of(rater.calibration)
        ratings = with_results(ratings, own, each, strangers, meetings, said, asked.level, follows)
        notes = notes_of(meetings, rater.calibration)
    players = [_player(rater.appearances, group) for group in groups]
    return [
        replace(one, ratings=_without(by_method, COMBINED), combined=by_method.get(COMBINED))
        for one, by_method in zip(players, ratings, strict=True)
    ], notes


def measured(
    sums: Sums,
    models: Mapping[str, MoveModel],
    groups: Sequence[Group],
    level: float,
    progress: Progress = _NOTHING,
) -> list[PlayerRating]:
    """Each group with what the methods measure."""
    stacks = sums.stacks()
    players = []
    for group in groups:
        players.append(replace(_player(sums, group), measures=measures(models, stacks, group, level)))
        progress(len(players), len(groups))
    return players


def in_order(players: Sequence[PlayerRating]) -> tuple[PlayerRating, ...]:
    """Strongest first: by the combined rating, or without a scale by what the methods measure."""
    if players and players[0].combined is None:
        order = standings([one.measures for one in players]).tolist()
    else:
        order = [one.combined.elo for one in players if one.combined is not None]
    ranked = sorted(zip(order, players, strict=True), key=lambda pair: (-pair[0], pair[1].title))
    return tuple(one for _, one in ranked)


def _player(sums: Sums, group: Group) -> PlayerRating:
    return PlayerRating(
        player=group.player,
        group=group.label,
        games=round(sums.count("games")[group.rows].sum()),
        decisions=round(sums.size[group.rows].sum()),
        record=sums.record(group.rows),
        reference=sums.reference(group.rows),
        ratings={},
        combined=None,
        about=group.about,
    )


def _without(ratings: Mapping[str, Rating], name: str) -> dict[str, Rating]:
    return {method: rating for method, rating in ratings.items() if method != name}


def _together(rater: Rater, games: Sequence[Group], priors: Priors, level: float) -> dict[str, Rating]:
    """The combined rating of each player who has more than one game, by all of them."""
    rows: dict[str, list[int]] = {}
    for group in games:
        rows.setdefault(group.player, []).extend(group.rows.tolist())
    several = {player: np.array(own) for player, own in rows.items() if len(own) > 1}
    rated = rater.rate(list(several.values()), level=level, prior=priors.of)
    return {player: one[COMBINED] for player, one in zip(several, rated, strict=True) if COMBINED in one}


def _with_history(
    players: Sequence[PlayerRating],
    rater: Rater,
    groups: Sequence[Group],
    priors: Priors,
    asked: Request,
    games: Sequence[str],
    periods: Mapping[str, str],
) -> list[PlayerRating]:
    """The same with the combined rating by period, in order; periods with too few decisions are left out."""
    parts = []
    for place, group in enumerate(groups):
        by_period: dict[str, list[int]] = {}
        for row in group.rows.tolist():
            if games[row] in periods:
                by_period.setdefault(periods[games[row]], []).append(row)
        parts += [
            (place, period, np.array(rows))
            for period, rows in sorted(by_period.items())
            if rater.appearances.size[rows].sum() >= asked.least
        ]
    histories: list[list[tuple[str, Rating]]] = [[] for _ in groups]
    rated = rater.rate([rows for _, _, rows in parts], level=asked.level, prior=priors.of)
    for (place, period, _), ratings in zip(parts, rated, strict=True):
        if COMBINED in ratings:
            histories[place].append((period, ratings[COMBINED]))
    return [replace(one, history=tuple(own)) for one, own in zip(players, histories, strict=True)]


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
    request: Request,
    *,
    players: Sequence[str] | None = None,
    calibration: Calibration | None = None,
    progress: Callable[..., None] = _NOTHING,
    rating: Progress = _NOTHING,
) -> Ratings:
    """What `Study.rate` says, of one source by one valuation."""
    # With a calibration players are rated by themselves, and only their games need be analysed: unless
    # what the others did counts too.
    others = request.prior == "pool" or request.results
    alone = (
        players is not None
        and not others
        and (calibration is not None or planned_calibration(source, valuation) is not None)
    )
    whom = players if alone else None
    pieces = Pieces(_read(source, valuation, players, alone, _reads_trace(request.methods), progress))
    recipe_id = pieces.recipe_id
    check_can_speak(recipe_id, request.methods)
    if request.clocks:
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
        request,
        periods=_periods(source) if request.history else None,
        progress=rating,
    )
    found, too_few = answer.players, answer.too_few
    if wanted is None and players is not None:
        wanted = [find_player(name, pieces.players) for name in players]
    if wanted is not None:
        found = tuple(one for one in found if one.player in wanted)
        too_few = {title: n for title, n in too_few.items() if title.startswith(tuple(wanted))}
    engine, recipe = made_with(source, recipe_id, calibration)
    said = notes_on(found, pieces, calibration, (engine, recipe), request.methods)
    clocks = clock_notes(found) if request.clocks else ()
    ratings = replace(
        answer_of(found, too_few, recipe_id, calibration, request),
        engine=engine,
        recipe=recipe,
        notes=(*said, *clocks, *answer.notes),
        prior=answer.prior,
        left_out=left_out(source.left_out(valuation), pieces),
        read=lambda: pieces.only or _again(source, valuation, recipe_id, whom),
    )
    try:
        source.keep(ratings)
    except ReadOnlyError:
        valuation.say(f"{source.path} cannot be written to: these ratings are not kept there")
    return ratings


def answer_of(
    players: tuple[PlayerRating, ...],
    too_few: Mapping[str, int],
    recipe_id: str,
    calibration: Calibration | None,
    request: Request,
) -> Ratings:
    """Ratings through a calibration, or measures without one, of games that bring their evaluations."""
    span = None if calibration is None else calibration.range
    return Ratings(
        engine="the games' own comments",
        recipe="evaluations",
        recipe_id=recipe_id,
        by=request.by,
        players=players,
        too_few=too_few,
        level=request.level,
        scale=scale_of(calibration),
        calibration=kind_of(calibration),
        prior=None if calibration is None else "flat",
        order=ORDER if calibration is None else "combined rating",
        span=(math.nan, math.nan) if span is None else (span.lowest, span.highest),
    )


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
    return source.import_games().decisions(recipe_id, players=players, choice=valuation.choice)


def _periods(source: Source) -> dict[str, str]:
    """The year of each game; its month, or day, where all are of one. For those whose date is known."""
    dates = source.dates()
    for length in (len("2011"), len("2011-12"), len("2011-12-31")):
        periods = {game: date[:length] for game, date in dates.items() if "?" not in date[:length]}
        if len(set(periods.values())) > 1:
            break
    return periods
