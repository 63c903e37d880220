"""What must be said with ratings: which scale they are on, what was left out, what was not read."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from assay.answers.ratings import PlayerRating
from assay.decisions.evaluation import ANNOTATED, EVALUATED
from assay.decisions.exclusions import Exclusion
from assay.errors import InputError
from assay.models.intervals import FEWEST_GAMES
from assay.models.traits.model import CLOCKS
from assay.rating.calibration import Calibration
from assay.rating.evidence import Pieces
from assay.rating.scale import ONE_VALUE, caveats_of, other_time_classes, what_it_takes

CLOCKS_COUNT = (
    "The clocks count besides the moves (--with clocks): how fast moves are made, and with how much left."
)

FEW_VALUES = 0.05
"""A share of moves without a value that is said: games have at least their first or last."""


def _first(names: Sequence[str], most: int, between: str = "; ") -> str:
    more = f" and {len(names) - most:,} more" if len(names) > most else ""
    return between.join(names[:most]) + more


def clock_notes(players: Sequence[PlayerRating]) -> tuple[str, ...]:
    """What must be said where the clocks count; an InputError where no game has them."""
    without = [one.player for one in players if CLOCKS not in one.ratings]
    if len(without) == len(players):
        raise InputError(
            "these games have no clocks, or too few ([%clk] behind the moves): leave --with clocks out"
        )
    if not without:
        return (CLOCKS_COUNT,)
    shown = _first(without, 3, ", ")
    return (f"{CLOCKS_COUNT} Too few moves of {shown} have a clock: theirs count alone.",)


def notes_on(
    players: Sequence[PlayerRating],
    pieces: Pieces,
    calibration: Calibration | None,
    engine_and_recipe: tuple[str, str],
    methods: Sequence[str] | None,
) -> tuple[str, ...]:
    """All that must be said with the ratings of `players` from decisions read in `pieces`."""
    notes = _of_scale(players, pieces, calibration, engine_and_recipe)
    if pieces.recipe_id in (ANNOTATED, *EVALUATED):
        if calibration is not None and calibration.recipe_id in EVALUATED:
            about = calibration.about
            notes.append(
                f"Calibrated by {about.get('games', 0):,} games of {about.get('players', 0):,} players, "
                f"evaluated by {about.get('engine')} (docs/evaluated.md)."
            )
            notes += [about["caveat"]] if about.get("caveat") else []
        notes.append(ONE_VALUE)
        if pieces.without_value > FEW_VALUES:
            notes.append(f"{pieces.without_value:.0%} of the moves here have no value before or after them.")
    if calibration is not None:
        if said := other_time_classes(pieces.time_classes, calibration.recipe_id):
            notes.append(said)
        absent = [name for name in calibration.mappings if calibration.models[name].reads_trace]
        if absent and methods is None and not pieces.traced and pieces.only is None:
            notes.append(
                f"With so many games the values at smaller depths are not read, so {' and '.join(absent)} "
                f"are left out; ask for one by name (--method {absent[0]}), which takes longer."
            )
    return (*notes, *malformed_notes(pieces.decisions))


def malformed_notes(decisions: Mapping[str | None, int]) -> tuple[str, ...]:
    """How many decisions are left out for their lists of moves, from the number by reason: one line."""
    malformed = decisions.get(Exclusion.MALFORMED.value, 0)
    if not malformed:
        return ()
    return (
        f"{malformed:,} of {sum(decisions.values()):,} decisions are left out: their list names a move "
        "twice, or is not best first. Analyse these games again to rate them whole.",
    )


def _of_scale(
    players: Sequence[PlayerRating],
    pieces: Pieces,
    calibration: Calibration | None,
    engine_and_recipe: tuple[str, str],
) -> list[str]:
    """Why there is no scale, or what must be said of the one that there is."""
    if calibration is None:
        notes = [what_it_takes(*engine_and_recipe, pieces.recipe_id)]
        if any(one.games < FEWEST_GAMES for one in players):
            notes.append(
                f"Below {FEWEST_GAMES} games there is no interval: how games vary cannot be told from fewer."
            )
        return notes
    return caveats_of(calibration)


def left_out(stored: Mapping[str, int], pieces: Pieces) -> dict[str, int]:
    """How many games are not rated, by reason: as stored, and what only those who read decisions know."""
    if not stored:
        return dict(pieces.left_out)
    other = Exclusion.OTHER_SCALE.value
    return {**stored, **({other: pieces.left_out[other]} if other in pieces.left_out else {})}
