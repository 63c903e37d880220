"""From an open source of games to ratings: what is read, by which calibration, and what is said with them."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence

from assay.answers.ratings import Ratings
from assay.decisions.decisions import Decisions
from assay.decisions.names import find_player
from assay.errors import ReadOnlyError
from assay.models.registry import make_model
from assay.rating.calibration import Calibration
from assay.rating.files import find_calibration
from assay.rating.measures import ORDER
from assay.rating.pieces import Pieces
from assay.rating.priors import check_prior
from assay.rating.rate import Progress, rate_everyone
from assay.rating.scale import check_can_speak, kind_of, scale_of
from assay.source.base import Source
from assay.source.valuation import Valuation
from assay.study.clocks import clock_notes, timed_calibration
from assay.study.notes import left_out, made_with, notes_on


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
