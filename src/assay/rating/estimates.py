"""A method's own numbers, for each player or each part of a player."""

from __future__ import annotations

from typing import Any

from assay.decisions.decisions import Decisions
from assay.errors import FitError, InputError
from assay.models.appearances import Appearances
from assay.models.base import MoveModel
from assay.rating.groups import groups_of


def estimates_by(model: MoveModel, decisions: Decisions, by: str = "player") -> list[dict[str, Any]]:
    """One row for each group: games, decisions, and every quantity of the estimate with its interval.

    Groups none of whose decisions pass the rules of the method are left out.
    """
    appearances = Appearances.of(decisions)
    stack = appearances.stack(model)
    rows = []
    for group in groups_of(appearances, by):
        profile = stack.only(group.rows.tolist()).total()
        if profile.decisions <= 0:
            continue
        row: dict[str, Any] = {"player": group.player}
        if by != "player":
            row[by] = group.about or group.label
        row |= {"games": round(profile.games), "decisions": round(profile.decisions)}
        try:
            quantities = model.estimate(profile).quantities
        except (FitError, InputError):
            continue
        for name, one in quantities.items():
            row |= {name: one.value, f"{name}_low": one.low, f"{name}_high": one.high}
        rows.append(row)
    if not rows:
        raise InputError(f"none of these moves can be used by {model.name}: choose other games")
    return rows
