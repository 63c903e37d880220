"""Slices of ratings for people and for programs."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from assay.cli.answers.base import Row, Table
from assay.cli.answers.numbers import number
from assay.cli.answers.ratings import rating_for_programs, with_ends

if TYPE_CHECKING:
    from assay.insights.slices import PlayerSlices, Slice, Slices


@dataclass(frozen=True)
class SlicesAnswer:
    """The answer of `assay rate --by phase` and its like."""

    slices: Slices
    exit_code: int = 0

    @property
    def remarks(self) -> Sequence[str]:
        """What must be known of the rows of a CSV file."""
        return self.slices.notes

    def document(self) -> dict[str, Any]:
        """As `assay rate` has it: slices are parts, after the whole, and each player has a sentence."""
        ratings = self.slices.ratings
        return {
            "engine": ratings.engine,
            "recipe": ratings.recipe,
            "recipe_id": ratings.recipe_id,
            "by": self.slices.by,
            "calibrated": ratings.calibrated,
            "scale": ratings.scale,
            "prior": ratings.prior,
            "false_discovery_rate": self.slices.rate,
            "compared_with_others": self.slices.compared,
            "players": [part for one in self.slices.players for part in _parts(one)],
            "sentences": {one.player: one.sentence for one in self.slices.players},
            "too_few_decisions": {one.player: dict(one.too_few) for one in self.slices.players},
            "unknown": {one.player: one.unknown for one in self.slices.players},
            "left_out": dict(ratings.left_out),
            "notes": [*self.slices.notes, *ratings.notes],
        }

    def rows(self) -> list[Row]:
        """One row for each slice, and for each whole."""
        rows: list[Row] = []
        for one in self.slices.players:
            for part in _parts(one):
                combined, difference = part.pop("combined") or {}, part.pop("difference") or {}
                part.pop("ratings")
                apart = {f"difference_{name}" if name != "p" else name: x for name, x in difference.items()}
                rows.append({**part, **combined, **apart})
        return rows

    def tables(self) -> Iterable[Table]:
        """One table; the whole of each player, then the slices; the sentences below it."""
        ratings = self.slices.ratings
        rows = [row for one in self.slices.players for row in _shown(one)]
        said = [f"{one.player}: {one.sentence}." for one in self.slices.players]
        few = [
            f"Too few decisions of {one.player}: {_named(one.too_few)}."
            for one in self.slices.players
            if one.too_few
        ]
        yield Table(
            f"Ratings by {self.slices.by}, {ratings.scale}: {ratings.recipe} with {ratings.engine}",
            [f"player, {self.slices.by}", "games", "decisions", "rating (95%)", "difference (95%)"],
            rows,
            "\n".join([*said, *few, *self.slices.notes, *ratings.notes]),
        )


def _named(too_few: Any) -> str:
    return ", ".join(f"{name} ({n})" for name, n in too_few.items())


def _shown(one: PlayerSlices) -> list[list[object]]:
    rows: list[list[object]] = [
        [one.player, int(one.whole.games), int(one.whole.decisions), with_ends(one.whole), ""]
    ]
    rows += [
        [f"  {cut.name}", cut.games, cut.decisions, with_ends(cut.rating), _difference(cut)]
        for cut in one.slices
    ]
    return rows


def _difference(cut: Slice) -> str:
    if (apart := cut.difference) is None:
        return "-"
    star = " *" if cut.stands_out else ""
    return f"{apart.elo:+z.0f} ({apart.low:+z.0f} to {apart.high:+z.0f}){star}"


def _parts(one: PlayerSlices) -> list[dict[str, Any]]:
    whole = _part(one, "", one.whole.games, one.whole.decisions, one.whole)
    return [whole, *(_slice(one, cut) for cut in one.slices)]


def _part(one: PlayerSlices, name: str, games: float, decisions: float, rating: Any) -> dict[str, Any]:
    return {
        "player": one.player,
        "part": name,
        "games": int(games),
        "decisions": int(decisions),
        "reference": number(one.reference, 1),
        "ratings": {},
        "combined": None if rating is None else rating_for_programs(rating),
        "difference": None,
        "q": None,
        "stands_out": False,
    }


def _slice(one: PlayerSlices, cut: Slice) -> dict[str, Any]:
    found = _part(one, cut.name, cut.games, cut.decisions, cut.rating)
    if (apart := cut.difference) is not None:
        found["difference"] = {
            **{name: number(getattr(apart, name), 1) for name in ("elo", "low", "high", "against_rest")},
            "p": number(apart.p, 5),
        }
        found["q"] = None if math.isnan(cut.q) else number(cut.q, 5)
        found["stands_out"] = cut.stands_out
    return found
