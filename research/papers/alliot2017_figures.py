"""The paper's figures 1, 2, 3, 6, 13, 14 and 15 from our analysed games, as SVG.

`champions` are the years of the champions before their matches, `mileposts` games of players of known Elo
with both sides analysed. Figures 4, 5, 9, 11 and 12 are tables on the page of the paper, 7 and 8 are in
alliot2017_titles.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from assay.decisions.arrays import Floats
from assay.decisions.decisions import Decisions
from assay.figures.curves import Panel, Series, curves
from assay.models.complexity import rules as complexity_rules
from assay.models.conformance import LossKind, LossMeasure
from assay.models.markov import GROWING

SELECTED = ("Kasparov", "Karpov", "Fischer", "Anand")
"""Players with a curve of their own."""


def figure_1(champions: Decisions, mileposts: Decisions) -> str:
    """Share of positions by the depth reached, for two budgets of nodes."""
    series = []
    sets = (("60,000 nodes, champions", champions), ("150,000 nodes, mileposts", mileposts))
    for number, (name, decisions) in enumerate(sets):
        depth = decisions.filter(*complexity_rules()).numbers("depth").astype(np.int64)
        share = 100 * np.bincount(depth) / len(depth)
        low, high = int(np.quantile(depth, 0.002)), int(np.quantile(depth, 0.998))
        series.append(_line(name, range(low, high + 1), share[low : high + 1], number))
    panel = Panel(series, x_title="depth reached", y_title="% of positions", whole_x=True)
    return _svg("Figure 1: positions by the depth reached", [panel])


def figure_2(champions: Decisions) -> str:
    """Mean of losses above zero by the value of the position; to the right the part near zero."""
    usable = champions.filter(*LossMeasure().rules())
    panels = []
    for reach, classes in ((600, 20), (200, 16)):
        series = []
        for number, (name, decisions) in enumerate(_players_and_all(usable)):
            x, y = pooled_means(decisions, reach, classes)
            series.append(_line(name, x, y, number))
        panels.append(Panel(series, x_title="value of the position, pawns", y_title="mean loss, pawns"))
    return _svg("Figure 2: mean of losses above zero", panels)


def figure_3(champions: Decisions) -> str:
    """Number of moves by their loss in centipawns, without those that lose nothing, or two pawns or more."""
    series = []
    kinds: tuple[LossKind, ...] = ("raw", "guid_bratko")
    for number, kind in enumerate(kinds):
        measure = LossMeasure(kind)
        lost = measure.of(champions.filter(*measure.rules())).astype(np.int64)
        counts = np.bincount(lost, minlength=200)[1:200]
        name = "all" if kind == "raw" else "within two pawns (Guid and Bratko)"
        series.append(Series(name, list(range(1, 200)), counts.tolist(), number=number, marks=False))
    return _svg("Figure 3: moves by their loss", [Panel(series, x_title="loss, cp", y_title="moves")])


def figure_6(champions: Decisions, mileposts: Decisions) -> str:
    """White's conformance less Black's by the bound, and conformance at 30 by the value of the position."""
    bounds = np.arange(0.0, 201.0, 5.0)
    left, right = [], []
    for number, (name, decisions) in enumerate((("champions", champions), ("mileposts", mileposts))):
        usable = decisions.filter(*LossMeasure().rules())
        sides = [LossMeasure().of(usable.select(colour=colour)) for colour in ("white", "black")]
        share = [np.array([np.mean(lost <= bound) for bound in bounds]) for lost in sides]
        left.append(_line(name, bounds / 100, 100 * (share[0] - share[1]), number))
        within = LossMeasure().of(usable) <= 30
        edges = np.arange(-400, 401, 50)
        place = np.digitize(usable.best_value, edges)
        points = [
            ((edges[k - 1] + edges[k]) / 200, 100 * within[place == k].mean())
            for k in range(1, len(edges))
            if (place == k).sum() >= 50
        ]
        right.append(_line(name, [x for x, _ in points], [y for _, y in points], number))
    panels = [
        Panel(left, x_title="bound, pawns", y_title="White less Black, %"),
        Panel(right, x_title="value of the position, pawns", y_title="% of moves within 0.3"),
    ]
    return _svg("Figure 6: White and Black, and conformance by value", panels)


def figure_13(champions: Decisions) -> str:
    """Mean result by the highest value that a player reached in a game."""
    steps = np.arange(0, 401, 25)
    series = []
    for number, (name, decisions) in enumerate(_players_and_all(champions)):
        reached, result = highest_values(decisions)
        means = [float(result[reached >= step].mean()) for step in steps if (reached >= step).sum() >= 10]
        series.append(_line(name, steps[: len(means)] / 100, means, number))
    panel = Panel(series, x_title="a value of at least so many pawns was reached", y_title="mean result")
    return _svg("Figure 13: results by the highest value reached", [panel])


def highest_values(decisions: Decisions) -> tuple[Floats, Floats]:
    """The highest value of a position of each game, and the result of the game."""
    value, result, game = decisions.best_value, decisions.numbers("result"), decisions.codes("game_id")
    finite = ~np.isnan(value) & ~np.isnan(result)
    codes, place = np.unique(game[finite], return_inverse=True)
    highest, points = np.full(len(codes), -np.inf), np.zeros(len(codes))
    np.maximum.at(highest, place, value[finite])
    points[place] = result[finite]
    return highest, points


def figure_14(champions: Decisions) -> str:
    """Positions a player-year by their value in classes of ten centipawns, the outermost open."""
    value = np.clip(champions.filter(*LossMeasure().rules()).best_value, -205, 205)
    counts = np.bincount(((value + 210) // 10).astype(np.int64), minlength=42) / player_years(champions)
    middles = (np.arange(len(counts)) * 10 - 205) / 100
    series = [Series("champions", middles.tolist(), counts.tolist(), to_zero=True, marks=False)]
    return _svg(
        "Figure 14: positions a year by value",
        [Panel(series, x_title="value of the position, pawns", y_title="positions")],
    )


def figure_15(champions: Decisions) -> str:
    """The same in the growing classes of the Markov method."""
    usable = champions.filter(*LossMeasure().rules())
    counts = np.bincount(GROWING.of(usable.best_value), minlength=len(GROWING)) / player_years(champions)
    series = [Series("champions", list(range(1, len(GROWING) + 1)), counts.tolist(), to_zero=True)]
    panel = Panel(series, x_title="class, from lost to won", y_title="positions", whole_x=True)
    return _svg("Figure 15: positions a year by class", [panel])


def player_years(decisions: Decisions) -> int:
    """How many years of how many players there are."""
    years = decisions.numbers("year").astype(np.int64)
    return len(set(zip(decisions.codes("player").tolist(), years.tolist(), strict=True)))


def _players_and_all(decisions: Decisions) -> list[tuple[str, Decisions]]:
    chosen = [(name, decisions.select(player=name)) for name in SELECTED if name in decisions.players]
    return [*chosen, ("all", decisions)]


def pooled_means(decisions: Decisions, reach: int, classes: int) -> tuple[Floats, Floats]:
    """Value and mean loss of positions in classes of equal size, of moves that lose something."""
    lost, value = LossMeasure().of(decisions), decisions.best_value
    chosen = np.flatnonzero((lost > 0) & (np.abs(value) <= reach))
    pools = np.array_split(chosen[np.argsort(value[chosen], kind="stable")], classes)
    filled = [pool for pool in pools if len(pool)]
    x, y = ([float(column[pool].mean()) / 100 for pool in filled] for column in (value, lost))
    return np.array(x), np.array(y)


def _line(name: str, x: Sequence[float] | Floats, y: Sequence[float] | Floats, number: int) -> Series:
    return Series(
        name, [round(float(value), 4) for value in x], [round(float(value), 4) for value in y], number=number
    )


def _svg(title: str, panels: Sequence[Panel]) -> str:
    return f"{curves(title, panels, columns=len(panels)).svg()}\n"


def drawn(champions: Decisions, mileposts: Decisions) -> dict[int, str]:
    """Every figure as SVG, by its number in the paper."""
    return {
        1: figure_1(champions, mileposts),
        2: figure_2(champions),
        3: figure_3(champions),
        6: figure_6(champions, mileposts),
        13: figure_13(champions),
        14: figure_14(champions),
        15: figure_15(champions),
    }
