"""How far ratings can be trusted, measured: docs/accuracy.md.

    python scripts/make_accuracy_page.py WORKSPACE [--engine stockfish] [--out docs/accuracy.md]

WORKSPACE holds the analysed games that scripts/pick_mileposts.py picked. Each half of them is rated through a
calibration made from the other half. Takes some minutes; the engine is only asked what depths cost.
"""

import argparse
from collections.abc import Sequence
from pathlib import Path

import numpy as np

from assay.analysis.engines import EngineConfig
from assay.analysis.recipe import find_recipe
from assay.models.appearances import Appearances
from assay.models.rated_groups import COMBINED
from assay.validation.accuracy import BASELINE, DEALT, SPLITS, Outcome, Summary, held_out
from assay.validation.search_budget import SearchCost, decisions_at_depth, search_costs
from assay.workspace import Workspace

DEPTHS = (4, 6, 8, 10)
BANDS = ((1400, 1800), (1800, 2100), (2100, 2400), (2400, 2900))
TEMPLATE = Path(__file__).with_name("make_accuracy_page.template.md")
COSTED = 60
"""Positions that searches to each depth are timed on."""


def row(*cells: object) -> str:
    return "| " + " | ".join(str(cell) for cell in cells) + " |"


def table(header: Sequence[object], rows: Sequence[Sequence[object]]) -> str:
    rule = ["---", *("---:" for _ in header[1:])]
    return "\n".join([row(*header), row(*rule), *(row(*one) for one in rows)])


def kinds(outcomes: Sequence[Outcome]) -> list[tuple[int, bool]]:
    return sorted({(one.games, one.one_player) for one in outcomes})


def kind_name(games: int, one_player: bool) -> str:
    if games == 1:
        return "1 game"
    return f"{games} games of one player" if one_player else f"{games} games, composite"


def of(outcomes: Sequence[Outcome], kind: tuple[int, bool], method: str) -> list[Outcome]:
    return [one for one in outcomes if (one.games, one.one_player) == kind and one.method == method]


def errors(outcomes: Sequence[Outcome], methods: Sequence[str]) -> str:
    rows = []
    for kind in kinds(outcomes):
        cells = [f"{Summary.of(of(outcomes, kind, method)).mean_error:.0f}" for method in methods]
        rows.append([kind_name(*kind), len(of(outcomes, kind, COMBINED)), *cells])
    return table(["", "groups", *methods], rows)


def share(hits: float, n: float) -> str:
    return f"{hits:.1%} ± {100 * np.sqrt(hits * (1 - hits) / n):.1f}"


def independent(groups: int, kind: tuple[int, bool]) -> float:
    """How many groups do not overlap: games are halved, and composites dealt, several times over."""
    games, one_player = kind
    return groups / SPLITS / (1 if one_player or games == 1 else DEALT)


def coverage(outcomes: Sequence[Outcome]) -> str:
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
    return table(["", "groups", "within 95% interval", "within 50% interval", "mean width of 95%"], rows)


def coverage_by_method(outcomes: Sequence[Outcome], methods: Sequence[str]) -> str:
    rows = []
    for method in methods:
        cells = []
        for kind in kinds(outcomes):
            found = Summary.of(of(outcomes, kind, method))
            cells.append(f"{found.within_95:.0%} / {found.within_50:.0%}")
        rows.append([method, *cells])
    return table(["95% / 50% interval", *(kind_name(*kind) for kind in kinds(outcomes))], rows)


def bias(outcomes: Sequence[Outcome]) -> str:
    rows = []
    for kind in kinds(outcomes):
        cells = []
        for low, high in BANDS:
            some = [one for one in of(outcomes, kind, COMBINED) if low <= one.reference < high]
            if not some:
                cells.append("")
                continue
            found = Summary.of(some)
            cells.append(f"{found.bias:+.0f} ({found.within_95:.0%}, {found.groups})")
        rows.append([kind_name(*kind), *cells])
    return table(["", *(f"{low} to {high}" for low, high in BANDS)], rows)


def budget(costs: Sequence[SearchCost], by_depth: dict[int, list[Outcome]], positions_per_game: float) -> str:
    rows = []
    for cost in costs:
        found = by_depth[cost.depth]
        shown = ((1, True), (3, False), (10, False))
        cells = [f"{Summary.of(of(found, kind, COMBINED)).mean_error:.0f}" for kind in shown]
        name = f"depth {cost.depth}" if cost.depth else "standard, whole"
        time = (f"{cost.seconds:.3f}", f"{cost.seconds * positions_per_game:.1f}")
        rows.append([name, f"{cost.nodes:,.0f}", *time, *cells])
    header = ["", "nodes", "seconds a position", "seconds a game", "error, 1 game", "3 games", "10 games"]
    return table(header, rows)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("workspace", type=Path)
    parser.add_argument("--recipe", default="standard")
    parser.add_argument("--engine", default=None)
    parser.add_argument("--out", type=Path, default=Path("docs/accuracy.md"))
    given = parser.parse_args()
    workspace = Workspace(given.workspace)
    recipe_id = workspace.recipe_id(given.recipe)
    appearances = Appearances.of(whole_games(workspace, recipe_id))
    outcomes = held_out(appearances)
    methods = sorted({one.method for one in outcomes} - {BASELINE, COMBINED})
    keys = list(dict.fromkeys(appearances.decisions.text("position_key")))
    sample = [str(key) for key in np.random.default_rng(0).choice(keys, COSTED, replace=False)]
    costs = search_costs(sample, DEPTHS, find_recipe(given.recipe), EngineConfig(given.engine))
    by_depth = {0: outcomes}
    for depth in DEPTHS:
        shallow = decisions_at_depth(workspace, recipe_id, depth).select(game=appearances.decisions.games)
        by_depth[depth] = held_out(Appearances.of(shallow), sizes=(1, 3, 10), splits=1)
    known = appearances.numbers("player_elo")
    page = TEMPLATE.read_text(encoding="utf-8").format(
        games=len(set(appearances.game.tolist())),
        decisions=f"{appearances.size.sum():,.0f}",
        players=len(set(appearances.player.tolist())),
        lowest=f"{np.nanmin(known):.0f}",
        highest=f"{np.nanmax(known):.0f}",
        recipe_id=recipe_id,
        errors=errors(outcomes, [BASELINE, *methods, COMBINED]),
        coverage=coverage(outcomes),
        coverage_by_method=coverage_by_method(outcomes, methods),
        bias=bias(outcomes),
        budget=budget(costs, by_depth, len(appearances.decisions) / len(set(appearances.game.tolist()))),
    )
    given.out.write_text(page, encoding="utf-8")
    print(given.out)


def whole_games(workspace: Workspace, recipe_id: str):
    """Decisions of the games that are analysed from the first to the last position."""
    decisions = workspace.decisions(recipe_id)
    codes = decisions.codes("game_id")
    lacking = np.bincount(codes, decisions.n_options == 0, minlength=codes.max() + 1)
    return decisions.take(np.flatnonzero(lacking[codes] == 0))


if __name__ == "__main__":
    main()
