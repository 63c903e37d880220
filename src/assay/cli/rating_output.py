"""Ratings for people and for programs."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from assay.domain.rating import PlayerRating, Rating, Ratings

COLUMNS = (
    "player",
    "part",
    "about",
    "games",
    "decisions",
    "wins",
    "draws",
    "losses",
    "reference",
    "method",
    "elo",
    "low",
    "high",
)
"""Of the CSV: one row for each player and method."""


def for_programs(ratings: Ratings) -> dict[str, Any]:
    """The JSON document of `assay rate`."""
    return {
        "engine": ratings.engine,
        "recipe": ratings.recipe,
        "recipe_id": ratings.recipe_id,
        "by": ratings.by,
        "calibrated": ratings.calibrated,
        "players": [_player(one) for one in ratings.players],
        "too_few_decisions": dict(ratings.too_few),
        "notes": list(ratings.notes),
    }


def _player(one: PlayerRating) -> dict[str, Any]:
    return {
        "player": one.player,
        "part": one.group,
        "about": one.about,
        "games": one.games,
        "decisions": one.decisions,
        "wins": one.record.wins,
        "draws": one.record.draws,
        "losses": one.record.losses,
        "reference": _number(one.reference),
        "ratings": {method: _rating(rating) for method, rating in one.ratings.items()},
        "combined": _rating(one.combined),
    }


def _rating(rating: Rating) -> dict[str, float | None]:
    return {name: _number(getattr(rating, name)) for name in ("elo", "low", "high")}


def _number(value: float) -> float | None:
    return round(value, 1) if math.isfinite(value) else None


def csv_rows(ratings: Ratings) -> list[dict[str, Any]]:
    """One row for each player and method."""
    rows = []
    for one in ratings.players:
        plain = _player(one)
        by_method = {**plain.pop("ratings"), "combined": plain.pop("combined")}
        rows += [{**plain, "method": method, **rating} for method, rating in by_method.items()]
    return rows


def print_ratings(ratings: Ratings) -> None:
    """The tables of `assay rate`."""
    from assay.cli.output import print_table

    referenced = any(math.isfinite(one.reference) for one in ratings.players)
    columns = ["player", "games", "decisions", "result", *(["Elo"] if referenced else []), "rating", "95%"]
    rows = []
    for one in ratings.players:
        row: list[object] = [one.title, one.games, one.decisions, str(one.record)]
        if referenced:
            row.append(_whole(one.reference))
        rows.append([*row, _whole(one.combined.elo, ratings), _interval(one.combined, ratings)])
    scale = "on the Elo scale" if ratings.calibrated else "relative to the players here"
    print_table(f"Ratings {scale}: {ratings.recipe} with {ratings.engine}", columns, rows)
    methods = ratings.methods
    if len(methods) > 1:
        cells = [[one.title, *(_cell(one, method, ratings) for method in methods)] for one in ratings.players]
        print_table("By method", ["player", *methods], cells, _note(ratings))
    else:
        print_table("", [], [], _note(ratings))


def _note(ratings: Ratings) -> str:
    what = "all methods together" if len(ratings.methods) > 1 else ", ".join(ratings.methods)
    lines = [
        f"rating: {what}, with its 95% interval; Elo: mean reference rating in these games; "
        "decisions: those after turn 8."
    ]
    if ratings.too_few:
        shown = [f"{title} ({n})" for title, n in list(ratings.too_few.items())[:5]]
        more = f" and {len(ratings.too_few) - 5:,} more" if len(ratings.too_few) > 5 else ""
        lines.append(f"Not rated, too few decisions (--min-decisions): {', '.join(shown)}{more}.")
    return "\n".join([*lines, *ratings.notes])


def _cell(one: PlayerRating, method: str, ratings: Ratings) -> str:
    rating = one.ratings.get(method)
    if rating is None:
        return "-"
    return f"{_whole(rating.elo, ratings)} {_interval(rating, ratings)}"


def _whole(value: float, ratings: Ratings | None = None) -> object:
    if not math.isfinite(value):
        return ""
    return f"{value:+z.0f}" if ratings is not None and _are_distances(ratings) else f"{value:z.0f}"


def _interval(rating: Rating, ratings: Ratings) -> str:
    if not (math.isfinite(rating.low) and math.isfinite(rating.high)):
        return "(no interval)"
    low, high = _whole(rating.low, ratings), _whole(rating.high, ratings)
    return f"({low} to {high})"


def _are_distances(ratings: Ratings) -> bool:
    """Whether ratings are distances to the mean of the pool: not calibrated, and nothing to anchor on."""
    return not ratings.anchored
