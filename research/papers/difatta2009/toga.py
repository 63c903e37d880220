"""The same with Toga II, the paper's engine: c of the milepost games that toga_games.py analyses."""

from __future__ import annotations

from pathlib import Path

from assay.decisions.decisions import Decisions
from assay.models.bayes import BayesModel
from assay.models.bayes_skill import apparent_skill, band
from assay.workspace import Workspace
from research.markdown import table
from research.papers.difatta2009.real_games import OUTSIDE, PAPER, RULE, by_games


def toga(workspace: Path) -> str:
    """What was analysed, the table by milepost, and how often the paper's c is within the region."""
    opened = Workspace(workspace)
    status = opened.status()
    ((recipe, done),) = status["analyses"].items()
    about = opened.recipes()[status["recipes"][recipe]["recipe_id"]]
    decisions = opened.decisions(recipe)
    rows = [
        toga_row(BayesModel(outside=outside), decisions, elo) for outside in OUTSIDE for elo in (2100, 2700)
    ]
    heads = ("Elo", "outside", "games", "decisions", "c", "deviation", "95% region", "by games", "paper's c")
    regions = [(*map(float, row[-3].split(" to ")), float(row[-1])) for row in rows]
    inside = sum(low <= paper <= high for low, high, paper in regions)
    wanted = done + status["missing"][recipe]
    return (
        f"Rule of this workspace: {about['engine'].get('children', 'every option searched to the end')}.\n"
        f"Analysed: {done:,} of {wanted:,} positions of {status['games']} games.\n\n"
        f"{table(heads, rows, RULE)}\n\n"
        f"The paper's c lies within the region in {inside} of {len(rows)} rows."
    )


def toga_row(model: BayesModel, decisions: Decisions, elo: int) -> tuple[str, ...]:
    """Skill in the games of one milepost."""
    inside = band(decisions, elo - 10, elo + 10)
    skill = apparent_skill(model, inside)
    low, high = skill.posterior.region()
    published = {one["name"]: one["mean_c"] for one in PAPER["apparent_skill"]}
    return (
        str(elo),
        model.outside,
        f"{skill.profile.games:.0f}",
        f"{skill.profile.decisions:,.0f}",
        f"{skill.posterior.mean:.3f}",
        f"{skill.posterior.deviation:.3f}",
        f"{low:.2f} to {high:.2f}",
        f"{by_games(model, inside):.3f}",
        f"{published[f'E{elo}']:.3f}",
    )
