"""Has the rating scale inflated? Players of one Elo in several periods of years (Regan and Haworth 2011).

The paper fits the mileposts of 1976-1979, 1991-1994 and 2006-2009 apart and finds nearly the same s for the
same Elo, c being held on one line. Here likewise; but each milepost of a period is rated through those of
all other years, so that nothing is compared with itself. What is left is the rating by moves less the
published one: if ratings inflate, players of one published Elo play ever weaker, and this falls.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from importlib.resources import files

import numpy as np

from assay.decisions.arrays import Floats
from assay.decisions.decisions import Decisions
from assay.models.choice.model import ChoiceModel
from assay.models.elo_mapping import Z95
from assay.models.intervals import student
from assay.models.mileposts import split_by_milepost
from research.markdown import PLAIN, RIGHT, render, table

PAPER = ((1976, 1979), (1991, 1994), (2006, 2009))
"""The three periods of the paper."""

PERIODS = ((1976, 1979), (1980, 1990), (1991, 1994), (1995, 2005), (2006, 2009), (2010, 2014), (2015, 2022))

FEWEST = 200
"""Fewer turns of a milepost in a period are not rated."""

GROUPS = 5
"""Groups of games that are left out in turn to find a deviation."""


@dataclass(frozen=True)
class Milepost:
    """A milepost in a period: rating by moves less the published one."""

    elo: int
    decisions: int
    games: int
    difference: float
    deviation: float


@dataclass(frozen=True)
class Period:
    """Some years: what their mileposts say together."""

    years: tuple[int, int]
    decisions: int
    """All that there are of these years, rated or not."""
    mileposts: tuple[Milepost, ...]

    @property
    def middle(self) -> float:
        """The middle of the years."""
        return sum(self.years) / 2

    @property
    def stands_out(self) -> bool:
        """Whether the interval does not hold zero."""
        mean, deviation = self.difference()
        return bool(abs(mean) > Z95 * deviation)

    def difference(self) -> tuple[float, float]:
        """Rating by moves less the published one over the mileposts, and its deviation; NaN without any."""
        if not self.mileposts:
            return math.nan, math.nan
        turns = np.array([one.decisions for one in self.mileposts], dtype=np.float64)
        share, own = turns / turns.sum(), np.array([one.difference for one in self.mileposts])
        mean, n = float(share @ own), len(own)
        within = float(np.sum(np.square(share * [one.deviation for one in self.mileposts])))
        # Mileposts that scatter more than their games say make the mean as uncertain as they scatter.
        between = float(np.sum(np.square(share * (own - mean)))) * n / (n - 1) if n > 1 else 0.0
        # Few groups of games know their own deviation poorly: as wide as Student's interval.
        poorly = student(n * (GROUPS - 1) + 1) / Z95
        return mean, float(np.sqrt(max(within, between)) * poorly)


@dataclass(frozen=True, eq=False)
class Scale:
    """s by Elo, c held on a straight line (section 7): the paper's s_fit and c_fit."""

    c_line: Floats
    s_line: Floats
    """Slope and base of log s by Elo."""

    @classmethod
    def of(cls, model: ChoiceModel, mileposts: Mapping[int, Decisions]) -> Scale:
        """The scale from the mileposts of some games."""
        elos = np.array([float(np.nanmean(part.numbers("player_elo"))) for part in mileposts.values()])
        fits = [model.fit(part) for part in mileposts.values()]
        c_line = np.polyfit(elos, [fit.c for fit in fits], 1)
        held = [
            model.fit(part, c=float(np.polyval(c_line, elo))).s
            for elo, part in zip(elos, mileposts.values(), strict=True)
        ]
        return cls(c_line, np.polyfit(elos, np.log(held), 1))

    def difference(self, model: ChoiceModel, part: Decisions) -> float:
        """Rating by moves of some players of about one Elo less their published one."""
        elo = float(np.nanmean(part.numbers("player_elo")))
        s = model.fit(part, c=float(np.polyval(self.c_line, elo))).s
        return float((np.log(s) - self.s_line[1]) / self.s_line[0] - elo)


def period(decisions: Decisions, years: tuple[int, int], model: ChoiceModel | None = None) -> Period:
    """The mileposts of some years, rated through those of all others."""
    choice = model or ChoiceModel()
    kept, _ = choice.select(decisions)
    known = kept.numbers("year")
    inside = (known >= years[0]) & (known <= years[1])
    own = kept.take(np.flatnonzero(inside))
    if not len(own):
        return Period(years, 0, ())
    parts = {
        elo: part
        for elo, part in split_by_milepost(own).items()
        if len(part) >= FEWEST and len(part.games) >= GROUPS
    }
    if not parts:
        return Period(years, len(own), ())
    scale = Scale.of(choice, split_by_milepost(kept.take(np.flatnonzero(~inside))))
    found = []
    for elo, part in sorted(parts.items()):
        whole = scale.difference(choice, part)
        without = np.array([scale.difference(choice, rest) for rest in _without_groups(part)])
        deviation = float(np.sqrt((GROUPS - 1) * np.var(without)))
        found.append(Milepost(elo, len(part), len(part.games), whole, deviation))
    return Period(years, len(own), tuple(found))


def _without_groups(decisions: Decisions) -> Iterator[Decisions]:
    """The decisions without one of several groups of games, for each group: the jackknife."""
    games = decisions.codes("game_id")
    _, place = np.unique(games, return_inverse=True)
    for group in range(GROUPS):
        yield decisions.take(np.flatnonzero(place % GROUPS != group))


def trend(periods: Sequence[Period]) -> tuple[float, float]:
    """Change of the difference in points a decade over the periods, and its deviation."""
    known = [(one.middle, *one.difference()) for one in periods if one.mileposts]
    if len(known) < 2:
        return math.nan, math.nan
    year, difference, deviation = np.array(known).T
    weights = deviation**-2.0
    centred = year - np.average(year, weights=weights)
    slope = np.sum(weights * centred * difference) / np.sum(weights * centred**2)
    return float(10 * slope), float(10 / np.sqrt(np.sum(weights * centred**2)))


def rows(periods: Sequence[Period]) -> str:
    """One line for each period, with its interval."""
    lines = []
    for one in periods:
        mean, deviation = one.difference()
        of_paper = "yes" if one.years in PAPER else ""
        said = "too few to rate" if math.isnan(mean) else interval(mean, deviation)
        used = ", ".join(str(milepost.elo) for milepost in one.mileposts)
        lines.append((f"{one.years[0]}-{one.years[1]}", of_paper, f"{one.decisions:,}", used, said))
    heads = ("years", "in the paper", "turns", "mileposts rated", "rating by moves less published")
    return table(heads, lines, (PLAIN, PLAIN, RIGHT, PLAIN, RIGHT))


def interval(mean: float, deviation: float) -> str:
    """A number with its 95% interval."""
    return f"{mean:+.0f} ({mean - Z95 * deviation:+.0f} to {mean + Z95 * deviation:+.0f})"


def page(decisions: Decisions) -> str:
    """The page, from decisions of rated players of many years."""
    found = [period(decisions, years) for years in PERIODS]
    both = {one.years: one for one in found}
    early, late = both[PAPER[1]].difference(), both[PAPER[2]].difference()
    change = late[0] - early[0]
    context = {
        "games": len(decisions.games),
        "rows": rows(found),
        "trend": interval(*trend(found)),
        "between": "" if math.isnan(change) else interval(change, math.hypot(early[1], late[1])),
        "apart": ", ".join(f"{one.years[0]}-{one.years[1]}" for one in found if one.stands_out) or "none",
        "rated": sum(bool(one.mileposts) for one in found),
        "fewest": FEWEST,
        "groups": GROUPS,
    }
    return render(files(__package__) / "choice-periods.md.jinja", context)
