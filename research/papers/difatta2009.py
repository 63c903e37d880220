"""Di Fatta, Haworth and Regan 2009 on milepost games: Tables II and III, Figures 1 and 2, and simulations.

Tables of docs/evidence/paper_difatta2009*.md. Analyses by Toga II, the paper's engine, are read from
the workspace `toga` of --work, which `assay analyse --recipe difatta2009 --engine toga2` fills. `dispersions`
and `honest` measure the constants DISPERSION and HONEST of assay.models.bayes.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from scipy.stats import kendalltau, spearmanr

from assay.decisions.arrays import Floats, Ints
from assay.decisions.decisions import Decisions
from assay.decisions.profile import Profile
from assay.figures.curves import density_figure
from assay.models.appearances import mapping_from
from assay.models.bayes import (
    DISPERSION,
    BayesModel,
    Hypothesis,
    Posterior,
    Skill,
    apparent_skill,
    apparent_skill_by,
    band,
    log_probability,
    mileposts,
    results_apart,
    training_curve,
)
from assay.models.intervals import resample_weights
from assay.rating.calibration import find_calibration
from assay.rating.spread import Spread
from assay.reproduce import facts
from assay.workspace import Workspace
from research.markdown import Tables, table
from research.papers import Games
from research.papers.all_moves import all_moves, every_choice, read_as

PAPER = facts("difatta2009")
RESAMPLES = 500
OUTSIDE = ("tail", "value", "exclude")
"""What becomes of a played move that is outside the lines."""

LINES = (20, 10, 5)
SKILLS = (0.8, 1.2, 1.6)
HELD_OUT = 600
"""Positions of the simulation: the last ones. The tail was fitted on another draw, which may share some."""

SIZE = 250
"""Decisions of one replication."""

REPLICATIONS = 500
RULE = " --- "


def by_games(model: BayesModel, decisions: Decisions) -> float:
    """Deviation of the mean of c between resamples of whole games."""
    stack = model.profiles_by(decisions)
    drawn = stack.weighted(resample_weights(len(stack), RESAMPLES, seed=1))
    return float(np.std([model.posterior(profile).mean for profile in drawn], ddof=1))


def table_2(model: BayesModel, decisions: Decisions) -> str:
    """Table II: apparent skill of each milepost, with its deviation over resampled games."""
    published = {row["name"]: row for row in PAPER["apparent_skill"]}
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
    by_milepost = mileposts(model, decisions)
    skills = [(elo, skill.posterior.mean) for elo, skill in by_milepost]
    sizes = sorted(skill.profile.decisions for _, skill in by_milepost)
    single = apparent_skill_by(model, decisions, "player", "game_id", "player_elo")
    rank = spearmanr(*zip(*skills, strict=True)).statistic
    alone = spearmanr([float(s.label[2]) for s in single], [s.posterior.mean for s in single]).statistic
    tau = kendalltau(*zip(*skills, strict=True)).statistic
    return (
        f"Rank correlation of c with Elo over the {len(skills)} mileposts: {rank:.3f} (Spearman), {tau:.3f} "
        f"(Kendall); over the {len(single)} single players in single games: {alone:.2f}. The paper's seven "
        "data sets are in perfect order, each on 12,000 to 31,000 decisions: here the mileposts have "
        f"{sizes[0]:,.0f} to {sizes[-1]:,.0f}, and neighbours that are out of order lie within each other's "
        "regions."
    )


def table_3(model: BayesModel, decisions: Decisions) -> str:
    """Table III: skill in single games by their result."""
    published = PAPER["single_games_E2400"]
    rows = []
    for name, chosen in (("all mileposts", decisions), ("2400", band(decisions, 2380, 2420))):
        for group in results_apart(model, chosen):
            paper = published.get(group["games"])
            mean = paper["mean"] if isinstance(paper, dict) else paper
            spread = f"{paper['sd']:.3f}" if isinstance(paper, dict) else ""
            rows.append(
                (
                    name,
                    *(group[key] for key in ("games", "players in games")),
                    *(
                        f"{group[k]:.3f}"
                        for k in ("mean of c", "spread of c", "own deviation", "c of all moves")
                    ),
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
            skills = mileposts(model, decisions)
            chosen = {elo: skill.posterior.mean for elo, skill in skills}
            single = apparent_skill_by(model, decisions, "player", "game_id", "player_elo")
            alone = spearmanr([float(s.label[2]) for s in single], [s.posterior.mean for s in single])
            rows.append(
                (
                    outside,
                    limit or "none",
                    f"{sum(skill.profile.decisions for _, skill in skills):,.0f}",
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


def evidence(way: str, decisions: Decisions, lines: int) -> Floats:
    """Log-likelihood of each decision by one way, read with so many lines; zero where it is left out."""
    seen = read_as(decisions, lines)
    model = BayesModel(opening_turns=0, outside=way)
    rows = np.arange(len(seen))
    if way == "exclude":
        rows = np.flatnonzero(seen.played_index < seen.numbers("n_lines"))
    likelihoods = np.zeros((len(seen), *model.shape))
    likelihoods[rows] = model.evidence(seen.take(rows), np.arange(len(rows)), len(rows))
    return likelihoods


def posteriors(rows: Floats, chosen: Ints) -> list[Posterior]:
    """One posterior for each row of `chosen`: places among the rows of evidence."""
    model = BayesModel()
    sums = (rows[row].sum(axis=0) for row in chosen)
    return [model.posterior(Profile(model.identity, row, chosen.shape[1], 1.0)) for row in sums]


def drawn(decisions: Decisions, skill: float, replications: int, seed: int, size: int = SIZE) -> Ints:
    """What E(skill) chooses among all legal moves of `size` positions, drawn with replacement.

    Places among the rows of `every_choice`, one row for each replication.
    """
    generator = np.random.default_rng(seed)
    chances = np.concatenate(([0.0], np.cumsum(BayesModel().agent(decisions, skill))))
    first, after = decisions.offsets[:-1], decisions.offsets[1:]
    who = generator.integers(len(decisions), size=(replications, size))
    at = chances[first[who]] + generator.random(who.shape) * (chances[after[who]] - chances[first[who]])
    place = np.searchsorted(chances, at, side="right") - 1
    return np.asarray(np.clip(place, first[who], after[who] - 1), dtype=np.int64)


def held_out() -> Decisions:
    """The positions that the tail was not fitted on."""
    every = all_moves()
    return every.take(np.arange(len(every) - HELD_OUT, len(every)))


def coverage(way: str, lines: int, skills: tuple[float, ...], replications: int) -> list[tuple[float, float]]:
    """For each true c the mean of c, and how often the 95% region covers the truth."""
    positions = held_out()
    rows = evidence(way, every_choice(positions), lines)
    answer = []
    for skill in skills:
        simulated = posteriors(rows, drawn(positions, skill, replications, seed=round(1000 * skill) + lines))
        regions = np.array([posterior.region() for posterior in simulated])
        covered = np.mean((regions[:, 0] <= skill) & (skill <= regions[:, 1]))
        answer.append((float(np.mean([posterior.mean for posterior in simulated])), float(covered)))
    return answer


def unlisted_simulated(replications: int) -> str:
    """Agents that choose among all legal moves: mean of c and coverage, by way, lines and true c."""
    rows = []
    for way in OUTSIDE:
        for lines in LINES:
            by_skill = coverage(way, lines, SKILLS, replications)
            rows.append((way, lines, *(f"{mean:.3f}, {100 * covered:.1f}%" for mean, covered in by_skill)))
    return table(("outside", "lines", *(f"E({skill:g})" for skill in SKILLS)), rows, RULE)


def unlisted_real() -> str:
    """The moves of the games: c by way and number of lines, and with every legal move listed."""
    every = all_moves()
    whole = np.arange(len(every))[None]
    rows = []
    for way in OUTSIDE:
        means = [posteriors(evidence(way, every, lines), whole)[0].mean for lines in (500, *LINES)]
        rows.append((way, *(f"{mean:.3f}" for mean in means), f"{max(means[1:]) - min(means[1:]):.3f}"))
    heads = ("outside", "all legal moves", *(f"{lines} lines" for lines in LINES), "range, 20 to 5")
    return table(heads, rows, RULE)


def simulation(model: BayesModel, replications: int) -> str:
    """Agents of known c, seen through ten lines: bias and coverage by the number of decisions."""
    positions = held_out()
    likelihoods = evidence(model.outside, every_choice(positions), 10)
    rows = []
    for size, times in ((30, 2), (250, 2), (1000, 1)):
        for skill in SKILLS:
            number = times * replications
            each = posteriors(likelihoods, drawn(positions, skill, number, seed=2009 + size, size=size))
            z = np.array([(posterior.mean - skill) / posterior.deviation for posterior in each])
            covered = np.mean(
                [low <= skill <= high for low, high in (posterior.region() for posterior in each)]
            )
            rows.append((size, skill, number, f"{100 * covered:.1f}%", f"{z.mean():+.3f}", f"{z.std():.2f}"))
    heads = (
        "decisions",
        "true c",
        "replications",
        "95% region covers",
        "bias, in deviations",
        "spread, in deviations",
    )
    return table(heads, rows, RULE)


def dispersion(model: BayesModel, decisions: Decisions, resamples: int = 3000) -> float:
    """Variance of c over resampled games, divided by that of the posterior: moves taken as independent."""
    stack = model.profiles_by(decisions)
    resampled = stack.weighted(resample_weights(len(stack), resamples, seed=1))
    means = [model.posterior(profile).mean for profile in resampled]
    return float(np.var(means, ddof=1) / model.posterior(stack.total()).deviation ** 2)


def dispersions(model: BayesModel, decisions: Decisions) -> str:
    """The ratio of each milepost, and their mean beside the number in use."""
    ratios = [
        dispersion(model, band(decisions, elo - 20, elo + 20)) for elo, _ in mileposts(model, decisions)
    ]
    return (
        f"{len(ratios)} mileposts: mean {np.mean(ratios):.2f}, {min(ratios):.1f} to {max(ratios):.1f}; "
        f"in use: {DISPERSION:g}"
    )


def log_ratios(decisions: Decisions, spread: Spread) -> Floats:
    """Log likelihood ratios of engine against the own rating: every player in every game, by halves."""
    model = BayesModel()
    _, order = np.unique(decisions.codes("game_id"), return_inverse=True)
    second = order % 2 == 1
    halves = [decisions.take(np.flatnonzero(second == part)) for part in (False, True)]
    ratios = []
    for judged, others in (halves, halves[::-1]):
        mapping = mapping_from(model, others)
        for skill in apparent_skill_by(model, judged, "player", "game_id", "player_elo"):
            elo = float(skill.label[2])
            strays = spread.beyond_chance(model.name, elo, skill.profile.decisions, DISPERSION)
            by_rating = Hypothesis.rated(elo, mapping, strays)
            engine, own = (log_probability(skill.profile, h) for h in (Hypothesis.engine(), by_rating))
            ratios.append(engine - own)
    return np.array(ratios)


def honest(decisions: Decisions) -> str:
    """How often `engine` describes the moves of honest players better than their own ratings do."""
    calibration = find_calibration("672593ce2551e878")
    assert calibration is not None, "ships with the package"
    ratios = log_ratios(decisions, calibration.spread)
    above = [int((ratios > np.log(bound)).sum()) for bound in (1, 10, 100)]
    return f"{len(ratios)} players in games: engine better {above[0]}, by 10 {above[1]}, by 100 {above[2]}"


def toga_table(opened: Workspace) -> str:
    """What was analysed, the table by milepost, and how often the paper's c is within the region."""
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
    published = {row["name"]: row["mean_c"] for row in PAPER["apparent_skill"]}
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


def density_svg(skills: Sequence[Skill]) -> str:
    """Figure 1: densities of c, one curve per skill, named at its peak."""
    regions = np.array([skill.posterior.region(0.9999) for skill in skills])
    ends = float(np.floor(regions.min() * 10) / 10), float(np.ceil(regions.max() * 10) / 10)
    densities = [(skill.label[0], skill.posterior.c, skill.posterior.density) for skill in skills]
    return f"{density_figure('Densities of the skill c', densities, ends, 'skill c').svg()}\n"


def on_mileposts(games: Games) -> Tables:
    """What the method finds on milepost games."""
    model, decisions = BayesModel(), games.mileposts()
    games.draw("bayes-densities", density_svg([skill for _, skill in mileposts(model, decisions)]))
    yield "Table II: apparent skill", table_2(model, decisions)
    yield "Order", order(model, decisions)
    mapping = mapping_from(model, decisions)
    yield "Error of a milepost found from the others, in Elo", f"{mapping.error:.0f}"
    yield "Table III: single games by their result", table_3(model, decisions)
    yield "Settings", settings(decisions)
    yield "Figure 2: training, milepost 2400", training(model, decisions)
    yield "Dispersion of c over games", dispersions(model, decisions)
    yield "Honest players described better as an engine", honest(decisions)


def simulations(games: Games) -> Tables:
    """Agents of known c on the positions of all_moves.npz."""
    yield "Bias and coverage of c", simulation(BayesModel(), REPLICATIONS)
    yield "Unlisted moves: agents of known c, mean of c and coverage", unlisted_simulated(REPLICATIONS)
    yield "Unlisted moves: c of the games by the number of lines", unlisted_real()


def toga(games: Games) -> Tables:
    """The paper's engine on every second turn of 40 games at two mileposts."""
    yield "Toga II", toga_table(games.workspace("toga"))


PARTS = (on_mileposts, simulations, toga)
