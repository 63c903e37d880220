"""Cross-tables and comparisons, for programs and for people."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from assay.cli.answers.base import Row, Table
from assay.cli.answers.numbers import elo, number, points

if TYPE_CHECKING:
    from assay.answers.ratings import Quantity, Rating
    from assay.models.gain.model import Comparison
    from assay.models.gain.tournament import CrossTable

WIDEST = 12
"""With more players than this the cells of a cross-table do not fit on a page."""


PERCEIVED = "perceived strength (Ferreira 2012), not Elo"
"""What the paper's uncalibrated number is called, and differences of it."""


ENDS = ("value", "low", "high")


@dataclass(frozen=True)
class Shown:
    """What stands beside expectations: ratings by gain on a scale, and the paper's number if asked for."""

    perceived: bool = False
    scale: str | None = None
    ratings: Mapping[tuple[str, str], Rating] = field(default_factory=dict)
    """By player and event, or the player as it was asked for and nothing."""
    engine: float | None = None
    """The engine's strength, where it is known: Algorithm 4 then gives the players'."""
    strengths: Mapping[tuple[str, str], Quantity] = field(default_factory=dict)
    caveats: str = ""
    """What must be said of the scale: that it is by a bridge, or rests on too little."""

    def strength(self, player: str, event: str = "") -> Quantity | None:
        """Perceived strength of a player through the engine, at an event or in all games."""
        return self.strengths.get((player, event)) or self.strengths.get((player, ""))

    def rating(self, player: str, event: str = "") -> Rating | None:
        """The rating of a player at an event, where there is one; else of all their games."""
        return self.ratings.get((player, event)) or self.ratings.get((player, ""))


@dataclass(frozen=True)
class CrossTables:
    """The answer of `assay tournament`."""

    found: Sequence[CrossTable]
    shown: Shown
    remarks: Sequence[str] = ()
    exit_code: int = 0

    def document(self) -> list[dict[str, Any]]:
        """One object for each event."""
        return [_table_for_programs(table, self.shown) for table in self.found]

    def rows(self) -> list[Row]:
        """One row for each pair that is compared, seen from either side."""
        return [cell for table in self.found for cell in _cells_for_programs(table, self.shown)]

    def tables(self) -> Iterable[Table]:
        """One cross-table for each event, like Table 1 of Ferreira 2012."""
        return [_cross_table(table, self.shown) for table in self.found]


@dataclass(frozen=True)
class ComparisonAnswer:
    """The answer of `assay compare`."""

    names: tuple[str, str]
    found: Comparison
    shown: Shown
    remarks: Sequence[str] = ()
    exit_code: int = 0

    def document(self) -> dict[str, Any]:
        """The whole answer as JSON has it."""
        return _comparison_for_programs(self.names, self.found, self.shown)

    def rows(self) -> Sequence[Row]:
        """One row for each of the two."""
        return _comparison_rows(self.names, self.found, self.shown)

    def tables(self) -> Iterable[Table]:
        """Two players side by side, and the first against the second."""
        yield _comparison_table(self.names, self.found, self.shown)


# For programs ------------------------------------------------------------------------------------------


def _rating_for_programs(rating: Rating | None) -> dict[str, float | None] | None:
    if rating is None:
        return None
    return {name: number(getattr(rating, name), 1) for name in ("elo", "low", "high")}


def _cells_for_programs(table: CrossTable, shown: Shown) -> list[dict[str, Any]]:
    """One row for each pair that is compared, seen from either side."""
    differences = table.differences
    return [
        {
            "event": table.title,
            "player": player,
            "opponent": opponent,
            "games": int(table.games[row, column]),
            "points": number(table.results[row, column]),
            "expectation": number(table.expectations[row, column]),
            **({"perceived_difference": number(differences[row, column], 1)} if shown.perceived else {}),
        }
        for row, player in enumerate(table.players)
        for column, opponent in enumerate(table.players)
        if not math.isnan(table.expectations[row, column])
    ]


def _table_for_programs(table: CrossTable, shown: Shown) -> dict[str, Any]:
    """A cross-table as JSON has it."""
    from assay.models.gain.distribution import rating_difference

    by_elo, by_estimate = table.engine_strength()
    engine = {"by_elo": number(by_elo, 1), "by_estimate": number(by_estimate, 1)}
    to_engine = rating_difference(table.against_engine)
    cells = _cells_for_programs(table, shown)
    players = [
        {
            "player": player,
            "elo": number(table.elos[row], 1),
            "points": number(table.total_results[row]),
            "expected_points": number(table.total_expectations[row]),
            "rating": _rating_for_programs(shown.rating(player, table.title)),
            "group": int(table.perceived.group[row]),
            "against_engine": {"expectation": number(table.against_engine[row])},
            **(_perceived(table, row, to_engine[row]) if shown.perceived else {}),
            **_through_engine(shown, player, table.title),
            "opponents": [
                {key: value for key, value in cell.items() if key not in ("event", "player")}
                for cell in cells
                if cell["player"] == player
            ],
        }
        for row, player in enumerate(table.players)
    ]
    return {
        "event": table.title,
        "by": table.by,
        "scale": shown.scale,
        "players": players,
        "groups": [{"anchor": number(anchor, 1)} for anchor in table.perceived.anchors],
        **({"perceived_engine_strength": engine} if shown.perceived else {}),
        **({} if shown.engine is None else {"engine_strength": number(shown.engine, 1)}),
        "notes": [*table.notes, *([shown.caveats] if shown.caveats else [])],
    }


def _perceived(table: CrossTable, row: int, to_engine: float) -> dict[str, Any]:
    """The paper's own number, which is no Elo, under its own name."""
    return {
        "perceived_strength": {
            "value": number(table.perceived.ratings[row], 1),
            "low": number(table.low[row], 1),
            "high": number(table.high[row], 1),
            "to_engine": number(to_engine, 1),
        }
    }


def _through_engine(shown: Shown, player: str, event: str = "") -> dict[str, Any]:
    """Algorithm 4, where the engine's strength is known."""
    if shown.engine is None:
        return {}
    found = shown.strength(player, event)
    ends = None if found is None else {name: number(getattr(found, name), 1) for name in ENDS}
    return {"perceived_through_engine": ends}


def _comparison_for_programs(names: tuple[str, str], found: Comparison, shown: Shown) -> dict[str, Any]:
    """A comparison as JSON has it."""
    value, low, high = (number(one, 1) for one in found.differences)
    return {
        "scale": shown.scale,
        "players": [
            {
                "player": name,
                "games": number(estimate.games),
                "decisions": number(estimate.decisions),
                "mean_gain": number(estimate["mean_gain"].value),
                "against_engine": {"expectation": number(estimate["expectation"].value)},
                "rating": _rating_for_programs(shown.rating(name)),
                **(
                    {"perceived_to_engine": number(estimate["difference"].value, 1)}
                    if shown.perceived
                    else {}
                ),
                **_through_engine(shown, name),
            }
            for name, estimate in zip(names, found.estimates, strict=True)
        ],
        "expectation": {
            "value": number(found.expectation),
            "low": number(found.low),
            "high": number(found.high),
        },
        **({"perceived_difference": {"value": value, "low": low, "high": high}} if shown.perceived else {}),
        **({} if shown.engine is None else {"engine_strength": number(shown.engine, 1)}),
        "resampled": found.resampled,
        **({"notes": [shown.caveats]} if shown.caveats else {}),
    }


def _comparison_rows(names: tuple[str, str], found: Comparison, shown: Shown) -> list[dict[str, Any]]:
    """One row for each of the two, with what is to be expected against the other."""
    expectations = [number(one) for one in (found.expectation, found.low, found.high)]
    turned = [None if one is None else round(1 - one, 4) for one in _turned(expectations)]
    rows = []
    document = _comparison_for_programs(names, found, shown)
    for player, ends in zip(document["players"], (expectations, turned), strict=True):
        engine = {f"engine_{name}": value for name, value in player.pop("against_engine").items()}
        rating = player.pop("rating") or {"elo": None, "low": None, "high": None}
        if shown.engine is not None:
            through = player.pop("perceived_through_engine") or dict.fromkeys(ENDS)
            player |= {f"perceived_through_engine_{name}": value for name, value in through.items()}
        on_scale = {f"rating_{name}": value for name, value in rating.items()}
        rows.append({**player, **engine, **dict(zip(("expectation", "low", "high"), ends, strict=True))})
        rows[-1] |= on_scale if shown.scale is not None else {}
    return rows


def _turned(ends: list[float | None]) -> list[float | None]:
    """Value, low and high as the other side sees them: its low end is our high one."""
    return [ends[0], ends[2], ends[1]]


# For people --------------------------------------------------------------------------------------------


def _cross_table(table: CrossTable, shown: Shown) -> Table:
    """A cross-table like Table 1 of Ferreira 2012."""
    wide = len(table.players) <= WIDEST
    places = range(len(table.players))
    columns = ["", "player", "Elo", *([str(place + 1) for place in places] if wide else [])]
    columns += ["points", "expected"]
    columns += ["rating by gain", "change"] if shown.scale is not None else []
    columns += ["perceived", "95% interval"] if shown.perceived else []
    columns += ["through the engine"] if shown.engine is not None else []
    rows = []
    for row, player in enumerate(table.players):
        cells: list[object] = [str(row + 1), player, elo(table.elos[row])]
        cells += [_cell(table, row, column, shown) for column in places] if wide else []
        cells += [points(table.total_results[row]), f"{table.total_expectations[row]:.2f}"]
        if shown.scale is not None:
            cells += _rating_cells(shown.rating(player, table.title), float(table.elos[row]))
        if shown.perceived:
            ends = "" if math.isnan(table.low[row]) else f"{elo(table.low[row])} to {elo(table.high[row])}"
            cells += [elo(table.perceived.ratings[row]), ends]
        cells += _through_cell(shown, player, table.title)
        rows.append(cells)
    return Table(f"{table.title} (distributions by {table.by})", columns, rows, _notes(table, wide, shown))


def _through_cell(shown: Shown, player: str, event: str = "") -> list[object]:
    """Perceived strength by Algorithm 4 with its interval, where the engine's is known."""
    if shown.engine is None:
        return []
    found = shown.strength(player, event)
    return ["" if found is None else f"{elo(found.value)} ({elo(found.low)} to {elo(found.high)})"]


def engine_note(shown: Shown) -> list[str]:
    """What the strengths through the engine are."""
    if shown.engine is None:
        return []
    return [f"Through the engine, of strength {elo(shown.engine)} (Algorithm 4): {PERCEIVED}."]


def _rating_cells(rating: Rating | None, reference: float) -> list[object]:
    """A rating on the scale with its interval, and by how much it differs from the published one."""
    if rating is None:
        return ["", ""]
    text = f"{elo(rating.elo)} ({elo(rating.low)} to {elo(rating.high)})"
    return [text, elo(rating.elo - reference, signed=True)]


def _cell(table: CrossTable, row: int, column: int, shown: Shown) -> str:
    """Result and expectation, and the perceived difference if asked, one below the other, as in Table 1."""
    from assay.models.gain.distribution import rating_difference

    expectation = table.expectations[row, column]
    if math.isnan(expectation):
        return "–"
    played = int(table.games[row, column])
    result = f"({points(table.results[row, column])}{f'/{played}' if played > 1 else ''})" if played else ""
    difference = elo(float(rating_difference(expectation)), signed=True)
    return f"{result}\n{expectation:.2f}" + (f"\n{difference}" if shown.perceived else "")


def _notes(table: CrossTable, wide: bool, shown: Shown) -> str:
    notes = list(table.notes) if shown.perceived else []
    if wide:
        what = (
            "(result), expectation and perceived difference" if shown.perceived else "(result), expectation"
        )
        notes.insert(0, f"In each cell: {what} by gain.")
    else:
        notes.append("Cells are left out of a table this wide: see --json or --csv.")
    notes.append(scale_note(shown))
    if shown.perceived:
        by_elo, by_estimate = table.engine_strength()
        notes.append(f"Perceived: {PERCEIVED}.")
        if not math.isnan(by_elo):
            notes.append(f"Perceived strength of the engine: {elo(by_elo)} by ratings, {elo(by_estimate)}.")
    return "\n".join([*notes, *engine_note(shown)])


def scale_note(shown: Shown) -> str:
    """What ratings are on, and what must be said of the scale; or that there are none."""
    if shown.scale is None:
        return "No ratings: this recipe and engine have no calibration (assay calibrate makes one)."
    return f"Rating by gain, with its 95% interval: {shown.scale}. {shown.caveats}".rstrip()


def _comparison_table(names: tuple[str, str], found: Comparison, shown: Shown) -> Table:
    """Two players side by side, and the first against the second."""
    columns = ["player", "games", "decisions", "mean gain", "against engine"]
    columns += ["rating by gain"] if shown.scale is not None else []
    columns += ["perceived difference"] if shown.perceived else []
    columns += ["through the engine"] if shown.engine is not None else []
    rows = []
    for name, estimate in zip(names, found.estimates, strict=True):
        cells: list[object] = [name, round(estimate.games), round(estimate.decisions)]
        cells += [f"{estimate['mean_gain'].value:+z.3f}", f"{estimate['expectation'].value:.3f}"]
        cells += _rating_cells(shown.rating(name), math.nan)[:1] if shown.scale is not None else []
        cells += [elo(estimate["difference"].value, signed=True)] if shown.perceived else []
        cells += _through_cell(shown, name)
        rows.append(cells)
    value, low, high = (elo(end, signed=True) for end in found.differences)
    how = "resampled games" if found.resampled else "moves: too few games to resample"
    notes = [
        f"Expectation of {names[0]}: {found.expectation:.3f} ({found.low:.3f} to {found.high:.3f}); "
        f"95% interval from {how}.",
        scale_note(shown),
    ]
    if shown.perceived:
        notes.append(f"Perceived difference {value} ({low} to {high}): {PERCEIVED}.")
    notes += engine_note(shown)
    return Table(f"{names[0]} against {names[1]}", columns, rows, note="\n".join(notes))
