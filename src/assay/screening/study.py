"""From a source of games to its screening: values, calibration, norms, and the second stage."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

from assay.answers.screening import Screening
from assay.decisions.decisions import Decisions
from assay.decisions.grouping import By
from assay.decisions.names import find_player
from assay.errors import InputError
from assay.models.base import recipe_of
from assay.rating.calibration import Calibration, find_calibration
from assay.rating.priors import RATING_ERROR
from assay.rating.scale import what_it_takes
from assay.screening.losses import screen_losses
from assay.screening.norms import any_norms, find_norms
from assay.screening.screen import screen_decisions
from assay.screening.situations import LEAST_TURNS
from assay.screening.source_norms import find_source_norms
from assay.source import Evaluations, Source, Valuation

FULL = "standard"
"""The recipe of the second stage."""

_NOTHING: Callable[..., None] = lambda *_: None  # noqa: E731


def screen_source(
    source: Source,
    valuation: Valuation,
    *,
    players: Sequence[str] | None = None,
    by: str = By.PLAYER,
    least: int = LEAST_TURNS,
    error: float = RATING_ERROR,
    unsure: Sequence[str] = (),
    full: bool = False,
    calibration: Calibration | None = None,
    progress: Callable[..., None] = _NOTHING,
) -> Screening:
    """Everyone in a source of games screened; some shown where `players` are named."""
    decisions = source.decisions(valuation, trace=True, progress=progress)
    if not len(decisions):
        raise InputError("no decisions to screen: check the games")
    shown = None if players is None else [find_player(name, decisions.players) for name in players]
    doubted = [find_player(name, decisions.players) for name in unsure]
    settings = {"by": by, "least": least, "error": error, "unsure": doubted}
    found = _screening(source, decisions, calibration, settings)
    if full:
        found = replace(found, full=_again(source, valuation, found, settings, progress))
    if shown is not None:
        found = replace(found, players=tuple(one for one in found.players if one.player in shown))
    return found


def _screening(
    source: Source, decisions: Decisions, calibration: Calibration | None, settings: dict[str, Any]
) -> Screening:
    recipe_id = recipe_of(decisions)
    made = source.about(recipe_id)
    known = calibration or find_calibration(recipe_id)
    about = {} if known is None else known.about
    engine = made["engine"]["name"] if made else about.get("engine", "unknown engine")
    recipe = made["recipe"]["name"] if made else about.get("recipe", recipe_id or "unknown recipe")
    if known is None:
        takes = what_it_takes(engine, recipe, recipe_id).removeprefix("No Elo: ")
        raise InputError(f"nothing to hold the moves against: {takes}")
    own = find_norms(recipe_id)
    rates, sequence = (() if own is None else own.rates), ({} if own is None else own.sequence)
    # Values of the games' own comments are of the moves played alone.
    if not decisions.traced.any() and bool((decisions.n_options <= 1).all()):
        of_source = find_source_norms(recipe_id)
        found = screen_losses(decisions, known, of_source, **settings)
        notes = found.notes
        rates = () if of_source is None else of_source.rates
    else:
        norms = own or any_norms()
        found = screen_decisions(decisions, known, norms, dates=source.dates(), **settings)
        notes = found.notes
        if own is None:
            notes = (
                *notes,
                f"How honest games vary was measured with another recipe ({norms.about['recipe']} with "
                f"{norms.about['engine']}) and is taken over from there: error rates here were not measured.",
            )
    return Screening(
        engine=engine,
        recipe=recipe,
        recipe_id=recipe_id,
        by=settings["by"],
        players=found.players,
        field=len(found.players),
        left_out=found.left_out,
        rates=rates,
        sequence=sequence,
        notes=notes,
    )


def _again(
    source: Source,
    valuation: Valuation,
    found: Screening,
    settings: dict[str, Any],
    progress: Callable[..., None],
) -> Screening | None:
    """Those who are named, with more search; None where that is done already or nobody is named."""
    names = sorted({one.player for one in found.named})
    if not names:
        valuation.say("nobody is named, so nobody is tested again")
        return None
    if found.recipe == FULL:
        valuation.say(f"these values are those of {FULL} already: nobody is tested again")
        return None
    # Whatever the first look went by, the second asks the engine.
    deeper = replace(valuation, recipe=FULL, evaluations=Evaluations.ENGINE)
    decisions = source.decisions(deeper, players=names, trace=True, progress=progress)
    if recipe_of(decisions) == found.recipe_id:
        valuation.say("these values are in a file and cannot be made anew: nobody is tested again")
        return None
    # They were picked out of everyone: the field is that of the first look.
    again = _screening(source, decisions.select(player=names), None, {**settings, "tested": found.field})
    return replace(again, field=found.field)
