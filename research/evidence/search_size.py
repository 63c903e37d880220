"""What fewer lines or more nodes would tell: the same games analysed by several recipes, errors paired.

    python -m research.evidence.search_size WORKSPACE [RECIPE ...] [--like standard]

The workspace holds games of rated players that were analysed from the first to the last position by
`standard`, or what --like says, and by each RECIPE (an id, as `assay status` prints it). For each recipe by
itself the Elo of every appearance is read from the signs of `traits` by a ridge regression that has seen
neither the game nor, as far as possible, the player; the games are dealt into folds several times over, since
which fall together is chance. Differences of two recipes are over the same appearances, and their intervals
resample games.
"""

from __future__ import annotations

import argparse
from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
import pyarrow.compute as pc

from assay.decisions.arrays import Floats, Ints
from assay.decisions.rules import Rule, enough_lines
from assay.errors import InputError
from assay.models.appearances import Appearances, deal_folds
from assay.models.intervals import resample_weights
from assay.models.mileposts import FEWEST_DECISIONS
from assay.models.traits.model import TraitsModel, fit_weights, means_of
from assay.workspace import Workspace
from research.evidence.accuracy import whole_games


class AnyLines(TraitsModel):
    """The signs of `traits`, however few the lines: ratings want four, and three are to be measured too."""

    def rules(self) -> tuple[Rule, ...]:
        """All but that of enough lines."""
        return tuple(rule for rule in super().rules() if rule.name != enough_lines().name)


FOLDS = 10
DEALT = 10
"""How often games are dealt into folds."""

FEWEST = 40
"""Players in games that a regression is learned from, at least."""

_RESAMPLED = 2000


@dataclass(frozen=True, eq=False)
class Told:
    """What the searches of one recipe tell of the Elo of appearances, in a fixed order."""

    game: Ints
    elo: Floats
    found: Floats
    """Elo by the signs, shape (dealings, appearances)."""

    @property
    def errors(self) -> Floats:
        """Mean absolute error of each appearance over the dealings."""
        return np.asarray(np.abs(self.found - self.elo).mean(axis=0))

    @property
    def explained(self) -> float:
        """Share of the variance of Elo that is told, on games that were not learned from (R2)."""
        squares = np.square(self.found - self.elo).mean()
        return float(1 - squares / np.square(self.elo - self.elo.mean()).mean())


def told(means: Floats, elo: Floats, opponent: Floats, game: Ints, player: Ints) -> Told:
    """Elo of appearances by means of their signs, by what games of others teach."""
    milepost = np.unique(np.round(elo / 100), return_inverse=True)[1]
    rows = []
    for seed in range(DEALT):
        fold = deal_folds(game, player, milepost, FOLDS, np.random.default_rng(seed))
        _, apart = fit_weights(means, elo, opponent, fold)
        rows.append(elo.mean() + elo.std() * apart)
    return Told(game, elo, np.stack(rows))


def apart(first: Told, second: Told, seed: int = 0) -> tuple[float, float, float]:
    """Mean error of the first less that of the second, and its 95% interval over games drawn anew."""
    difference = first.errors - second.errors
    games, place = np.unique(first.game, return_inverse=True)
    weights = resample_weights(len(games), _RESAMPLED, seed)[:, place]
    drawn = weights @ difference / weights.sum(axis=1)
    low, high = np.quantile(drawn, (0.025, 0.975)).tolist()
    return float(difference.mean()), low, high


def of_sides(sides: Mapping[str, Appearances]) -> Mapping[str, Told]:
    """What the searches of each recipe tell of the appearances that all of them know."""
    stacks = {one: side.stack(AnyLines()) for one, side in sides.items()}
    keys = {one: [*zip(side.games(), side.players(), strict=True)] for one, side in sides.items()}
    usable = {
        one: {
            key
            for key, elo, size, read in zip(
                keys[one], side.elo, side.size, stacks[one].decisions, strict=True
            )
            if elo > 0 and size >= FEWEST_DECISIONS and read > 0
        }
        for one, side in sides.items()
    }
    known = sorted(set.intersection(*usable.values()))
    if len(known) < FEWEST:
        raise InputError(
            f"{len(known)} players in games were analysed whole by all of these recipes, and {FEWEST} are "
            "needed: analyse more games (assay status says what is missing)"
        )
    numbers = [np.unique([key[part] for key in known], return_inverse=True)[1] for part in (0, 1)]
    found = {}
    for one, side in sides.items():
        place = {key: row for row, key in enumerate(keys[one])}
        rows = np.array([place[key] for key in known])
        means = means_of(np.asarray(stacks[one].evidence)[rows])
        found[one] = told(means, side.elo[rows], side.opponent_elo[rows], *numbers)
    return found


def costs(workspace: Workspace, recipe_id: str) -> tuple[float, float, float]:
    """Mean depth and nodes of the searches of a recipe, and their seconds."""
    searches = workspace.table_analyses.read(["recipe_id", "depth", "nodes", "seconds"])
    searches = searches.filter(pc.equal(searches["recipe_id"], recipe_id))
    depth, nodes, seconds = (pc.mean(searches[one]).as_py() for one in ("depth", "nodes", "seconds"))
    return depth, nodes, seconds


def main() -> None:
    """Print what each recipe tells, against `standard`."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("workspace")
    parser.add_argument("recipes", nargs="*")
    parser.add_argument("--like", default="standard", help="a recipe by its name or id")
    given = parser.parse_args()
    workspace = Workspace(given.workspace)
    standard = workspace.recipe_id(given.like)
    recipe_ids = [standard, *given.recipes]
    found = of_sides({one: Appearances.of(whole_games(workspace, one)) for one in recipe_ids})
    like = found[standard]
    print(f"{len(np.unique(like.game))} games, {len(like.elo)} appearances")
    for recipe_id, one in found.items():
        depth, nodes, seconds = costs(workspace, recipe_id)
        difference, low, high = apart(one, like)
        print(
            f"{recipe_id}: depth {depth:.1f}, {nodes:,.0f} nodes, {seconds:.2f} s a position; "
            f"R2 {one.explained:.3f}, error {one.errors.mean():.1f}, "
            f"apart {difference:+.1f} ({low:+.1f} to {high:+.1f})"
        )


if __name__ == "__main__":
    main()
