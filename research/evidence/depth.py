"""The tables of docs/depth.md: what Regan and Haworth (2011, section 8) foresee of agents that weigh depths.

    python -m research depth WORKSPACE [--recipe standard]

WORKSPACE holds analysed milepost games. Do stronger players weigh larger depths more? Are moves whose value
appears late played less by weaker ones? Is the correction of ties needless then? Intervals are from resampled
games. Agents of known weights are simulated on depth_positions.npz.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from scipy.interpolate import CubicSpline

from assay.decisions.arrays import Floats, Ints, Mask
from assay.decisions.decisions import Decisions
from assay.decisions.evaluation import is_mate
from assay.models.bayes import GRID, BayesModel
from assay.models.choice.model import ChoiceModel
from assay.models.choice.probabilities import probabilities as choice_probabilities
from assay.models.choice.spreads import spreads_of
from assay.models.depth.agents import DepthAgent
from assay.models.depth.likelihood import Positions, log_likelihoods, probabilities
from assay.models.depth.model import DepthModel, at, resolve
from assay.models.mileposts import Mileposts, milepost_of_each
from assay.workspace.workspace import Workspace
from research import command_on_workspace
from research.evidence.depth_positions import AllMoves, Recovery, Simulation
from research.markdown import Tables, print_tables, table

METHODS = ("choice", "bayes", "depth")


def shared(decisions: Decisions) -> Decisions:
    """The decisions that all three methods read."""
    return decisions.filter(*ChoiceModel().rules(), *BayesModel().rules(), *DepthModel().rules())


def held_out(decisions: Decisions, folds: int = 5, seed: int = 0) -> tuple[tuple[int, ...], Floats, Floats]:
    """Mileposts; sums of held-out log-likelihoods, shape (mileposts, games, methods); decisions of each.

    Games are split into folds; the agents of each milepost are fitted on the others. Decisions count that
    pass the rules of all three methods.
    """
    usable = shared(decisions)
    mileposts, place = milepost_of_each(usable)
    usable = usable.take(np.flatnonzero(place >= 0))
    place = place[place >= 0]
    _, game = np.unique(usable.codes("game_id"), return_inverse=True)
    n, n_games = len(mileposts), int(game.max()) + 1
    fold = np.random.default_rng(seed).permutation(n_games) % folds
    group = place * n_games + game
    bayes, depth = (
        model.evidence(usable, group, n * n_games).reshape(n, n_games, -1)
        for model in (BayesModel(), DepthModel())
    )
    sums = np.zeros((n, n_games, len(METHODS)))
    for century in range(n):
        for out in range(folds):
            inside, kept_out = fold != out, np.flatnonzero(fold == out)
            c = GRID[np.argmax(bayes[century, inside].sum(axis=0))]
            sums[century, kept_out, 1] = CubicSpline(GRID, bayes[century, kept_out], axis=1)(c)
            agent = resolve(depth[century, inside].sum(axis=0)).mean
            sums[century, kept_out, 2] = at(depth[century, kept_out], agent[None])[:, 0]
            rows = np.flatnonzero(place == century)
            train, test = rows[inside[game[rows]]], rows[~inside[game[rows]]]
            likelihood = _choice(usable.take(train), usable.take(test))
            sums[century, :, 0] += np.bincount(game[test], likelihood, minlength=n_games)
    counts = np.bincount(group, minlength=n * n_games).reshape(n, n_games).astype(np.float64)
    return mileposts.centuries, sums, counts


def _choice(train: Decisions, test: Decisions) -> Floats:
    """Log-likelihood of each decision of `test` by the agent that is most likely on `train`."""
    model = ChoiceModel()
    fit = model.fit(train, "likelihood", pull=False)
    spreads = spreads_of(test, model.scaling)
    flat = choice_probabilities(spreads, fit.s, fit.c, model.curve, model.conversion)
    return np.asarray(np.log(np.maximum(flat[spreads.offsets[:-1] + spreads.played], 1e-12)))


LAST = 400.0
"""A rise that leaves the last depth alone: the agent of the paper's Eq. 1, on this curve."""

EARLY_DEPTH = 5
LATE_LOSS = 50
"""A best move is late where it was this many centipawns behind at depth 5, or not listed there at all."""

SMALL_GAP = 30
"""Only positions count where the best move is better than the second by so many centipawns."""


@dataclass(frozen=True)
class Share:
    """A number with its 95% interval from resampled games."""

    value: float
    low: float
    high: float

    def __str__(self) -> str:
        return f"{self.value:.3f} ({self.low:.3f} to {self.high:.3f})"


class MilepostDecisions:
    """Decisions of milepost games that pass the rules of the method, with what every depth said."""

    def __init__(self, decisions: Decisions, model: DepthModel | None = None) -> None:
        self.model = DepthModel() if model is None else model
        usable, _ = self.model.select(decisions)
        mileposts, place = milepost_of_each(usable)
        self.decisions = usable.take(np.flatnonzero(place >= 0))
        self.mileposts: Mileposts = mileposts
        self.milepost: Ints = place[place >= 0]
        self.positions = Positions.of(self.decisions, self.model.depths)
        _, self.game = np.unique(self.decisions.codes("game_id"), return_inverse=True)

    @property
    def n_games(self) -> int:
        """Games that any of the decisions is from."""
        return int(self.game.max()) + 1

    def evidence_by_game(self) -> Floats:
        """Log-likelihoods at the grid of agents, shape (mileposts, games, grid)."""
        n = len(self.mileposts)
        group = self.milepost * self.n_games + self.game
        likelihoods = log_likelihoods(self.positions, self.decisions.played_index, group, n * self.n_games)
        return likelihoods.reshape(n, self.n_games, -1)

    def last_depth_agents(self) -> list[DepthAgent]:
        """For each milepost, the agent that weighs the last depth alone, by likelihood."""
        chosen = self.decisions.offsets[:-1] + self.decisions.played_index
        several = np.linspace(0.8, 5.0, 15)
        likelihoods = [
            np.log(probabilities(self.positions, DepthAgent(c, 0.0, LAST)).options[chosen]) for c in several
        ]
        n = len(self.mileposts)
        sums = np.array([np.bincount(self.milepost, column, minlength=n) for column in likelihoods])
        fine = np.linspace(several[0], several[-1], 421)
        best = fine[np.argmax(CubicSpline(several, sums)(fine), axis=0)]
        return [DepthAgent(float(c), 0.0, LAST) for c in best]

    def projected(self, agents: Sequence[DepthAgent]) -> Floats:
        """Probability of every option, flat, each decision by the agent of its milepost."""
        return probabilities(self.positions, [agents[place] for place in self.milepost]).options


def resampled_games(n_games: int, resamples: int, seed: int = 0) -> Floats:
    """How often each game is drawn: the first row is all games once."""
    generator = np.random.default_rng(seed)
    drawn = generator.multinomial(n_games, np.full(n_games, 1 / n_games), resamples)
    return np.concatenate((np.ones((1, n_games)), drawn))


def weights_by_milepost(evidence: Floats, weights: Floats, depths: int) -> Floats:
    """c, sight, rise and mean depth by milepost and resample: shape (resamples, mileposts, 4)."""
    by_milepost = np.empty((len(weights), len(evidence), 4))
    for place, games in enumerate(evidence):
        for row, total in enumerate(weights @ games):
            agent = DepthAgent.of(resolve(total).mean)
            by_milepost[row, place] = agent.c, agent.sight, agent.rise, agent.mean_depth(depths)
    return by_milepost


def slopes(elos: Floats, by_milepost: Floats) -> list[Share]:
    """Change of each of them per 1000 points of Elo."""
    x = (elos - elos.mean()) / 1000
    lines = np.einsum("m,rmk->rk", x, by_milepost) / np.square(x).sum()
    return [share(lines[:, k]) for k in range(by_milepost.shape[2])]


def share(values: Floats) -> Share:
    """The first value, with the interval of the others."""
    low, high = np.quantile(values[1:], [0.025, 0.975])
    return Share(float(values[0]), float(low), float(high))


def late_and_early(decisions: Decisions, positions: Positions) -> tuple[Mask, Mask]:
    """Decisions whose best move is clearly best at the end: those where it came late, and those where not."""
    first = decisions.offsets[:-1]
    values = decisions.values
    gap = values[first] - values[np.minimum(first + 1, len(values) - 1)]
    clear = (decisions.n_options > 1) & (gap >= SMALL_GAP) & ~is_mate(values[first])
    by_depth, early = positions.by_depth, EARLY_DEPTH - 1
    behind = by_depth.best[:, early].astype(np.int64) - by_depth.values[first, early]
    late = by_depth.censored[first, early] | (behind >= LATE_LOSS)
    deeper = by_depth.reached[:, early + 1]
    return clear & late & deeper, clear & ~late & deeper


def ratio(top: Floats, bottom: Floats, game: Ints, weights: Floats) -> Share:
    """Sum of one column over that of another, with games resampled."""
    n = weights.shape[1]
    above, below = (np.bincount(game, column, minlength=n) for column in (top, bottom))
    return share((weights @ above) / np.maximum(weights @ below, 1e-9))


@dataclass(frozen=True, kw_only=True)
class BestMoves:
    """How often the best move is played in some positions, and how often agents would."""

    name: str
    decisions: int
    played: Share
    last_depth: Share
    """Played less projected by the agent of the last depth alone."""
    all_depths: Share
    """Played less projected by the agent that weighs depths."""


def best_moves(
    of: MilepostDecisions,
    bands: Mapping[str, Sequence[int]],
    projected: tuple[Floats, Floats],
    weights: Floats,
) -> list[BestMoves]:
    """Late and early best moves in bands of mileposts."""
    late, early = late_and_early(of.decisions, of.positions)
    first, played = of.decisions.offsets[:-1], (of.decisions.played_index == 0).astype(np.float64)
    rows_of_table = []
    for name, centuries in bands.items():
        places = [of.mileposts.centuries.index(century) for century in centuries]
        band = np.isin(of.milepost, places)
        for kind, chosen in (("late", late & band), ("early", early & band)):
            rows = np.flatnonzero(chosen)
            game, ones = of.game[rows], np.ones(len(rows))
            off = [played[rows] - flat[first[rows]] for flat in projected]
            rows_of_table.append(
                BestMoves(
                    name=f"{name}, {kind}",
                    decisions=len(rows),
                    played=ratio(played[rows], ones, game, weights),
                    last_depth=ratio(off[0], ones, game, weights),
                    all_depths=ratio(off[1], ones, game, weights),
                )
            )
    return rows_of_table


@dataclass(frozen=True, kw_only=True)
class Ties:
    """Two moves tied for the best at the last depth, one of them played: how often the first-listed."""

    decisions: int
    first: Share
    projected: Share
    off: Share
    """First-listed less projected by agents that weigh depths; those of the last depth say one half."""


def ties(of: MilepostDecisions, flat: Floats, weights: Floats) -> Ties:
    """The paper's tie effect, and what the depths leave of it."""
    decisions = of.decisions
    first, values = decisions.offsets[:-1], decisions.values
    second = np.minimum(first + 1, len(values) - 1)
    tied = (decisions.n_options > 1) & (values[first] == values[second]) & (decisions.numbers("n_lines") > 1)
    rows = np.flatnonzero(tied & (decisions.played_index >= 0) & (decisions.played_index <= 1))
    chosen = (decisions.played_index[rows] == 0).astype(np.float64)
    a, b = flat[first[rows]], flat[second[rows]]
    expected, ones, game = a / (a + b), np.ones(len(rows)), of.game[rows]
    return Ties(
        decisions=len(rows),
        first=ratio(chosen, ones, game, weights),
        projected=ratio(expected, ones, game, weights),
        off=ratio(chosen - expected, ones, game, weights),
    )


BANDS = {
    "1500 to 1900": range(1500, 2000, 100),
    "2000 to 2300": range(2000, 2400, 100),
    "2400 to 2800": range(2400, 2900, 100),
}

AGENTS = (DepthAgent(2.5, 0.25, 0.7), DepthAgent(3.1, 0.15, 1.1), DepthAgent(3.9, 0.09, 1.6))
"""Near the mileposts of 1600, 2100 and 2700."""


def main(words: Sequence[str]) -> None:
    """Print the tables; takes some minutes."""
    given = command_on_workspace("depth", __doc__).parse_args(words)
    decisions = Workspace(given.workspace).decisions(given.recipe, trace=True)
    of = MilepostDecisions(decisions)
    print_tables(on_weights(of, resampled_games(of.n_games, 200)))
    print_tables(on_held_out(decisions, 200))
    simulation = Simulation(AllMoves.read())
    recoveries = [simulation.recover(agent, size, 500) for size in (300, 1000) for agent in AGENTS]
    print_tables([("Agents of known weights", recovered(recoveries))])


def on_weights(of: MilepostDecisions, weights: Floats) -> Tables:
    """Weights by milepost, late moves, and ties."""
    yield "Games", f"{of.n_games} games, {len(of.decisions):,} decisions"
    by_milepost = weights_by_milepost(of.evidence_by_game(), weights, of.model.depths)
    names = ("c", "sight", "rise", "mean depth")
    rows = [
        (century, int((of.milepost == place).sum()), *(share(by_milepost[:, place, k]) for k in range(4)))
        for place, century in enumerate(of.mileposts.centuries)
    ]
    yield "Weights by milepost", table(("Elo", "decisions", *names), rows)
    by_elo = zip(names, slopes(of.mileposts.elos, by_milepost), strict=True)
    yield "Change per 1000 points of Elo", ", ".join(f"{name} {slope}" for name, slope in by_elo)
    agents = [DepthAgent(float(c), float(sight), float(rise)) for c, sight, rise, _ in by_milepost[0]]
    projected = of.projected(of.last_depth_agents()), of.projected(agents)
    bands = {
        name: [century for century in centuries if century in of.mileposts.centuries]
        for name, centuries in BANDS.items()
    }
    heads = ("positions", "decisions", "best move played", "less last depth alone", "less all depths")
    best = best_moves(of, bands, projected, weights)
    cells = [(b.name, b.decisions, b.played, b.last_depth, b.all_depths) for b in best]
    yield "Moves whose value appears late", table(heads, cells)
    tied = ties(of, projected[1], weights)
    yield (
        "Ties",
        f"{tied.decisions} decisions; first-listed played {tied.first}, projected {tied.projected}, "
        f"difference {tied.off}",
    )


def on_held_out(decisions: Decisions, resamples: int) -> Tables:
    """Log-likelihood per decision on held-out games: `choice`, `bayes` and `depth` on the same decisions."""
    centuries, sums, counts = held_out(decisions)
    mean = sums.sum(axis=1) / counts.sum(axis=1)[:, None]
    rows = [
        (century, int(counts[place].sum()), *(f"{value:.3f}" for value in mean[place]))
        for place, century in enumerate(centuries)
    ]
    weights = resampled_games(counts.shape[1], resamples, seed=1)
    total = (weights @ sums.sum(axis=0)) / (weights @ counts.sum(axis=0))[:, None]
    rows.append(("all", int(counts.sum()), *(f"{value:.3f}" for value in total[0])))
    yield "Log-likelihood per decision on held-out games", table(("Elo", "decisions", *METHODS), rows)
    for place, method in enumerate(METHODS[:2]):
        yield f"depth less {method}", str(share(total[:, 2] - total[:, place]))


def recovered(recoveries: list[Recovery]) -> str:
    """What was found of each agent."""
    heads = ("decisions", "c", "found", "covered", "logit", "found", "covered", "rise", "found", "covered")
    rows = []
    for recovery in recoveries:
        cells: list[object] = [recovery.decisions]
        for k in range(3):
            middle = f"{recovery.mean[k]:.2f} ± {recovery.spread[k]:.2f}"
            cells += [f"{recovery.truth[k]:.2f}", middle, f"{100 * np.mean(recovery.covered[k]):.1f}%"]
        rows.append(cells)
    return table(heads, rows)
