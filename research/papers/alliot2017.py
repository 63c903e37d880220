"""Alliot 2017 on the years before the championships and on milepost games: its tables beside ours.

Tables of docs/evidence/paper_alliot2017.md; the figures are in alliot2017_figures.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence

import numpy as np

from assay.answers.comparisons import MatchForecast
from assay.decisions.decisions import Decisions
from assay.decisions.profile import Profile
from assay.models.base import MoveModel
from assay.models.complexity import INDICATORS, error_correlations
from assay.models.conformance import (
    REGRESSION_K,
    ConformanceModel,
    LossMeasure,
    best_k,
    correlation_by_bound,
    regression_k,
)
from assay.models.covariance import (
    CovarianceModel,
    ResultVector,
    best_bounds,
    best_spline,
    best_tanh,
    correlation_surface,
    indicators,
    statistics,
)
from assay.models.markov import MarkovModel, draw_each, mirrored, outcomes, shares, stationary, tilted
from assay.rating.careers import Careers, head_to_heads
from assay.rating.comparisons import forecast_matches, match_errors
from assay.reproduce import facts
from assay.reproduce.alliot2017 import championships, printed_matrices
from research.markdown import Tables, table
from research.papers import Games
from research.papers.alliot2017_figures import drawn
from research.papers.alliot2017_titles import tables as title_matches


def percent(value: float, digits: int = 0) -> str:
    """A share as percent."""
    return "" if math.isnan(value) else f"{100 * value:.{digits}f}"


def two(value: float) -> str:
    """With two decimals."""
    return "" if math.isnan(value) else f"{value:.2f}"


def three(value: float) -> str:
    """With three decimals."""
    return "" if math.isnan(value) else f"{value:.3f}"


ONE_YEAR = 1e9
"""A forgetting factor that leaves the year before alone."""


class RawMarkov(MarkovModel):
    """The paper's own: raw counts."""

    name = "markov raw"

    def __init__(self, **settings: object) -> None:
        super().__init__(prior="none", **settings)  # type: ignore[arg-type]


PAPER = facts("alliot2017")

METHODS: tuple[Callable[[], MoveModel], ...] = (ConformanceModel, CovarianceModel, MarkovModel, RawMarkov)


def forecasts(decisions: Decisions, forgetting: float) -> list[MatchForecast]:
    """Forecasts of all championships by all methods, with this forgetting factor."""
    careers = [Careers(make(), decisions, forgetting=forgetting) for make in METHODS]
    return forecast_matches(championships(), careers)


def table_5(rows: Sequence[MatchForecast]) -> str:
    """Table 5, with our forecasts beside the paper's."""
    names = ["conformance", "covariance", "markov", "markov raw", "elo"]
    paper = {f"{row['winner']}-{row['loser']} {row['year']}": row for row in PAPER["world_championships"]}
    lines = []
    for row in rows:
        printed = paper[str(row.match)]
        cells = []
        for name in names:
            forecast = row.forecasts.get(name)
            span = (
                ""
                if forecast is None or math.isnan(forecast.low)
                else f" ({percent(forecast.low)}-{percent(forecast.high)})"
            )
            cells.append("" if forecast is None else percent(forecast.expectation) + span)
        theirs = "/".join(str(printed[name]) for name in ("conformance", "covariance", "markov"))
        lines.append((row.match, percent(row.match.actual), theirs, *cells))
    return table(("match", "actual", "paper: conf./cov./Markov", *names), lines)


def mean_errors(both: Mapping[str, Sequence[MatchForecast]]) -> str:
    """Mean errors of the forecasts, by the evidence that they rest on."""
    stated = PAPER["mean_absolute_error_percent"]
    lines = []
    for label, rows in both.items():
        for errors in match_errors(rows):
            theirs = stated.get(errors.method, {}).get("all", "")
            lines.append(
                (
                    label,
                    errors.method,
                    errors.matches,
                    percent(errors.error, 1),
                    percent(errors.deviation, 1),
                    two(errors.correlation),
                    theirs,
                )
            )
    return table(
        (
            "evidence",
            "method",
            "matches",
            "mean error %",
            "standard error",
            "correlation",
            "paper's mean error %",
        ),
        lines,
    )


def by_colour(decisions: Decisions) -> str:
    """Share of perfect moves with either colour."""
    model = ConformanceModel("raw")
    shares = {
        colour: model.at(model.profile(decisions.select(colour=colour)), 0).value
        for colour in ("white", "black")
    }
    stated = PAPER["perfect_move_share"]
    lines = [(c, percent(shares[c], 1), percent(stated[c], 1)) for c in ("white", "black")]
    return table(("colour", "moves as good as the best, %", "paper"), lines)


def conformance_curve(decisions: Decisions) -> str:
    """Correlation of conformance with the result of the game, by bound and kind of loss (Figure 4)."""
    bounds = (0, 10, 20, 30, 40, 50, 70, 100, 150)
    measures = {
        "raw": LossMeasure("raw"),
        "Guid and Bratko": LossMeasure("guid_bratko"),
        "pondered 0.75, -3.30": LossMeasure("pondered"),
        "pondered 1.44, -3.53": LossMeasure("pondered", *REGRESSION_K),
    }
    lines = []
    for name, measure in measures.items():
        curve = correlation_by_bound(decisions, measure, bounds)
        best, _ = max(curve, key=lambda pair: pair[1])
        lines.append((name, *(three(rho) for _, rho in curve), int(best)))
    return table(("losses", *map(str, bounds), "best"), lines)


def pondering(mileposts: Decisions, champions: Decisions) -> str:
    """k1 and k2 by search and by regression (section 3.2.3), and the line at a bound of 0.3."""
    k1, k2, rho = best_k(mileposts)
    lines = [
        ("paper, regression as printed (a/b)", "1.44", "-3.53", ""),
        ("paper, regression corrected (b/a)", "0.69", "-0.28", ""),
        ("paper, search", "0.75", "-3.30", ""),
        ("ours, search on the milepost games", two(k1), two(k2), three(rho)),
    ]
    for name, decisions in (("milepost games", mileposts), ("championship years", champions)):
        above, below = regression_k(decisions.filter(*LossMeasure().rules()))
        lines.append((f"ours, regression (b/a), {name}", two(above), two(below), ""))
    fitted = ConformanceModel().fit(mileposts)
    text = table(("source", "k1", "k2", "correlation"), lines)
    return text + (
        f"\n\nLine at 0.3, pondered: alpha {fitted.alpha_:.3f}, beta {fitted.beta_:.2f} "
        "(paper: -0.007 and 3.64)."
    )


def covariance_table(decisions: Decisions) -> str:
    """Table 6: the settings of covariance, with those that our own search finds."""
    step = ResultVector(b=0.0)
    k1, k2, a, _ = best_tanh(decisions)
    s1, s2, spline, _ = best_spline(decisions)
    models = {
        "raw": CovarianceModel(n0=0, vector=step),
        "guid_bratko": CovarianceModel("guid_bratko", n0=0, vector=step),
        "k1=1.44,k2=-3.53": CovarianceModel("pondered", n0=0, vector=step),
        "k1=1.20,k2=-3.41,tanh a=1.16": CovarianceModel(
            "pondered", n0=0, k1=1.2, k2=-3.41, vector=ResultVector("tanh")
        ),
        f"fitted k1={k1:.2f} k2={k2:.3g} tanh a={a:.2f}": CovarianceModel(
            "pondered", n0=0, k1=k1, k2=k2, vector=ResultVector("tanh", a=a)
        ),
        f"fitted k1={s1:.2f} k2={s2:.3g} spline": CovarianceModel(
            "pondered", n0=0, k1=s1, k2=s2, vector=spline
        ),
        "n0=32, b=2.4": CovarianceModel(),
    }
    lines = []
    for name, model in models.items():
        fit = statistics(*indicators(decisions, model))
        theirs = PAPER["covariance_fit"].get(name, {}).get("rho", "")
        values = (fit[key] for key in ("correlation", "mean", "deviation", "beta", "alpha"))
        lines.append((name, *map(three, values), theirs))
    return table(("setting", "rho", "mean", "deviation", "beta", "alpha", "paper's rho"), lines)


def covariance_surface(decisions: Decisions) -> str:
    """The best bound for each number of convolutions (Figures 11 and 12)."""
    bounds = [round(0.2 * step, 1) for step in range(40)]
    n0s = (0, 5, 10, 20, 29, 32, 48, 64, 95)
    best = best_bounds(correlation_surface(decisions, n0s, bounds), bounds)
    return table(
        ("n0", "best b", "rho"), [(n0, f"{b:g}", three(rho)) for n0, (b, rho) in zip(n0s, best, strict=True)]
    )


PAPERS_BEST_YEARS = (
    "Carlsen 2013, Kramnik 1999, Fischer 1971, Kasparov 2001, Anand 2008, Smyslov 1983, Petrosian 1962, "
    "Karpov 1988, Botvinnik 1945, Spassky 1970, Tal 1981, Euwe 1941, Alekhine 1922"
)


def complexity_table(champions: Decisions, mileposts: Decisions) -> str:
    """Table 4: correlation of the indicators with the size of the error, by player."""
    lines = []
    for row in error_correlations(champions):
        name = "Champs" if row["player"] == "All" else row["player"]
        theirs = PAPER["complexity_correlations"].get(name, {})
        pairs = [f"{row[key]:.3f} ({theirs.get(key, '')})" for key in INDICATORS[:-1]]
        lines.append((name, f"{row['moves']:,}", *pairs, three(row["sullivan"])))
    everyone = error_correlations(mileposts)[-1]
    lines.append(
        ("milepost players", f"{everyone['moves']:,}", *(three(everyone[key]) for key in INDICATORS))
    )
    return table(("player", "moves", *(f"{name} (paper)" for name in INDICATORS[:-1]), "sullivan"), lines)


def best_years(decisions: Decisions) -> str:
    """The best year of each champion by each method, beside the paper's order."""
    lines = []
    for make in (ConformanceModel, CovarianceModel, MarkovModel):
        years = head_to_heads(Careers(make(), decisions)).best_years()
        lines.append((make.name, ", ".join(f"{key.player} {key.year}" for key in years)))
    lines.append(("markov, paper (all years)", PAPERS_BEST_YEARS))
    return table(("method", "best years, best player first"), lines)


PLAYERS, PAIRS, STRENGTH, SPREAD = 100, 300, 500.0, 0.3
"""Simulated players, the pairs of them that are forecast, how alike their rows are, and their levels."""


def simulated_players(moves: int, seed: int = 2017) -> tuple[float, float, float]:
    """Coverage of the 95% intervals, mean error, and mean error of raw counts, where the truth is known.

    Rows are drawn about the mean of the two printed matrices, at levels of error that spread.
    """
    generator = np.random.default_rng(seed)
    white, black = printed_matrices()
    rows = shares((shares(white) + mirrored(shares(black))) / 2)
    visits = generator.multinomial(moves, stationary(rows @ mirrored(rows)), size=PLAYERS)
    levels = tilted(rows, generator.normal(0.0, SPREAD, PLAYERS))
    truth = draw_each(STRENGTH * levels, generator)
    counts = generator.multinomial(visits, truth).astype(np.float64)
    model, raw = MarkovModel("uniform"), MarkovModel("uniform", prior="none")
    profiles = [Profile(model.identity, evidence, float(moves), 40.0) for evidence in counts]
    model.learn(profiles)
    first, second = generator.integers(PLAYERS, size=(2, PAIRS))
    actual = outcomes(truth, truth, first, second) @ [1.0, 0.5, 0.0]
    forecasts = [model.forecast(profiles[a], profiles[b]) for a, b in zip(first, second, strict=True)]
    held = [x.low <= result <= x.high for x, result in zip(forecasts, actual, strict=True)]
    off = np.abs(np.array([forecast.expectation for forecast in forecasts]) - actual)
    # Raw counts have no forecast where won and lost games are both never left.
    off_raw = np.abs(raw.expectations(profiles, profiles)[first, second] - actual)
    return float(np.mean(held)), float(off.mean()), float(np.nanmean(off_raw))


def on_simulated_players(games: Games) -> Tables:
    """How far forecasts of players whose truth is known are off."""
    heads = (
        "moves a player",
        "intervals that contain the truth, %",
        "mean error %",
        "raw counts: mean error %",
    )
    rows = [(moves, *(f"{100 * x:.1f}" for x in simulated_players(moves))) for moves in (500, 1500, 5000)]
    yield f"Markov: {PAIRS} pairs of simulated players", table(heads, rows)


def on_champions(games: Games) -> Tables:
    """The championships forecast from the years before, moves by colour, and the best years."""
    champions = games.decisions("championship-years")
    by_evidence = {
        "year before only": forecasts(champions, ONE_YEAR),
        "forgetting factor 2": forecasts(champions, 2.0),
    }
    yield "Table 5", table_5(by_evidence["forgetting factor 2"])
    yield "Mean errors", mean_errors(by_evidence)
    yield "Perfect moves by colour", by_colour(champions)
    yield "Best years", best_years(champions)
    yield "Table 4: complexity", complexity_table(champions, games.mileposts())


def on_mileposts(games: Games) -> Tables:
    """Conformance and covariance, where both sides are analysed."""
    mileposts = games.mileposts()
    yield "Figure 4: conformance and the result", conformance_curve(mileposts)
    yield "k1 and k2", pondering(mileposts, games.decisions("championship-years"))
    yield "Table 6: covariance", covariance_table(mileposts)
    yield "Figures 11 and 12: the best bound", covariance_surface(mileposts)


def figures(games: Games) -> Tables:
    """The figures, into the folder of --figures."""
    if games.figures is not None:
        for number, svg in drawn(games.decisions("championship-years"), games.mileposts()).items():
            games.draw(f"alliot-{number}", svg)
    return ()


PARTS = (on_champions, on_simulated_players, on_mileposts, title_matches, figures)
