"""The tables of docs/evidence/accuracy.md: errors and coverage of ratings on held-out games.

    python -m research accuracy WORKSPACE [--recipe standard]

WORKSPACE holds the analysed games that `python -m research mileposts` and `unequal` pick. Each half of them
is rated through a calibration made from the other half.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np

from assay.decisions.decisions import Decisions
from assay.models.appearances import Appearances
from assay.rating.accuracy import BASELINE, DEALT, SPLITS, Outcome, Summary, held_out
from assay.rating.group_ratings import COMBINED
from assay.workspace import Workspace
from research import command_on_workspace
from research.markdown import Tables, numbers_table, print_tables

BANDS = ((1400, 1800), (1800, 2100), (2100, 2400), (2400, 2900))
ASKED = (0.92, 0.98)
"""How many of the 95% intervals should contain the rating, in each band."""


def main(words: Sequence[str]) -> None:
    """Print the tables; takes some minutes."""
    given = command_on_workspace("accuracy", __doc__).parse_args(words)
    workspace = Workspace(given.workspace)
    print_tables(tables(Appearances.of(whole_games(workspace, workspace.recipe_id(given.recipe)))))


def tables(appearances: Appearances) -> Tables:
    """Each table of the page with its title."""
    elo = appearances.numbers("player_elo")
    yield (
        "Games",
        f"{len(set(appearances.game.tolist()))} games, {len(set(appearances.player.tolist()))} players with "
        f"published ratings from {np.nanmin(elo):.0f} to {np.nanmax(elo):.0f}, "
        f"{appearances.size.sum():,.0f} decisions, recipe {appearances.recipe_id}",
    )
    outcomes = held_out(appearances)
    methods = sorted({outcome.method for outcome in outcomes} - {BASELINE, COMBINED})
    yield "Mean error, in Elo", errors(outcomes, [BASELINE, *methods, COMBINED])
    yield "Methods that err less than the combined rating", ahead(outcomes, methods)
    yield "How often the interval contains the rating", coverage(outcomes)
    yield "By method", coverage_by_method(outcomes, methods)
    yield "Bias by band of the published rating", bias(outcomes)
    yield "Bias by band of the estimated rating", bias(outcomes, lambda outcome: outcome.elo)
    yield f"Shares outside {ASKED[0]:.0%} to {ASKED[1]:.0%}", outside(outcomes)


def whole_games(workspace: Workspace, recipe_id: str) -> Decisions:
    """Decisions of the games that are analysed from the first to the last position."""
    decisions = workspace.decisions(recipe_id, trace=True)
    codes = decisions.codes("game_id")
    lacking = np.bincount(codes, decisions.n_options == 0, minlength=codes.max() + 1)
    return decisions.take(np.flatnonzero(lacking[codes] == 0))


def kinds(outcomes: Sequence[Outcome]) -> list[tuple[int, bool]]:
    """Kinds of groups that there are: number of games, and whether they are of one player."""
    return sorted({(outcome.games, outcome.one_player) for outcome in outcomes})


def kind_name(games: int, one_player: bool) -> str:
    """A kind of group in words."""
    if games == 1:
        return "1 game"
    return f"{games} games of one player" if one_player else f"{games} games, composite"


def of(outcomes: Sequence[Outcome], kind: tuple[int, bool], method: str) -> list[Outcome]:
    """Outcomes of one kind and method."""
    return [
        outcome
        for outcome in outcomes
        if (outcome.games, outcome.one_player) == kind and outcome.method == method
    ]


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
    for entry in outcomes:
        if entry.method == BASELINE:  # the first of each group
            groups.append({})
        groups[-1][entry.method] = entry
    words = []
    for kind in kinds(outcomes):
        for method in methods:
            both = [
                abs(entry[COMBINED].error) - abs(entry[method].error)
                for entry in groups
                if (entry[BASELINE].games, entry[BASELINE].one_player) == kind and method in entry
            ]
            if both and np.mean(both) > 0:
                error = np.std(both) / np.sqrt(independent(len(both), kind))
                words.append(f"{kind_name(*kind)}: `{method}` by {np.mean(both):.1f} ± {error:.1f}")
    return "; ".join(words) if words else "none"


def outside(outcomes: Sequence[Outcome]) -> str:
    """Bands of the estimated rating where the share in the interval is not what was asked, with its error."""
    words = []
    for kind in kinds(outcomes):
        for low, high in BANDS:
            in_band = [outcome for outcome in of(outcomes, kind, COMBINED) if low <= outcome.elo < high]
            hits = float(np.mean([outcome.within_95 for outcome in in_band])) if in_band else ASKED[0]
            if not ASKED[0] <= hits <= ASKED[1]:
                n = independent(len(in_band), kind)
                # As if one more of each had been seen: of ten that all hold, one in twenty may still miss.
                likely = (hits * n + 1) / (n + 2)
                error = 100 * np.sqrt(likely * (1 - likely) / n)
                words.append(f"{kind_name(*kind)}, {low} to {high}: {hits:.1%} ± {error:.1f}")
    return "; ".join(words) if words else "none"


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
        summary = Summary.of(of(outcomes, kind, COMBINED))
        rows.append(
            [
                kind_name(*kind),
                summary.groups,
                share(summary.within_95, independent(summary.groups, kind)),
                share(summary.within_50, independent(summary.groups, kind)),
                f"{summary.width:.0f}",
            ]
        )
    every = Summary.of([summary for summary in outcomes if summary.method == COMBINED])
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
            summary = Summary.of(of(outcomes, kind, method))
            cells.append(f"{summary.within_95:.0%} / {summary.within_50:.0%}")
        rows.append([method, *cells])
    return numbers_table(["95% / 50% interval", *(kind_name(*kind) for kind in kinds(outcomes))], rows)


def bias(
    outcomes: Sequence[Outcome], by: Callable[[Outcome], float] = lambda outcome: outcome.reference
) -> str:
    """Mean of rating minus published rating, by kind and band of published ratings, or of what `by` gives."""
    rows = []
    for kind in kinds(outcomes):
        cells = []
        for low, high in BANDS:
            in_band = [outcome for outcome in of(outcomes, kind, COMBINED) if low <= by(outcome) < high]
            if not in_band:
                cells.append("")
                continue
            summary = Summary.of(in_band)
            cells.append(f"{summary.bias:+.0f} ({summary.within_95:.0%}, {summary.groups})")
        rows.append([kind_name(*kind), *cells])
    return numbers_table(["", *(f"{low} to {high}" for low, high in BANDS)], rows)
