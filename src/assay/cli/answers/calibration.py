"""What `assay calibrate` says of what it made."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from assay.cli.answers.base import Row, Table
from assay.cli.answers.numbers import number
from assay.rating.scale import STRAYS, one_game, provisional_note, shortcomings

if TYPE_CHECKING:
    from assay.rating.accuracy import Outcome, Summary
    from assay.rating.bridge_check import Agreement
    from assay.rating.calibration import Calibration

_BY_RATINGS = "Made with the players' ratings."
_WITHOUT = (
    "Made without ratings, as these games have too few: 95% intervals of such bridges were seen to hold only "
    "89 to 92% where the two sides are far apart (docs/bridges.md); games of rated players make a better one."
)


@dataclass(frozen=True)
class CalibrationAnswer:
    """The methods with what one game tells, and the accuracy on games kept out where it was measured."""

    made: Calibration
    path: Path
    outcomes: Sequence[Outcome]
    remarks: Sequence[str] = ()
    exit_code: int = 0

    @property
    def _held_out(self) -> dict[tuple[int, bool, str], Summary]:
        from assay.rating.accuracy import summaries

        return summaries(self.outcomes)

    def document(self) -> dict[str, Any]:
        """The whole answer as JSON has it."""
        return {
            "path": str(self.path),
            "recipe_id": self.made.recipe_id,
            **self.made.about,
            "mileposts": [round(elo) for elo in self.made.mileposts.tolist()],
            "form": round(self.made.spread.form, 1),
            "provisional": list(shortcomings(self.made)),
            "one_game": {name: _told(deviation) for name, deviation in one_game(self.made).items()},
            "held_out": [_for_programs(key, summary) for key, summary in self._held_out.items()],
        }

    def rows(self) -> list[Row]:
        """The accuracy on games kept out where it was measured; else what one game tells."""
        one: list[Row] = [
            {"method": name, "one_game": _told(deviation)} for name, deviation in one_game(self.made).items()
        ]
        return [_for_programs(key, summary) for key, summary in self._held_out.items()] or one

    def tables(self) -> Iterable[Table]:
        """Both tables."""
        made = self.made
        yield Table(
            f"Calibration of {made.about.get('recipe')} with {made.about.get('engine')}: "
            f"{made.about.get('games'):,} games, {len(made.mileposts)} mileposts "
            f"from {made.mileposts.min():.0f} to {made.mileposts.max():.0f}",
            ("method", "one game strays by"),
            [(name, _in_words(deviation)) for name, deviation in one_game(made).items()],
            f"Written to {self.path}. Players' form strays from their ratings by {made.spread.form:.0f}."
            + (f"\n{provisional}" if (provisional := provisional_note(made)) else ""),
        )
        if found := self._held_out:
            cells = [
                (games, "one player" if alone else "composite", method, *_cells(summary))
                for (games, alone, method), summary in found.items()
            ]
            columns = ("games", "of", "method", "groups", "mean error", "bias", "in 95%", "in 50%", "width")
            yield Table("Games kept out", columns, cells)


@dataclass(frozen=True)
class BridgeAnswer:
    """What a bridge carried over, and how it serves on games kept out where that was measured."""

    made: Calibration
    path: Path
    checked: Sequence[Agreement] | None = None
    remarks: Sequence[str] = ()
    exit_code: int = 0

    def document(self) -> dict[str, Any]:
        """The whole answer as JSON has it."""
        return {
            "path": str(self.path),
            "recipe_id": self.made.recipe_id,
            **self.made.about,
            "error": _off(self.made),
            "one_game": {name: _told(deviation) for name, deviation in one_game(self.made).items()},
            "held_out": [_agreement(one) for one in self.checked or ()],
        }

    def rows(self) -> list[Row]:
        """How it serves on games kept out where that was measured; else each method."""
        off = _off(self.made)
        plain: list[Row] = [
            {"method": name, "one_game": _told(deviation), "error": off[name]}
            for name, deviation in one_game(self.made).items()
        ]
        return [_agreement(one) for one in self.checked or ()] or plain

    def tables(self) -> Iterable[Table]:
        """Each method, then the check."""
        made = self.made
        start = made.bridged_from or {}
        off = _off(made)
        how = _BY_RATINGS if start.get("by_ratings") else _WITHOUT
        yield Table(
            f"Bridge from {start.get('recipe')} with {start.get('engine')} to {made.about.get('recipe')} "
            f"with {made.about.get('engine')}: {made.about.get('games')} games",
            ("method", "one game strays by", "the bridge errs by"),
            [(name, _in_words(deviation), f"{off[name]:.0f}") for name, deviation in one_game(made).items()],
            f"Elo, in the middle of the games. {how} Written to {self.path}.",
        )
        if self.checked:
            columns = ("games", "of", "groups", "correlation", "shift", "apart", "error", "in 95%", "width")
            cells = [row for one in self.checked for row in _side_by_side(one)]
            note = (
                "Rated by bridges made without their players, beside native ratings of the same games. Shift "
                "and apart: mean (± standard error) and root mean square of the difference. Error and 95%: "
                "by published ratings."
            )
            yield Table("Games kept out", columns, cells, note)


def _off(made: Calibration) -> dict[str, float]:
    """What the bridge errs by in the middle of its games, by method, in Elo."""
    spread = made.spread
    assert spread.bridge is not None
    share = np.sqrt(np.diag(spread.bridge.shift))
    return {
        name: round(float(own * deviation), 1)
        for own, (name, deviation) in zip(share, one_game(made).items(), strict=True)
    }


def _agreement(one: Agreement) -> dict[str, Any]:
    return {name: number(value, 4) for name, value in vars(one).items()}


def _side_by_side(one: Agreement) -> list[tuple[object, ...]]:
    def plain(value: float, form: str) -> str:
        return "" if value != value else format(value, form)

    return [
        (
            *(one.games, "bridged", one.groups, f"{one.correlation:.2f}"),
            f"{one.shift:+z.0f} ± {one.shift_error:.0f}",
            *(f"{one.apart:.0f}", plain(one.bridged_error, ".0f"), plain(one.bridged_within, ".0%")),
            f"{one.bridged_width:.0f}",
        ),
        (
            *(one.games, "native", one.groups, "", "", "", plain(one.native_error, ".0f")),
            *(plain(one.native_within, ".0%"), f"{one.native_width:.0f}"),
        ),
    ]


def _told(deviation: float) -> float | None:
    """A deviation that means something; null where it is beyond the whole scale."""
    return round(deviation, 1) if deviation <= STRAYS else None


def _in_words(deviation: float) -> str:
    return f"{deviation:.0f}" if deviation <= STRAYS else "says nothing"


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
