"""What `assay method bayes` is asked, from the words of the command line."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from assay.decisions.grouping import COLUMNS, By
from assay.errors import InputError

if TYPE_CHECKING:
    from assay.decisions.decisions import Decisions
    from assay.models.bayes import BayesModel
    from assay.models.bayes_skill import Hypothesis, Skill
    from assay.models.elo_mapping import ScalarMapping
    from assay.rating.calibration import Calibration


def chosen_decisions(decisions: Decisions, game: str | None, band_text: str | None) -> Decisions:
    """The decisions of a game, or of a composite player of a band of ratings, where one is asked for."""
    from assay.models.bayes_skill import band

    if game is not None:
        decisions = _non_empty(decisions.select(game=game), f"game '{game}'")
    if band_text is not None:
        low, high = _pair(band_text, "--band 2390:2410")
        decisions = _non_empty(band(decisions, low, high), f"games between players rated {band_text}")
    return decisions


def _non_empty(decisions: Decisions, wanted: str) -> Decisions:
    if not len(decisions):
        raise InputError(f"there are no moves of {wanted} here: check the spelling")
    return decisions


def _pair(text: str, example: str) -> tuple[float, float]:
    try:
        low, high = (float(part) for part in text.split(":"))
    except ValueError:
        raise InputError(f"'{text}' is not a range: write it like {example}") from None
    return low, high


def scale_for(model: BayesModel, decisions: Decisions, mileposts: Path | None) -> Calibration | None:
    """The Elo scale: of the milepost decisions given, else of the recipe, if it has a calibration."""
    from assay.decisions.decisions import Decisions
    from assay.models.base import recipe_of
    from assay.rating.scale import scale_of_mileposts, scale_of_recipe

    recipe_id = recipe_of(decisions)
    if mileposts is None:
        return scale_of_recipe(model, recipe_id)
    return scale_of_mileposts(model, recipe_id, Decisions.read(mileposts))


def mapping_of(calibration: Calibration | None, model: BayesModel) -> ScalarMapping | None:
    """From c to Elo, for players who are described by a rating."""
    from assay.models.elo_mapping import ScalarMapping

    mapping = None if calibration is None else calibration.mappings.get(model.name)
    return mapping if isinstance(mapping, ScalarMapping) else None


def hypothesis(
    text: str, model: BayesModel, decisions: Decisions, mapping: ScalarMapping | None
) -> Hypothesis:
    """A described player: an Elo, c=1.2, c=1:2 or engine.

    A player of some Elo may have a good or a bad day: by how much, the calibration of the recipe knows.
    """
    from assay.models.bayes_skill import Hypothesis

    if text == "engine":
        return Hypothesis.engine()
    try:
        if text.startswith("c=") and ":" in text:
            return Hypothesis.between(*_pair(text.removeprefix("c="), "c=1:2"))
        if text.startswith("c="):
            return Hypothesis.at(float(text.removeprefix("c=")))
        elo = float(text)
    except ValueError:
        raise InputError(
            f"'{text}' does not describe a player: give an Elo, c=1.2, c=1:2 or engine"
        ) from None
    if mapping is None:
        raise InputError(
            f"to describe a player by Elo {text}, use a recipe with a calibration (assay calibrate) or "
            "--mileposts; or give a skill as c=1.2"
        )
    return Hypothesis.rated(elo, mapping, _strays(model, decisions, elo))


def _strays(model: BayesModel, decisions: Decisions, elo: float) -> float:
    """Form and variation of games in Elo; where the recipe has no calibration, the least form alone."""
    from assay.models.base import recipe_of
    from assay.models.bayes import DISPERSION
    from assay.rating.calibration import find_calibration
    from assay.rating.spread import LEAST_FORM

    calibration = find_calibration(recipe_of(decisions))
    profile = model.profile(decisions)
    if calibration is None or model.name not in calibration.spread.methods or profile.decisions <= 0:
        return LEAST_FORM
    spread = calibration.spread
    return spread.beyond_chance(model.name, elo, profile.decisions, DISPERSION, profile.games)


def skills_by(
    model: BayesModel, decisions: Decisions, by: By, curve: bool, *, within: float, adaptive: bool = False
) -> tuple[list[Skill], tuple[str, ...]]:
    """What was asked for, and what its labels are called.

    `within` is how far a milepost reaches; `adaptive` has the posterior by the paper's adaptive grid.
    """
    skills, heads = _skills_by(model, decisions, by, curve, within)
    return [replace(one, adaptive=True) for one in skills] if adaptive else skills, heads


def _skills_by(
    model: BayesModel, decisions: Decisions, by: By, curve: bool, within: float
) -> tuple[list[Skill], tuple[str, ...]]:
    from assay.models.bayes_skill import apparent_skill, apparent_skill_by, mileposts, training_curve
    from assay.models.mileposts import too_few

    if curve:
        return training_curve(model, decisions), ("first",)
    if by is By.ALL:
        return [apparent_skill(model, decisions)], ("of",)
    if by is By.MILEPOST:
        found = [skill for _, skill in mileposts(model, decisions, within)]
        if not found:
            raise InputError(too_few(1, 0))
        return found, ("milepost",)
    columns = tuple(dict.fromkeys((COLUMNS[By.PLAYER], COLUMNS[by])))
    skills = apparent_skill_by(model, decisions, *columns)
    if by is By.GAME:
        return _named_games(skills), (COLUMNS[By.PLAYER], "game")
    return sorted(skills, key=lambda one: one.label) if by is By.YEAR else skills, columns


def _named_games(skills: Sequence[Skill]) -> list[Skill]:
    """Single games by opponent, event and year; by their id as well where that leaves two alike."""
    from assay.rating.evidence import game_in_words

    words = [game_in_words(one.decisions, int(one.rows[0])) for one in skills]
    labels = [(one.label[0], named) for one, named in zip(skills, words, strict=True)]
    times = Counter(labels)
    return [
        replace(one, label=label if times[label] < 2 and label[1] else (label[0], _with_id(*label[1:], one)))
        for one, label in zip(skills, labels, strict=True)
    ]


def _with_id(words: str, skill: Skill) -> str:
    return ", ".join(part for part in (words, f"game {skill.label[1]}") if part)
