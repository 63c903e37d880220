"""How far ratings can be trusted, measured: docs/accuracy.md (python -m research accuracy WORKSPACE).

The workspace holds the analysed games that pick_mileposts.py picked. Each half of them is rated
through a calibration made from the other half. The engine is only asked what depths cost.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from importlib.resources import files

import numpy as np

from assay.decisions.decisions import Decisions
from assay.engine.engines import EngineConfig
from assay.engine.recipe import find_recipe
from assay.models.appearances import Appearances
from assay.rating.accuracy import BASELINE, DEALT, SPLITS, Outcome, Summary, held_out
from assay.rating.rater import COMBINED
from assay.workspace import Workspace
from research.evidence.search_budget import SearchCost, decisions_at_depth, search_costs
from research.markdown import PLAIN, RIGHT, render, table

TEMPLATE = files(__package__) / "accuracy.md.jinja"
DEPTHS = (4, 6, 8, 10)
BANDS = ((1400, 1800), (1800, 2100), (2100, 2400), (2400, 2900))
ASKED = (0.92, 0.98)
"""How many of the 95% intervals should hold the rating, in each band."""
COSTED = 60
"""Positions that searches to each depth are timed on."""


def accuracy_page(workspace: Workspace, recipe: str = "standard", engine: str | None = None) -> str:
    """The page from a workspace of milepost games; takes some minutes."""
    recipe_id = workspace.recipe_id(recipe)
    appearances = Appearances.of(whole_games(workspace, recipe_id))
    outcomes = held_out(appearances)
    # Cut searches have no trace of their own: all rows are by the methods that need none.
    cut = {depth: decisions_at_depth(workspace, recipe_id, depth) for depth in DEPTHS}
    by_depth = {
        depth: held_out(
            Appearances.of(one.select(game=appearances.decisions.games)), sizes=(1, 3, 10), splits=1
        )
        for depth, one in {0: workspace.decisions(recipe_id), **cut}.items()
    }
    keys = np.array(list(dict.fromkeys(appearances.decisions.text("position_key"))))
    sample = [str(key) for key in np.random.default_rng(0).choice(keys, COSTED, replace=False)]
    costs = search_costs(sample, DEPTHS, find_recipe(recipe), EngineConfig(engine))
    games = len(set(appearances.game.tolist()))
    context = {
        **on_games(appearances, recipe_id),
        **on_outcomes(outcomes),
        "budget": budget(costs, by_depth, len(appearances.decisions) / games),
    }
    return render(TEMPLATE, context)


def on_games(appearances: Appearances, recipe_id: str) -> dict[str, object]:
    """What the page says of the games."""
    known = appearances.numbers("player_elo")
    return {
        "games": len(set(appearances.game.tolist())),
        "decisions": f"{appearances.size.sum():,.0f}",
        "players": len(set(appearances.player.tolist())),
        "lowest": f"{np.nanmin(known):.0f}",
        "highest": f"{np.nanmax(known):.0f}",
        "recipe_id": recipe_id,
    }


def on_outcomes(outcomes: Sequence[Outcome]) -> dict[str, object]:
    """What the page says of errors and intervals."""
    methods = sorted({one.method for one in outcomes} - {BASELINE, COMBINED})
    return {
        "errors": errors(outcomes, [BASELINE, *methods, COMBINED]),
        "ahead": ahead(outcomes, methods),
        "coverage": coverage(outcomes),
        "coverage_by_method": coverage_by_method(outcomes, methods),
        "bias": bias(outcomes),
        "bias_by_estimate": bias(outcomes, lambda one: one.elo),
        "outside": outside(outcomes),
    }


def whole_games(workspace: Workspace, recipe_id: str) -> Decisions:
    """Decisions of the games that are analysed from the first to the last position."""
    decisions = workspace.decisions(recipe_id, trace=True)
    codes = decisions.codes("game_id")
    lacking = np.bincount(codes, decisions.n_options == 0, minlength=codes.max() + 1)
    return decisions.take(np.flatnonzero(lacking[codes] == 0))


def numbers_table(heads: Sequence[str], rows: Sequence[Sequence[object]]) -> str:
    """A table of names, and numbers to their right."""
    return table(heads, rows, [f" {PLAIN} ", *[f" {RIGHT} "] * (len(heads) - 1)])


def kinds(outcomes: Sequence[Outcome]) -> list[tuple[int, bool]]:
    """Kinds of groups that there are: number of games, and whether they are of one player."""
    return sorted({(one.games, one.one_player) for one in outcomes})


def kind_name(games: int, one_player: bool) -> str:
    """A kind of group in words."""
    if games == 1:
        return "1 game"
    return f"{games} games of one player" if one_player else f"{games} games, composite"


def of(outcomes: Sequence[Outcome], kind: tuple[int, bool], method: str) -> list[Outcome]:
    """Outcomes of one kind and method."""
    return [one for one in outcomes if (one.games, one.one_player) == kind and one.method == method]


def errors(outcomes: Sequence[Outcome], methods: Sequence[str]) -> str:
    """Mean errors by kind and method."""
    rows = []
    for kind in kinds(outcomes):
        cells = [f"{Summary.of(of(outcomes, kind, method)).mean_error:.0f}" for method in methods]
        rows.append([kind_name(*kind), len(of(outcomes, kind, COMBINED)), *cells])
    return numbers_table(["", "groups", *methods], rows)


def ahead(outcomes: Sequence[Outcome], methods: Sequence[str]) -> str:
    """The methods that err less than all together do, and by how much, with the standard error of that."""
    groups: list[dict[str, Outcome]] = []
    for one in outcomes:
        if one.method == BASELINE:  # the first of each group
            groups.append({})
        groups[-1][one.method] = one
    found = []
    for kind in kinds(outcomes):
        for method in methods:
            both = [
                abs(one[COMBINED].error) - abs(one[method].error)
                for one in groups
                if (one[BASELINE].games, one[BASELINE].one_player) == kind and method in one
            ]
            if both and np.mean(both) > 0:
                error = np.std(both) / np.sqrt(independent(len(both), kind))
                found.append(f"{kind_name(*kind)}: `{method}` by {np.mean(both):.1f} ± {error:.1f}")
    return "; ".join(found) if found else "none"


def outside(outcomes: Sequence[Outcome]) -> str:
    """Bands of the estimated rating where the share in the interval is not what was asked, with its error."""
    found = []
    for kind in kinds(outcomes):
        for low, high in BANDS:
            some = [one for one in of(outcomes, kind, COMBINED) if low <= one.elo < high]
            hits = float(np.mean([one.within_95 for one in some])) if some else ASKED[0]
            if not ASKED[0] <= hits <= ASKED[1]:
                n = independent(len(some), kind)
                # As if one more of each had been seen: of ten that all hold, one in twenty may still miss.
                likely = (hits * n + 1) / (n + 2)
                error = 100 * np.sqrt(likely * (1 - likely) / n)
                found.append(f"{kind_name(*kind)}, {low} to {high}: {hits:.1%} ± {error:.1f}")
    return "; ".join(found) if found else "none"


def share(hits: float, n: float) -> str:
    """A share with its standard error, in percent."""
    return f"{hits:.1%} ± {100 * np.sqrt(hits * (1 - hits) / n):.1f}"


def independent(groups: int, kind: tuple[int, bool]) -> float:
    """How many groups do not overlap: games are halved, and composites dealt, several times over."""
    games, one_player = kind
    return groups / SPLITS / (1 if one_player or games == 1 else DEALT)


def coverage(outcomes: Sequence[Outcome]) -> str:
    """How often the intervals of the combined rating hold the published one, by kind."""
    rows = []
    for kind in kinds(outcomes):
        one = Summary.of(of(outcomes, kind, COMBINED))
        rows.append(
            [
                kind_name(*kind),
                one.groups,
                share(one.within_95, independent(one.groups, kind)),
                share(one.within_50, independent(one.groups, kind)),
                f"{one.width:.0f}",
            ]
        )
    every = Summary.of([one for one in outcomes if one.method == COMBINED])
    inside = (f"{every.within_95:.1%}", f"{every.within_50:.1%}")
    rows.append(["all", every.groups, *inside, f"{every.width:.0f}"])
    return numbers_table(
        ["", "groups", "within 95% interval", "within 50% interval", "mean width of 95%"], rows
    )


def coverage_by_method(outcomes: Sequence[Outcome], methods: Sequence[str]) -> str:
    """The same for each method."""
    rows = []
    for method in methods:
        cells = []
        for kind in kinds(outcomes):
            found = Summary.of(of(outcomes, kind, method))
            cells.append(f"{found.within_95:.0%} / {found.within_50:.0%}")
        rows.append([method, *cells])
    return numbers_table(["95% / 50% interval", *(kind_name(*kind) for kind in kinds(outcomes))], rows)


def bias(outcomes: Sequence[Outcome], by: Callable[[Outcome], float] = lambda one: one.reference) -> str:
    """Mean of rating minus published rating, by kind and band of published ratings, or of what `by` gives."""
    rows = []
    for kind in kinds(outcomes):
        cells = []
        for low, high in BANDS:
            some = [one for one in of(outcomes, kind, COMBINED) if low <= by(one) < high]
            if not some:
                cells.append("")
                continue
            found = Summary.of(some)
            cells.append(f"{found.bias:+.0f} ({found.within_95:.0%}, {found.groups})")
        rows.append([kind_name(*kind), *cells])
    return numbers_table(["", *(f"{low} to {high}" for low, high in BANDS)], rows)


def budget(costs: Sequence[SearchCost], by_depth: dict[int, list[Outcome]], positions_per_game: float) -> str:
    """What searches to each depth cost, and the errors of ratings from them."""
    rows = []
    for cost in costs:
        found = by_depth[cost.depth]
        shown = ((1, True), (3, False), (10, False))
        cells = [f"{Summary.of(of(found, kind, COMBINED)).mean_error:.0f}" for kind in shown]
        name = f"depth {cost.depth}" if cost.depth else "standard, whole"
        time = (f"{cost.seconds:.3f}", f"{cost.seconds * positions_per_game:.1f}")
        rows.append([name, f"{cost.nodes:,.0f}", *time, *cells])
    header = ["", "nodes", "seconds a position", "seconds a game", "error, 1 game", "3 games", "10 games"]
    return numbers_table(header, rows)
