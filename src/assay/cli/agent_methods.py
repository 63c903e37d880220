"""`assay method choice` and `assay method bayes`: parameters of agents, from the choices that were made."""

from __future__ import annotations

from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

import typer

from assay.cli.options import MIN_DECISIONS, PLAYER, PLOT, by_option, decisions_of, prints, with_study
from assay.decisions.grouping import RATED_BY, By

if TYPE_CHECKING:
    from assay.answers.answer import Answer
    from assay.study import Study


@with_study
@prints
def choice(
    study: Study,
    player: list[str] | None = PLAYER,
    by: Literal["all", "milepost", "player", "period", "time"] = by_option(
        By.ALL, By.ALL, By.MILEPOST, By.PLAYER, By.PERIOD, By.TIME
    ),
    fit: str = typer.Option(
        "percentile", "--fit", help="How s and c are found: percentile, likelihood or matching."
    ),
    c: float | None = typer.Option(
        None, "--c", metavar="NUMBER", help="Keep the consistency c at this value, and find s alone."
    ),
    period: list[str] | None = typer.Option(
        None, "--period", help="Years to put together, such as 1991-1994. May be repeated."
    ),
    width: int = typer.Option(
        50,
        "--width",
        metavar="N",
        help="With --by milepost: players rated up to this far from 2600 belong to 2600.",
    ),
    mileposts: Path | None = typer.Option(
        None,
        "--mileposts",
        metavar="GAMES",
        help="Games of rated players that set the Elo scale. If not given: a calibration, else GAMES.",
    ),
    min_decisions: int | None = MIN_DECISIONS,
    curve: str = typer.Option(
        "inverse-exponential",
        "--curve",
        help="How fast worse moves become unlikely: inverse-exponential, ipa, ipb, secha or sechb.",
    ),
    conversion: str = typer.Option(
        "power",
        "--conversion",
        help="From curve to probability. power: p_i = p_0^(1/y_i). share: y_i / sum y.",
    ),
    unlisted: str = typer.Option(
        "tail",
        "--unlisted",
        help="Legal moves that the engine did not list: a tail of bad moves (tail), or left out.",
    ),
    plot: Path | None = PLOT,
) -> Answer:
    """Choice: sensitivity s and consistency c, from the values of all legal moves.

    --by all compares what a player with these s and c would do with what was played. --by milepost prints
    the paper's table. --by player, period or time prints ratings by moves beside the published ones.
    """
    from assay.cli.output import say, write_figure
    from assay.figures.figure import check_figure
    from assay.models.choice.model import ChoiceModel
    from assay.models.choice.spreads import Scaling
    from assay.models.choice.tables import FEWEST_DECISIONS
    from assay.rating.by_method import choice_fit, choice_mileposts, choice_ratings

    check_figure(plot)
    model = ChoiceModel(curve=curve, conversion=conversion, scaling=Scaling(unlisted=unlisted))
    decisions = decisions_of(study, player)
    group = By(by)
    if group is By.ALL:
        return choice_fit(model, decisions, fit, c)
    if group is By.MILEPOST:
        draw = None
        if plot is not None:
            from assay.report.methods import milepost_figure

            draw = lambda tables: write_figure(plot, milepost_figure(tables))  # noqa: E731
        return choice_mileposts(model, decisions, period, width, draw)
    scale = None if mileposts is None else _reference(mileposts, study)
    return choice_ratings(model, decisions, scale, group, period, min_decisions or FEWEST_DECISIONS, say)


def _reference(games: Path, study: Study) -> Any:
    """Decisions of other games, analysed as those of the study are."""
    from assay.cli.options import open_study

    settings = study.valuation
    return decisions_of(open_study(games, recipe=settings.recipe, engine=settings.engine, jobs=settings.jobs))


class Outside(StrEnum):
    """What happens where the played move is outside the engine's lines."""

    TAIL = "tail"
    CENSORED = "censored"
    VALUE = "value"
    EXCLUDE = "exclude"


@with_study
@prints
def bayes(
    study: Study,
    player: list[str] | None = PLAYER,
    game: str | None = typer.Option(None, "--game", help="Only this game, by its id."),
    by: Literal["all", "player", "year", "event", "game", "milepost", "result"] = by_option(
        By.ALL, By.ALL, *RATED_BY, By.MILEPOST, By.RESULT
    ),
    band: str | None = typer.Option(
        None,
        "--band",
        help="All games in which both players are rated LOW:HIGH, such as 2390:2410, as one player.",
    ),
    curve: bool = typer.Option(
        False, "--curve", help="How the answer narrows as moves are added (Figure 2 of the paper)."
    ),
    sequence: str | None = typer.Option(
        None,
        "--sequence",
        help="How probable these moves are for a player: an Elo, a skill c=1.2, a range c=1:2, or engine.",
    ),
    versus: tuple[str, str] | None = typer.Option(
        None,
        "--versus",
        help="Which of two such players describes the moves better, for example: engine 2400.",
    ),
    mileposts: Path | None = typer.Option(
        None,
        "--mileposts",
        metavar="DECISIONS",
        help="File of decisions of rated players, same recipe: turns c into Elo.",
    ),
    outside: Outside = typer.Option(
        Outside.TAIL,
        "--outside",
        help="Played moves outside the lines: by their value among all legal moves (tail), as some move "
        "below the lines (censored), by their value as one more option (value), or left out (exclude).",
    ),
    offset: float = typer.Option(
        0.1, "--offset", min=1e-6, max=100, help="K of the paper, in pawns: added to what a move loses."
    ),
    grid: Literal["fixed", "adaptive"] = typer.Option(
        "fixed",
        "--grid",
        help="Values of c that are weighed: 0 to 6 by 0.01, or as in the paper narrowed until fine enough.",
    ),
    width: int = typer.Option(
        50,
        "--width",
        min=1,
        help="With --by milepost: players rated up to this far from 2600 belong to 2600.",
    ),
    plot: Path | None = PLOT,
) -> Answer:
    """Bayes: the skill c of an imperfect engine that would play like these players, and how sure that is.

    --by result is Table III of the paper, --curve its Figure 2.
    """
    from assay.cli.output import write_figure
    from assay.errors import InputError
    from assay.figures.figure import check_figure
    from assay.models.bayes import BayesModel
    from assay.rating import by_method

    check_figure(plot)
    if sum((curve, sequence is not None, versus is not None, by == "result")) > 1:
        raise InputError("choose one of --curve, --sequence, --versus and --by result")
    model = BayesModel(outside=outside.value, offset=offset)
    decisions = by_method.chosen_decisions(decisions_of(study, player), game, band)
    scale = by_method.scale_for(model, decisions, mileposts)
    if sequence is not None:
        player_of = by_method.hypothesis(sequence, model, decisions, scale)
        return by_method.skill_sequence(model, decisions, player_of)
    if versus is not None:
        first, second = (by_method.hypothesis(text, model, decisions, scale) for text in versus)
        return by_method.skill_ratio(model, decisions, first, second)
    if by == "result":
        return by_method.skill_by_result(model, decisions)
    skills, heads = by_method.skills_by(
        model, decisions, By(by), curve, within=width, adaptive=grid == "adaptive"
    )
    if plot is not None and skills:
        from assay.report.methods import density_figure, training_figure

        write_figure(plot, training_figure(skills) if curve else density_figure(skills))
    return by_method.skills(model, decisions, skills, heads, scale)
