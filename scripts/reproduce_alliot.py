"""Write docs/reproduction/alliot.md: what Alliot 2017 found, beside what we find on real games.

    python scripts/reproduce_alliot.py SHARED_DATA_FOLDER [--earlier DECISIONS.parquet]

Reads `analysed/championship-years.parquet` and `analysed/mileposts.parquet` of that folder. `--earlier` is a
file of decisions from years before, analysed by `assay analyse` (see the text that it writes).
"""

import argparse
import math
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path

import numpy as np
import pyarrow as pa
from scipy.special import logsumexp

from assay.domain.decisions import Decisions
from assay.domain.rating import Forecast
from assay.errors import FitError
from assay.models.base import MoveModel
from assay.models.careers import Careers, head_to_heads
from assay.models.complexity import INDICATORS, error_correlations
from assay.models.conformance import REGRESSION_K, ConformanceModel, best_bound, best_k, correlation_by_bound
from assay.models.covariance import CovarianceModel, ResultVector
from assay.models.covariance_fit import (
    best_bounds,
    best_spline,
    best_tanh,
    correlation_surface,
    indicators,
    statistics,
)
from assay.models.dirichlet import fit_prior, log_marginal, one_move_per_row, shares
from assay.models.levels import GRID, fit_levels, log_likelihoods, log_weights, tilted
from assay.models.losses import LossMeasure, regression_k
from assay.models.markov import MarkovModel
from assay.models.value_classes import ValueClasses
from assay.validation.matches import MatchForecast, championships, forecast_matches, match_errors
from assay.validation.published import facts
from assay.validation.published.alliot import printed_matrices
from assay.validation.simulated_chains import recovery

PAPER = facts("alliot2017")
ONE_YEAR = 1e9
PRIORS = ("none", "pooled", "level")
TEMPLATE = Path(__file__).with_suffix(".template.md")
TARGET = Path(__file__).resolve().parent.parent / "docs" / "reproduction" / "alliot.md"

NOT_MADE_ANEW = (
    "This table was not made anew with the rest of the page. In its rows of `markov` and `markov pooled` the "
    "prior was still learned from all years, those after the match too; the other rows do not depend on that."
)

PAPERS_BEST_YEARS = (
    "Carlsen 2013, Kramnik 1999, Fischer 1971, Kasparov 2001, Anand 2008, Smyslov 1983, Petrosian 1962, "
    "Karpov 1988, Botvinnik 1945, Spassky 1970, Tal 1981, Euwe 1941, Alekhine 1922"
)


class RawMarkov(MarkovModel):
    """The paper's own: raw counts."""

    name = "markov raw"

    def __init__(self, **settings: object) -> None:
        super().__init__(prior="none", **settings)  # type: ignore[arg-type]


class PooledMarkov(MarkovModel):
    """Rows drawn to those of all players as they are."""

    name = "markov pooled"

    def __init__(self, **settings: object) -> None:
        super().__init__(prior="pooled", **settings)  # type: ignore[arg-type]


METHODS: tuple[Callable[[], MoveModel], ...] = (
    ConformanceModel,
    CovarianceModel,
    MarkovModel,
    PooledMarkov,
    RawMarkov,
)


def table(columns: Sequence[str], rows: Iterable[Sequence[object]]) -> str:
    lines = ["| " + " | ".join(columns) + " |", "|" + "---|" * len(columns)]
    lines += ["| " + " | ".join(str(cell) for cell in row) + " |" for row in rows]
    return "\n".join(lines) + "\n"


def percent(value: float, digits: int = 0) -> str:
    return "" if math.isnan(value) else f"{100 * value:.{digits}f}"


def two(value: float) -> str:
    return "" if math.isnan(value) else f"{value:.2f}"


def three(value: float) -> str:
    return "" if math.isnan(value) else f"{value:.3f}"


def forecasts(decisions: Decisions, forgetting: float) -> list[MatchForecast]:
    careers = [Careers(make(), decisions, forgetting=forgetting) for make in METHODS]
    return forecast_matches(championships(), careers)


def table_5(rows: Sequence[MatchForecast]) -> str:
    names = ["conformance", "covariance", "markov", "markov pooled", "markov raw", "elo"]
    paper = {f"{row['winner']}-{row['loser']} {row['year']}": row for row in PAPER["world_championships"]}
    lines = []
    for row in rows:
        printed = paper[str(row.match)]
        cells = []
        for name in names:
            one = row.forecasts.get(name)
            span = "" if one is None or math.isnan(one.low) else f" ({percent(one.low)}-{percent(one.high)})"
            cells.append("" if one is None else percent(one.expectation) + span)
        theirs = "/".join(str(printed[name]) for name in ("conformance", "covariance", "markov"))
        lines.append((row.match, percent(row.match.actual), theirs, *cells))
    return table(("match", "actual", "paper: conf./cov./Markov", *names), lines)


def mean_errors(both: dict[str, Sequence[MatchForecast]]) -> str:
    stated = PAPER["mean_absolute_error_percent"]
    lines = []
    for label, rows in both.items():
        for one in match_errors(rows):
            theirs = stated.get(one.method, {}).get("all", "")
            lines.append(
                (
                    label,
                    one.method,
                    one.matches,
                    percent(one.error, 1),
                    percent(one.deviation, 1),
                    two(one.correlation),
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


def markov_variants(decisions: Decisions) -> str:
    schemes = {
        f"growing 19, scale {s:g}": ValueClasses.growing(scale=s) for s in (0.5, 0.75, 1, 1.25, 1.5, 2)
    }
    schemes |= {f"uniform 10, scale {s:g}": ValueClasses.uniform(scale=s) for s in (0.5, 1, 2)}
    lines = []
    for name, classes in schemes.items():
        lines.append((name, *_variant(decisions, classes, "pooled")))
    lines.append(("growing 19, colours apart", *_variant(decisions, ValueClasses.growing(), "apart")))
    return table(
        (
            "classes",
            *(f"{p}: {what}" for p in PRIORS for what in ("error %", "correlation")),
            "strength, level",
        ),
        lines,
    )


def _variant(decisions: Decisions, classes: ValueClasses, colours: str) -> tuple[str, ...]:
    cells: list[str] = []
    strength = math.nan
    for prior in PRIORS:
        model = MarkovModel(classes, prior=prior, colours=colours, draws=0)  # type: ignore[arg-type]
        careers = Careers(model, decisions, forgetting=ONE_YEAR)
        try:
            errors = match_errors(forecast_matches(championships(), [careers], resamples=0))[0]
            cells += [percent(errors.error, 1), two(errors.correlation)]
        except FitError as error:
            cells += [type(error).__name__, ""]
        strength = float(np.ravel(model.prior_.strength)[0]) if model.prior_ else math.nan
    return (*cells, f"{strength:.0f}")


def prior_strengths(decisions: Decisions) -> str:
    model = MarkovModel()
    counts = np.stack([one.evidence for one in model.profiles_by_year(decisions).values()])
    floor = one_move_per_row(len(model.classes))
    likelihood = {}
    for per_row in (False, True):
        prior = fit_prior(counts, per_row=per_row, floor=floor)
        likelihood[per_row] = sum(
            log_marginal(np.log(s), counts[:, row][:, p > 0], p[p > 0])
            for row, (p, s) in enumerate(zip(prior.rows, prior.strength, strict=True))
            if (p > 0).sum() > 1
        )
    level = fit_levels(counts, floor)
    tilts = level.strength * tilted(level.rows, GRID)
    with_levels = sum(
        float(logsumexp(log_likelihoods(one, tilts, level.strength) + log_weights(level.spread)))
        for one in counts
    )
    return (
        f"Log marginal likelihoods of the {len(counts)} player-years: {likelihood[False]:.1f} with one "
        f"strength for all rows, {likelihood[True]:.1f} with one per row (18 more numbers), "
        f"{with_levels:.1f} with one strength and levels (one more number, their spread: "
        f"{level.spread:.2f}). So levels are the default.\n"
    )


def conformance_curve(decisions: Decisions) -> str:
    bounds = (0, 10, 20, 30, 40, 50, 70, 100, 150)
    measures = {
        "raw": LossMeasure("raw"),
        "Guid and Bratko": LossMeasure("guid_bratko"),
        "pondered 0.75, -3.30": LossMeasure("pondered"),
        "pondered 1.44, -3.53": LossMeasure("pondered", *REGRESSION_K),
    }
    lines = []
    for name, measure in measures.items():
        curve = [three(rho) for _, rho in correlation_by_bound(decisions, measure, bounds)]
        lines.append((name, *curve, int(best_bound(decisions, measure, bounds)[0])))
    return table(("losses", *map(str, bounds), "best"), lines)


def pondering(mileposts: Decisions, champions: Decisions) -> str:
    k1, k2, rho = best_k(mileposts)
    lines = [
        ("paper, regression as printed (a/b)", "1.44", "-3.53", ""),
        ("paper, regression corrected (b/a)", "0.69", "-0.28", ""),
        ("paper, search", "0.75", "-3.30", ""),
        ("ours, search on the milepost games", two(k1), two(k2), three(rho)),
    ]
    for name, decisions in (("milepost games", mileposts), ("championship years", champions)):
        one, other = regression_k(decisions.filter(*LossMeasure().rules()))
        lines.append((f"ours, regression (b/a), {name}", two(one), two(other), ""))
    fitted = ConformanceModel().fit(mileposts)
    text = table(("source", "k1", "k2", "correlation"), lines)
    return text + (
        f"\nLine at 0.3, pondered: alpha {fitted.alpha_:.3f}, beta {fitted.beta_:.2f} "
        "(paper: -0.007 and 3.64).\n"
    )


def covariance_table(decisions: Decisions) -> str:
    step = ResultVector("step")
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
        one = statistics(*indicators(decisions, model))
        theirs = PAPER["covariance_fit"].get(name, {}).get("rho", "")
        values = (one.rho, one.mean, one.deviation, one.beta, one.alpha)
        lines.append((name, *map(three, values), theirs))
    return table(("setting", "rho", "mean", "deviation", "beta", "alpha", "paper's rho"), lines)


def covariance_surface(decisions: Decisions) -> str:
    bounds = [round(0.2 * step, 1) for step in range(40)]
    n0s = (0, 5, 10, 20, 29, 32, 48, 64, 95)
    best = best_bounds(correlation_surface(decisions, n0s, bounds), bounds)
    return table(
        ("n0", "best b", "rho"), [(n0, f"{b:g}", three(rho)) for n0, (b, rho) in zip(n0s, best, strict=True)]
    )


def complexity_table(champions: Decisions, mileposts: Decisions) -> str:
    lines = []
    for row in error_correlations(champions):
        name = "Champs" if row.name == "All" else row.name
        theirs = PAPER["complexity_correlations"].get(name, {})
        pairs = [f"{row.rho[key]:.3f} ({theirs.get(key, '')})" for key in INDICATORS[:-1]]
        lines.append((name, f"{row.decisions:,}", *pairs, three(row.rho["sullivan"])))
    everyone = error_correlations(mileposts)[-1]
    lines.append(
        ("milepost players", f"{everyone.decisions:,}", *(three(everyone.rho[key]) for key in INDICATORS))
    )
    return table(("player", "moves", *(f"{name} (paper)" for name in INDICATORS[:-1]), "sullivan"), lines)


def best_years(decisions: Decisions) -> str:
    lines = []
    for make in (ConformanceModel, CovarianceModel, MarkovModel):
        found = head_to_heads(Careers(make(), decisions)).best_years()
        lines.append((make.name, ", ".join(f"{key.player} {key.year}" for key in found)))
    lines.append(("markov, paper (all years)", PAPERS_BEST_YEARS))
    return table(("method", "best years, best player first"), lines)


def simulated(pairs: int = 300) -> str:
    white, black = printed_matrices()
    rows = shares(shares(white) + shares(black)[::-1, ::-1])
    lines = []
    for spread, prior, moves in (
        (0.0, "pooled", 1500),
        (0.0, "level", 1500),
        (0.3, "pooled", 1500),
        (0.3, "level", 500),
        (0.3, "level", 1500),
        (0.3, "level", 5000),
    ):
        one = recovery(
            rows,
            ValueClasses.uniform(),
            pairs=pairs,
            moves=moves,
            seed=moves,
            spread=spread,
            prior=prior,  # type: ignore[arg-type]
        )
        errors = (percent(one.coverage, 1), percent(one.error, 1), percent(one.raw_error, 1))
        lines.append((spread, prior, moves, pairs, *errors, f"{one.strength:.0f}"))
    return table(
        (
            "spread of levels",
            "prior",
            "moves a player",
            "pairs",
            "intervals that hold the truth, %",
            "mean error %",
            "raw counts: mean error %",
            "strength found (500 is true)",
        ),
        lines,
    )


def by_colour(decisions: Decisions) -> str:
    model = ConformanceModel("raw")
    found = {
        colour: model.at(model.profile(decisions.select(colour=colour)), 0).value
        for colour in ("white", "black")
    }
    stated = PAPER["perfect_move_share"]
    lines = [(c, percent(found[c], 1), percent(stated[c], 1)) for c in ("white", "black")]
    return table(("colour", "moves as good as the best, %", "paper"), lines)


def earlier(champions: Decisions, path: Path) -> str:
    """What years before the year before change, for the matches that they bear on."""
    # Two recipes do not go together by themselves. Here they are put together on purpose: whoever gives the
    # file has analysed it as the championship years were.
    table = Decisions.read(path).to_table()
    recipe = pa.array(champions.text("recipe_id")[:1] * len(table))
    before = Decisions.from_table(
        table.set_column(table.column_names.index("recipe_id"), "recipe_id", recipe)
    )
    both = Decisions.concat([champions, before])
    added = sorted({(p, int(y)) for p, y in zip(before.text("player"), before.numbers("year"), strict=True)})
    lines = []
    for make in METHODS:
        alone = {str(r.match): r for r in forecast_matches(championships(), [Careers(make(), champions)])}
        with_more = {str(r.match): r for r in forecast_matches(championships(), [Careers(make(), both)])}
        name = make().name
        for match, row in alone.items():
            old, new = row.forecasts[name], with_more[match].forecasts[name]
            players = {row.match.first, row.match.second}
            if any(p in players and y < row.match.year - 1 for p, y in added):
                lines.append((match, percent(row.match.actual), name, span(old), span(new)))
    profiles = MarkovModel().profiles_by_year(before)
    moves = ", ".join(f"{p} {y}: {profiles[p, y].decisions:,.0f} moves" for p, y in added)
    return f"Added: {moves}.\n\n" + table(
        ("match", "actual", "method", "without", "with the years before"), lines
    )


def kept_earlier() -> str:
    """The table of an earlier run: the decisions of the years before are not at hand."""
    _, _, kept = TARGET.read_text(encoding="utf-8").partition("\nAdded: ")
    return f"{NOT_MADE_ANEW}\n\nAdded: {kept.strip()}\n"


def span(one: Forecast) -> str:
    return f"{percent(one.expectation, 1)} ({percent(one.low)}-{percent(one.high)})"


def document(champions: Decisions, mileposts: Decisions, more: Path | None) -> str:
    both = {
        "year before only": forecasts(champions, ONE_YEAR),
        "forgetting factor 2": forecasts(champions, 2.0),
    }
    return TEMPLATE.read_text(encoding="utf-8").format(
        table_5=table_5(both["forgetting factor 2"]),
        errors=mean_errors(both),
        variants=markov_variants(champions),
        prior=prior_strengths(champions),
        simulated=simulated(),
        colour=by_colour(champions),
        curve=conformance_curve(mileposts),
        pondering=pondering(mileposts, champions),
        covariance=covariance_table(mileposts),
        surface=covariance_surface(mileposts),
        complexity=complexity_table(champions, mileposts),
        years=best_years(champions),
        earlier=earlier(champions, more) if more else kept_earlier(),
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("shared", type=Path)
    parser.add_argument("--earlier", type=Path)
    given = parser.parse_args()
    analysed = given.shared / "analysed"
    champions = Decisions.read(analysed / "championship-years.parquet")
    mileposts = Decisions.read(analysed / "mileposts.parquet")
    TARGET.parent.mkdir(parents=True, exist_ok=True)
    TARGET.write_text(document(champions, mileposts, given.earlier), encoding="utf-8")


if __name__ == "__main__":
    main()
