"""From a source of games to `Ratings`: every player rated by every method and all together, or measured.

Games become decisions, in pieces (`Source.decisions`); pieces add up to evidence (`evidence.py`); groups of
it are rated (`group_ratings.py`) or measured (`measures.py`). Read from the top: `rate_source` opens the
games, `rate_everyone` adds them up, `rate_sums` rates. Streams come in at `rate_sums`.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from assay.answers.ratings import PlayerRating, Rating, Ratings
from assay.decisions.decisions import Decisions
from assay.decisions.evaluation import ANNOTATED, EVALUATED
from assay.decisions.exclusions import Exclusion
from assay.decisions.grouping import RATED_BY, By, check_by
from assay.decisions.names import Who
from assay.errors import InputError, ReadOnlyError
from assay.executors import one_blas_thread
from assay.models.appearances import Appearances
from assay.models.base import MoveModel
from assay.models.intervals import FEWEST_GAMES
from assay.models.registry import make_model
from assay.models.traits.model import CLOCKS
from assay.rating.calibration import PAPERS, Calibration, find_calibration, rating_models, with_clocks
from assay.rating.evidence import APART, MOST_BLOCKS, Evidence, Group, Pieces, Sums
from assay.rating.group_ratings import (
    COMBINED,
    Rater,
    channels_by_moves,
    chosen_methods,
    posteriors,
    rate_raw,
)
from assay.rating.measures import ORDER, measures, standings
from assay.rating.posterior import GRID
from assay.rating.priors import EventPrior, Player, Priors, check_prior, priors_for
from assay.rating.scale import (
    ONE_VALUE,
    caveats_of,
    check_can_speak,
    kind_of,
    other_time_classes,
    scale_of,
    what_it_takes,
)
from assay.rating.spread import RawRatings
from assay.rating.with_results import RESULTS, Follows, meetings_of, notes_of, with_results
from assay.source import GAMES_AT_A_TIME, Source, Valuation

Progress = Callable[[int, int], None]
"""Is told how many groups are rated, and of how many."""

_NOTHING: Progress = lambda *_: None  # noqa: E731

PriorsOf = Callable[[str, Calibration, Sequence[Player], RawRatings, Sequence[str]], Priors]
"""Gives the priors of some groups, as `priors_for` does."""

LEAST_DECISIONS = 10
"""Fewer decisions after the opening than this are not rated unless asked for."""

CLOCKS_COUNT = (
    "The clocks count besides the moves (--with clocks): how fast moves are made, and with how much left."
)

FEW_VALUES = 0.05
"""A share of moves without a value that is said: games have at least their first or last."""


@dataclass(frozen=True)
class Request:
    """What may be asked of ratings: by commands, pages and notebooks under the same names."""

    by: str = By.PLAYER
    """What is rated apart: each player, or their years, events or games."""
    methods: Sequence[str] | None = None
    """The methods that count; None for all."""
    min_decisions: int = LEAST_DECISIONS
    level: float = 0.95
    """Of all intervals."""
    prior: str = "population"
    """What is assumed before any move: players as those of such games, each event with a level of its own
    (population); any rating of the scale (flat); or the published rating (rating)."""
    with_results: bool = False
    """Whether the results of the games count too, in one joint posterior (assay.rating.with_results)."""
    with_clocks: bool = False
    """Whether the clocks of games that contain evaluations count too, where there is a scale for that."""
    history: bool = False
    """Whether the combined rating of each year, or month or day, is wanted as well."""

    def __post_init__(self) -> None:
        check_prior(self.prior)
        if self.methods is not None and not self.methods:
            raise InputError("no method is named to rate by: name one, or leave them out for all")
        if not 0 < self.level < 1:
            raise InputError(f"the level of intervals is between 0 and 1, not {self.level}")


# Games -> decisions ----------------------------------------------------------------------------------------


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
    # count. With the flat prior only their moves are rated; else those of others show the level of an event.
    others = request.with_results or request.prior != "flat"
    scaled = calibration is not None or planned_calibration(source, valuation) is not None
    # Players are found in one piece of all decisions, or beforehand where the games are many. Without methods
    # that are named the trace is read where that costs little.
    whom = found_beforehand(source, players)
    trace = None if players is None else True
    if request.prior == "flat" and request.methods is not None:
        trace = any(make_model(name).reads_trace for name in request.methods)
    pieces = Pieces(
        source.decisions(
            valuation,
            whom=players if scaled and not request.with_results else None,
            trace=trace,
            at_once=players is not None and whom is None,
            progress=progress,
        )
    )
    recipe_id = pieces.recipe_id
    check_can_speak(recipe_id, request.methods)
    if request.with_clocks:
        if calibration is not None:
            raise InputError("--with clocks brings a calibration of its own: leave --calibration out")
        calibration = with_clocks(recipe_id)
    elif calibration is None:
        calibration = find_calibration(recipe_id)
    else:
        calibration.check(recipe_id)
    if request.prior == "rating":
        source.check_published(scale_of(calibration), "--prior rating")
    if whom is None:
        whom = [] if players is None or pieces.only is None else pieces.choose(players)
    wanted = [who.player for who in whom]
    ratings = rate_everyone(
        pieces.read(wanted if wanted and calibration is not None and not others else None),
        calibration,
        request,
        periods=_periods(source) if request.history else None,
        progress=rating,
    )
    if players is not None:
        ratings = replace(
            ratings,
            players=tuple(
                replace(
                    player,
                    about=", ".join(who.when for who in whom if who.player == player.player) or player.about,
                )
                for player in ratings.players
                if player.player in wanted
            ),
            too_few={name: n for name, n in ratings.too_few.items() if name.startswith(tuple(wanted))},
        )
    engine, recipe = made_with(source, recipe_id, calibration)
    stored, other = source.left_out(valuation), Exclusion.OTHER_SCALE.value
    ratings = replace(
        ratings,
        engine=engine,
        recipe=recipe,
        notes=(*notes_on(ratings, pieces, calibration, (engine, recipe), request), *ratings.notes),
        # What only those who read decisions know comes to what is stored.
        left_out={
            **(stored or pieces.left_out),
            **({other: pieces.left_out[other]} if other in pieces.left_out else {}),
        },
        read=lambda: (
            pieces.only or source.import_games().decisions(recipe_id, choice=source.choice(valuation))
        ),
    )
    try:
        if not valuation.analysed:
            source.keep(ratings)
    except ReadOnlyError:
        valuation.say(f"{source.path} cannot be written to: these ratings are not kept there")
    return ratings


def found_beforehand(source: Source, players: Sequence[str] | None) -> list[Who] | None:
    """Whom a user means, in all of their games, where these are too many to be read at once; else None."""
    if players is None or source.workspace is None:
        return None
    if source.import_games().table_games.count() <= GAMES_AT_A_TIME:
        return None
    whom = [Who.parse(name) for name in source.whom(players)]
    return None if any(who.when for who in whom) else whom


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


# Decisions -> evidence -------------------------------------------------------------------------------------


def rate_decisions(
    decisions: Decisions | Iterable[Decisions], calibration: Calibration | None, **asked: Any
) -> tuple[tuple[PlayerRating, ...], Mapping[str, int]]:
    """Ratings, strongest first, and who has too few decisions, as `rate_everyone` finds them."""
    ratings = rate_everyone(decisions, calibration, Request(**asked))
    return ratings.players, ratings.too_few


def rate_everyone(
    decisions: Decisions | Iterable[Decisions],
    calibration: Calibration | None,
    request: Request | None = None,
    *,
    periods: Mapping[str, str] | None = None,
    progress: Progress = _NOTHING,
) -> Ratings:
    """Every player of some decisions, or their years, events or games.

    Without a calibration there are no ratings: players have measures, and are in the order of these
    (assay.rating.measures). `periods` names the period of each game, by its id, for the history of ratings.
    Decisions may come in pieces, each of whole games, of which one is held at a time.
    """
    asked = request or Request()
    check_by(asked.by, RATED_BY)
    if calibration is not None:
        # To combine some methods, a calibration compares all that it knows.
        models = calibration.models_used
        # Periods divide a group's games otherwise, and results are held against the moves of single games.
        blocks = APART if periods or asked.with_results else 1
    elif asked.with_results:
        raise InputError(
            "without a calibration there is no Elo, and nothing to weigh results with: see assay results"
        )
    else:
        models = rating_models() if asked.methods is None else {n: make_model(n) for n in asked.methods}
        blocks = MOST_BLOCKS
    pieces = [decisions] if isinstance(decisions, Decisions) else decisions
    evidence = Evidence.of(pieces, models, asked.by, blocks=blocks)
    if not len(evidence):
        raise InputError("no decisions to rate: check the selection")
    single = evidence.appearances if blocks == APART else None
    return rate_sums(evidence.sums(), models, calibration, asked, single, periods, progress)


# Evidence -> ratings ---------------------------------------------------------------------------------------


def rate_sums(
    sums: Sums,
    models: Mapping[str, MoveModel],
    calibration: Calibration | None,
    asked: Request,
    single: Appearances | None = None,
    periods: Mapping[str, str] | None = None,
    progress: Progress = _NOTHING,
    priors_of: PriorsOf = priors_for,
) -> Ratings:
    """Ratings through a calibration, or measures without one, of all groups of some sums.

    `single` has the appearance of each row where results or periods count.
    """
    sizes = {group: round(sums.size[group.rows].sum()) for group in sums.titled()}
    groups = [group for group, size in sizes.items() if size >= max(asked.min_decisions, 1)]
    if not groups:
        raise InputError(
            f"nobody has {asked.min_decisions} evaluated decisions after the opening: give more games, or "
            "lower --min-decisions"
        )
    ratings = Ratings(
        engine="the games' own comments",
        recipe="evaluations",
        recipe_id=sums.recipe_id,
        by=asked.by,
        players=(),
        too_few={},
        level=asked.level,
        scale=scale_of(calibration),
        calibration=kind_of(calibration),
    )
    if calibration is None:
        players = _measured(sums, models, groups, asked.level, progress)
        ratings = replace(ratings, order=ORDER)
        order = standings([player.measures for player in players]).tolist()
    else:
        rater = Rater(sums, calibration, methods=asked.methods)
        with one_blas_thread():
            raw = rater.raw([group.rows for group in groups])
            players, priors = _rated(calibration, sums, groups, raw, asked, priors_of)
            reaches = _reaches_with_more(calibration, raw, priors, asked)
        players = [replace(player, with_more=half) for player, half in zip(players, reaches, strict=True)]
        progress(len(groups), len(groups))
        notes = priors.notes
        if asked.with_results and single is not None:
            players, of_results = _with_results(players, rater, groups, raw, priors, asked, single)
            notes = (*notes, *of_results)
        if periods and single is not None:
            players = _with_history(players, rater, groups, priors, asked, single.games(), periods)
        players = [player for player in players if player.combined is not None]
        order = [player.combined.elo for player in players if player.combined is not None]
        span = calibration.range.lowest, calibration.range.highest
        ratings = replace(ratings, prior=priors.words, notes=notes, span=span)
    ranked = sorted(zip(order, players, strict=True), key=lambda pair: (-pair[0], pair[1].title))
    # Nothing that a method could use: for whoever reads it, that is too few decisions as well.
    titles = {player.title for player in players}
    too_few = {group.title: size for group, size in sizes.items() if group.title not in titles}
    return replace(ratings, players=tuple(player for _, player in ranked), too_few=too_few)


def _player(sums: Sums, group: Group) -> PlayerRating:
    return PlayerRating(
        player=group.player,
        group=group.label,
        games=round(sums.game_counts[group.rows].sum()),
        decisions=round(sums.size[group.rows].sum()),
        record=sums.record(group.rows),
        reference=sums.reference(group.rows),
        ratings={},
        combined=None,
        about=group.about,
    )


def _measured(
    sums: Sums,
    models: Mapping[str, MoveModel],
    groups: Sequence[Group],
    level: float,
    progress: Progress,
) -> list[PlayerRating]:
    """Each group with what the methods measure, where they measure anything."""
    stacks = sums.stacks()
    players = []
    for done, group in enumerate(groups, start=1):
        players.append(replace(_player(sums, group), measures=measures(models, stacks, group, level)))
        progress(done, len(groups))
    players = [player for player in players if player.measures]
    if not players:
        raise InputError(
            f"{', '.join(models)} can measure nothing here, for want of evaluations: choose other methods"
        )
    return players


def _rated(
    calibration: Calibration,
    sums: Sums,
    groups: Sequence[Group],
    raw: RawRatings,
    asked: Request,
    priors_of: PriorsOf,
) -> tuple[list[PlayerRating], Priors]:
    """Each group with its ratings by moves, and the priors that these have."""
    players = [_player(sums, group) for group in groups]
    methods = chosen_methods(calibration, asked.methods)
    whose = [
        Player(player.player, sums.events.get((player.player, player.group)), player.games, player.reference)
        for player in players
    ]
    # What is learned of an event is learned by all methods: a method's own rating does not depend on which
    # others are asked for.
    priors = priors_of(asked.prior, calibration, whose, raw, chosen_methods(calibration, None))
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
            event=(whose[place].event or "") if isinstance(prior, EventPrior) else "",
            shared_error=prior.common if isinstance(prior, EventPrior) else 0.0,
            prior=prior,
        )
        for place, (player, by_method, by_moves, prior) in enumerate(
            zip(players, ratings, flat, priors.each, strict=True)
        )
    ], priors


def _reaches_with_more(
    calibration: Calibration, raw: RawRatings, priors: Priors, asked: Request
) -> list[float]:
    """Half widths of the intervals with four times as many games like these."""
    more = replace(raw, size=4 * raw.size, squares=4 * raw.squares, games=4 * raw.games)
    channels = channels_by_moves(calibration, chosen_methods(calibration, asked.methods))
    rated = rate_raw(calibration, more, priors.each, channels[:1], asked.level)
    combined = [ratings.get(COMBINED) for ratings in rated]
    return [math.nan if rating is None else (rating.high - rating.low) / 2 for rating in combined]


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
    calibration = rater.calibration
    channels = channels_by_moves(calibration, rater.methods)
    densities = [prior.log_density(GRID) for prior in priors.each]
    for places, logs in posteriors(calibration, raw, channels, priors.each):
        for place, log in zip(places.tolist(), logs, strict=True):
            densities[place] = log
    meetings, sides, strangers = meetings_of(single, [group.rows for group in groups], calibration.range)
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
    renewed, ends = [], (calibration.range.lowest, calibration.range.highest)
    for player, ratings in zip(players, by_basis, strict=True):
        for name in {RESULTS, COMBINED} & ratings.keys():
            ratings[name] = ratings[name].bounded(*ends)
        combined = ratings.pop(COMBINED, None)
        # What results say of pairs is not in what the ratings of an event have in common.
        renewed.append(replace(player, ratings={**player.ratings, **ratings}, combined=combined, event=""))
    return renewed, notes_of(meetings, calibration)


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
            if rater.appearances.size[rows].sum() >= asked.min_decisions
        ]
    raw = rater.raw([rows for _, _, rows in parts])
    each = [priors.each[place] for place, _, _ in parts]
    wanted = rater.methods if len(rater.methods) == 1 else ()
    rated = rate_raw(rater.calibration, raw, each, wanted, asked.level)
    histories: list[list[tuple[str, Rating]]] = [[] for _ in groups]
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
    models = calibration.models_used
    evidence = Evidence.of([whole], models, blocks=APART)
    sums, single = evidence.sums(), evidence.appearances
    row_of = {pair: row for row, pair in enumerate(zip(single.games(), single.players(), strict=True))}
    rows = []
    for part in parts:
        pairs = dict.fromkeys(zip(part.text("game_id"), part.text("player"), strict=True))
        places = np.array([row_of[pair] for pair in pairs if pair in row_of], np.int64)
        complete = round(sums.read[method][places, 0].sum()) == len(part)
        rows.append(places if complete else places[:0])
    rateable = [index for index, places in enumerate(rows) if len(places)]
    players = [float(len(set(parts[index].text("player")))) for index in rateable]
    rater = Rater(sums, calibration, methods=[method])
    answer: list[Rating | None] = [None] * len(parts)
    rated = rater.rate([rows[index] for index in rateable], level=level, players=players)
    for index, ratings in zip(rateable, rated, strict=True):
        answer[index] = ratings.get(method)
    return answer


# What must be said with ratings ----------------------------------------------------------------------------


def notes_on(
    ratings: Ratings,
    pieces: Pieces,
    calibration: Calibration | None,
    engine_and_recipe: tuple[str, str],
    asked: Request,
) -> tuple[str, ...]:
    """Which scale the ratings are on or why there is none, what was left out, what was not read."""
    notes = list(caveats_of(calibration))
    if calibration is None:
        notes = [what_it_takes(*engine_and_recipe, pieces.recipe_id)]
        if any(player.games < FEWEST_GAMES for player in ratings.players):
            notes.append(
                f"Below {FEWEST_GAMES} games there is no interval: fewer do not show how games vary."
            )
    if pieces.recipe_id in (ANNOTATED, *EVALUATED):
        if calibration is not None and calibration.recipe_id in EVALUATED:
            about = calibration.about
            notes.append(
                f"Calibrated by {about.get('games', 0):,} games of {about.get('players', 0):,} players, "
                f"evaluated by {about.get('engine')}."
            )
            notes += [about["caveat"]] if about.get("caveat") else []
        notes.append(ONE_VALUE)
        if pieces.without_value > FEW_VALUES:
            notes.append(f"{pieces.without_value:.0%} of the moves here have no value before or after them.")
    if calibration is not None:
        if note := other_time_classes(pieces.time_classes, calibration.recipe_id):
            notes.append(note)
        absent = [name for name in calibration.mappings if calibration.models[name].reads_trace]
        if absent and asked.methods is None and not pieces.traced and pieces.only is None:
            notes.append(
                f"With so many games the values at smaller depths are not read, so {' and '.join(absent)} "
                f"are left out; ask for one by name (--method {absent[0]}), which takes longer."
            )
    notes += malformed_notes(pieces.decisions)
    return (*notes, *_clock_notes(ratings.players)) if asked.with_clocks else tuple(notes)


def malformed_notes(decisions: Mapping[str | None, int]) -> tuple[str, ...]:
    """How many decisions are left out for their lists of moves, from the number by reason: one line."""
    malformed = decisions.get(Exclusion.MALFORMED.value, 0)
    if not malformed:
        return ()
    return (
        f"{malformed:,} of {sum(decisions.values()):,} decisions are left out: their list names a move "
        "twice, or is not best first. Analyse these games again to rate them whole.",
    )


def _clock_notes(players: Sequence[PlayerRating]) -> tuple[str, ...]:
    """What must be said where the clocks count; an InputError where no game has them."""
    without = [player.player for player in players if CLOCKS not in player.ratings]
    if len(without) == len(players):
        raise InputError(
            "these games have no clocks, or too few ([%clk] behind the moves): leave --with clocks out"
        )
    if not without:
        return (CLOCKS_COUNT,)
    more = f" and {len(without) - 3:,} more" if len(without) > 3 else ""
    names = ", ".join(without[:3]) + more
    return (f"{CLOCKS_COUNT} Too few moves of {names} have a clock: theirs count alone.",)
