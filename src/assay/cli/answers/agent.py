"""What players of several Elos would play, printed."""

from __future__ import annotations

from typing import Any

from assay.agent.agents import Explained
from assay.cli.answers.base import Made, Table
from assay.decisions.evaluation import MATE, MATE_BOUND

LEAST_SHOWN = 0.005
"""Listed moves below this at every Elo stand among the others."""


def explained(found: Explained) -> Made:
    """A table of moves by probability; all legal moves for programs."""
    remarks = [found.caveat] if found.caveat else []
    return Made(
        lambda: _document(found),
        lambda: [_row(found, k) for k in range(len(found.legal))],
        lambda: [_table(found)],
        remarks,
    )


def _document(found: Explained) -> dict[str, Any]:
    return {
        "fen": found.fen,
        "engine": found.engine,
        "recipe": found.recipe,
        "recipe_id": found.recipe_id,
        "caveat": found.caveat or None,
        "model": found.model,
        "elos": list(found.elos),
        "depth": found.depth,
        "moves": [_move(found, place) for place in range(len(found.legal))],
    }


def _move(found: Explained, place: int) -> dict[str, Any]:
    value = found.values.get(found.legal[place])
    mate = value is not None and abs(value) >= MATE_BOUND
    return {
        "move": found.legal[place],
        "san": found.san[place],
        "cp": None if value is None or mate else value,
        "mate": None if value is None or not mate else _mate(value),
        "probability": {
            str(elo): round(float(share), 6)
            for elo, share in zip(found.elos, found.share[place], strict=True)
        },
    }


def _row(found: Explained, place: int) -> dict[str, Any]:
    move = _move(found, place)
    shares = {f"probability_{elo}": share for elo, share in move.pop("probability").items()}
    return {**move, **shares}


def _mate(value: int) -> int:
    return MATE - value if value > 0 else -MATE - value


def _value(found: Explained, place: int) -> str:
    value = found.values[found.legal[place]]
    return f"mate in {_mate(value)}" if abs(value) >= MATE_BOUND else f"{value / 100:+.2f}"


def _table(found: Explained) -> Table:
    shown = [place for place in found.listed if found.share[place].max() >= LEAST_SHOWN]
    rows = [
        [found.san[place], _value(found, place), *(f"{100 * share:.1f}" for share in found.share[place])]
        for place in shown
    ]
    rest = [place for place in range(len(found.legal)) if place not in shown]
    if rest:
        together = found.share[rest].sum(axis=0)
        what = f"{len(rest)} other move{'s' if len(rest) > 1 else ''}"
        rows.append([what, "", *(f"{100 * share:.1f}" for share in together)])
    note = (
        f"Per cent, by the agents of {found.model}. Values in pawns for the side to move: {found.engine}, "
        f"{found.recipe}, depth {found.depth}."
    )
    if found.caveat:
        note = f"{note} {found.caveat[0].upper()}{found.caveat[1:]}."
    columns = ("move", "value", *(str(elo) for elo in found.elos))
    return Table("What players of these Elos would play", columns, rows, note)
