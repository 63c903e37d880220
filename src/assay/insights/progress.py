"""Progress: a player's rating by month or by so many games, and its trend with an interval."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import date

import numpy as np

from assay.answers.insights import FEWEST_PERIODS, Period, Progress, Trend
from assay.decisions.arrays import Floats, Ints
from assay.decisions.decisions import Decisions
from assay.errors import InputError
from assay.models.appearances import Appearances
from assay.models.elo_mapping import Z95
from assay.rating.calibration import Calibration
from assay.rating.evidence import APART, Evidence
from assay.rating.group_ratings import COMBINED, Rater, rate_raw, reading
from assay.rating.posterior import Prior
from assay.rating.priors import usual_prior
from assay.rating.scale import scale_of

LEAST_DECISIONS = 10

SHORTEST = 0.25
"""Years: over less, a change for each year would be a guess."""


def in_years(day: str) -> float:
    """A date, `2011-05-21` or `2011-05`, in years; the middle of the month where the day is not known."""
    parts = [int(part) if part.isdigit() else 0 for part in day.split("-")]
    year, month, rest = [*parts, 0, 0, 0][:3]
    try:
        exact = date(year, month or 7, rest or 15)
    except ValueError:
        exact = date(year, min(max(month, 1), 12), 15)
    start, end = date(year, 1, 1), date(year + 1, 1, 1) if year < 9999 else date(year, 12, 31)
    return year + (exact - start).days / (end - start).days


def trend_of(time: Floats, elo: Floats, deviation: Floats) -> Trend | None:
    """The line of least squares through ratings, each weighed by what is known of it.

    Where ratings stray from the line by more than their own intervals say, its interval is widened by that.
    """
    if len(time) < FEWEST_PERIODS or np.ptp(time) < SHORTEST:
        return None
    weight = 1 / np.square(deviation)
    centre = (weight * time).sum() / weight.sum()
    spread = (weight * np.square(time - centre)).sum()
    slope = (weight * (time - centre) * elo).sum() / spread
    mean = (weight * elo).sum() / weight.sum()
    left = elo - mean - slope * (time - centre)
    beyond = max(float((weight * np.square(left)).sum() / (len(time) - 2)), 1.0)
    reach = Z95 * np.sqrt(beyond / spread)
    low, high = float(slope - reach), float(slope + reach)
    return Trend(a_year=float(slope), low=low, high=high, time=float(centre), elo=float(mean))


def progress_of(
    decisions: Decisions,
    player: str,
    calibration: Calibration,
    dates: Mapping[str, str],
    *,
    prior: Prior | None = None,
    window: int | None = None,
) -> Progress:
    """The ratings of a player's months, or of so many games in a row, each game once.

    With the prior that the player's rating has (`PlayerRating.prior`): a single month has the same rating.
    """
    if window is not None and window < 1:
        raise InputError(f"a period has one game or more, not {window}")
    evidence = Evidence.of([decisions.select(player=player)], calibration.models_used, blocks=APART)
    appearances = evidence.appearances
    time, grouped = _periods(appearances, dates, window)
    if not grouped:
        raise InputError(f"no game of {player} has a date with its month: there is no progress to show")
    rater = Rater(evidence.sums(), calibration)
    grouped = [(name, rows) for name, rows in grouped if appearances.size[rows].sum() >= LEAST_DECISIONS]
    raw = rater.raw([rows for _, rows in grouped])
    ratings = rate_raw(calibration, raw, [prior or usual_prior(calibration)] * len(grouped), ())
    # A trend of ratings that are shrunk towards one prior would be too small: it is that of the moves alone.
    elo = np.array([rating[COMBINED].elo if COMBINED in rating else np.nan for rating in ratings])
    peak, deviation = reading(calibration, raw, calibration.by_moves, np.nan_to_num(elo, nan=2000.0))
    rated = np.flatnonzero(np.isfinite(elo))
    periods = [
        Period(
            name=grouped[place][0],
            time=float(time[grouped[place][1]].mean()),
            rating=ratings[place][COMBINED],
        )
        for place in rated
    ]
    times = np.array([period.time for period in periods])
    trend = trend_of(times, peak[rated], deviation[rated])
    return Progress(
        player=player,
        by="month" if window is None else f"{window} games",
        periods=tuple(periods),
        trend=trend,
        left_out=int(np.isnan(time).sum()),
        scale=scale_of(calibration),
    )


def _periods(
    appearances: Appearances, dates: Mapping[str, str], window: int | None
) -> tuple[Floats, Sequence[tuple[str, Ints]]]:
    """The time of each appearance, NaN where it is not known, and the periods in order."""
    days = [dates.get(game, "") for game in appearances.games()]
    days = [day if len(day) >= len("2011-05") and "?" not in day[:7] else "" for day in days]
    time = np.array([in_years(day) if day else np.nan for day in days])
    usable = np.flatnonzero(~np.isnan(time) & (appearances.size > 0))
    order = usable[np.argsort(time[usable], kind="stable")]
    if window is None:
        months: dict[str, list[int]] = {}
        for row in order.tolist():
            months.setdefault(days[row][:7], []).append(row)
        return time, [(month, np.array(rows)) for month, rows in months.items()]
    parts = [order[start : start + window] for start in range(0, len(order), window)]
    ends = [dict.fromkeys((days[rows[0]][:7], days[rows[-1]][:7])) for rows in parts]
    return time, [(" to ".join(months), rows) for months, rows in zip(ends, parts, strict=True)]
