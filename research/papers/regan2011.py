"""Regan and Haworth 2011 on milepost games: their table, settings, ways of fitting, inflation.

Tables of docs/evidence/paper_regan2011*.md. Agents are simulated in regan2011_simulation.
"""

from __future__ import annotations

import hashlib
import re
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np

from assay.answers.ratings import Estimate
from assay.decisions.arrays import Floats
from assay.decisions.decisions import Decisions
from assay.engine.recipe import find_recipe
from assay.figures.curves import Panel, Series, curves
from assay.models.appearances import mapping_from, split_by_milepost
from assay.models.choice.model import METHODS, ChoiceModel
from assay.models.choice.spreads import Scaling
from assay.models.choice.sums import AGREEMENT, CURVES, DIFFERENCE, PERCENTILES
from assay.models.choice.tables import milepost_table, mileposts_of, projections_of
from assay.models.depth.model import DepthModel
from assay.models.intervals import equal_tailed, resample_weights, resampling_factor, widened
from assay.reproduce import facts
from research.calibration.mileposts import read_games
from research.markdown import PLAIN, RIGHT, Tables, table
from research.papers import Games

QUALITY = (
    "",
    "percentile misfit",
    "mm off, %: size, mean",
    "ad off: size, mean",
    "s at 1500, 2800",
    "c at 1500, 2800",
)


def mileposts(rows: Sequence[dict[str, Any]], published: dict[int, dict[str, Any]]) -> str:
    """The paper's table of mileposts: ours, and the printed numbers, where there are any, in brackets."""
    cells = []
    for row in rows:
        both = [row, *([published[row["elo"]]] if row["elo"] in published else [])]
        shown = [
            *([f"{each[k]:.3f}" for each in both] for k in ("s", "c", "c_fit", "s_fit")),
            [f"{each['mm_projected']:.1f}/{each['mm_actual']:.1f}" for each in both],
            [f"{each['ad_projected']:.3f}/{each['ad_actual']:.3f}" for each in both],
            [f"{each['q_fit']:.3f}" for each in both],
        ]
        cells.append(
            (
                row["elo"],
                row["decisions"],
                *(" ".join([ours, *(f"({one})" for one in paper)]) for ours, *paper in shown),
            )
        )
    names = ("Elo", "turns", "s", "c", "c_fit", "s_fit", "mm_p/mm_a", "ad_p/ad_a", "Q_fit")
    return table(names, cells)


def variants(model: ChoiceModel, left_out: ChoiceModel, parts: dict[int, Decisions]) -> str:
    """How well other settings than the default fit the same mileposts."""
    settings = {
        "as by default": model,
        "unlisted moves left out": left_out,
        "no logarithmic scaling": ChoiceModel(scaling=Scaling(logarithmic=False)),
        "no correction of ties": ChoiceModel(scaling=Scaling(tie=0)),
        "no cap at 4 pawns": ChoiceModel(scaling=Scaling(cap=None)),
        "plain normalisation": ChoiceModel(conversion="share"),
        **{f"curve {curve}": ChoiceModel(curve=curve) for curve in CURVES[1:]},
    }
    return table(QUALITY, [quality_row(name, quality(variant, parts)) for name, variant in settings.items()])


def methods(model: ChoiceModel, parts: dict[int, Decisions]) -> str:
    """How well the three ways of fitting do (section 6)."""
    return table(QUALITY, [quality_row(name, quality(model, parts, name)) for name in METHODS])


def quality(model: ChoiceModel, parts: dict[int, Decisions], method: str = "percentile") -> tuple[float, ...]:
    """Means over mileposts: percentile misfit, errors of mm (percent) and ad, s and c."""
    by_milepost = []
    for part in parts.values():
        fit = model.fit(part, method, pull=False)
        sums = model.summaries(part)
        means = sums.at(np.log(fit.s), np.log(fit.c)) / len(part)
        misfit = 1e4 * np.square(means[: len(PERCENTILES)] - PERCENTILES).mean()
        agreement = 100 * (means[AGREEMENT] - np.mean(sums.spreads.played == 0))
        by_milepost.append((misfit, agreement, means[DIFFERENCE] - sums.spreads.lost.mean(), fit.s, fit.c))
    misfit, agreement, lost, s, c = np.array(by_milepost).T
    return (
        misfit.mean(),
        np.abs(agreement).mean(),
        agreement.mean(),
        np.abs(lost).mean(),
        lost.mean(),
        s[-1],
        s[0],
        c[-1],
        c[0],
    )


def quality_row(name: str, numbers: tuple[float, ...]) -> tuple[str, ...]:
    """One row of a table under the heads QUALITY."""
    misfit, mm_size, mm_mean, ad_size, ad_mean, s_low, s_high, c_low, c_high = numbers
    return (
        name,
        f"{misfit:.2f}",
        f"{mm_size:.2f}, {mm_mean:+.2f}",
        f"{ad_size:.4f}, {ad_mean:+.4f}",
        f"{s_low:.3f}, {s_high:.3f}",
        f"{c_low:.3f}, {c_high:.3f}",
    )


def halves_error(model: ChoiceModel, decisions: Decisions) -> tuple[float, float]:
    """Mean error and mean size of error of milepost ratings, each half of the games rated by the other."""
    half = np.isin(np.array(decisions.text("game_id")), decisions.games[::2])
    errors = []
    for mask in (half, ~half):
        model.mapping = mapping_from(model, decisions.take(np.flatnonzero(mask)))
        others = mileposts_of(model, decisions.take(np.flatnonzero(~mask)))
        errors += [model.rate(model.profile(part)).elo - elo for elo, part in others.items()]
    return float(np.mean(errors)), float(np.abs(errors).mean())


def variance_ratios(model: ChoiceModel, decisions: Decisions, rows: Sequence[dict[str, Any]]) -> str:
    """Variance over resampled games by the variance of independent turns, over the mileposts."""
    parts = mileposts_of(model, decisions)
    projections = [projections_of(model, parts[row["elo"]], row["s_fit"], row["c_fit"]) for row in rows]
    ratios = {name: [each[name].ratio for each in projections] for name in ("mm", "ad", "M_1", "Q_fit")}
    cells = [(k, f"{np.mean(v):.2f} ({min(v):.2f} to {max(v):.2f})") for k, v in ratios.items()]
    return table(("", "ratio"), cells)


def outside_lines(parts: dict[int, Decisions]) -> float:
    """Share of the turns in which the played move was outside the engine's lines."""
    outside = [part.played_index >= part.numbers("n_lines").astype(int) for part in parts.values()]
    return float(np.mean(np.concatenate(outside)))


# Inflation: do players of one rating play alike in different years? ---------------------------------------

PERIODS = ((1991, 1994), (2006, 2009))
"""The second and the third period of the paper; of the first, 1976-1979, hardly a game has ratings."""

MILEPOSTS = range(2300, 2800, 100)
GAMES = 60
"""At most this many games of each milepost and period; 2300 has 37 of the first period."""

MODEL = ChoiceModel(scaling=Scaling(unlisted="measured"))
"""Unlisted moves as positions with all moves valued show: four lines are few."""


def pick_games(folder: Path) -> Iterator[list[str]]:
    """Games of every milepost and period, one of each at a time: however far it gets, it is balanced."""
    cells = []
    for elo in MILEPOSTS:
        games = read_games(folder / f"milepost-{elo}.pgn.zst")
        for first, last in PERIODS:
            inside = [game for game in games if first <= int(tag(game, "Date")[:4] or 0) <= last]
            long = [game for game in inside if len(re.findall(r"\b\d+\.(?!\.)", moves_of(game))) >= 20]
            cells.append(sorted(long, key=lambda game: hashlib.sha256(moves_of(game).encode()).hexdigest()))
    for turn in range(GAMES):
        yield [games[turn] for games in cells if turn < len(games)]


def tag(game: str, name: str) -> str:
    """The value of a tag of a game; digits only where it is a date."""
    found = re.search(rf'\[{name} "([^"]*)"', game)
    return found[1].replace("?", "") if found else ""


def moves_of(game: str) -> str:
    """The moves of a game as they are written."""
    return game.rsplit("]\n\n", 1)[-1].strip()


@dataclass(frozen=True, eq=False)
class Cell:
    """One milepost in one period: s, c and the error expected on the reference positions."""

    elo: int
    period: tuple[int, int]
    estimate: Estimate
    errors: Floats
    """Expected error of all games, then of resampled ones."""

    @classmethod
    def of(cls, decisions: Decisions, elo: int, period: tuple[int, int], resamples: int = 1000) -> Cell:
        """From the decisions of players within 50 points of a milepost, in some years."""
        rating, year = decisions.numbers("player_elo"), decisions.numbers("year")
        inside = (np.abs(rating - elo) < 50) & (year >= period[0]) & (year <= period[1])
        passed, _ = MODEL.select(decisions.take(np.flatnonzero(inside)))
        stack = MODEL.profiles_by(passed)
        drawn = resample_weights(len(stack), resamples, seed=elo + period[0])
        weights = np.vstack((np.ones(len(stack)), drawn))
        return cls(elo, period, MODEL.resampled(stack), -MODEL.strengths(stack.weighted(weights)))


def change(cells: Sequence[Cell]) -> tuple[float, float, float]:
    """By how many points of Elo the later players play better than the earlier of the same rating; 95% ends.

    The logarithm of the expected error falls on one line of Elo in both periods, the later one shifted. Each
    resample of games has its own line and shift; as wide as few games make it (Student).
    """
    elos = np.array([cell.elo for cell in cells], dtype=np.float64)
    late = np.array([cell.period == PERIODS[1] for cell in cells], dtype=np.float64)
    weight = np.sqrt([cell.estimate.decisions for cell in cells])
    columns = np.column_stack((np.ones(len(cells)), elos - elos.mean(), late)) * weight[:, None]
    logs = np.log(np.stack([cell.errors for cell in cells])) * weight[:, None]
    _, slope, shift = np.linalg.lstsq(columns, logs, rcond=None)[0]
    points = shift / slope
    games = round(min(cell.estimate.games for cell in cells))
    ends = widened(points[0], equal_tailed(points[1:]), resampling_factor(games))
    return float(points[0]), float(ends[0]), float(ends[1])


def inflation(games: Games) -> Tables:
    """Players of one rating in 1991-1994 and 2006-2009, as in Tables 1 to 3; goes on where it was stopped."""
    recipe = replace(find_recipe("thrifty"), name="thrifty-turn9", first_turn=9)
    workspace = games.workspace("inflation.assay")
    for chosen in pick_games(games.path("mileposts")):
        with tempfile.TemporaryDirectory() as folder:
            pgn = Path(folder) / "turn.pgn"
            pgn.write_text("\n\n".join(chosen), encoding="utf-8")
            workspace.import_games(pgn)
        workspace.analyse(recipe, jobs=games.jobs)
    yield from inflation_tables(workspace.decisions(recipe.name))


def inflation_tables(decisions: Decisions) -> Tables:
    """The sentence that answers, and the table by milepost and period."""
    cells = [Cell.of(decisions, elo, period) for elo in MILEPOSTS for period in PERIODS]
    points, low, high = change(cells)
    verdict = "is not seen" if high >= 0 else "is seen"
    early, late = ("-".join(map(str, period)) for period in PERIODS)
    games = sum(cell.estimate.games for cell in cells)
    answer = (
        f"Inflation {verdict}: by their moves, players of one rating are {points:+.0f} points ({low:+.0f} to "
        f"{high:+.0f}) stronger in {late} than in {early} ({games:.0f} games)."
    )
    yield "Is there inflation?", answer
    rows = []
    for cell in cells:
        s, c, error = (cell.estimate[name] for name in ("s", "c", "reference_ad"))
        spans = (f"{q.value:.3f} ({q.low:.3f} to {q.high:.3f})" for q in (s, c, error))
        counts = f"{cell.estimate.games:.0f}", f"{cell.estimate.decisions:,.0f}"
        agreement = f"{100 * cell.estimate['mm_actual'].value:.1f}"
        rows.append((cell.elo, "-".join(map(str, cell.period)), *counts, *spans, agreement))
    heads = ("Elo", "years", "games", "turns", "s", "c", "expected error", "first choices, %")
    yield "By milepost and period", table(heads, rows, (RIGHT, PLAIN, *[RIGHT] * 6))


def depths(decisions: Decisions, resamples: int = 200) -> str:
    """Section 8: whether stronger players weigh larger depths more, with 95% intervals over games."""
    model, rows, drawn, elos = DepthModel(), list[tuple[object, ...]](), list[list[float]](), list[float]()
    for elo, part in sorted(split_by_milepost(decisions).items(), reverse=True):
        stack = model.profiles_by(model.select(part)[0])
        weights = np.vstack((np.ones(len(stack)), resample_weights(len(stack), resamples, seed=elo)))
        first, *others = map(model.estimate, stack.weighted(weights))
        drawn.append([estimate["mean_depth"].value for estimate in (first, *others)])
        elos.append(elo)
        low, high = equal_tailed(np.array(drawn[-1][1:]))
        shown = (f"{first[name].value:.2f}" for name in ("c", "sight", "rise", "mean_depth"))
        rows.append((elo, f"{first.decisions:,.0f}", *shown, f"{low:.2f} to {high:.2f}"))
    slopes = 1000 * np.polyfit(elos, np.array(drawn), 1)[0]
    low, high = equal_tailed(slopes[1:])
    text = table(("Elo", "decisions", "c", "sight", "rise", "mean depth", "95% interval"), rows, [RIGHT] * 7)
    return f"{text}\n\nThe mean depth rises by {slopes[0]:.2f} ({low:.2f} to {high:.2f}) per 1,000 points."


OURS, THEIRS = "Stockfish 15.1, 40 games per milepost", "the paper: Rybka 3, 2006-2009"


def svg(rows: Sequence[dict[str, Any]], published: Mapping[int, Mapping[str, Any]]) -> str:
    """Two panels by Elo: s_fit, and first-move agreement; ours filled, the paper's hollow."""
    s_fit = {row["elo"]: row["s_fit"] for row in rows}, {elo: row["s_fit"] for elo, row in published.items()}
    agreement = (
        {row["elo"]: row["mm_actual"] for row in rows},
        {elo: row["mm_actual"] for elo, row in published.items()},
    )
    panels = [
        _panel("sensitivity s_fit", *s_fit),
        _panel("first-move agreement, %", *agreement),
    ]
    return f"{curves('Mileposts by Elo', panels, columns=2).svg()}\n"


def _panel(title: str, ours: Mapping[int, float], theirs: Mapping[int, float]) -> Panel:
    series = [
        Series(
            name,
            list(points),
            list(points.values()),
            number=number,
            line=False,
            hollow=[number == 1] * len(points),
            titles=[f"{elo}: {value:.3g}" for elo, value in points.items()],
        )
        for number, (name, points) in enumerate(((OURS, ours), (THEIRS, theirs)))
    ]
    return Panel(series, title=title, x_title="Elo", x_text="{:.0f}".format)


def on_mileposts(games: Games) -> Tables:
    """The paper's table, settings, and ways of fitting on milepost games."""
    decisions, model = games.mileposts(), ChoiceModel()
    published = {row["elo"]: row for row in facts("regan2011")["periods"]["2006-2009"]}
    rows = milepost_table(model, decisions)
    games.draw("choice_mileposts", svg(rows, published))
    yield "Mileposts", mileposts(rows, published)
    ours = np.corrcoef([row["elo"] for row in rows], [row["s_fit"] for row in rows])[0, 1]
    theirs = np.corrcoef(list(published), [row["s_fit"] for row in published.values()])[0, 1]
    yield "Correlation of s_fit with Elo", f"{ours:.3f}; the paper {theirs:.3f}"
    yield "Variance over games by that under the model", variance_ratios(model, decisions, rows)
    parts = mileposts_of(model, decisions)
    yield "Turns whose move is outside the lines", f"{100 * outside_lines(parts):.1f}%"
    left_out = ChoiceModel(scaling=Scaling(unlisted="left out"))
    yield "Other settings", variants(model, left_out, parts)
    yield "Ways of fitting", methods(model, parts)
    errors = {"tail": halves_error(model, decisions), "left out": halves_error(left_out, decisions)}
    cells = [(name, f"{bias:+.0f}", f"{size:.0f}") for name, (bias, size) in errors.items()]
    yield "Halves rated by each other, in Elo", table(("unlisted moves", "mean", "size"), cells)
    yield "Do stronger players weigh larger depths more?", depths(decisions)


PARTS = (on_mileposts, inflation)
