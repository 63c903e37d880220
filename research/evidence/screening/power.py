"""How often somebody is found who takes moves: from the search that screens, and from others.

    python -m research screening-power WORKSPACE

The honest games of `python -m research screening`, with moves replaced in half of the turns or in all. Those
that `taken-moves` has visited take the first moves of Stockfish 15.1 with one line and less hash, of
Stockfish 19 and of Ethereal 12. Other games, on which nothing was chosen, take the first or second moves of
the search that screens, and the first of other recipes as far as the workspace has them. Games of 5 and 9 are
composites of any ratings. The same for evaluated games: every position has the value of its first line, a
move that was taken the value of its line and the difference between that and the next position's value of
another move of the game, by chance.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.csv

from assay.answers.screening import DECIDING, LEVEL
from assay.decisions.arrays import Floats, Ints, Mask
from assay.decisions.decisions import Decisions
from assay.decisions.evaluation import FIDE_CLASSICAL
from assay.models.appearances import Appearances
from assay.rating.calibration import find_calibration
from assay.rating.group_ratings import Rater
from assay.screening.norms import Norms, find_norms
from assay.screening.statistics import NAMES
from assay.screening.z_scores import z_by_elo
from assay.workspace import Workspace
from research import command_on_workspace
from research.evidence.screening.honest import DEALT, GAMES, HonestGames
from research.markdown import Tables, numbers_table, print_tables

TAKEN_MOVES = Path(__file__).with_name("taken-moves.csv.zst")

SAME = "the search that screens"
SHARES = {"half": 0.5, "all": 1.0}
CRITICAL = 0.2
"""A position is critical where the second option has so much scaled error, in pawns, or more."""

RATE = 0.01
"""Of false positives, measured on honest groups, at which powers are compared."""

FIELDS = (5, 10, 120)
"""Players of events in which it is counted who is named."""

ANY = 10_000
"""Visited games are too few to be put together by rating: groups are of any."""

SEEDS, MANY = range(4), 100
"""Turns are chosen by chance so many times; once where there are many appearances."""

Moves = Mapping[int, int]
"""The option that was taken at a turn; -1 where no line has it."""


def main(words: Sequence[str]) -> None:
    """Print the tables."""
    given = command_on_workspace("screening-power", __doc__).parse_args(words)
    workspace = Workspace(given.workspace)
    recipe_id = workspace.recipe_id(given.recipe)
    decisions = workspace.decisions(recipe_id, trace=True)
    norms = find_norms(recipe_id)
    assert norms is not None
    others = {
        f"{about['engine']['name']}, {about['recipe']['name']}": workspace.decisions(key)
        for key, about in workspace.recipes().items()
        if key != recipe_id
    }
    print_tables(tables(HonestGames(decisions), decisions, norms, others))


def tables(
    honest: HonestGames, decisions: Decisions, norms: Norms, others: Mapping[str, Decisions]
) -> Tables:
    """Each table of the page with its title."""
    taken = read_taken(honest)
    elsewhere = taken_elsewhere(honest, others, set(taken[SAME]))
    yield "Moves taken: how good they are by the search that screens", quality(honest, taken)
    yield "Power in percent at 1% of false positives", by_turns(honest, norms, taken)
    for name, moves in elsewhere.items():
        yield f"Other games: {name}", by_turns(honest, norms, {name: moves})
    title = "Power in percent at 1% of false positives, evaluated games"
    yield title, by_elo(honest, decisions, taken)
    for name, moves in elsewhere.items():
        yield f"{title}, other games: {name}", by_elo(honest, decisions, {name: moves})


def taken_elsewhere(honest: HonestGames, others: Mapping[str, Decisions], but: set[int]) -> dict[str, Moves]:
    """First and second moves of the search that screens, and first ones of others, in games not visited."""
    turns, lines = honest.turns.decisions, honest.turns.lines
    visited_games = {turns.text("game_id")[row] for row in but}
    rows = [row for row, game in enumerate(turns.text("game_id")) if game not in visited_games]
    taken: dict[str, Moves] = {
        SAME: dict.fromkeys(rows, 0),
        "second moves of the search that screens": {row: min(1, int(lines[row]) - 1) for row in rows},
    }
    for name, decisions in others.items():
        first = {
            key: decisions.options(row)[0][0]
            for row, key in enumerate(_keys(decisions))
            if decisions.n_options[row]
        }
        moves = {}
        for row, key in enumerate(_keys(turns)):
            if row in taken[SAME] and key in first:
                options = [move for move, _ in turns.options(row)[: lines[row]]]
                moves[row] = options.index(first[key]) if first[key] in options else -1
        taken[name] = moves
    return taken


def read_taken(honest: HonestGames) -> Mapping[str, Moves]:
    """The option that each search would take, by turn."""
    turns, lines = honest.turns.decisions, honest.turns.lines
    row_of = {key: row for row, key in enumerate(_keys(turns))}
    taken: dict[str, dict[int, int]] = {SAME: {}}
    for cells in pa.csv.read_csv(TAKEN_MOVES).to_pylist():
        row = row_of[cells["game"], cells["ply"]]
        options = turns.options(row)[: lines[row]]
        moves = [move for move, _ in options]
        # A move searched alone that is as good as the last line counts as that.
        other = len(options) - 1 if (cells["alone"] or -(10**6)) >= options[-1][1] else -1
        taken.setdefault(cells["search"], {})[row] = (
            moves.index(cells["move"]) if cells["move"] in moves else other
        )
        taken[SAME][row] = 0
    return taken


def visited(honest: HonestGames, moves: Moves) -> Ints:
    """The appearances whose turns were all searched."""
    rows = np.array(sorted(moves))
    whole: Mask = np.bincount(honest.place[rows], minlength=len(honest.elo)) == np.bincount(
        honest.place, minlength=len(honest.elo)
    )
    return np.asarray(honest.rows[whole[honest.rows]])


def replaced(honest: HonestGames, moves: Moves, share: float, seed: int) -> Ints:
    """The played option of every turn, a share of them taken."""
    rng = np.random.default_rng(seed)
    played = honest.turns.decisions.played_index.copy()
    for row, option in moves.items():
        if rng.random() < share:
            played[row] = option
    return played


def quality(honest: HonestGames, taken: Mapping[str, Moves]) -> str:
    """How often the moves of each search are first, sound, and what they lose; and the players' own."""
    rows = np.array(sorted(taken[SAME]))
    own = dict(zip(rows.tolist(), honest.turns.decisions.played_index[rows].tolist(), strict=True))
    table = []
    for name, moves in {"the players": own, **taken}.items():
        index = honest.turns.decisions.played_index.copy()
        index[list(moves)] = list(moves.values())
        first, sound, error = honest.turns.observed(index)[list(moves)].mean(axis=0)
        table.append([name, len(moves), f"{100 * first:.0f}", f"{100 * sound:.0f}", f"{-100 * error:.1f}"])
    return numbers_table(["moves of", "turns", "first, %", "sound, %", "scaled loss, 1/100"], table)


def by_turns(honest: HonestGames, norms: Norms, taken: Mapping[str, Moves]) -> str:
    """Power of the statistics that decide, of them together, and of first moves (Regan's)."""
    plain = honest.evidence()
    among = visited(honest, next(iter(taken.values())))
    seeds = SEEDS if len(among) < MANY else SEEDS[:1]
    columns = ["all", *DECIDING, "first"]
    places = [-1, *(NAMES.index(name) for name in columns[1:])]
    table = []
    scenarios = [(name, moves, how, share) for name, moves in taken.items() for how, share in SHARES.items()]
    if SAME in taken:
        critical = np.flatnonzero(np.square(honest.turns.stake) >= CRITICAL)
        scenarios.append((SAME, dict.fromkeys(critical.tolist(), 0), "critical ones", 1.0))
    evidence_of = {
        (name, how): [honest.evidence(replaced(honest, moves, share, seed)) for seed in seeds]
        for name, moves, how, share in scenarios
    }
    for n in GAMES:
        limit = np.quantile(honest.z(plain, honest.groups(n, DEALT), norms), 1 - RATE, axis=0)
        groups = honest.groups(n, DEALT, among, ANY)
        for name, _, how, _ in scenarios:
            z = np.concatenate([honest.z(each, groups, norms) for each in evidence_of[name, how]])
            shares = [f"{100 * (z[:, place] > limit[place]).mean():.0f}" for place in places]
            table.append([f"{name}, {how}, {n}", *shares, *named(norms, z[:, -1], n)])
    return f"{len(among)} appearances\n\n{numbers_table(['moves of, share, games', *columns, *NAMED], table)}"


NAMED = [f"named, of {players}" for players in FIELDS]


def named(norms: Norms, z: Floats, games: int) -> list[str]:
    """Which share is named in a field of so many players, in percent."""
    p = norms.p(z, np.full(len(z), float(games)))
    may = (z > 0) & (games >= norms.opens["naming"])
    return [f"{100 * (may & (p * players <= LEVEL)).mean():.0f}" for players in FIELDS]


def by_elo(honest: HonestGames, decisions: Decisions, taken: Mapping[str, Moves]) -> str:
    """The same of evaluated games."""
    row_of = {key: row for row, key in enumerate(_keys(decisions))}
    to_row = [row_of[key] for key in _keys(honest.turns.decisions)]
    norms, among = find_norms(FIDE_CLASSICAL), visited(honest, next(iter(taken.values())))
    assert norms is not None
    plain = _elo_z(honest, evaluated(decisions, {}, 0), norms, None)
    table = []
    for name, moves in taken.items():
        for how, share in SHARES.items():
            z: dict[int, list[Floats]] = {n: [] for n in GAMES}
            for seed in SEEDS if len(among) < MANY else SEEDS[:1]:
                chosen = np.random.default_rng(seed).random(len(moves)) < share
                options = {
                    to_row[row]: option
                    for (row, option), take in zip(moves.items(), chosen.tolist(), strict=True)
                    if take and option >= 0
                }
                for n, values in _elo_z(honest, evaluated(decisions, options, seed), norms, among).items():
                    z[n].append(values)
            for n in GAMES:
                both, honest_z = np.concatenate(z[n]), plain[n][np.isfinite(plain[n])]
                found = f"{100 * (both > np.quantile(honest_z, 1 - RATE)).mean():.0f}"
                # These values are another engine's: z is made standard for the same games without help.
                standard = (both - honest_z.mean()) / honest_z.std()
                table.append([f"{name}, {how}, {n}", found, *named(norms, standard, n)])
    return f"{len(among)} appearances\n\n{numbers_table(['moves of, share, games', 'elo', *NAMED], table)}"


def _keys(decisions: Decisions) -> list[tuple[str | None, int]]:
    return list(zip(decisions.text("game_id"), decisions.numbers("ply").astype(int).tolist(), strict=True))


def evaluated(decisions: Decisions, taken: Mapping[int, int], seed: int) -> Decisions:
    """The same games as if they had come with one value per position; some moves are taken."""
    rng = np.random.default_rng(seed)
    after = decisions.numbers("after").copy()
    noise = after - decisions.played_value
    game = decisions.codes("game_id")
    usable = np.flatnonzero(np.isfinite(noise) & (np.abs(noise) < 1000))
    order = usable[np.argsort(game[usable], kind="stable")]
    ends = np.searchsorted(game[order], np.arange(game.max() + 2))
    rows = np.array([row for row in taken if ends[game[row]] < ends[game[row] + 1]], np.int64)
    options = np.array([taken[row] for row in rows.tolist()], np.int64)
    other = order[rng.integers(ends[game[rows]], ends[game[rows] + 1])] if len(rows) else rows
    after[rows] = decisions.values[decisions.offsets[rows] + options] + noise[other]
    table = decisions.to_table()
    values = [None if np.isnan(value) else round(value) for value in after.tolist()]
    new = {
        "after": values,
        "moves": [[move] for move in table["played"].to_pylist()],
        "cp": [[value] for value in values],
        "mate": [[None]] * len(values),
        "played_index": [0] * len(values),
        "n_lines": [0] * len(values),
        "recipe_id": [FIDE_CLASSICAL] * len(values),
    }
    for name, column in new.items():
        kind = table.schema.field(name).type
        table = table.set_column(table.column_names.index(name), name, pa.array(column, kind))
    traces = [name for name in table.column_names if name.startswith("trace_")]
    known = pa.array([value is not None for value in values])
    return Decisions.from_table(table.drop_columns(traces).filter(known))


def _elo_z(
    honest: HonestGames, decisions: Decisions, norms: Norms | None, among: Ints | None
) -> dict[int, Floats]:
    """Z by the rating by moves of groups of each number of games."""
    calibration = find_calibration(FIDE_CLASSICAL)
    assert calibration is not None
    appearances = Appearances.of(decisions)
    place = {key: row for row, key in enumerate(zip(appearances.games(), appearances.players(), strict=True))}
    all_of = honest.appearances
    keys = list(zip(all_of.games(), all_of.players(), strict=True))
    rater = Rater(appearances, calibration)
    z = {}
    for n in GAMES:
        groups = honest.groups(n, DEALT if among is None else 1, among, 100 if among is None else ANY)
        theirs = [np.array([place[keys[row]] for row in rows]) for rows in groups]
        reference = np.array([honest.elo[rows].mean() for rows in groups])
        z[n] = z_by_elo(rater, theirs, reference, norms)
    return z
