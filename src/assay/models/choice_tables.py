"""The paper's tables from any games: mileposts, and ratings by player, period or time control.

Regan and Haworth 2011, sections 5 and 7: games in which both players are near a century of the Elo scale are
one milepost. Fit s and c of each; draw a straight line through the c by Elo; with c on that line fit s alone.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from assay.domain.decisions import Decisions
from assay.domain.rating import Rating
from assay.errors import FitError, InputError
from assay.models.base import recipe_of
from assay.models.choice import ChoiceModel
from assay.models.choice_projections import Projections, project
from assay.models.elo_mapping import ScalarMapping
from assay.models.percentile import ChoiceFit

Floats = npt.NDArray[np.float64]

FEWEST_DECISIONS = 200
"""Mileposts with fewer decisions than this are left out."""


@dataclass(frozen=True)
class Milepost:
    """One row of the paper's table, with what it rests on."""

    elo: int
    games: int
    decisions: int
    s: float
    c: float
    c_fit: float
    s_fit: float
    projections: Projections

    def as_row(self) -> dict[str, Any]:
        """Plain columns, named as the paper's: shares as percentages."""
        row = {
            name: getattr(self, name) for name in ("elo", "games", "decisions", "s", "c", "c_fit", "s_fit")
        }
        mm, ad = self.projections.mm, self.projections.ad
        row |= {"mm_projected": 100 * mm.projected, "mm_actual": 100 * mm.actual}
        row |= {"ad_projected": ad.projected, "ad_actual": ad.actual, "q_fit": self.projections.q_fit.actual}
        return row | {"mm_variance_ratio": mm.ratio, "ad_variance_ratio": ad.ratio}


def near_milepost(decisions: Decisions, width: int = 20) -> Floats:
    """The century that both players' ratings are within `width` of; NaN where there is none.

    An opponent without a rating is not asked for.
    """
    own, other = decisions.numbers("player_elo"), decisions.numbers("opponent_elo")
    century = np.round(own / 100) * 100
    near = np.abs(own - century) <= width
    near &= np.isnan(other) | (np.abs(other - century) <= width)
    return np.where(near, century, np.nan)


def split_by_milepost(
    model: ChoiceModel, decisions: Decisions, width: int = 20, fewest: int = FEWEST_DECISIONS
) -> dict[int, Decisions]:
    """Decisions that pass the rules by milepost, those with enough of them, strongest first."""
    kept, _ = model.select(decisions)
    century = near_milepost(kept, width)
    counts = dict(zip(*np.unique(century[~np.isnan(century)], return_counts=True), strict=True))
    wanted = sorted((int(elo) for elo, count in counts.items() if count >= fewest), reverse=True)
    if len(wanted) < 2:
        raise InputError(
            f"mileposts need at least {fewest} decisions near each of two centuries of rating: "
            "give games whose players have ratings, or widen the mileposts"
        )
    return {elo: kept.take(np.flatnonzero(century == elo)) for elo in wanted}


def consistency_line(elos: Sequence[int], c: Sequence[float], weights: Sequence[float]) -> Floats:
    """Slope and value at zero of the straight line through c by Elo."""
    return np.asarray(np.polyfit(elos, c, 1, w=np.sqrt(np.asarray(weights, dtype=np.float64))))


def milepost_table(
    model: ChoiceModel,
    decisions: Decisions,
    *,
    width: int = 20,
    fewest: int = FEWEST_DECISIONS,
    line: Floats | None = None,
) -> list[Milepost]:
    """The paper's table, strongest first; `line` takes the c of another period's mileposts."""
    parts = split_by_milepost(model, decisions, width, fewest)
    free = {elo: _fit_milepost(model, elo, part) for elo, part in parts.items()}
    if line is None:
        line = consistency_line(
            list(free), [fit.c for fit in free.values()], [fit.decisions for fit in free.values()]
        )
    rows = []
    for elo, part in parts.items():
        c_fit = float(np.polyval(line, elo))
        s_fit = _fit_milepost(model, elo, part, c_fit).s
        rows.append(
            Milepost(
                elo,
                len(part.games),
                len(part),
                free[elo].s,
                free[elo].c,
                c_fit,
                s_fit,
                projections_of(model, part, s_fit, c_fit),
            )
        )
    return rows


def _fit_milepost(model: ChoiceModel, elo: int, part: Decisions, c: float | None = None) -> ChoiceFit:
    """The fit of one milepost. The line goes through all of them: one that fails is named, not dropped."""
    try:
        return model.fit(part, c=c)
    except FitError as error:
        raise FitError(f"milepost {elo}: {error}") from error


def projections_of(model: ChoiceModel, decisions: Decisions, s: float, c: float) -> Projections:
    """Projections of an agent on the decisions that pass the rules, beside what was played."""
    kept, _ = model.select(decisions)
    if not len(kept):
        raise InputError(f"no decisions pass the rules of {model.name}: check the selection")
    spreads = model.summaries(kept).spreads
    return project(spreads, kept.codes("game_id"), s, c, curve=model.curve, conversion=model.conversion)


def milepost_tables(
    model: ChoiceModel, decisions: Decisions, periods: Sequence[tuple[int, int]], **options: Any
) -> dict[str, list[Milepost]]:
    """One table for each period of years; c lies on the line of the first period, as in the paper."""
    tables: dict[str, list[Milepost]] = {}
    line: Floats | None = None
    for first, last in periods:
        part = decisions.select(year=range(first, last + 1))
        rows = milepost_table(model, part, line=line, **options)
        if line is None:
            line = np.asarray(np.polyfit([row.elo for row in rows], [row.c_fit for row in rows], 1))
        tables[f"{first}-{last}"] = rows
    return tables


def calibrated(model: ChoiceModel, decisions: Decisions, width: int = 20) -> ChoiceModel:
    """The model with an Elo mapping from the mileposts of these decisions."""
    recipe = recipe_of(decisions)
    parts = split_by_milepost(model, decisions, width)
    profiles = [(float(elo), model.profile(part)) for elo, part in parts.items()]
    mapping = ScalarMapping.fit(model, recipe, "strength", profiles)
    return model.with_mapping(mapping)


@dataclass(frozen=True)
class GroupRating:
    """The intrinsic rating of one player, period or time control beside the published one."""

    group: str
    rating: Rating
    s: float
    c: float
    published: float
    """Mean reference rating over the decisions; NaN where there is none."""

    @property
    def difference(self) -> float:
        """Intrinsic minus published: falls from period to period where the published scale inflates."""
        return self.rating.elo - self.published

    def as_row(self) -> dict[str, Any]:
        """Plain columns."""
        rating = asdict(self.rating)
        row = {"group": self.group, "games": int(rating["games"]), "decisions": int(rating["decisions"])}
        row |= {"s": self.s, "c": self.c, "elo": rating["elo"], "low": rating["low"], "high": rating["high"]}
        known = not np.isnan(self.published)
        return row | {
            "published": self.published if known else None,
            "difference": self.difference if known else None,
        }


def rate_groups(
    model: ChoiceModel, decisions: Decisions, labels: Sequence[str | None], fewest: int = FEWEST_DECISIONS
) -> tuple[list[GroupRating], dict[str, str]]:
    """Ratings of the groups that the labels make, and why each of the other groups has none.

    A group has no rating with too few decisions, or where its fit does not settle.
    """
    names = sorted({label for label in labels if label is not None})
    place = np.array([-1 if label is None else names.index(label) for label in labels])
    found: list[GroupRating] = []
    left_out: dict[str, str] = {}
    for code, name in enumerate(names):
        kept, _ = model.select(decisions.take(np.flatnonzero(place == code)))
        if len(kept) < fewest:
            left_out[name] = f"fewer than {fewest} decisions"
            continue
        try:
            found.append(_rate_group(model, name, kept))
        except FitError as error:
            left_out[name] = str(error)
    return found, left_out


def _rate_group(model: ChoiceModel, name: str, kept: Decisions) -> GroupRating:
    estimate = model.resampled(model.profiles_by(kept))
    published = kept.numbers("player_elo")
    known = published[~np.isnan(published)]
    mean = float(known.mean()) if len(known) else float("nan")
    rating = model.rate_estimate(estimate)
    return GroupRating(name, rating, estimate["s"].value, estimate["c"].value, mean)


def period_labels(decisions: Decisions, periods: Sequence[tuple[int, int]]) -> list[str | None]:
    """The period of each decision; None outside all of them or without a year."""
    years = decisions.numbers("year")
    labels: list[str | None] = [None] * len(decisions)
    for first, last in periods:
        for row in np.flatnonzero((years >= first) & (years <= last)):
            labels[row] = f"{first}-{last}"
    return labels
