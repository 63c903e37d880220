"""What the method `bayes` finds on real games, beside the paper's numbers: docs/reproduction/bayes.md.

    python scripts/reproduce_bayes.py [ANALYSED [--replications 1000]] [--toga WORKSPACE]

ANALYSED is a file of decisions from milepost games; WORKSPACE holds milepost games analysed with Toga II, for
docs/reproduction/bayes-toga.md.
"""

import argparse
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path

import numpy as np
from scipy.stats import kendalltau, spearmanr
from skill_svg import density_svg

from assay.domain.decisions import Decisions
from assay.domain.profile import Profile, resample_weights
from assay.models.apparent_skill import (
    Skill,
    apparent_skill,
    apparent_skill_by,
    band,
    map_to_elo,
    mileposts,
    results_apart,
    training_curve,
)
from assay.models.bayes import BayesModel
from assay.validation.published import facts
from assay.validation.simulate import simulate
from assay.workspace import Workspace

DOCS = Path(__file__).resolve().parent.parent / "docs" / "reproduction"
PAPER = facts("difatta2009")
RESAMPLES = 500
BATCH = 100
"""Replications that are done at once: their number is a multiple of this."""
OUTSIDE = ("value", "exclude")


def table(heads: Sequence[str], rows: Iterable[Sequence[object]]) -> str:
    lines = [heads, ["---"] * len(heads), *rows]
    return "\n".join("| " + " | ".join(str(cell) for cell in line) + " |" for line in lines) + "\n"


def by_games(model: BayesModel, decisions: Decisions) -> float:
    """Deviation of the mean of c between resamples of whole games."""
    stack = model.profiles_by(decisions)
    drawn = stack.weighted(resample_weights(len(stack), RESAMPLES, seed=1))
    return float(np.std([model.posterior(profile).mean for profile in drawn], ddof=1))


def table_2(model: BayesModel, decisions: Decisions) -> str:
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
    return table(heads, rows)


def order(model: BayesModel, decisions: Decisions) -> str:
    found = [(elo, skill.posterior.mean) for elo, skill in mileposts(model, decisions)]
    single = apparent_skill_by(model, decisions, "player", "game_id", "player_elo")
    rank = spearmanr(*zip(*found, strict=True)).statistic
    alone = spearmanr([float(s.label[2]) for s in single], [s.posterior.mean for s in single]).statistic
    tau = kendalltau(*zip(*found, strict=True)).statistic
    return (
        f"Rank correlation of c with Elo over the {len(found)} mileposts: {rank:.3f} (Spearman), {tau:.3f} "
        f"(Kendall); over the {len(single)} single players in single games: {alone:.2f}. The paper's seven "
        "data sets are in perfect order, each on 12,000 to 31,000 decisions: here the mileposts have about a "
        "thousand each, and neighbours that are out of order lie within each other's regions.\n"
    )


def table_3(model: BayesModel, decisions: Decisions) -> str:
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
    return table(heads, rows)


def settings(decisions: Decisions) -> str:
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
    return table(heads, rows)


def simulation(model: BayesModel, decisions: Decisions, replications: int) -> str:
    kept, _ = model.select(decisions)
    rows = []
    generator = np.random.default_rng(2009)
    for size, times in ((30, 4), (250, 4), (2500, 1)):
        for skill in (0.8, 1.2, 1.6):
            number = times * replications
            z, covered = replicate(model, kept, skill, size, number, generator)
            rows.append((size, skill, number, f"{100 * covered:.1f}%", f"{z.mean():+.3f}", f"{z.std():.2f}"))
    heads = (
        "decisions",
        "true c",
        "replications",
        "95% region covers",
        "bias, in deviations",
        "spread, in deviations",
    )
    return table(heads, rows)


def replicate(
    model: BayesModel,
    kept: Decisions,
    skill: float,
    size: int,
    replications: int,
    generator: np.random.Generator,
) -> tuple[np.ndarray, float]:
    """Standardised errors of the mean, and how often the region covers the truth."""
    errors, covered = [], 0
    for _ in range(replications // BATCH):
        chosen = [generator.choice(len(kept), size, replace=False) for _ in range(BATCH)]
        rows = kept.take(np.concatenate(chosen))
        played = simulate(rows, model.agent(rows, skill), generator)
        for evidence in model.evidence(played, np.repeat(np.arange(BATCH), size), BATCH):
            posterior = model.posterior(Profile(model.identity, evidence, size, 1.0))
            low, high = posterior.region()
            covered += low <= skill <= high
            errors.append((posterior.mean - skill) / posterior.deviation)
    return np.array(errors), covered / len(errors)


def training(model: BayesModel, decisions: Decisions) -> str:
    curve = training_curve(model, band(decisions, 2380, 2420))
    rows = [
        (f"{s.profile.decisions:,.0f}", f"{s.posterior.mean:.3f}", f"{s.posterior.deviation:.4f}")
        for s in curve
    ]
    return table(("decisions", "mean of c", "deviation"), rows)


def toga(workspace: Path) -> str:
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
        f"{table(heads, rows)}\n"
        f"The paper's c lies within the region in {inside} of {len(rows)} rows.\n"
    )


def toga_row(model: BayesModel, decisions: Decisions, elo: int) -> tuple[str, ...]:
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


def page(model: BayesModel, decisions: Decisions, replications: int) -> str:
    mapping = map_to_elo(model, decisions)
    parts: dict[str, Callable[[], str]] = {
        "TABLE2": lambda: table_2(model, decisions),
        "ORDER": lambda: order(model, decisions),
        "TABLE3": lambda: table_3(model, decisions),
        "SETTINGS": lambda: settings(decisions),
        "MAPPING": lambda: f"{mapping.error:.0f}",
        "TRAINING": lambda: training(model, decisions),
        "SIMULATION": lambda: simulation(model, decisions, replications),
    }
    return filled("reproduce_bayes.template.md", parts)


def filled(template: str, parts: dict[str, Callable[[], str]]) -> str:
    text = (Path(__file__).parent / template).read_text(encoding="utf-8")
    for name, make in parts.items():
        text = text.replace(f"@{name}@", make().rstrip("\n"))
    return text


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("analysed", type=Path, nargs="?")
    parser.add_argument("--toga", type=Path)
    parser.add_argument("--replications", type=int, default=1000)
    given = parser.parse_args()
    DOCS.mkdir(parents=True, exist_ok=True)
    if given.toga is not None:
        text = filled("reproduce_bayes_toga.template.md", {"TOGA": lambda: toga(given.toga)})
        (DOCS / "bayes-toga.md").write_text(text, encoding="utf-8")
    if given.analysed is not None:
        model, decisions = BayesModel(), Decisions.read(given.analysed)
        skills: list[Skill] = [skill for _, skill in mileposts(model, decisions)]
        (DOCS / "bayes-densities.svg").write_text(density_svg(skills), encoding="utf-8")
        (DOCS / "bayes.md").write_text(page(model, decisions, given.replications), encoding="utf-8")


if __name__ == "__main__":
    main()
