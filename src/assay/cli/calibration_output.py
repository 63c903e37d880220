"""What `assay calibrate` says of what it made."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from assay.models.calibration import Calibration
    from assay.validation.accuracy import Outcome, Summary


def print_calibration(
    made: Calibration, path: Path, outcomes: Sequence[Outcome], *, as_json: bool, as_csv: bool = False
) -> None:
    """The methods with what one game tells, and the accuracy on games kept out where it was measured.

    As CSV, the latter table where it is there, else the former.
    """
    from assay.cli.output import print_csv, print_json, print_table
    from assay.validation.accuracy import summaries

    found = summaries(outcomes)
    if as_json:
        print_json(
            {
                "path": str(path),
                "recipe_id": made.recipe_id,
                **made.about,
                "mileposts": [round(elo) for elo in made.mileposts.tolist()],
                "form": round(made.spread.form, 1),
                "one_game": one_game(made),
                "held_out": [_for_programs(key, summary) for key, summary in found.items()],
            }
        )
        return
    if as_csv:
        one = [{"method": name, "one_game": round(elo, 1)} for name, elo in one_game(made).items()]
        rows_for_programs = [_for_programs(key, summary) for key, summary in found.items()] or one
        print_csv(rows_for_programs, list(rows_for_programs[0]))
        return
    rows = [(name, f"{deviation:.0f}") for name, deviation in one_game(made).items()]
    print_table(
        f"Calibration of {made.about.get('recipe')} with {made.about.get('engine')}: "
        f"{made.about.get('games'):,} games, {len(made.mileposts)} mileposts "
        f"from {made.mileposts.min():.0f} to {made.mileposts.max():.0f}",
        ("method", "one game strays by"),
        rows,
        f"Written to {path}. Players' form strays from their ratings by {made.spread.form:.0f}.",
    )
    if found:
        cells = [
            (games, "one player" if alone else "composite", method, *_cells(summary))
            for (games, alone, method), summary in found.items()
        ]
        print_table(
            "Games kept out",
            ("games", "of", "method", "groups", "mean error", "bias", "within 95%", "within 50%", "width"),
            cells,
        )


def one_game(made: Calibration) -> dict[str, float]:
    """Deviation in Elo of each method's rating of one typical game, before anything else is known."""
    _, _, slope, unit = made.spread.at(made.spread.game_size)
    return {name: float(unit[k, k] ** 0.5 / slope[k]) for k, name in enumerate(made.spread.methods)}


def _cells(summary: Summary) -> tuple[object, ...]:
    return (
        summary.groups,
        f"{summary.mean_error:.0f}",
        f"{summary.bias:+z.0f}",
        f"{summary.within_95:.1%}",
        f"{summary.within_50:.1%}",
        f"{summary.width:.0f}",
    )


def _for_programs(key: tuple[int, bool, str], summary: Summary) -> dict[str, Any]:
    games, alone, method = key
    numbers = {name: round(value, 4) for name, value in vars(summary).items()}
    return {"games": games, "one_player": alone, "method": method, **numbers}
