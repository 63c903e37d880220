"""Cross-tables and comparisons, for programs and for people."""

import math
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from assay.models.comparison import Comparison
    from assay.models.crosstable import CrossTable

WIDEST = 12
"""With more players than this the cells of a cross-table do not fit on a page."""

# For programs ------------------------------------------------------------------------------------------


def number(value: float, digits: int = 4) -> float | None:
    """A number for JSON, which has no infinities: null for them, as for what is unknown."""
    return round(float(value), digits) + 0.0 if math.isfinite(value) else None


def cells_for_programs(table: "CrossTable") -> list[dict[str, Any]]:
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
            "difference": number(differences[row, column], 1),
        }
        for row, player in enumerate(table.players)
        for column, opponent in enumerate(table.players)
        if not math.isnan(table.expectations[row, column])
    ]


def table_for_programs(table: "CrossTable") -> dict[str, Any]:
    """A cross-table as JSON has it."""
    from assay.models.gain_distribution import rating_difference

    by_elo, by_estimate = table.engine_strength()
    to_engine = rating_difference(table.against_engine)
    cells = cells_for_programs(table)
    players = [
        {
            "player": player,
            "elo": number(table.elos[row], 1),
            "points": number(table.total_results[row]),
            "expected_points": number(table.total_expectations[row]),
            "strength": number(table.perceived.ratings[row], 1),
            "low": number(table.low[row], 1),
            "high": number(table.high[row], 1),
            "change": number(table.changes[row], 1),
            "group": int(table.perceived.group[row]),
            "against_engine": {
                "expectation": number(table.against_engine[row]),
                "difference": number(to_engine[row], 1),
            },
            "opponents": [
                {key: cell[key] for key in ("opponent", "games", "points", "expectation", "difference")}
                for cell in cells
                if cell["player"] == player
            ],
        }
        for row, player in enumerate(table.players)
    ]
    return {
        "event": table.title,
        "by": table.by,
        "players": players,
        "groups": [{"anchor": number(anchor, 1)} for anchor in table.perceived.anchors],
        "engine_strength": {"by_elo": number(by_elo, 1), "by_estimate": number(by_estimate, 1)},
        "notes": list(table.notes),
    }


def comparison_for_programs(names: tuple[str, str], found: "Comparison") -> dict[str, Any]:
    """A comparison as JSON has it."""
    value, low, high = found.differences
    return {
        "players": [
            {
                "player": name,
                "games": number(estimate.games),
                "decisions": number(estimate.decisions),
                "mean_gain": number(estimate["mean_gain"].value),
                "against_engine": {
                    "expectation": number(estimate["expectation"].value),
                    "difference": number(estimate["difference"].value, 1),
                },
            }
            for name, estimate in zip(names, found.estimates, strict=True)
        ],
        "expectation": {
            "value": number(found.expectation),
            "low": number(found.low),
            "high": number(found.high),
        },
        "difference": {"value": number(value, 1), "low": number(low, 1), "high": number(high, 1)},
        "resampled": found.resampled,
    }


def comparison_rows(names: tuple[str, str], found: "Comparison") -> list[dict[str, Any]]:
    """One row for each of the two, with what is to be expected against the other."""
    differences = [number(one, 1) for one in found.differences]
    expectations = [number(one) for one in (found.expectation, found.low, found.high)]
    seen = (
        [*expectations, *differences],
        [None if one is None else round(1 - one, 4) for one in _turned(expectations)]
        + [None if one is None else 0.0 - one for one in _turned(differences)],
    )
    columns = ("expectation", "low", "high", "difference", "difference_low", "difference_high")
    rows = []
    for player, ends in zip(comparison_for_programs(names, found)["players"], seen, strict=True):
        engine = {f"engine_{name}": value for name, value in player.pop("against_engine").items()}
        rows.append({**player, **engine, **dict(zip(columns, ends, strict=True))})
    return rows


def _turned(ends: list[float | None]) -> list[float | None]:
    """Value, low and high as the other side sees them: its low end is our high one."""
    return [ends[0], ends[2], ends[1]]


# For people --------------------------------------------------------------------------------------------


def points(value: float) -> str:
    """Points as chess players write them: 5½; a dash where they are unknown."""
    if math.isnan(value):
        return "–"
    whole, half = divmod(round(2 * value), 2)
    return ("½" if half and not whole else f"{whole}½") if half else str(whole)


def elo(value: float, *, signed: bool = False) -> str:
    """A rating or a rating difference in whole points; infinities and unknown ones too."""
    if math.isnan(value):
        return ""
    if math.isinf(value):
        return "-∞" if value < 0 else "+∞" if signed else "∞"
    return f"{value:+z.0f}" if signed else f"{value:z.0f}"


def print_cross_table(table: "CrossTable") -> None:
    """A cross-table like Table 1 of Ferreira 2012."""
    from assay.cli.output import print_table

    wide = len(table.players) <= WIDEST
    numbers = [str(place + 1) for place in range(len(table.players))] if wide else []
    columns = ("", "player", "Elo", *numbers, "points", "expected", "strength", "change", "95% interval")
    rows = []
    for row, player in enumerate(table.players):
        interval = "" if math.isnan(table.low[row]) else f"{elo(table.low[row])} to {elo(table.high[row])}"
        rows.append(
            (
                str(row + 1),
                player,
                elo(table.elos[row]),
                *([_cell(table, row, column) for column in range(len(table.players))] if wide else []),
                points(table.total_results[row]),
                f"{table.total_expectations[row]:.2f}",
                elo(table.perceived.ratings[row]),
                elo(table.changes[row], signed=True),
                interval,
            )
        )
    print_table(f"{table.title} (distributions by {table.by})", columns, rows, note=_notes(table, wide))


def _cell(table: "CrossTable", row: int, column: int) -> str:
    """Result, expectation and rating difference, one below the other, as in Table 1."""
    from assay.models.gain_distribution import rating_difference

    expectation = table.expectations[row, column]
    if math.isnan(expectation):
        return "–"
    played = int(table.games[row, column])
    result = f"({points(table.results[row, column])}{f'/{played}' if played > 1 else ''})" if played else ""
    return f"{result}\n{expectation:.2f}\n{elo(float(rating_difference(expectation)), signed=True)}"


def _notes(table: "CrossTable", wide: bool) -> str:
    by_elo, by_estimate = table.engine_strength()
    notes = list(table.notes)
    if wide:
        notes.insert(0, "In each cell: (result), expectation and rating difference by gain.")
    else:
        notes.append("Cells are left out of a table this wide: see --json or --csv.")
    if not math.isnan(by_elo):
        notes.append(f"Engine strength: {elo(by_elo)} by ratings, {elo(by_estimate)} by estimated strengths.")
    return "\n".join(notes)


def print_comparison(names: tuple[str, str], found: "Comparison") -> None:
    """Two players side by side, and the first against the second."""
    from assay.cli.output import print_table

    rows = [
        (
            name,
            round(estimate.games),
            round(estimate.decisions),
            f"{estimate['mean_gain'].value:+z.3f}",
            f"{estimate['expectation'].value:.3f}",
            elo(estimate["difference"].value, signed=True),
        )
        for name, estimate in zip(names, found.estimates, strict=True)
    ]
    value, low, high = (elo(end, signed=True) for end in found.differences)
    how = "resampled games" if found.resampled else "moves: too few games to resample"
    print_table(
        f"{names[0]} against {names[1]}",
        ("player", "games", "decisions", "mean gain", "against engine", "difference"),
        rows,
        note=f"Expectation of {names[0]}: {found.expectation:.3f} ({found.low:.3f} to {found.high:.3f}), "
        f"rating difference {value} ({low} to {high}); 95% interval from {how}.",
    )
