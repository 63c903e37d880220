"""The paper's events analysed anew: London Classic 2011 (Table 1), Candidates 2011 (Table 3), Table 4."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
from scipy.stats import spearmanr

from assay.answers.comparisons import CrossTable
from assay.decisions import measures
from assay.decisions.arrays import Floats
from assay.decisions.decisions import Decisions
from assay.decisions.exclusions import PART_OF_EVENT
from assay.errors import InputError
from assay.models.gain.model import LIMIT, GainModel
from assay.models.gain.tournament import cross_tables
from assay.workspace import Workspace
from research.markdown import PLAIN, RIGHT, table

INCLUDE = PART_OF_EVENT
"""The paper counts the rapid games and short draws of these events."""

RESAMPLES = 1000


def analysed(games: Path, work: Path, jobs: int, recipe: str = "standard") -> Decisions:
    """Decisions of a PGN file, analysed in a workspace below `work` where that is missing."""
    workspace = Workspace(work / games.stem)
    workspace.import_games(games)
    if unusable := workspace.none_may_be_rated(INCLUDE):
        raise InputError(unusable)
    return workspace.decisions(workspace.analyse(recipe, jobs=jobs, include=INCLUDE).recipe_id)


def model_for(decisions: Decisions, engine_profile: str) -> GainModel:
    """The model with the peak as the engine's distribution, or with one measured on these decisions."""
    model = GainModel(engine_profile=engine_profile, include=INCLUDE)
    return model.measure_engine(decisions) if engine_profile == "measured" else model


def summary(title: str, decisions: Decisions) -> str:
    """What was analysed, on one line."""
    gains = measures.gain(decisions, LIMIT)
    return (
        f"- {title}: {len(decisions.games)} games, {len(decisions):,} decisions, mean gain "
        f"{np.nanmean(gains) / 100:+.3f} pawns, {np.mean(gains == 0):.1%} of the gains are exactly zero."
    )


def event(decisions: Decisions, by: str, published: list[dict[str, Any]]) -> str:
    """Strengths by Algorithm 2 with intervals beside the printed ones, and how far they agree."""
    [found] = cross_tables(decisions, model_for(decisions, "peak"), by=by, resamples=RESAMPLES)
    paper = {str(row["player"]): row for row in published}
    theirs = np.array([float(paper[family(name)]["estimated"]) for name in found.players])
    heads = ("player", "Elo", "points", "expected", "strength", "95% interval", "in the paper")
    lines = table(heads, _strengths(found, theirs), (PLAIN, *[RIGHT] * 6))
    return f"{lines}\n\n{agreement(found, theirs)}"


def _strengths(found: CrossTable, theirs: Floats) -> Iterator[tuple[str, ...]]:
    for row, name in enumerate(found.players):
        yield (
            family(name),
            f"{found.elos[row]:.0f}",
            f"{found.total_results[row]:g}",
            f"{found.total_expectations[row]:.2f}",
            f"{found.perceived.ratings[row]:.0f}",
            f"{found.low[row]:.0f} to {found.high[row]:.0f}",
            f"{theirs[row]:.0f}",
        )


def agreement(found: CrossTable, theirs: Floats) -> str:
    """Rank correlations with the paper and with the ratings, and how many intervals hold the paper's."""
    ours = found.perceived.ratings
    inside = int(np.sum((found.low <= theirs) & (theirs <= found.high)))
    half_width = float(np.mean(found.high - found.low)) / 2
    return (
        f"Rank correlation of our strengths with the paper's: **{spearmanr(ours, theirs).statistic:.2f}**; "
        f"with the ratings: {spearmanr(ours, found.elos).statistic:.2f} (the paper's with the ratings: "
        f"{spearmanr(theirs, found.elos).statistic:.2f}). The mean difference to the paper is "
        f"{np.abs(ours - theirs).mean():.0f} points; {inside} of {len(ours)} published strengths lie inside "
        f"our intervals, which reach {half_width:.0f} points to either side on average."
    )


def engine_strengths(events: dict[str, Decisions]) -> str:
    """The engine's strength by Algorithm 3, with either of its distributions (Table 4)."""
    rows = []
    for title, decisions in events.items():
        for profile in ("peak", "measured"):
            [found] = cross_tables(decisions, model_for(decisions, profile), by="event", resamples=0)
            by_elo, by_estimate = found.engine_strength
            together = spearmanr(found.against_engine, found.perceived.ratings).statistic
            rows.append((title, profile, f"{by_elo:.0f}", f"{by_estimate:.0f}", f"{together:.2f}"))
    heads = ("event", "engine's distribution", "by ratings", "by strengths", "rank correlation")
    return table(heads, rows, (PLAIN, PLAIN, RIGHT, RIGHT, RIGHT))


def family(name: str) -> str:
    """The family name, as the paper's tables have it."""
    return name.split(",")[0]
