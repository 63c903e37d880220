"""Complexity (Table 4) and the best years of the champions, among the years analysed."""

from __future__ import annotations

from assay.decisions.decisions import Decisions
from assay.models.complexity import INDICATORS, error_correlations
from assay.models.conformance import ConformanceModel
from assay.models.covariance import CovarianceModel
from assay.models.markov import MarkovModel
from assay.rating.careers import Careers, head_to_heads
from assay.reproduce import facts
from research.markdown import table
from research.papers.alliot2017.numbers import three

PAPER = facts("alliot2017")

PAPERS_BEST_YEARS = (
    "Carlsen 2013, Kramnik 1999, Fischer 1971, Kasparov 2001, Anand 2008, Smyslov 1983, Petrosian 1962, "
    "Karpov 1988, Botvinnik 1945, Spassky 1970, Tal 1981, Euwe 1941, Alekhine 1922"
)


def complexity_table(champions: Decisions, mileposts: Decisions) -> str:
    """Table 4: correlation of the indicators with the size of the error, by player."""
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
    """The best year of each champion by each method, beside the paper's order."""
    lines = []
    for make in (ConformanceModel, CovarianceModel, MarkovModel):
        found = head_to_heads(Careers(make(), decisions)).best_years()
        lines.append((make.name, ", ".join(f"{key.player} {key.year}" for key in found)))
    lines.append(("markov, paper (all years)", PAPERS_BEST_YEARS))
    return table(("method", "best years, best player first"), lines)
