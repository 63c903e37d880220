"""Ratings for people and for programs."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from assay.cli.answers.base import Row, Table
from assay.cli.answers.numbers import number
from assay.decisions.exclusions import MEANINGS
from assay.rating.percentiles import SHARES

if TYPE_CHECKING:
    from assay.answers.ratings import Measure, PlayerRating, Rating, Ratings
    from assay.insights.standing import Standing, Standings
    from assay.rating.percentiles import Percentile

MOST_STANDINGS = 3
"""Of more players their ratings alone are shown to people; programs get all."""


@dataclass(frozen=True)
class RatingsAnswer:
    """The answer of `assay rate`."""

    ratings: Ratings
    standings: Sequence[Standings] = ()
    """The players among others, where that was asked for."""
    remarks: Sequence[str] = ()
    exit_code: int = 0

    def document(self) -> dict[str, Any]:
        """The whole answer as JSON has it."""
        ratings = self.ratings
        among = {one.player: one for one in self.standings}
        return {
            "engine": ratings.engine,
            "recipe": ratings.recipe,
            "recipe_id": ratings.recipe_id,
            "by": ratings.by,
            "calibrated": ratings.calibrated,
            "scale": ratings.scale,
            "calibration": ratings.calibration,
            "prior": ratings.prior,
            "order": ratings.order,
            "players": [
                {**_player(one), "percentiles": percentiles_for_programs(among.get(one.player))}
                for one in ratings.players
            ],
            "too_few_decisions": dict(ratings.too_few),
            "left_out": dict(ratings.left_out),
            "notes": list(ratings.notes),
        }

    def rows(self) -> list[Row]:
        """One row for each player and method: with a rating on a scale, with a measure without one."""
        rows: list[Row] = []
        for one in self.ratings.players:
            plain = _player(one)
            ratings, measures = plain.pop("ratings"), plain.pop("measures")
            if (combined := plain.pop("combined")) is not None:
                ratings["combined"] = combined
            prior = self.ratings.prior.split()[0].rstrip(":") if self.ratings.prior else None
            rows += [
                {**plain, "method": method, **rating, "prior": prior} for method, rating in ratings.items()
            ]
            rows += [
                {**plain, "method": method, "measure": measure.pop("name"), **measure}
                for method, measure in measures.items()
            ]
        return rows

    def tables(self) -> Iterable[Table]:
        """On a scale all methods together, then each by itself; without one the order and the measures."""
        ratings = self.ratings
        made = f"{ratings.recipe} with {ratings.engine}"
        referenced = any(math.isfinite(one.reference) for one in ratings.players)
        columns = ["player", "games", "decisions", "result", *([_published(ratings)] if referenced else [])]
        heads = [_head(one, referenced) for one in ratings.players]
        by_method = Table(
            "By method",
            ["player", *ratings.methods],
            [[one.title, *(_cell(one, name) for name in ratings.methods)] for one in ratings.players],
            _note(ratings),
        )
        if not ratings.calibrated:
            places = [[place, *head] for place, head in enumerate(heads, 1)]
            yield Table(f"Order by the moves played, no ratings: {made}", ["", *columns], places)
            yield replace(by_method, title="What each method measures, in its own unit")
            return
        alone = len(ratings.methods) < 2
        rows = [[*head, with_ends(one.combined)] for head, one in zip(heads, ratings.players, strict=True)]
        title = f"Ratings, {ratings.scale}: {made}"
        yield Table(title, [*columns, "rating (95%)"], rows, _note(ratings) if alone else "")
        if not alone:
            yield by_method
        if 0 < len(self.standings) <= MOST_STANDINGS:
            yield standings_table(self.standings)


def standings_table(found: Sequence[Standings]) -> Table:
    """Each measure with the share of others that it is better than."""
    rows: list[list[object]] = []
    for one in found:
        own: list[list[object]] = []
        if one.rating is not None:
            own.append(["rating", _whole(one.elo), _share(one.rating.share)])
        own += [[part.words, part.shown, _standing(part)] for part in one.measures]
        rows += [[one.player if place == 0 else "", *cells] for place, cells in enumerate(own)]
    notes = [
        *dict.fromkeys(
            f"Rating: among {one.rating.players:,} {one.rating.words}." for one in found if one.rating
        ),
        *(f"{one.player}, other measures: among {one.among}." for one in found if one.among),
    ]
    if any(math.isfinite(part.low) for one in found for part in one.measures):
        notes.append(
            "Each game is ranked among those games, and the mean of the ranks is shown: 50% is what such "
            "players have."
        )
    return Table("Among others", ["player", "measure", "", "better than (95%)"], rows, "\n".join(notes))


def _standing(part: Standing) -> str:
    share = _share(part.percentile.share)
    return share if math.isnan(part.low) else f"{share} ({100 * part.low:.0f} to {100 * part.high:.0f})"


def _share(share: float) -> str:
    """A share of a population, no nearer to nothing or all than its table tells."""
    if share >= SHARES[-1]:
        return f"{SHARES[-1]:.0%} or more"
    return f"{SHARES[0]:.0%} or fewer" if share <= SHARES[0] else f"{share:.0%}"


def percentiles_for_programs(one: Standings | None) -> dict[str, Any] | None:
    """Where a player stands, as JSON has it; None where that was not asked for."""
    if one is None:
        return None
    found: dict[str, Any] = {}
    if one.rating is not None:
        found["rating"] = {"value": number(one.elo, 1), **_percentile(one.rating)}
    for part in one.measures:
        ends = {name: number(getattr(part, name), 3) for name in ("low", "high")}
        found[part.measure] = {"value": number(part.value), **_percentile(part.percentile), **ends}
    return found


def _percentile(one: Percentile) -> dict[str, Any]:
    return {"better_than": number(one.share, 3), "of": one.players, "who": one.words}


def left_out_line(left_out: Mapping[str, int]) -> str:
    """What was not rated and why, as one sentence; empty where nothing was left out."""
    if not left_out:
        return ""
    said = "; ".join(f"{n:,} {MEANINGS.get(reason, reason)} ({reason})" for reason, n in left_out.items())
    return f"Games left out: {said}."


def _head(one: PlayerRating, referenced: bool) -> list[object]:
    cells: list[object] = [one.title, one.games, one.decisions, str(one.record)]
    return [*cells, _whole(one.reference)] if referenced else cells


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
        "reference": number(one.reference, 1),
        "ratings": {method: rating_for_programs(rating) for method, rating in one.ratings.items()},
        "combined": None if one.combined is None else rating_for_programs(one.combined),
        "measures": {method: measure_for_programs(found) for method, found in one.measures.items()},
    }


def rating_for_programs(rating: Rating) -> dict[str, float | None]:
    """A rating as JSON has it."""
    return {name: number(getattr(rating, name), 1) for name in ("elo", "low", "high")}


def measure_for_programs(found: Measure) -> dict[str, Any]:
    """A measure as JSON has it."""
    ends = {name: number(getattr(found, name)) for name in ("value", "low", "high")}
    return {**ends, "name": found.name}


def _note(ratings: Ratings) -> str:
    lines = [_legend(ratings)]
    if ratings.too_few:
        shown = [f"{title} ({n})" for title, n in list(ratings.too_few.items())[:5]]
        more = f" and {len(ratings.too_few) - 5:,} more" if len(ratings.too_few) > 5 else ""
        lines.append(f"Not rated, too few decisions (--min-decisions): {', '.join(shown)}{more}.")
    if left_out := left_out_line(ratings.left_out):
        lines.append(left_out)
    return "\n".join([*lines, *ratings.notes])


def _legend(ratings: Ratings) -> str:
    """What the columns are; those that are there."""
    parts = ["decisions: moves after turn 8 that could be used"]
    if any(math.isfinite(one.reference) for one in ratings.players):
        parts.insert(0, f"{_published(ratings)}: the published rating, on average over these games")
    if ratings.calibrated:
        what = "all methods together" if len(ratings.methods) > 1 else ", ".join(ratings.methods)
        by = "moves and the results" if "results" in ratings.methods else "moves"
        first = f"rating: by the {by} ({what}), with its 95% interval; prior: {ratings.prior}"
        return "; ".join([first, *parts]) + "."
    named = {found.method: found for one in ratings.players for found in one.measures.values()}
    units = [
        f"{method}: {found.name} ({'more' if found.rises else 'less'} is better)"
        for method, found in sorted(named.items())
    ]
    return f"Order: by {ratings.order}; 95% intervals from games left out in turn. " + (
        "; ".join([*units, *parts]) + "."
    )


def _published(ratings: Ratings) -> str:
    """What the column of published ratings is called: a server's are no Elo."""
    return "Elo" if ratings.unit == "Elo" else "published"


def _cell(one: PlayerRating, method: str) -> str:
    if (rating := one.ratings.get(method)) is not None:
        return with_ends(rating)
    if (found := one.measures.get(method)) is not None:
        ends = f" ({found.low:.3g} to {found.high:.3g})" if math.isfinite(found.low) else ""
        return f"{found.value:.3g}{ends}"
    return "-"


def with_ends(rating: Rating | None) -> str:
    """A rating and its interval, short enough for three methods side by side in 80 columns."""
    if rating is None:
        return ""
    ends = rating.low, rating.high
    if not all(map(math.isfinite, ends)):
        return f"{_whole(rating.elo)} (no interval)"
    return f"{_whole(rating.elo)} ({_whole(ends[0])}-{_whole(ends[1])})"


def _whole(value: float) -> object:
    return f"{value:z.0f}" if math.isfinite(value) else ""
