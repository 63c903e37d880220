"""Panel Compare: players against players, of one event, of any years."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal

from assay.cli.options import (
    Drawn,
    asked_years,
    career_settings,
    command,
    gain_settings,
    of_players,
    open_compared,
    refuse_unused,
    study_including,
)
from assay.cli.output import analysing, say, write_figure
from assay.decisions.exclusions import PART_OF_EVENT

if TYPE_CHECKING:
    from assay.answers.answer import Answer
    from assay.study import Study

CHAMPIONS = "Twenty champions by year, which come with assay (no GAMES are named)"


@command(details=True, study=study_including(PART_OF_EVENT), settings=gain_settings)
def tournament(
    study: Study,
    settings: dict[str, Any],
    from_: Literal["event", "match", "career"] = "event",
    pairs: Literal["met", "all"] = "met",
    event: str | None = None,
    resamples: int = 200,
) -> Answer:
    """Print the cross-table of an event: results, ratings by moves, and the points that these are worth.

    Ratings are by the moves alone; `assay rate --with results` counts the results too.

    $ assay tournament games.pgn

    --from  Take a player's moves from all games of the event, from those of the match, or from all there are.
    --pairs  Compare players who met, or all of them.
    --event NAME  Only this event. Part of its name is enough.
    """
    with analysing(study.recipe) as shown:
        return study.tournament(
            taken_from=from_, pairs=pairs, event=event, resamples=resamples, progress=shown, **settings
        )


@command(details=True, **of_players(2), settings=gain_settings)
def compare(study: Study, players: list[str], settings: dict[str, Any], plot: Drawn = None) -> Answer:
    """Compare two players of any era by their moves: who is expected to score more.

    $ assay compare Capablanca@1921 Alekhine@1927
    """
    limit = settings["limit"]
    if study.of_champions:
        given = {name: value for name, value in settings.items() if name != "limit"}
        refuse_unused("with champions, of whom gain is not measured", **given, plot=plot)
    with analysing(study.recipe) as shown:
        answer = study.compare(*players, progress=shown, **settings)
    if plot is not None:
        from assay.decisions.names import Who
        from assay.models.gain import GainModel
        from assay.report.figures import gain_figure

        decisions, model = study.decisions(whom=players), GainModel(limit=limit)
        meant = (Who.parse(name).choose(decisions) for name in players)
        write_figure(plot, gain_figure({str(who): model.profile(part) for who, part in meant}, limit))
    return _introduced(study, answer)


@command(details=True, **of_players(2), settings=career_settings)
def forecast(
    study: Study,
    players: list[str],
    settings: dict[str, Any],
    method: list[str] | None = None,
    resamples: int = 200,
) -> Answer:
    """Forecast a match: the expected result of the first player against the second.

    $ assay forecast Fischer@1971 Spassky@1972
    """
    with analysing(study.recipe) as shown:
        answer = study.forecast(
            *players, methods=method or None, resamples=resamples, progress=shown, **settings
        )
    return _introduced(study, answer)


@command(details=True, plots=True, **of_players(), settings=career_settings)
def career(study: Study, players: list[str], settings: dict[str, Any]) -> Answer:
    """Every year of a player: rating, games, and the numbers of every method.

    $ assay career Fischer
    """
    with analysing(study.recipe) as shown:
        answer = study.career(*players, progress=shown, **settings)
    return _introduced(study, answer)


@command(details=True, plots=True, study=open_compared, years=asked_years, settings=career_settings)
def versus(
    study: Study,
    years: str | None,
    settings: dict[str, Any],
    player: list[str] | None = None,
    every_year: bool = False,
    white: bool = False,
    method: str | None = None,
) -> Answer:
    """Everyone against everyone, each in their best year, or in those of @1971: expected result in percent.

    $ assay versus

    --every-year  Use all years with enough moves, not only the best of each player.
    --white  Give White to the player of the row, as in the paper. Else colours are shared.
    --method, -m NAME  Compare by this method. If not given: the rating by moves for champions, else markov.
    """
    settings |= {"players": player, "years": years, "every_year": every_year, "white": white}
    with analysing(study.recipe) as shown:
        answer = study.versus(method=method, progress=shown, **settings)
    return _introduced(study, answer)


def _introduced(study: Study, answer: Answer) -> Answer:
    """The same, after a line that says whose games these are where a user named none."""
    from assay.source import default_workspace

    if study.of_champions:
        say(CHAMPIONS)
    elif study.source.path == default_workspace():
        say(f"Games: the workspace {study.source.path}")
    return answer
