"""What the method finds on milepost games, in the paper's own tables: Tables II and III, Figure 2."""

from __future__ import annotations

import numpy as np
from scipy.stats import kendalltau, spearmanr

from assay.decisions.decisions import Decisions
from assay.models.bayes import BayesModel
from assay.models.bayes_skill import apparent_skill_by, band, mileposts, results_apart, training_curve
from assay.models.intervals import resample_weights
from assay.reproduce import facts
from research.markdown import table

PAPER = facts("difatta2009")
RESAMPLES = 500
OUTSIDE = ("tail", "censored", "value", "exclude")
"""What becomes of a played move that is outside the lines."""

RULE = " --- "


def by_games(model: BayesModel, decisions: Decisions) -> float:
    """Deviation of the mean of c between resamples of whole games."""
    stack = model.profiles_by(decisions)
    drawn = stack.weighted(resample_weights(len(stack), RESAMPLES, seed=1))
    return float(np.std([model.posterior(profile).mean for profile in drawn], ddof=1))


def table_2(model: BayesModel, decisions: Decisions) -> str:
    """Table II: apparent skill of each milepost, with its deviation over resampled games."""
    published = {one["name"]: one for one in PAPER["apparent_skill"]}
    rows = []
    for elo, skill in mileposts(model, decisions):
        low, high = skill.posterior.region()
        paper = published.get(f"E{elo:.0f}")
        rows.append(
            (
                f"{elo:.0f}",
                f"{skill.profile.games:.0f}",
                f"{skill.profile.decisions:,.0f}",
                f"{skill.posterior.mean:.3f}",
                f"{skill.posterior.deviation:.3f}",
                f"{low:.2f} to {high:.2f}",
                f"{by_games(model, band(decisions, elo - 20, elo + 20)):.3f}",
                f"{paper['mean_c']:.3f}" if paper else "",
            )
        )
    heads = ("Elo", "games", "decisions", "c", "deviation", "95% region", "deviation by games", "paper's c")
    return table(heads, rows, RULE)


def order(model: BayesModel, decisions: Decisions) -> str:
    """How far c is in the order of Elo, over mileposts and over single players in single games."""
    found = [(elo, skill.posterior.mean) for elo, skill in mileposts(model, decisions)]
    single = apparent_skill_by(model, decisions, "player", "game_id", "player_elo")
    rank = spearmanr(*zip(*found, strict=True)).statistic
    alone = spearmanr([float(s.label[2]) for s in single], [s.posterior.mean for s in single]).statistic
    tau = kendalltau(*zip(*found, strict=True)).statistic
    return (
        f"Rank correlation of c with Elo over the {len(found)} mileposts: {rank:.3f} (Spearman), {tau:.3f} "
        f"(Kendall); over the {len(single)} single players in single games: {alone:.2f}. The paper's seven "
        "data sets are in perfect order, each on 12,000 to 31,000 decisions: here the mileposts have about a "
        "thousand each, and neighbours that are out of order lie within each other's regions."
    )


def table_3(model: BayesModel, decisions: Decisions) -> str:
    """Table III: skill in single games by their result."""
    published = PAPER["single_games_E2400"]
    rows = []
    for name, chosen in (("all mileposts", decisions), ("2400", band(decisions, 2380, 2420))):
        for group in results_apart(model, chosen):
            paper = published.get(group.result)
            mean = paper["mean"] if isinstance(paper, dict) else paper
            spread = f"{paper['sd']:.3f}" if isinstance(paper, dict) else ""
            rows.append(
                (
                    name,
                    group.result,
                    group.players_in_games,
                    f"{group.mean:.3f}",
                    f"{group.deviation:.3f}",
                    f"{group.own_deviation:.3f}",
                    f"{group.pooled.mean:.3f}",
                    f"{mean:.3f}",
                    spread,
                )
            )
    heads = (
        "games of",
        "result",
        "players in games",
        "mean of c",
        "spread of c",
        "own deviation",
        "c of all moves",
        "paper's mean",
        "paper's spread",
    )
    return table(heads, rows, RULE)


def settings(decisions: Decisions) -> str:
    """Skill and its order by the setting for moves outside the lines and by the limit on values."""
    rows = []
    for outside in OUTSIDE:
        for limit in (300, 1000, 3900, None):
            model = BayesModel(outside=outside, limit=limit)
            found = mileposts(model, decisions)
            chosen = {elo: skill.posterior.mean for elo, skill in found}
            single = apparent_skill_by(model, decisions, "player", "game_id", "player_elo")
            alone = spearmanr([float(s.label[2]) for s in single], [s.posterior.mean for s in single])
            rows.append(
                (
                    outside,
                    limit or "none",
                    f"{sum(skill.profile.decisions for _, skill in found):,.0f}",
                    *(f"{chosen[elo]:.3f}" for elo in (1600.0, 2100.0, 2700.0)),
                    f"{spearmanr(list(chosen), list(chosen.values())).statistic:.3f}",
                    f"{alone.statistic:.2f}",
                )
            )
    heads = (
        "outside",
        "limit",
        "decisions",
        "c at 1600",
        "c at 2100",
        "c at 2700",
        "rank, mileposts",
        "rank, single",
    )
    return table(heads, rows, RULE)


def training(model: BayesModel, decisions: Decisions) -> str:
    """Figure 2: how c settles while decisions come in."""
    curve = training_curve(model, band(decisions, 2380, 2420))
    rows = [
        (f"{s.profile.decisions:,.0f}", f"{s.posterior.mean:.3f}", f"{s.posterior.deviation:.4f}")
        for s in curve
    ]
    return table(("decisions", "mean of c", "deviation"), rows, RULE)
