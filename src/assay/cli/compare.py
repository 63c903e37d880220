"""Panel Compare: players against players, of one event, of any years.

Long because a panel is one module, and every command declares its options and its help here.
"""

from __future__ import annotations

from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING

import typer

from assay.cli.options import (
    CLASSES,
    COLOURS,
    MARKOV_PRIOR,
    METHOD,
    N0,
    PLAYER,
    PLOT,
    RESAMPLES,
    as_in_the_papers,
    prints,
    prints_with_details,
    with_study,
    with_study_including,
    with_study_of_players,
)
from assay.cli.output import analysing, write_figure
from assay.decisions.exclusions import PART_OF_EVENT

if TYPE_CHECKING:
    from assay.answers.answer import Answer
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
@prints_with_details
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
    with analysing(study.recipe) as shown:
        return study.tournament(
            taken_from=taken_from.value,
            pairs=pairs.value,
            event=event,
            perceived=perceived,
            resamples=resamples,
            engine_profile=engine_profile,
            engine_strength=engine_strength,
            engine_from=engine_from,
            limit=limit,
            progress=shown,
        )


@with_study_of_players(2)
@prints_with_details
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
    with analysing(study.recipe) as shown:
        return study.compare(
            *players,
            perceived=perceived,
            engine_profile=engine_profile,
            engine_strength=engine_strength,
            engine_from=engine_from,
            limit=limit,
            progress=shown,
        )


@with_study_of_players(2)
@prints_with_details
def forecast(
    study: Study,
    players: list[str],
    method: list[str] | None = METHOD,
    markov_prior: str | None = MARKOV_PRIOR,
    classes: str | None = CLASSES,
    colours: str | None = COLOURS,
    n0: int | None = N0,
    forgetting: float = FORGETTING,
    min_moves: float = MIN_MOVES,
    resamples: int = RESAMPLES,
) -> Answer:
    """Forecast a match: the expected result of the first player against the second, by every method."""
    with analysing(study.recipe) as shown:
        return study.forecast(
            *players,
            methods=as_in_the_papers(method, markov_prior, classes, colours, n0),
            forgetting=forgetting,
            min_moves=min_moves,
            resamples=resamples,
            progress=shown,
        )


@with_study_of_players()
@prints_with_details
def career(
    study: Study,
    players: list[str],
    forgetting: float = FORGETTING,
    min_moves: float = MIN_MOVES,
    plot: Path | None = PLOT,
) -> Answer:
    """Every year of a player: rating, games, and the numbers of every method."""
    with analysing(study.recipe) as shown:
        answer = study.career(*players, forgetting=forgetting, min_moves=min_moves, progress=shown)
    if plot is not None:
        from assay.report.methods import career_figure

        write_figure(plot, career_figure(answer.players, bound=30))
    return answer


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
    markov_prior: str | None = MARKOV_PRIOR,
    classes: str | None = CLASSES,
    colours: str | None = COLOURS,
    n0: int | None = N0,
    forgetting: float = FORGETTING,
    min_moves: float = MIN_MOVES,
    plot: Path | None = PLOT,
) -> Answer:
    """Everyone against everyone, each in their best year: expected result in percent."""
    [method] = as_in_the_papers([method], markov_prior, classes, colours, n0) or [method]
    with analysing(study.recipe) as shown:
        answer = study.versus(
            players=player,
            years=years,
            every_year=every_year,
            white=white,
            method=method,
            forgetting=forgetting,
            min_moves=min_moves,
            progress=shown,
        )
    if plot is not None:
        from assay.report.methods import versus_figure

        write_figure(plot, versus_figure(answer, method, white))
    return answer
