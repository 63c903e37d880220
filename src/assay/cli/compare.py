"""Panel Compare: players against players, of one event, of any years.

Long because a panel is one module, and every command declares its options and its help here.
"""

from __future__ import annotations

from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Any

import typer

from assay.cli.options import (
    METHOD,
    PLAYER,
    PLOT,
    RESAMPLES,
    decisions_of,
    prints,
    with_study,
    with_study_including,
    with_study_of_players,
)
from assay.decisions.exclusions import PART_OF_EVENT

if TYPE_CHECKING:
    from assay.answers.ratings import Quantity, Rating
    from assay.cli.answers.base import Answer
    from assay.decisions.decisions import Decisions
    from assay.models.gain.model import GainModel
    from assay.rating.careers import Careers
    from assay.study import Study

LIMIT = typer.Option(
    3900,
    "--limit",
    metavar="N",
    min=1,
    max=100_000,
    help="What a mate is worth, in centipawns. Values beyond it count as it.",
)


class EngineProfile(StrEnum):
    """What stands for the engine's distribution of gain."""

    PEAK = "peak"
    MEASURED = "measured"


ENGINE_PROFILE: EngineProfile | None = typer.Option(
    None,
    "--engine-profile",
    help="How the engine itself would play. peak: as in the paper, it never changes its mind. measured: "
    "from the moves where players chose its move. If not given: measured, where there are moves enough.",
)
PERCEIVED: bool = typer.Option(
    False, "--perceived", help="Also print the paper's own number, perceived strength, which is not Elo."
)
ENGINE_STRENGTH: float | None = typer.Option(
    None,
    "--engine-strength",
    metavar="ELO",
    help="Strength of the engine, if it is known: also print perceived strengths through it (Algorithm 4).",
)
ENGINE_FROM: str | None = typer.Option(
    None,
    "--engine-from",
    metavar="EVENT",
    help="Take the engine's strength from the rated players of another event (Algorithm 3): the name of one "
    "among these games, or analysed games of the same recipe.",
)
FORGETTING = typer.Option(
    2.0,
    "--forgetting",
    metavar="NUMBER",
    help="How much less a year counts than the year after it. 2: half as much.",
)
MIN_MOVES = typer.Option(
    500.0, "--min-moves", metavar="N", help="A year with fewer moves than this is too thin to compare."
)


class From(StrEnum):
    """Which games a player's distribution of gain is taken from."""

    EVENT = "event"
    MATCH = "match"
    CAREER = "career"


class Pairs(StrEnum):
    """Which players are compared."""

    MET = "met"
    ALL = "all"


@with_study_including(PART_OF_EVENT)
@prints
def tournament(
    study: Study,
    taken_from: From = typer.Option(
        From.EVENT,
        "--from",
        help="Which games speak for a player: all of the event, those of the match, or all there are.",
    ),
    pairs: Pairs = typer.Option(Pairs.MET, "--pairs", help="Compare players who met, or all of them."),
    event: str | None = typer.Option(None, "--event", help="Only this event. Part of its name is enough."),
    engine_profile: EngineProfile | None = ENGINE_PROFILE,
    perceived: bool = PERCEIVED,
    engine_strength: float | None = ENGINE_STRENGTH,
    engine_from: str | None = ENGINE_FROM,
    limit: int = LIMIT,
    resamples: int = RESAMPLES,
) -> Answer:
    """Cross-table by quality of play (method gain): results, expected results, ratings on a scale."""
    from assay.cli.answers.cross_tables import CrossTables, Shown
    from assay.decisions.names import find_event
    from assay.models.gain.tournament import cross_tables

    decisions = decisions_of(study, trace=True)
    if event is not None:
        event = find_event(event, (name for name in set(decisions.text("event")) if name is not None))
    model = gain_model(decisions, limit, engine_profile, include=study.valuation.include)
    model = with_engine_strength(model, decisions, engine_strength, engine_from)
    found = cross_tables(decisions, model, by=taken_from, pairs=pairs, event=event, resamples=resamples)
    by = "event" if taken_from == From.EVENT else "player"
    scale, ratings = gain_ratings(decisions, model, by)
    through = through_engine(decisions, model, by)
    return CrossTables(
        found, Shown(perceived, scale, ratings, model.engine_strength, through, caveats(decisions))
    )


@with_study_of_players(2)
@prints
def compare(
    study: Study,
    players: list[str],
    engine_profile: EngineProfile | None = ENGINE_PROFILE,
    perceived: bool = PERCEIVED,
    engine_strength: float | None = ENGINE_STRENGTH,
    engine_from: str | None = ENGINE_FROM,
    limit: int = LIMIT,
) -> Answer:
    """Compare two players of any era by their moves (method gain)."""
    from assay.cli.answers.cross_tables import ComparisonAnswer, Shown
    from assay.decisions.names import Who
    from assay.models.gain.model import compare as run

    whom = study.source.whom(players)
    decisions = decisions_of(study, whom=whom, trace=True)
    model = gain_model(decisions, limit, engine_profile)
    model = with_engine_strength(model, decisions, engine_strength, engine_from)
    (first, one), (second, other) = (Who.parse(text).choose(decisions) for text in whom)
    scale: str | None = None
    ratings: dict[tuple[str, str], Rating] = {}
    through: dict[tuple[str, str], Quantity] = {}
    for who, own in ((first, one), (second, other)):
        scale, of_player = gain_ratings(own, model, "player")
        ratings |= {(str(who), ""): rating for rating in of_player.values()}
        through |= {(str(who), ""): strength for strength in through_engine(own, model, "player").values()}
    shown = Shown(perceived, scale, ratings, model.engine_strength, through, caveats(decisions))
    return ComparisonAnswer((str(first), str(second)), run(one, other, model), shown)


def gain_model(
    decisions: Decisions, limit: int, engine_profile: EngineProfile | None, include: Any = ()
) -> GainModel:
    """The method gain, its engine's distribution measured where that is asked for, or else possible."""
    from assay.errors import InputError
    from assay.models.gain.model import GainModel

    peak = GainModel(limit=limit, engine_profile="peak", include=include)
    if engine_profile is EngineProfile.PEAK:
        return peak
    measured = GainModel(limit=limit, engine_profile="measured", include=include)
    try:
        return measured.measure_engine(decisions)
    except InputError:
        if engine_profile is EngineProfile.MEASURED:
            raise
        return peak


def with_engine_strength(
    model: GainModel, decisions: Decisions, strength: float | None, engine_from: str | None
) -> GainModel:
    """The model with the engine's strength, given or by Algorithm 3 from another event, where it is asked."""
    from assay.decisions.names import find_event_and_year
    from assay.errors import InputError
    from assay.models.base import recipe_of
    from assay.models.gain.tournament import engine_strength_from, of_strength
    from assay.source import open_source

    if strength is not None and engine_from is not None:
        raise InputError("choose one of --engine-strength and --engine-from")
    if strength is not None:
        return of_strength(model, strength)
    if engine_from is None:
        return model
    if Path(engine_from).exists():
        rated = open_source(Path(engine_from)).analysed(recipe_of(decisions))
    else:
        names = (name for name in set(decisions.text("event")) if name is not None)
        event, year = find_event_and_year(engine_from, names)
        rated = decisions.select(event=event, **({} if year is None else {"year": year}))
    return of_strength(model, engine_strength_from(rated, model))


def through_engine(decisions: Decisions, model: GainModel, by: str) -> dict[tuple[str, str], Quantity]:
    """Perceived strengths by player and event (Algorithm 4), where the engine's strength is known."""
    from assay.models.gain.tournament import strengths

    return {} if model.engine_strength is None else strengths(decisions, model, by)


def gain_ratings(
    decisions: Decisions, model: GainModel, by: str
) -> tuple[str | None, dict[tuple[str, str], Rating]]:
    """The scale, and ratings by gain as `assay rate` has them, by player and event; neither without one."""
    from assay.errors import InputError
    from assay.models.base import recipe_of
    from assay.rating.calibration import find_calibration
    from assay.rating.rate import rate_decisions
    from assay.rating.scale import scale_of

    calibration = find_calibration(recipe_of(decisions))
    if calibration is None or "gain" not in calibration.spread.methods:
        return None, {}
    try:
        players, _ = rate_decisions(decisions, calibration, by=by, methods=["gain"])
    except InputError:  # nobody has decisions enough: the scale is there, ratings are not
        return scale_of(calibration), {}
    return scale_of(calibration), {(one.player, one.group): one.ratings["gain"] for one in players}


def caveats(decisions: Decisions) -> str:
    """What must be said of the scale: that it is by a bridge, or rests on too little; empty for others."""
    from assay.models.base import recipe_of
    from assay.rating.calibration import find_calibration
    from assay.rating.scale import caveats_of

    return " ".join(caveats_of(find_calibration(recipe_of(decisions))))


@with_study_of_players(2)
@prints
def forecast(
    study: Study,
    players: list[str],
    method: list[str] | None = METHOD,
    forgetting: float = FORGETTING,
    min_moves: float = MIN_MOVES,
    resamples: int = RESAMPLES,
) -> Answer:
    """Forecast a match: the expected result of the first player against the second, by every method."""
    from assay.cli.answers.forecasts import ForecastsAnswer, sentence
    from assay.decisions.names import Who
    from assay.errors import FitError, InputError
    from assay.models.base import recipe_of
    from assay.rating.calibration import find_calibration
    from assay.rating.forecasts import BY_RATING, rated_forecasts

    whom = study.source.whom(players)
    decisions = decisions_of(study, whom=whom, trace=True)
    able, notes = careers_by_name(decisions, method, forgetting, min_moves)
    first, second = players
    answers = {}
    for careers in able:
        try:
            found = careers.forecast(careers.parse(whom[0]), careers.parse(whom[1]), resamples)
            answers[careers.model.name] = found
        except (FitError, InputError) as error:
            notes.append(f"{careers.model.name}: {error}")
    if not answers:
        raise InputError(sentence(f"no method can forecast {first} against {second}", notes))
    # Where the recipe has a scale, what forecasts by ratings takes them from where `rate` does.
    scale = find_calibration(recipe_of(decisions))
    rated = rated_forecasts(decisions, Who.parse(first), Who.parse(second), scale)
    asked = [name for name in BY_RATING if name in answers or (name == "combined" and not method)]
    answers |= {name: rated[name] for name in asked if name in rated}
    return ForecastsAnswer(first, second, list(answers.values()), notes)


@with_study_of_players()
@prints
def career(
    study: Study,
    players: list[str],
    forgetting: float = FORGETTING,
    min_moves: float = MIN_MOVES,
    plot: Path | None = PLOT,
) -> Answer:
    """Every year of a player: rating, games, and the numbers of every method."""
    from assay.cli.answers.careers import CareersAnswer
    from assay.cli.output import write_figure
    from assay.figures.figure import check_figure
    from assay.models.base import recipe_of
    from assay.models.registry import make_model, methods
    from assay.rating.calibration import calibrated, find_calibration
    from assay.rating.careers import career_table

    check_figure(plot)
    whom = study.source.whom(players)
    decisions = decisions_of(study, whom=whom, trace=True)
    recipe_id = recipe_of(decisions)
    models = [model for name in methods() if (model := calibrated(make_model(name), recipe_id)).ready]
    calibration = find_calibration(recipe_id)
    tables = {}
    for player in whom:
        rows = career_table(
            decisions, player, models, calibration=calibration, forgetting=forgetting, min_moves=min_moves
        )
        if rows:
            tables[rows[0]["player"]] = rows
    if plot is not None:
        from assay.report.methods import career_figure

        write_figure(plot, career_figure(tables, bound=30))
    return CareersAnswer(tables)


@with_study
@prints
def versus(
    study: Study,
    player: list[str] | None = PLAYER,
    years: str | None = typer.Option(
        None, "--years", help="Only these years: 1971, or 1960-1972, or 1960,1971."
    ),
    every_year: bool = typer.Option(
        False, "--every-year", help="All years with enough moves, not only the best of each player."
    ),
    white: bool = typer.Option(
        False, "--white", help="The player of the row has White, as in the paper. Else colours are shared."
    ),
    method: str = typer.Option("markov", "--method", "-m", help="The method that compares."),
    forgetting: float = FORGETTING,
    min_moves: float = MIN_MOVES,
    plot: Path | None = PLOT,
) -> Answer:
    """Everyone against everyone, each in their best year: expected result in percent."""
    from assay.cli.answers.careers import VersusAnswer
    from assay.cli.output import write_figure
    from assay.decisions.names import find_player, parse_years
    from assay.figures.figure import check_figure
    from assay.rating.careers import head_to_heads

    check_figure(plot)
    (careers,), _ = careers_by_name(decisions_of(study, trace=True), [method], forgetting, min_moves)
    chosen = [find_player(one, careers.players) for one in player] if player else None
    table = head_to_heads(careers, careers.active(chosen, parse_years(years)))
    shown = table if every_year else table.among(table.best_years())
    note = f"{len(table.keys)} years with enough moves, of {len({key.player for key in table.keys})} players."
    if plot is not None:
        from assay.report.methods import versus_figure

        write_figure(plot, versus_figure(shown, method, white))
    return VersusAnswer(shown, method, white, note)


def careers_by_name(
    decisions: Decisions, names: list[str] | None, forgetting: float, min_moves: float
) -> tuple[list[Careers], list[str]]:
    """Careers by these methods; without names by every one that can, and why the others cannot."""
    from assay.models.base import recipe_of
    from assay.models.registry import make_model, methods
    from assay.rating.calibration import calibrated
    from assay.rating.careers import Careers, careers_of_all

    recipe_id = recipe_of(decisions)
    models = [calibrated(make_model(name), recipe_id) for name in names or methods()]
    if names:
        return [Careers(one, decisions, forgetting=forgetting, min_moves=min_moves) for one in models], []
    return careers_of_all(models, decisions, forgetting=forgetting, min_moves=min_moves)
