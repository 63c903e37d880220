"""Conformance and covariance on real games: Figures 4, 11 and 12, Table 6, k1 and k2, moves by colour."""

from __future__ import annotations

from assay.decisions.decisions import Decisions
from assay.models.conformance import ConformanceModel, best_bound, best_k, correlation_by_bound
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
from assay.models.losses import REGRESSION_K, LossMeasure, regression_k
from assay.reproduce import facts
from research.markdown import table
from research.papers.alliot2017.numbers import percent, three, two

PAPER = facts("alliot2017")


def by_colour(decisions: Decisions) -> str:
    """Share of perfect moves with either colour."""
    model = ConformanceModel("raw")
    found = {
        colour: model.at(model.profile(decisions.select(colour=colour)), 0).value
        for colour in ("white", "black")
    }
    stated = PAPER["perfect_move_share"]
    lines = [(c, percent(found[c], 1), percent(stated[c], 1)) for c in ("white", "black")]
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
        curve = [three(rho) for _, rho in correlation_by_bound(decisions, measure, bounds)]
        lines.append((name, *curve, int(best_bound(decisions, measure, bounds)[0])))
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
        one, other = regression_k(decisions.filter(*LossMeasure().rules()))
        lines.append((f"ours, regression (b/a), {name}", two(one), two(other), ""))
    fitted = ConformanceModel().fit(mileposts)
    text = table(("source", "k1", "k2", "correlation"), lines)
    return text + (
        f"\n\nLine at 0.3, pondered: alpha {fitted.alpha_:.3f}, beta {fitted.beta_:.2f} "
        "(paper: -0.007 and 3.64)."
    )


def covariance_table(decisions: Decisions) -> str:
    """Table 6: the settings of covariance, with those that our own search finds."""
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
        values = (one[key] for key in ("correlation", "mean", "deviation", "beta", "alpha"))
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
