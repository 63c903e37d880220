"""What the numbers of a calibration mean, in words: the scale, and how to get one."""

from __future__ import annotations

import re
from collections.abc import Iterable

from assay.decisions.evaluation import ANNOTATED, EVALUATED, OF_SERVERS
from assay.decisions.exclusions import CLASSICAL, TIME_CLASSES
from assay.engine.cost import rough_for
from assay.engine.recipe import find_recipe
from assay.errors import AssayError, InputError
from assay.rating.calibration import Calibration
from assay.rating.files import all_shipped, shipped

SHIPPED_SCALE = "FIDE Elo, classical"
"""The mileposts of the calibrations that ship are games at classical time controls with FIDE's ratings."""

OWN_SCALE = "Elo, as in the games of its calibration"
"""Of a calibration that somebody made and did not name."""

NO_SOURCE = (
    "No Elo: these games do not say by whom they were evaluated, or it is nobody that there is a calibration "
    "for (lichess; FICS or FIDE games by Stockfish at depth 14 to 20). Analyse them with an engine "
    "(--evaluations engine)."
)

ONE_VALUE = (
    "The games tell one value per position, so a loss is the value before less the value after, of two "
    "searches; bayes, choice and depth need the values of other options, and say nothing."
)
"""Said wherever games are rated by the evaluations that they bring along."""

MUTE = ("bayes", "choice", "complexity", "depth")
"""Methods that say nothing of games with one value per position."""

WHAT_IT_TAKES = (
    "No Elo: {recipe} with {engine} has no calibration; the nearest that has one is {nearest}. Analyse with "
    "that, or make one from games of rated players (assay calibrate GAMES{option}), or, analysed with "
    "Stockfish 15.1 as well, from some {games} games (add --like standard{time})."
)

BRIDGE_GAMES = 70
"""Games that make a good bridge."""

_POSITIONS = 83 * BRIDGE_GAMES
"""That so many games have, about."""

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
    """What is said wherever ratings are by a bridge; empty for a native calibration."""
    made = calibration.bridged_from
    if made is None:
        return ""
    return (
        f"The Elo scale of {made.get('recipe')} with {made.get('engine')} ({made.get('games'):,} games), "
        f"carried over by a bridge of {calibration.about.get('games')} games; its error is in the intervals."
    )


def kind_of(calibration: Calibration | None) -> str | None:
    """How a calibration was made, in a few words; None without one."""
    if calibration is None:
        return None
    games = calibration.about.get("games")
    kind = "native" if calibration.bridged_from is None else "bridge"
    return f"{kind}, {games:,} games" if isinstance(games, int) else kind


def what_it_takes(engine: str, recipe: str, recipe_id: str = "") -> str:
    """One sentence: why there is no Elo, what is nearest, and how to get one."""
    if recipe_id in (ANNOTATED, *EVALUATED):
        return NO_SOURCE
    named = bool(recipe) and recipe != recipe_id and " " not in recipe
    return WHAT_IT_TAKES.format(
        engine=engine,
        recipe=recipe,
        nearest=nearest_to(engine, recipe),
        option=f" --recipe {recipe}" if named else "",
        games=BRIDGE_GAMES,
        time=_time_of_a_bridge(recipe),
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


def bridge_minutes(recipe: str) -> int | None:
    """Minutes of analysis that a bridge to a recipe takes on this machine; None for an unknown recipe."""
    try:
        sides = [find_recipe(one) for one in (recipe, "standard")]
    except AssayError:
        return None
    return max(1, round(sum(rough_for(one, _POSITIONS) for one in sides) / 60))


def _time_of_a_bridge(recipe: str) -> str:
    minutes = bridge_minutes(recipe)
    return "" if minutes is None else f": about {minutes} min of engine time here"


def check_can_speak(recipe_id: str, methods: Iterable[str] | None) -> None:
    """Refuse methods that have nothing to say of games with one value per position."""
    mute = [name for name in methods or () if name in MUTE]
    if mute and recipe_id in (ANNOTATED, *EVALUATED):
        raise InputError(
            f"{mute[0]} needs the values of several options of a position, and these games tell one value "
            "per position: choose conformance, covariance, gain, markov or traits, or --evaluations engine"
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
