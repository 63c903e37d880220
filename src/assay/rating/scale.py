"""What the numbers of a calibration mean, in words: the scale, and how to get one."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import Any

import numpy as np

from assay.answers.ratings import unit_of
from assay.decisions.arrays import Floats
from assay.decisions.decisions import Decisions
from assay.decisions.evaluation import ANNOTATED, EVALUATED, OF_SERVERS
from assay.decisions.time_control import CLASSICAL, TIME_CLASSES
from assay.engine.recipe import find_recipe
from assay.engine.run import rough_for
from assay.errors import AssayError, InputError
from assay.models.appearances import Appearances
from assay.models.base import MoveModel
from assay.rating.calibration import QUICK, REFERENCE, Calibration, all_shipped, find_calibration, shipped
from assay.rating.spread import RawRatings

SHIPPED_SCALE = "FIDE Elo, classical (before March 2024)"
"""Of the calibrations that ship: classical games with FIDE's ratings, all from before March 2024, when FIDE
raised ratings below 2000 to R + 0.4 (2000 - R)."""

OWN_SCALE = "Elo, as in the games of its calibration"
"""Of a calibration that somebody made and did not name."""

NO_SOURCE = (
    "No Elo: these games do not name what evaluated them, or there is no scale for it "
    "(lichess; FICS or FIDE games by Stockfish up to 11 at depth 14 to 20). Analyse them with an engine "
    "(--evaluations engine)."
)

ONE_VALUE = (
    "These games contain one evaluation per position, so a loss is the value before less the value after, "
    "of two searches. bayes, choice and depth need the values of other options and are not used."
)
"""Said wherever games are rated by the evaluations that they bring along."""

MUTE = ("bayes", "choice", "complexity", "depth")
"""Methods that say nothing of games with one value per position."""

WHAT_IT_TAKES = (
    "No Elo: {recipe} with {engine} has no calibration. assay calibrate --like {like}{option}, with the same "
    "--engine, makes one by {positions:,} positions{time}; or analyse with {nearest}, or make one from games "
    "of rated players (assay calibrate GAMES{option})."
)

POSITIONS = {"standard": 700, "quick": 2086}
"""Positions by which the scale of a recipe is carried over to another engine (assay.rating.bridge)."""

_VERSION = re.compile(r"^(.*?)\s*(\d+(?:\.\d+)?)")


def scale_of(calibration: Calibration | None) -> str | None:
    """What an Elo through this calibration is; None without one."""
    if calibration is None:
        return None
    named = calibration.about.get("scale")
    if named:
        return str(named)
    return SHIPPED_SCALE if calibration is shipped(calibration.recipe_id) else OWN_SCALE


def bridge_note(calibration: Calibration) -> str:
    """What a scale rests on that was carried over from another engine; empty for a native calibration."""
    made = calibration.carried_from
    if made is None:
        return ""
    about = calibration.about
    versions = f" of versions {about['versions']}, not of this one" if about.get("versions") else ""
    return (
        f"The Elo scale of {made.get('recipe')} with {made.get('engine')} ({made.get('games'):,} games), "
        f"carried over by {_basis(about)}{versions}; the error of that, a standard "
        f"deviation of {calibration.spread.carried:.0f} points, is in the 95% ranges."
    )


def _basis(about: Mapping[str, Any]) -> str:
    """What carried a scale over: positions, or games where an older assay made it."""
    positions = about.get("positions")
    return f"{about.get('games')} games" if positions is None else f"{positions:,} positions"


def kind_of(calibration: Calibration | None) -> str | None:
    """How a calibration was made, in a few words; None without one."""
    if calibration is None:
        return None
    if (made := calibration.carried_from) is not None:
        unmeasured = " of other versions" if calibration.about.get("versions") else ""
        return f"carried over from {made.get('engine')}, {_basis(calibration.about)}{unmeasured}"
    games = calibration.about.get("games")
    return f"native, {games:,} games" if isinstance(games, int) else "native"


def what_it_takes(engine: str, recipe: str, recipe_id: str = "") -> str:
    """One sentence: why there is no Elo, what is nearest, and how to get one."""
    if recipe_id in (ANNOTATED, *EVALUATED):
        return NO_SOURCE
    named = bool(recipe) and recipe != recipe_id and " " not in recipe
    return WHAT_IT_TAKES.format(
        engine=engine,
        recipe=recipe,
        nearest=nearest_to(engine, recipe),
        like=(like := like_of(recipe)),
        positions=POSITIONS[like],
        option=f" --recipe {recipe}" if named and recipe != like else "",
        time="" if (minutes := bridge_minutes(recipe)) is None else f" in about {minutes} min here",
    )


def nearest_to(engine: str, recipe: str) -> str:
    """The recipe and engine with a shipped calibration that are most like these: in words."""
    family, version = _version(engine)

    def distance(one: Calibration) -> tuple[object, ...]:
        other, number = _version(str(one.about.get("engine")))
        return (other != family, abs(number - version), one.about.get("recipe") != recipe)

    known = [one for one in all_shipped() if one.recipe_id not in EVALUATED]
    # Of another family every version is as far: the scale of the most games, which stands first.
    near = min(known, key=distance) if any(not distance(one)[0] for one in known) else known[0]
    return f"{near.about.get('recipe')} with {near.about.get('engine')}"


def _version(engine: str) -> tuple[str, float]:
    found = _VERSION.match(engine)
    return (found[1], float(found[2])) if found else (engine, 0.0)


def like_of(recipe: str) -> str:
    """The recipe whose scale is carried over to another: the one of its own name, else standard."""
    return recipe if recipe in POSITIONS else "standard"


def bridge_minutes(recipe: str) -> int | None:
    """Minutes of analysis that carrying a scale over takes on this machine; None for an unknown recipe."""
    try:
        return max(1, round(rough_for(find_recipe(recipe), POSITIONS[like_of(recipe)]) / 60))
    except AssayError:
        return None


def check_can_speak(recipe_id: str, methods: Iterable[str] | None) -> None:
    """Refuse methods that cannot rate games with one value per position."""
    mute = [name for name in methods or () if name in MUTE]
    if mute and recipe_id in (ANNOTATED, *EVALUATED):
        raise InputError(
            f"{mute[0]} needs the values of several options of a position, and these games contain "
            "one: choose conformance, covariance, gain, markov or traits, or --evaluations engine"
        )


def other_time_classes(found: Iterable[str], recipe_id: str = "") -> str:
    """What must be said where games are rated that are not of the calibration's time class; else nothing."""
    if recipe_id in OF_SERVERS:
        return ""
    others = set(found) - CLASSICAL
    named = [name for name in TIME_CLASSES if name in others]
    if not named:
        return ""
    return (
        f"Games of other time classes ({', '.join(named)}) are rated on the classical scale: there is no "
        "calibration of their own, and moves made in less time are worse."
    )


# Whether a calibration rests on enough: one that does not is provisional, and not believed too much.

FEWEST_APPEARANCES = 200
"""Players in games. By simulation intervals hold the truth as often with 88; but that leaves
out the curves from evidence to raw ratings, which want more games: a judgement, on the safe side."""

MANY_APPEARANCES = 2000
"""From so many on a method that says nothing is known to say nothing, and weighs nothing: bullet games have
such. Of fewer it may be chance, and the rest no better."""

FEWEST_MILEPOSTS = 5
"""By simulation intervals from three hold the truth a little less often than from eleven; no sharp limit."""

STRAYS = 2000.0
"""A method whose rating of one game has a larger standard deviation than this says nothing: a flat prior
over 1600 to 2600 has one of 290."""


def one_game(calibration: Calibration) -> dict[str, float]:
    """Standard deviation in Elo of each method's rating of one usual game, with no prior."""
    spread = calibration.spread
    return dict(zip(spread.channels, spread.one_game().tolist(), strict=True))


def informative(calibration: Calibration) -> dict[str, float | None]:
    """The same to a tenth; None where it is beyond the whole scale."""
    return {
        name: round(deviation, 1) if deviation <= STRAYS else None
        for name, deviation in one_game(calibration).items()
    }


def shortcomings(calibration: Calibration) -> tuple[str, ...]:
    """Why a calibration is provisional; nothing where it is not."""
    found = []
    n_mileposts = len(calibration.mileposts)
    appearances = round(calibration.spread.milepost_games * n_mileposts)
    if appearances < FEWEST_APPEARANCES:
        found.append(f"{appearances} players in games, below {FEWEST_APPEARANCES}")
    if n_mileposts < FEWEST_MILEPOSTS:
        found.append(f"{n_mileposts} mileposts, below {FEWEST_MILEPOSTS}")
    mute = [name for name, deviation in one_game(calibration).items() if not deviation <= STRAYS]
    if mute and appearances < MANY_APPEARANCES:
        found.append(
            f"{', '.join(mute)} says nothing: the standard deviation of one game is above {STRAYS:.0f} points"
        )
    return tuple(found)


def provisional_note(calibration: Calibration) -> str:
    """What is said wherever a provisional calibration is used; empty for one that is not."""
    found = shortcomings(calibration)
    if not found:
        return ""
    why = "; ".join(found)
    return f"The calibration is provisional ({why}): intervals are at least as wide as by the shipped kind."


def caveats_of(calibration: Calibration | None) -> list[str]:
    """What is said wherever ratings on a scale are printed: that it is carried over, or provisional."""
    if calibration is None:
        return []
    return [said for said in (bridge_note(calibration), provisional_note(calibration)) if said]


def check_usable(calibration: Calibration) -> None:
    """Refuse a calibration by which no method gives a rating."""
    if not any(deviation <= STRAYS for deviation in one_game(calibration).values()):
        raise InputError(
            "these games make no calibration: by every method one game has a standard deviation of more than "
            f"{STRAYS:.0f} points; give more games of players with ratings, over a wider range"
        )


def deviations(
    calibration: Calibration, raw: RawRatings, channel: int, elo: Floats, *, shared: float = 0.0
) -> Floats:
    """Standard deviation in Elo of each group at some Elos.

    No smaller than by the usual scale if this one is provisional, nor than by the one it was carried from.
    """
    spread = calibration.spread
    widths = spread.deviations(raw, channel, elo, shared=shared)
    made = calibration.carried_from
    least = shipped(QUICK if made and made.get("recipe") == "quick" else REFERENCE)
    name = spread.channels[channel]
    if least is not None and (made or shortcomings(calibration)) and name in least.spread.channels:
        # As many usual games, whatever a game's length is by this source.
        factor = least.spread.game_size / spread.game_size
        scaled = replace(raw, size=raw.size * factor, squares=raw.squares * factor**2)
        place = least.spread.channels.index(name)
        native = least.spread.deviations(scaled, place, elo, shared=shared)
        widths = np.maximum(widths, np.hypot(native, spread.carried))
    return widths


# The Elo scale of one method by itself: the one way from evidence to Elo, whatever a method is asked.


def scale_of_mileposts(model: MoveModel, recipe_id: str, mileposts: Decisions) -> Calibration:
    """A calibration of one method from games of rated players, for decisions of a recipe."""
    appearances = Appearances.of(mileposts)
    made = Calibration.fit(appearances, {"scale": "Elo, as in the mileposts given"}, {model.name: model})
    made.check(recipe_id)
    check_usable(made)
    return made


def scale_of_recipe(model: MoveModel, recipe_id: str) -> Calibration | None:
    """The calibration of a recipe, where it has one that was made with the method's settings."""
    found = find_calibration(recipe_id)
    mapping = None if found is None else found.mappings.get(model.name)
    return found if mapping is not None and mapping.model == model.identity else None


def needed_scale(model: MoveModel, recipe_id: str, decisions: Decisions) -> Calibration:
    """The calibration of the recipe, else one of the decisions themselves; an error where neither is."""
    found = scale_of_recipe(model, recipe_id)
    if found is not None:
        return found
    try:
        return scale_of_mileposts(model, recipe_id, decisions)
    except InputError as error:
        raise InputError(
            f"there is no Elo scale for {model.name} here ({error}): analyse with a recipe that has a "
            "calibration, or give analysed games of rated players with --mileposts"
        ) from None


def notes_on(calibration: Calibration) -> list[str]:
    """What is said beside ratings by one method: what the scale is, how far it reaches, its shortcomings."""
    low, high = calibration.range.lowest, calibration.range.highest
    scale = scale_of(calibration)
    said = (
        f"{unit_of(scale).capitalize()} with its 95% interval, as assay rate has it: {scale}, "
        f"{low:.0f} to {high:.0f}."
    )
    return [said, *caveats_of(calibration)]
