"""`assay skill`: the posterior over the skill c, in each of the uses that its paper names."""

from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING

import typer

from assay.cli.options import (
    CSV,
    ENGINE,
    GAMES_OR_SOURCE,
    JOBS,
    JSON,
    KEPT_IN,
    RECIPE,
    SOURCE,
    decisions_of,
    source_of,
)
from assay.errors import InputError

if TYPE_CHECKING:
    from assay.domain.decisions import Decisions
    from assay.models.apparent_skill import Skill
    from assay.models.bayes import BayesModel
    from assay.models.elo_mapping import ScalarMapping
    from assay.models.hypotheses import Hypothesis


class By(StrEnum):
    """What decisions are put together."""

    ALL = "all"
    PLAYER = "player"
    GAME = "game"
    YEAR = "year"
    EVENT = "event"
    MILEPOST = "milepost"
    RESULT = "result"


COLUMNS = {
    By.PLAYER: ("player",),
    By.GAME: ("player", "game_id"),
    By.YEAR: ("player", "year"),
    By.EVENT: ("player", "event"),
}


class Outside(StrEnum):
    """What happens where the played move is outside the engine's lines."""

    VALUE = "value"
    EXCLUDE = "exclude"


def register(app: typer.Typer) -> None:
    """Add this command to the application."""
    app.command("skill")(skill)


def skill(
    games: Path | None = GAMES_OR_SOURCE,
    source: Path | None = SOURCE,
    player: str | None = typer.Option(
        None, "--player", "-p", help="Only this player (a part of the name does)."
    ),
    game: str | None = typer.Option(None, "--game", help="Only this game, by its id."),
    by: By = typer.Option(
        By.ALL,
        "--by",
        help="One posterior for all, or for each of these; milepost: both players near 1600, 1700, ...",
    ),
    band: str | None = typer.Option(
        None, "--band", help="A composite player: games of two players rated LOW:HIGH, such as 2390:2410."
    ),
    curve: bool = typer.Option(False, "--curve", help="Mean and deviation against number of decisions."),
    sequence: str | None = typer.Option(
        None, "--sequence", help="Probability of these moves under a player: an Elo, c=1.2, c=1:2 or engine."
    ),
    versus: tuple[str, str] | None = typer.Option(
        None, "--versus", help="Log likelihood ratio of two such players, such as engine 2400."
    ),
    mileposts: Path | None = typer.Option(
        None, "--mileposts", help="Decisions of players of known Elo, same recipe: leads from c to Elo."
    ),
    outside: Outside = typer.Option(
        Outside.VALUE, "--outside", help="Played moves outside the lines: by their own value, or left out."
    ),
    figure: Path | None = typer.Option(None, "--figure", help="Write the densities to this HTML file."),
    workspace: Path | None = KEPT_IN,
    recipe: str = RECIPE,
    engine: str | None = ENGINE,
    jobs: int | None = JOBS,
    as_json: bool = JSON,
    as_csv: bool = CSV,
) -> None:
    """How skilled the moves are: the posterior over the skill c of a reference agent that errs.

    Di Fatta, Haworth and Regan 2009. --by result is their Table III, --curve their Figure 2.
    """
    from assay.cli import skill_output as output
    from assay.cli.output import check_out
    from assay.models.bayes import BayesModel

    check_out(figure)
    if sum((curve, sequence is not None, versus is not None, by is By.RESULT)) > 1:
        raise InputError("choose one of --curve, --sequence, --versus and --by result")
    model = BayesModel(outside=outside.value)
    wanted = None if player is None else [player]
    named = source_of(source, games)
    decisions = decisions_of(named, recipe, workspace=workspace, engine=engine, jobs=jobs, players=wanted)
    chosen = _chosen(decisions, player, game, band)
    mapping = _shipped(model, decisions) if mileposts is None else _mapping(model, mileposts, decisions)
    model.mapping = mapping
    if sequence is not None:
        output.show_sequence(model, chosen, _hypothesis(sequence, mapping), as_json, as_csv)
    elif versus is not None:
        first, second = (_hypothesis(text, mapping) for text in versus)
        output.show_versus(model, chosen, (first, second), as_json, as_csv)
    elif by is By.RESULT:
        output.show_results(model, chosen, as_json, as_csv)
    else:
        skills, heads = _skills(model, chosen, by, curve)
        if figure is not None and skills:
            output.write_figure(figure, skills, curve)
        output.show_skills(model, chosen, skills, heads, as_json, as_csv)


# What is asked about -----------------------------------------------------------------------------------


def _chosen(
    decisions: "Decisions", player: str | None, game: str | None, band_text: str | None
) -> "Decisions":
    from assay.models.apparent_skill import band

    if player is not None:
        decisions = _non_empty(decisions, f"player '{player}'")
    if game is not None:
        decisions = _non_empty(decisions.select(game=game), f"game '{game}'")
    if band_text is not None:
        low, high = _pair(band_text, "--band 2390:2410")
        decisions = _non_empty(band(decisions, low, high), f"games between players rated {band_text}")
    return decisions


def _non_empty(decisions: "Decisions", wanted: str) -> "Decisions":
    if not len(decisions):
        raise InputError(f"no decisions of {wanted} here: check the spelling and the selection")
    return decisions


def _pair(text: str, example: str) -> tuple[float, float]:
    try:
        low, high = (float(part) for part in text.split(":"))
    except ValueError:
        raise InputError(f"'{text}' is not a range: write it like {example}") from None
    return low, high


def _mapping(model: "BayesModel", path: Path, decisions: "Decisions") -> "ScalarMapping":
    from assay.domain.decisions import Decisions
    from assay.models.apparent_skill import map_to_elo

    mapping = map_to_elo(model, Decisions.read(path))
    for recipe_id in {name for name in decisions.text("recipe_id") if name is not None}:
        mapping.check(model.identity, recipe_id)
    return mapping


def _shipped(model: "BayesModel", decisions: "Decisions") -> "ScalarMapping | None":
    """The mapping of the calibration of this recipe, where there is one."""
    from assay.models.base import recipe_of
    from assay.models.calibration_files import calibrated
    from assay.models.elo_mapping import ScalarMapping

    mapping = calibrated(model, recipe_of(decisions)).mapping
    return mapping if isinstance(mapping, ScalarMapping) else None


def _hypothesis(text: str, mapping: "ScalarMapping | None") -> "Hypothesis":
    from assay.models.hypotheses import Hypothesis

    if text == "engine":
        return Hypothesis.engine()
    try:
        if text.startswith("c=") and ":" in text:
            return Hypothesis.between(*_pair(text.removeprefix("c="), "c=1:2"))
        if text.startswith("c="):
            return Hypothesis.at(float(text.removeprefix("c=")))
        elo = float(text)
    except ValueError:
        raise InputError(f"'{text}' is no player: give an Elo, c=1.2, c=1:2 or engine") from None
    if mapping is None:
        raise InputError(
            f"a player of Elo {text} needs a recipe with a calibration (assay calibrate makes one), or "
            "--mileposts; or give a skill as c=1.2"
        )
    return Hypothesis.rated(elo, mapping)


def _skills(
    model: "BayesModel", decisions: "Decisions", by: By, curve: bool
) -> "tuple[list[Skill], tuple[str, ...]]":
    """What was asked for, and what its labels are called."""
    from assay.models.apparent_skill import apparent_skill, apparent_skill_by, mileposts, training_curve

    if curve:
        return training_curve(model, decisions), ("first",)
    if by is By.ALL:
        return [apparent_skill(model, decisions)], ("of",)
    if by is By.MILEPOST:
        found = [skill for _, skill in mileposts(model, decisions)]
        if not found:
            raise InputError("no game here is between two players rated within 20 points of 1600, 1700, ...")
        return found, ("milepost",)
    skills = apparent_skill_by(model, decisions, *COLUMNS[by])
    return sorted(skills, key=lambda one: one.label) if by is By.YEAR else skills, COLUMNS[by]
