"""The charts of docs/evidence, each drawn from tables of a page there."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable

import numpy as np

from assay.figures.curves import Panel, Series, curves
from assay.figures.figure import Figure
from assay.figures.intervals import Row, interval_figure

Rows = list[dict[str, str]]
Tables = Callable[[str, str], list[Rows]]
"""The tables of a section of a page."""


def charts(tables: Tables) -> dict[str, Figure]:
    """Every chart by the name of its file."""
    return {
        "accuracy_error": accuracy_error(tables),
        "accuracy_coverage": accuracy_coverage(tables),
        "accuracy_bias": accuracy_bias(tables),
        "evaluated_error": evaluated_error(tables),
        "live": live(tables),
        "screening_power": screening_power(tables),
        "screening_honest": screening_honest(tables),
        "simulated_players": simulated_players(tables),
        "engines_coverage": engines_coverage(tables),
        "coverage_methods": coverage_methods(tables),
        "difatta_c": difatta_c(tables),
        "results_log_loss": results_log_loss(tables),
        "formulas": formulas(tables),
    }


def number(cell: str) -> float:
    """The first number of a cell; not a number where there is none."""
    found = re.search(r"[+-]?\d[\d,]*\.?\d*", cell)
    return float(found[0].replace(",", "")) if found else float("nan")


def share_interval(percent: float, n: float) -> tuple[float, float]:
    """The 95% interval of a share in percent, of n trials (Wilson)."""
    p, z = percent / 100, 1.96
    middle = (p + z * z / (2 * n)) / (1 + z * z / n)
    half = z * np.sqrt(p * (1 - p) / n + z * z / (4 * n * n)) / (1 + z * z / n)
    return 100 * (middle - half), 100 * (middle + half)


def composites(rows: Rows) -> Rows:
    """Rows of one game and of composites, whose players are spread over the scale."""
    return [row for row in rows if row["games"] == "1" or "composite" in row["games"]]


def guide(name: str, ends: Iterable[float], y: float) -> Series:
    """A line to compare with."""
    x = list(ends)
    return Series(name, [min(x), max(x)], [y, y], guide=True, marks=False)


def accuracy_error(tables: Tables) -> Figure:
    """Average error by the number of games, for each recipe."""
    series = []
    for place, recipe in enumerate(("standard", "quick")):
        rows = composites(tables("accuracy", f"`{recipe}`")[0])
        games = [number(row["games"]) for row in rows]
        series.append(Series(recipe, games, [number(row["average error"]) for row in rows], number=place))
        if recipe == "standard":
            guesses = [number(row["guessing the average"]) for row in rows]
            series.append(Series("guessing the average", games, guesses, guide=True, marks=False))
    panel = Panel(series, x_title="games", y_title="average error, points", y=(0, 480), logarithmic=True)
    return curves("Average error of a rating by moves", [panel])


def accuracy_coverage(tables: Tables) -> Figure:
    """Share of published ratings in the 95% interval, with the error of that share."""
    series = []
    for place, recipe in enumerate(("standard", "quick")):
        rows = composites(tables("accuracy", f"`{recipe}`")[0])
        shares = [number(row["95% interval covers"]) for row in rows]
        # Groups of several splits overlap: as many as do not are counted.
        ends = [
            share_interval(share, number(row["groups"]) / 4) for share, row in zip(shares, rows, strict=True)
        ]
        games = [number(row["games"]) * (1 + 0.06 * place) for row in rows]
        lows, highs = [low for low, _ in ends], [high for _, high in ends]
        series.append(Series(recipe, games, shares, lows, highs, number=place, line=False))
    panel = Panel(
        [*series, guide("95%", (1, 32), 95)],
        x_title="games",
        y_title="covered, %",
        y=(80, 100),
        logarithmic=True,
    )
    return curves("How often the 95% interval contains the published rating", [panel])


def accuracy_bias(tables: Tables) -> Figure:
    """Rating minus published rating, by published rating."""
    rows = tables("accuracy", "By strength")[0]
    middles = [number(row["published"]) + 150 for row in rows]
    series = [
        Series(
            f"{games} games" if games != "1" else "1 game",
            middles,
            [number(row[column]) for row in rows],
            number=place,
        )
        for place, (games, column) in enumerate(
            (("1", "`standard`, 1 game"), ("3", "3 games"), ("10", "10 games"))
        )
    ]
    panel = Panel([*series, guide("no bias", middles, 0)], x_title="published rating", y_title="bias, points")
    return curves("Rating by moves minus published rating, standard", [panel])


def evaluated_error(tables: Tables) -> Figure:
    """Average error at held-out events by the number of games."""
    rows = [row for row in tables("evaluated", "FIDE events that were held out")[0] if row["games"] != "all"]
    names = list(dict.fromkeys(row["games"] for row in rows))
    x = [1.0, 2.5, 5.0, 8.0]
    series = []
    for place, prior in enumerate(("population", "flat")):
        errors = [
            number(row["average error"])
            for name in names
            for row in rows
            if (row["games"], row["prior"]) == (name, prior)
        ]
        series.append(Series(f"prior {prior}", x, errors, number=place))
    guesses = [number(row["guessing the average"]) for row in rows if row["prior"] == "flat"]
    series.append(Series("guessing the average", x, guesses, guide=True, marks=False))
    panel = Panel(series, x_title="games of a player", y_title="average error, points", y=(0, 260))
    return curves("Held-out FIDE events, evaluations in the file", [panel])


def live(tables: Tables) -> Figure:
    """Error while a game is played."""
    rows = [row for row in tables("live", "By number of moves")[0] if row["mean error"]]
    x = [number(row["after"]) if "moves" in row["after"] else 50.0 for row in rows]
    panels = [
        Panel(
            [Series("", x, [number(row[column]) for row in rows])],
            title=title,
            x_title="moves (the last is the whole game)",
            y_title=unit,
            y=ends,
        )
        for column, title, unit, ends in (
            ("mean error", "Average error", "points", (0.0, 300.0)),
            ("mean width", "Mean width of the 95% interval", "points", (0.0, 1300.0)),
        )
    ]
    return curves("A rating while the game is played", panels, columns=2)


def screening_power(tables: Tables) -> Figure:
    """Share found at 1% of false positives where half of the moves are taken, by search and games."""
    rows = {row["moves of, share, games"]: number(row["all"]) for row in tables("screening", "Power")[0]}
    searches = dict.fromkeys(name.rsplit(", half, ", 1)[0] for name in rows if ", half, " in name)
    games = [1.0, 5.0, 9.0]
    series = [
        Series(search, games, [rows[f"{search}, half, {n:.0f}"] for n in games], number=place)
        for place, search in enumerate(searches)
    ]
    panel = Panel(series, x_title="games", y_title="found, %", y=(0, 100), x=(0, 10))
    return curves("Power of screening, half of the moves taken, 1% of false positives", [panel])


def screening_honest(tables: Tables) -> Figure:
    """Nominal against observed false positives of evaluated games."""
    [rows] = [rows for rows in tables("screening_evaluated", "Error rates") if "nominal, %" in rows[0]]
    sources = list(dict.fromkeys(row["games of"] for row in rows))
    series = []
    for place, source in enumerate(sources):
        single = [row for row in rows if row["games of"] == source and row["number"] == "1"]
        nominal = [number(row["nominal, %"]) for row in single]
        ends = [[number(end) for end in re.findall(r"[\d.]+", row["above, %"])] for row in single]
        ratios = [[end / due for end in each] for each, due in zip(ends, nominal, strict=True)]
        series.append(
            Series(
                source,
                [value * (0.94 + 0.04 * place) for value in nominal],
                [each[0] for each in ratios],
                [each[1] for each in ratios],
                [each[2] for each in ratios],
                number=place,
                line=False,
            )
        )
    panel = Panel(
        [*series, guide("as nominal", (0.08, 6), 1)],
        x_title="nominal share above, %",
        y_title="observed, divided by nominal",
        logarithmic=True,
    )
    return curves("Honest single games beyond a threshold", [panel])


def simulated_players(tables: Tables) -> Figure:
    """Mean loss of people and of the simulated player, by Elo."""
    [rows, *_] = [
        rows for rows in tables("simulated_players", "Is it like people?") if "mean loss, cp" in rows[0]
    ]
    series = []
    for place, who in enumerate(("people", "agent")):
        own = [row for row in rows if row["who"] == who]
        ends = [[number(end) for end in re.findall(r"[\d.]+", row["mean loss, cp"])] for row in own]
        x = [number(row["Elo"]) + 100 + 12 * place for row in own]
        name = "simulated player" if who == "agent" else who
        series.append(
            Series(name, x, [e[0] for e in ends], [e[1] for e in ends], [e[2] for e in ends], number=place)
        )
    panel = Panel(series, x_title="Elo", y_title="mean loss, centipawns")
    return curves("Mean loss of people and of simulated players", [panel])


def engines_coverage(tables: Tables) -> Figure:
    """Coverage of carried-over scales, by positions."""
    rows = tables("engines", "Ratings by carried-over scales")[0]
    series = []
    for place, recipe in enumerate(("standard", "thrifty", "quick")):
        own = [row for row in rows if (row["recipe"], row["games"]) == (recipe, "1")]
        x = [number(row["Stockfish"]) + 0.12 * place for row in own]
        y = [number(row["error"]) for row in own]
        series.append(Series(recipe, x, y, number=place, line=False))
    panel = Panel(
        series, x_title="version of Stockfish", y_title="average error of one game, points", y=(0, 350)
    )
    return curves("One game by other versions of Stockfish, scale by positions", [panel])


def coverage_methods(tables: Tables) -> Figure:
    """Coverage of each method's own measure and of its forecasts, on simulated players."""
    series = []
    names: list[str] = []
    sections = ("What methods measure without a scale", "Forecasts by comparison")
    for place, section in enumerate(sections):
        rows = tables("coverage", section)[0]
        names = names or [row["method"] for row in rows]
        ends = [
            [number(each) for each in re.findall(r"\d+%", row["contain the truth (95% interval)"])]
            for row in rows
        ]
        x = [names.index(row["method"]) + 0.12 * place for row in rows]
        lows, highs = [each[1] for each in ends], [each[2] for each in ends]
        title = "forecasts of pairs" if place else "what a method measures"
        series.append(Series(title, x, [each[0] for each in ends], lows, highs, number=place, line=False))

    def name(value: float) -> str:
        return names[int(value)] if value == int(value) and 0 <= value < len(names) else ""

    panel = Panel(
        [*series, guide("95%", (0, len(names) - 1), 95)],
        x_title="method",
        y_title="covered, %",
        y=(80, 100),
        x_text=name,
        whole_x=True,
    )
    return curves("How often 95% intervals contain the truth, simulated players", [panel])


def difatta_c(tables: Tables) -> Figure:
    """Skill c by Elo, ours with its deviation over games, and the paper's."""
    rows = tables("paper_difatta2009", "Table II")[0]
    x, c = [number(row["Elo"]) for row in rows], [number(row["c"]) for row in rows]
    half = [1.96 * number(row["deviation by games"]) for row in rows]
    lows, highs = [a - b for a, b in zip(c, half, strict=True)], [a + b for a, b in zip(c, half, strict=True)]
    series = [
        Series("Stockfish 15.1, these games", x, c, lows, highs),
        Series("paper (Toga II)", x, [number(row["paper's c"]) for row in rows], number=1),
    ]
    return curves("Skill c by Elo", [Panel(series, x_title="Elo", y_title="c")])


def results_log_loss(tables: Tables) -> Figure:
    """Log loss of forecasters that read results alone."""
    [table, *_] = [rows for rows in tables("results", "Against the baselines") if "log loss" in rows[0]]
    rows = [dot(row["model"].strip("`"), row["log loss"]) for row in table]
    title = "Forecasts from results alone, ten separate sets"
    return interval_figure(title, rows, x_title="log loss", text="{:.3f}".format)


def formulas(tables: Tables) -> Figure:
    """Average error of each formula for one game, as printed and after a fitted line."""
    rows = []
    for row in tables("formulas", "One game, one side")[0]:
        rows.append(dot(row["formula"], row["average error, points"]))
        if row["after a fitted line"]:
            rows.append(dot(f"{row['formula']}, after a fitted line", row["after a fitted line"]))
    return interval_figure("Average error of an Elo from one game", rows, x_title="points")


def dot(name: str, cell: str) -> Row:
    """A row with a value and no interval."""
    value = number(cell)
    return Row(name, value, value, value, f"{name}: {cell}", value=cell)
