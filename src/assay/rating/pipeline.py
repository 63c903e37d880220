"""From a source of games to `Ratings`: every player rated by every method and all together, or measured.

Decisions come in pieces, add up to evidence (evidence.py), and groups of it are rated (group_ratings.py).
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from assay.answers.ratings import PlayerRating, Rating, Ratings
from assay.decisions.decisions import Decisions
from assay.decisions.grouping import RATED_BY, By, check_by
from assay.decisions.names import find_player
from assay.errors import InputError, ReadOnlyError
from assay.machine import one_blas_thread
from assay.models.appearances import Appearances
from assay.models.base import MoveModel
from assay.models.registry import make_model
from assay.rating.calibration import PAPERS, Calibration, find_calibration, rating_models, with_clocks
from assay.rating.evidence import Evidence, Group, Pieces, Sums
from assay.rating.group_ratings import (
    COMBINED,
    Rater,
    channels_by_moves,
    chosen_methods,
    posteriors,
    rate_raw,
    reading,
)
from assay.rating.measures import ORDER, measures, standings
from assay.rating.notes import clock_notes, left_out, notes_on
from assay.rating.posterior import GRID
from assay.rating.priors import Player, Priors, check_prior, priors_for
from assay.rating.scale import (
    check_can_speak,
    kind_of,
    scale_of,
)
from assay.rating.spread import RawRatings
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
    prior: str = "population"
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
    with_more: float = math.nan
    """Median half width of the intervals if everybody had four times as many games like these."""


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
    words, with_more = None, math.nan
    if calibration is None:
        players = [
            player for player in measured(sums, models, chosen, asked.level, progress) if player.measures
        ]
        if not players:
            raise InputError(
                f"{', '.join(models)} can measure nothing here, for want of evaluations: choose other methods"
            )
    else:
        rater = Rater(sums, calibration, methods=asked.methods)
        single = evidence.appearances if apart else None
        with one_blas_thread():
            unrated = Unrated.of(sums, chosen, rater)
            players, priors = rate_groups(calibration, unrated, asked)
            with_more = _reach_with_more(calibration, unrated.raw, priors, asked)
        progress(len(chosen), len(chosen))
        if asked.results and single is not None:
            players, notes = _with_results(players, rater, chosen, unrated.raw, priors, asked, single)
        if periods and single is not None:
            players = _with_history(players, rater, chosen, priors, asked, single.games(), periods)
        players = [player for player in players if player.combined is not None]
        words, notes = priors.words, (*priors.notes, *notes)
    # Nothing that a method could use: for whoever reads it, that is too few decisions as well.
    titles = {player.title for player in players}
    too_few |= {
        group.title: round(sums.size[group.rows].sum()) for group in chosen if group.title not in titles
    }
    return Rated(in_order(players), too_few, words, notes, with_more)


def _models(calibration: Calibration | None, methods: Sequence[str] | None) -> Mapping[str, MoveModel]:
    """The methods whose evidence is needed: to combine some, a calibration compares all that it knows."""
    if calibration is not None:
        return {name: model for name, model in calibration.models.items() if name in calibration.mappings}
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


@dataclass(frozen=True)
class Unrated:
    """Groups before they are rated: who they are, the event of each, and their raw ratings."""

    players: Sequence[PlayerRating]
    events: Sequence[str | None]
    raw: RawRatings

    @classmethod
    def of(cls, sums: Sums, groups: Sequence[Group], rater: Rater) -> Unrated:
        """Of some groups of sums."""
        return cls(
            [_player(sums, group) for group in groups],
            [sums.main_event((group.player, group.label)) for group in groups],
            rater.raw([group.rows for group in groups]),
        )


def rate_groups(
    calibration: Calibration, unrated: Unrated, asked: Request
) -> tuple[list[PlayerRating], Priors]:
    """Each group with its ratings by moves, and the priors that these have."""
    methods, raw = chosen_methods(calibration, asked.methods), unrated.raw
    whose = [
        Player(player.player, event, player.games, player.reference)
        for player, event in zip(unrated.players, unrated.events, strict=True)
    ]
    # What is learned of an event is learned by all methods: a method's own rating does not depend on which
    # others are asked for.
    priors = priors_for(asked.prior, calibration, whose, raw, chosen_methods(calibration, None))
    ratings = rate_raw(calibration, raw, priors.each, methods, asked.level)
    flat = ratings
    if priors.name != "flat":
        only = methods if len(methods) == 1 else ()
        flat = rate_raw(calibration, raw, [calibration.range] * len(whose), only, asked.level)
    return [
        replace(
            player,
            ratings={method: by_method[method] for method in methods if method in by_method},
            combined=by_method.get(COMBINED),
            papers=by_method.get(PAPERS),
            moves_only=by_moves.get(COMBINED),
        )
        for player, by_method, by_moves in zip(unrated.players, ratings, flat, strict=True)
    ], priors


def _reach_with_more(calibration: Calibration, raw: RawRatings, priors: Priors, asked: Request) -> float:
    """Median half width of the intervals with four times as many games like these."""
    more = replace(raw, size=4 * raw.size, squares=4 * raw.squares, games=4 * raw.games)
    channels = channels_by_moves(calibration, chosen_methods(calibration, asked.methods))
    rated = rate_raw(calibration, more, priors.each, channels[:1], asked.level)
    halves = [
        (ratings[COMBINED].high - ratings[COMBINED].low) / 2 for ratings in rated if COMBINED in ratings
    ]
    return float(np.median(halves)) if halves else math.nan


def _with_results(
    players: Sequence[PlayerRating],
    rater: Rater,
    groups: Sequence[Group],
    raw: RawRatings,
    priors: Priors,
    asked: Request,
    single: Appearances,
) -> tuple[list[PlayerRating], tuple[str, ...]]:
    """The same by moves and results together, and what must be noted of the results."""
    calibration, rows = rater.calibration, [group.rows for group in groups]
    channels = channels_by_moves(calibration, rater.methods)
    elo = np.array(
        [calibration.spread.centre if one.combined is None else one.combined.elo for one in players]
    )
    densities = [prior.log_density(GRID) for prior in priors.each]
    for places, logs in posteriors(priors.each, *reading(calibration, raw, channels, elo)):
        for place, log in zip(places.tolist(), logs, strict=True):
            densities[place] = log
    meetings, sides, strangers = meetings_of(single, rows, calibration.range)
    by_basis = with_results(
        [player.combined for player in players],
        densities,
        priors.each,
        strangers,
        meetings,
        rater.elo_in_games(sides),
        asked.level,
        Follows.of(calibration),
    )
    renewed = [
        replace(
            player,
            ratings={
                **player.ratings,
                **{name: rating for name, rating in ratings.items() if name != COMBINED},
            },
            combined=ratings.get(COMBINED),
        )
        for player, ratings in zip(players, by_basis, strict=True)
    ]
    return renewed, notes_of(meetings, calibration)


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
        order = standings([player.measures for player in players]).tolist()
    else:
        order = [player.combined.elo for player in players if player.combined is not None]
    ranked = sorted(zip(order, players, strict=True), key=lambda pair: (-pair[0], pair[1].title))
    return tuple(player for _, player in ranked)


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
    raw = rater.raw([rows for _, _, rows in parts])
    each = [priors.each[place] for place, _, _ in parts]
    wanted = rater.methods if len(rater.methods) == 1 else ()
    rated = rate_raw(rater.calibration, raw, each, wanted, asked.level)
    for (place, period, _), ratings in zip(parts, rated, strict=True):
        if COMBINED in ratings:
            histories[place].append((period, ratings[COMBINED]))
    return [
        replace(player, history=tuple(history)) for player, history in zip(players, histories, strict=True)
    ]


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
    rateable = [index for index, place in enumerate(rows) if len(place)]
    players = [float(len(np.unique(appearances.player[rows[index]]))) for index in rateable]
    rater = Rater(appearances, calibration, methods=[method])
    answer: list[Rating | None] = [None] * len(parts)
    rated = rater.rate([rows[index] for index in rateable], level=level, players=players)
    for index, ratings in zip(rateable, rated, strict=True):
        answer[index] = ratings.get(method)
    return answer


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
    # With a calibration only the games of the players who are asked for need be analysed, unless all results
    # count. With the flat prior only their moves are read; else those of others show the level of an event.
    others = request.results or request.prior != "flat"
    scaled = calibration is not None or planned_calibration(source, valuation) is not None
    alone = players is not None and not others and scaled
    whom = players if players is not None and scaled and not request.results else None
    methods = request.methods
    # Players who are rated among others are found in one piece of all decisions. Without methods that are
    # named the trace is read where that costs little.
    at_once = players is not None and not alone
    trace = True if at_once else None
    if request.prior == "flat" and methods is not None:
        trace = any(make_model(name).reads_trace for name in methods)
    pieces = Pieces(
        source.decisions(
            valuation,
            players=players if alone else None,
            whom=whom,
            trace=trace,
            at_once=at_once,
            progress=progress,
        )
    )
    recipe_id = pieces.recipe_id
    check_can_speak(recipe_id, methods)
    if request.clocks:
        if calibration is not None:
            raise InputError("--with clocks brings a calibration of its own: leave --calibration out")
        calibration = with_clocks(recipe_id)
    elif calibration is None:
        calibration = find_calibration(recipe_id)
    else:
        calibration.check(recipe_id)
    wanted = None
    if players is not None:
        present = [] if pieces.only is None else pieces.only.players
        wanted = [find_player(name, present) for name in players] if not alone or not present else None
    answer = rate_everyone(
        pieces.read(wanted if calibration is not None and not others else None),
        calibration,
        request,
        periods=_periods(source) if request.history else None,
        progress=rating,
    )
    shown, too_few = answer.players, answer.too_few
    if wanted is None and players is not None:
        wanted = [find_player(name, pieces.players) for name in players]
    if wanted is not None:
        shown = tuple(player for player in shown if player.player in wanted)
        too_few = {title: n for title, n in too_few.items() if title.startswith(tuple(wanted))}
    engine, recipe = made_with(source, recipe_id, calibration)
    notes = notes_on(shown, pieces, calibration, (engine, recipe), methods)
    clocks = clock_notes(shown) if request.clocks else ()
    ratings = replace(
        answer_of(shown, too_few, recipe_id, calibration, request),
        engine=engine,
        recipe=recipe,
        notes=(*notes, *clocks, *answer.notes),
        prior=answer.prior,
        with_more=answer.with_more,
        left_out=left_out(source.left_out(valuation), pieces),
        read=lambda: (
            pieces.only
            or source.import_games().decisions(
                recipe_id, players=players if alone else None, choice=valuation.choice
            )
        ),
    )
    try:
        if not valuation.analysed:
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


def made_with(source: Source, recipe_id: str, calibration: Calibration | None = None) -> tuple[str, str]:
    """Names of the engine and the recipe, from the source or else from the calibration."""
    about = source.about(recipe_id)
    if about:
        return about["engine"]["name"], about["recipe"]["name"]
    scale = {} if calibration is None else calibration.about
    return scale.get("engine", "unknown engine"), scale.get("recipe", recipe_id or "unknown recipe")


def _periods(source: Source) -> dict[str, str]:
    """The year of each game; its month, or day, where all are of one. For those whose date is known."""
    dates = source.dates()
    for length in (len("2011"), len("2011-12"), len("2011-12-31")):
        periods = {game: date[:length] for game, date in dates.items() if "?" not in date[:length]}
        if len(set(periods.values())) > 1:
            break
    return periods
