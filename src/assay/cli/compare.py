"""Panel Compare: players against players, of one event, of any years."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal

from assay.cli.options import (
    Drawn,
    command,
    of_players,
    open_compared,
    paper_settings,
    refuse_unused,
    study_including,
)
from assay.cli.output import analysing, say, write_figure
from assay.decisions.exclusions import PART_OF_EVENT

if TYPE_CHECKING:
    from assay.answers.answer import Answer
    from assay.study import Study

CHAMPIONS = "Twenty champions by year, which come with assay (no GAMES are named)"

EngineProfile = Literal["peak", "measured"]
LIMIT, FORGETTING, MIN_MOVES = 3900, 2.0, 500.0


@command(details=True, study=study_including(PART_OF_EVENT))
def tournament(
    study: Study,
    from_: Literal["event", "match", "career"] = "event",
    pairs: Literal["met", "all"] = "met",
    event: str | None = None,
    engine_profile: EngineProfile | None = None,
    perceived: bool = False,
    engine_strength: float | None = None,
    engine_from: str | None = None,
    limit: int = LIMIT,
    resamples: int = 200,
) -> Answer:
    """Print the cross-table of an event: results, ratings by moves, and the points that these are worth.

    $ assay tournament games.pgn

    --from  Take a player's moves from all games of the event, from those of the match, or from all there are.
    --pairs  Compare players who met, or all of them.
    --event NAME  Only this event. Part of its name is enough.
    """
    with analysing(study.recipe) as shown:
        return study.tournament(
            taken_from=from_,
            pairs=pairs,
            event=event,
            perceived=perceived,
            resamples=resamples,
            engine_profile=engine_profile,
            engine_strength=engine_strength,
            engine_from=engine_from,
            limit=limit,
            progress=shown,
        )


@command(details=True, **of_players(2))
def compare(
    study: Study,
    players: list[str],
    engine_profile: EngineProfile | None = None,
    perceived: bool = False,
    engine_strength: float | None = None,
    engine_from: str | None = None,
    limit: int = LIMIT,
    plot: Drawn = None,
) -> Answer:
    """Compare two players of any era by their moves: who is expected to score more.

    $ assay compare Capablanca@1921 Alekhine@1927
    """
    if study.of_champions:
        refuse_unused(
            "with champions, of whom gain is not measured",
            perceived=perceived,
            engine_profile=engine_profile,
            engine_strength=engine_strength,
            engine_from=engine_from,
            plot=plot,
        )
    with analysing(study.recipe) as shown:
        answer = study.compare(
            *players,
            perceived=perceived,
            engine_profile=engine_profile,
            engine_strength=engine_strength,
            engine_from=engine_from,
            limit=limit,
            progress=shown,
        )
    if plot is not None:
        from assay.decisions.names import Who
        from assay.models.gain.model import GainModel
        from assay.report.methods import gain_figure

        decisions, model = study.decisions(whom=players), GainModel(limit=limit)
        meant = (Who.parse(name).choose(decisions) for name in players)
        write_figure(plot, gain_figure({str(who): model.profile(part) for who, part in meant}, limit))
    return _introduced(study, answer)


@command(details=True, **of_players(2), settings=paper_settings)
def forecast(
    study: Study,
    players: list[str],
    settings: dict[str, dict[str, Any]],
    method: list[str] | None = None,
    forgetting: float = FORGETTING,
    min_moves: float = MIN_MOVES,
    resamples: int = 200,
) -> Answer:
    """Forecast a match: the expected result of the first player against the second.

    $ assay forecast Fischer@1971 Spassky@1972
    """
    with analysing(study.recipe) as shown:
        answer = study.forecast(
            *players,
            methods=method or None,
            settings=settings,
            forgetting=forgetting,
            min_moves=min_moves,
            resamples=resamples,
            progress=shown,
        )
    return _introduced(study, answer)


@command(details=True, **of_players(), settings=paper_settings)
def career(
    study: Study,
    players: list[str],
    settings: dict[str, dict[str, Any]],
    forgetting: float = FORGETTING,
    min_moves: float = MIN_MOVES,
    plot: Drawn = None,
) -> Answer:
    """Every year of a player: rating, games, and the numbers of every method.

    $ assay career Fischer
    """
    with analysing(study.recipe) as shown:
        answer = study.career(
            *players, settings=settings, forgetting=forgetting, min_moves=min_moves, progress=shown
        )
    if plot is not None:
        from assay.report.methods import career_figure, rated_career_figure

        figure = (
            rated_career_figure(answer) if study.of_champions else career_figure(answer.players, bound=30)
        )
        write_figure(plot, figure)
    return _introduced(study, answer)


@command(details=True, study=open_compared, settings=paper_settings)
def versus(
    study: Study,
    settings: dict[str, dict[str, Any]],
    player: list[str] | None = None,
    years: str | None = None,
    every_year: bool = False,
    white: bool = False,
    method: str | None = None,
    forgetting: float = FORGETTING,
    min_moves: float = MIN_MOVES,
    plot: Drawn = None,
) -> Answer:
    """Everyone against everyone, each in their best year: expected result in percent.

    $ assay versus

    --years YEARS  Only these years: 1971, or 1960-1972, or 1960,1971.
    --every-year  All years with enough moves, not only the best of each player.
    --white  The player of the row has White, as in the paper. Else colours are shared.
    --method, -m NAME  The method that compares. If not given: the rating by moves for champions, else markov.
    """
    with analysing(study.recipe) as shown:
        answer = study.versus(
            players=player,
            years=years,
            every_year=every_year,
            white=white,
            method=method,
            settings=settings,
            forgetting=forgetting,
            min_moves=min_moves,
            progress=shown,
        )
    if plot is not None:
        from assay.report.methods import versus_figure

        write_figure(plot, versus_figure(answer, answer.method, white))
    return _introduced(study, answer)


def _introduced(study: Study, answer: Answer) -> Answer:
    """The same, after a line that says whose games these are where a user named none."""
    from assay.source import default_workspace

    if study.of_champions:
        say(CHAMPIONS)
    elif study.source.path == default_workspace():
        say(f"Games: the workspace {study.source.path}")
    return answer
