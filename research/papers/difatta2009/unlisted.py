"""What is assumed about legal moves without a line, compared by agents that choose among all legal moves.

    python -m research.papers.difatta2009.unlisted

prints both tables of docs/reproduction/bayes.md: agents of known c, and the moves of the real games, each
seen through 20, 10 and 5 lines and a search of the played move alone.
"""

from __future__ import annotations

import numpy as np

from assay.decisions.arrays import Floats, Ints
from assay.decisions.decisions import Decisions
from assay.decisions.profile import Profile
from assay.models.bayes import BayesModel, Posterior
from research.markdown import table
from research.papers.difatta2009.all_moves import all_moves, every_choice, made, read_as

LINES = (20, 10, 5)
SKILLS = (0.8, 1.2, 1.6)
KEPT_OUT = 600
"""Positions of the simulation: the last ones. The tail was fitted on another draw, which may share some."""

SIZE = 250
"""Decisions of one replication."""

WAYS = ("value", "exclude", "straight line", "censored", "tail")
RULE = " --- "


def evidence(way: str, decisions: Decisions, lines: int) -> Floats:
    """Log-likelihood of each decision by one way, read with so many lines; zero where it is left out."""
    seen = read_as(decisions, lines)
    if way == "straight line":
        way, seen = "value", straight(seen)
    model = BayesModel(opening_turns=0, outside=way)
    rows = np.arange(len(seen))
    if way == "exclude":
        rows = np.flatnonzero(seen.played_index < seen.numbers("n_lines"))
    found = np.zeros((len(seen), *model.shape))
    found[rows] = model.evidence(seen.take(rows), np.arange(len(rows)), len(rows))
    return found


def straight(seen: Decisions) -> Decisions:
    """With unlisted moves added as `choice` does: on with the mean step of the lower half of the lines."""
    lines, legal = seen.numbers("n_lines").astype(np.int64), seen.numbers("n_legal").astype(np.int64)
    parts = []
    for row, start in enumerate(seen.offsets[:-1]):
        own = seen.values[start : seen.offsets[row + 1]]
        last, middle = lines[row] - 1, (lines[row] - 1) // 2
        step = (own[middle] - own[last]) / max(last - middle, 1)
        parts.append(np.append(own, own[last] - step * np.arange(1, legal[row] - len(own) + 1)))
    starts = np.concatenate(([0], np.cumsum([len(part) for part in parts])))
    return made(np.concatenate(parts).astype(np.int64), starts, seen.played_index, legal, legal)


def posteriors(rows: Floats, chosen: Ints) -> list[Posterior]:
    """One posterior for each row of `chosen`: places among the rows of evidence."""
    model = BayesModel()
    sums = (rows[one].sum(axis=0) for one in chosen)
    return [model.posterior(Profile(model.identity, one, chosen.shape[1], 1.0)) for one in sums]


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


def kept_out() -> Decisions:
    """The positions that the tail was not fitted on."""
    every = all_moves()
    return every.take(np.arange(len(every) - KEPT_OUT, len(every)))


def coverage(way: str, lines: int, skills: tuple[float, ...], replications: int) -> list[tuple[float, float]]:
    """For each true c the mean of c, and how often the 95% region covers the truth."""
    kept = kept_out()
    rows = evidence(way, every_choice(kept), lines)
    answer = []
    for skill in skills:
        found = posteriors(rows, drawn(kept, skill, replications, seed=round(1000 * skill) + lines))
        regions = np.array([one.region() for one in found])
        covered = np.mean((regions[:, 0] <= skill) & (skill <= regions[:, 1]))
        answer.append((float(np.mean([one.mean for one in found])), float(covered)))
    return answer


def simulated(replications: int) -> str:
    """Agents that choose among all legal moves: mean of c and coverage, by way, lines and true c."""
    rows = []
    for way in WAYS:
        for lines in LINES:
            found = coverage(way, lines, SKILLS, replications)
            rows.append((way, lines, *(f"{mean:.3f}, {100 * covered:.1f}%" for mean, covered in found)))
    return table(("outside", "lines", *(f"E({skill:g})" for skill in SKILLS)), rows, RULE)


def real() -> str:
    """The moves of the games: c by way and number of lines, and with every legal move listed."""
    every = all_moves()
    whole = np.arange(len(every))[None]
    rows = []
    for way in WAYS:
        means = [posteriors(evidence(way, every, lines), whole)[0].mean for lines in (500, *LINES)]
        rows.append((way, *(f"{mean:.3f}" for mean in means), f"{max(means[1:]) - min(means[1:]):.3f}"))
    heads = ("outside", "all legal moves", *(f"{lines} lines" for lines in LINES), "range, 20 to 5")
    return table(heads, rows, RULE)


def main() -> None:
    """Print both tables."""
    print(simulated(1000))
    print()
    print(real())


if __name__ == "__main__":
    main()
