"""How often somebody is found who takes moves: from the search that screens, and from others.

The honest games with moves replaced in half of the turns or in all: by the first moves of Stockfish 15.1 with
one line and less hash, of Stockfish 19 and of Ethereal 12 (`taken-moves`), or by the first or second moves of
the search that screens. Games of more than one are composites of any ratings. The same for evaluated games:
every position has the value of its first line, a move that was taken the value of its line and the difference
between that and the next position's value of another move of the game, by chance.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.csv

from assay.answers.screening import DECIDING
from assay.decisions.arrays import Floats, Ints
from assay.decisions.decisions import Decisions
from assay.decisions.evaluation import FIDE_CLASSICAL
from assay.models.appearances import Appearances
from assay.rating.calibration import find_calibration
from assay.rating.group_ratings import Rater
from assay.screening.norms import Norms
from assay.screening.statistics import NAMES
from assay.screening.z_scores import z_by_elo
from research.evidence.screening.honest import DEALT, GAMES, SIZES, HonestGames
from research.markdown import Tables, numbers_table

TAKEN_MOVES = Path(__file__).with_name("taken-moves.csv.zst")

CHOSEN_ON = 16
"""The statistics that decide were chosen on the first games of that file."""

SAME, SECOND = "the search that screens", "second moves of the search that screens"
CRITICAL = 0.2
"""A position is critical where the second option has so much scaled error, in pawns, or more."""

RATE = 0.01
"""Of false positives, measured on honest groups, at which powers are compared."""

FIELDS = (5, 10, 120)
"""Players of events in which it is counted who is named."""

ANY = 10_000
"""Visited games are too few to be put together by rating: groups are of any."""

SEEDS, MANY = range(4), 200
"""Turns are chosen by chance so many times; once where there are many appearances."""

HELP = {"half": 0.5, "all": 1.0}
"""Which share of the moves is taken."""

HELPED_BY = "Stockfish 19"
"""The engine that a reader is told of: the newest."""

FEW_DEALT = 4
"""How often evaluated games are dealt into composites, which takes longer."""

QUANTILES = np.linspace(0.005, 0.995, 100)
"""Of the z of those who take moves, which ship."""

Moves = Mapping[int, int]
"""The option that was taken at a turn; -1 where no line has it."""

ZByGames = dict[int, Floats]
"""z of groups, by the number of their games: shape (groups, columns), the column that decides first."""


class ByTurns:
    """Games with the engine's lines: the statistics that decide, and first moves (Regan's)."""

    columns: tuple[str, ...] = ("all", *DECIDING, "first")

    def __init__(self, games: HonestGames, norms: Norms) -> None:
        self.games, self.norms = games, norms
        self.honest = self.z({})

    def z(self, moves: Moves, among: Ints | None = None, share: float = 1.0, seed: int = 0) -> ZByGames:
        """Z of groups of these appearances, by default of all in honest groups, where moves are taken."""
        evidence = self.games.evidence(replaced(self.games, moves, share, seed))
        columns = [-1, *(NAMES.index(name) for name in self.columns[1:])]
        return {
            n: self.games.z(evidence, groups_of(self.games, n, among, DEALT), self.norms)[:, columns]
            for n in SIZES
        }


class ByElo(ByTurns):
    """The same games as if they had come with one value per position."""

    columns = ("elo",)

    def __init__(self, games: HonestGames, decisions: Decisions, norms: Norms) -> None:
        self.decisions = decisions
        row_of = {key: row for row, key in enumerate(_keys(decisions))}
        self._row = [row_of[key] for key in _keys(games.turns.decisions)]
        self._centre = dict.fromkeys(SIZES, (0.0, 1.0))
        super().__init__(games, norms)
        # These values are another engine's: z is made standard for the same games without help.
        self._centre = {n: (float(np.nanmean(z)), float(np.nanstd(z))) for n, z in self.honest.items()}
        self.honest = {n: self._standard(z, n) for n, z in self.honest.items()}

    def z(self, moves: Moves, among: Ints | None = None, share: float = 1.0, seed: int = 0) -> ZByGames:
        """Z of groups of these appearances, by default of all in honest groups, where moves are taken."""
        taken = np.random.default_rng(seed).random(len(moves)) < share
        options = {
            self._row[row]: option
            for (row, option), take in zip(moves.items(), taken.tolist(), strict=True)
            if take and option >= 0
        }
        calibration = find_calibration(FIDE_CLASSICAL)
        assert calibration is not None
        appearances = Appearances.of(evaluated(self.decisions, options, seed))
        row_of = {
            key: row for row, key in enumerate(zip(appearances.games(), appearances.players(), strict=True))
        }
        honest = self.games.appearances
        rows = np.array([row_of[key] for key in zip(honest.games(), honest.players(), strict=True)])
        rater = Rater(appearances, calibration)
        z = {}
        for n in SIZES:
            groups = groups_of(self.games, n, among, FEW_DEALT)
            reference = np.array([self.games.elo[group].mean() for group in groups])
            raw = z_by_elo(rater, [rows[group] for group in groups], reference, self.norms)
            z[n] = self._standard(raw[:, None], n)
        return z

    def _standard(self, z: Floats, n: int) -> Floats:
        middle, deviation = self._centre[n]
        return np.asarray((z - middle) / deviation)


def groups_of(games: HonestGames, n: int, among: Ints | None, dealt: int) -> list[Ints]:
    """Groups of n honest games of one century, or of some games whatever their rating."""
    return games.groups(n, dealt) if among is None else games.groups(n, dealt, among, ANY)


def _seeds(screen: ByTurns, moves: Moves, among: Ints, share: float) -> ZByGames:
    """Z where moves are taken, several times by chance where there are few games."""
    seeds = SEEDS if len(among) < MANY else SEEDS[:1]
    drawn = [screen.z(moves, among, share, seed) for seed in seeds]
    return {n: np.concatenate([z[n] for z in drawn]) for n in SIZES}


def tables(screen: ByTurns, chosen_on: Mapping[str, Moves], others: Mapping[str, Moves]) -> Tables:
    """Power on the games that statistics were chosen on, and on others."""
    title = f"Power in percent at 1% of false positives, by {screen.columns[0]}"
    yield f"{title}, games that statistics were chosen on", power(screen, chosen_on)
    yield f"{title}, other games", power(screen, others)


def scenarios(games: HonestGames) -> tuple[dict[str, Moves], dict[str, Moves]]:
    """Who takes which moves, on the games that statistics were chosen on, and on others."""
    chosen_on, others = read_taken(games)
    game_of = games.turns.decisions.codes("game_id")
    new = np.flatnonzero(~np.isin(game_of, game_of[sorted(chosen_on[SAME])])).tolist()
    second = np.minimum(1, games.turns.lines - 1).tolist()
    others |= {SAME: dict.fromkeys(new, 0), SECOND: {row: second[row] for row in new}}
    return chosen_on, others


def helped(screen: ByTurns, taken: Mapping[str, Moves]) -> Iterator[dict[str, Any]]:
    """The z of whoever takes moves of the newest engine, as norms have them."""
    moves = taken[HELPED_BY]
    for how, share in HELP.items():
        for n, z in _seeds(screen, moves, visited(screen.games, moves), share).items():
            yield {
                "engine": HELPED_BY,
                "moves": how,
                "games": n,
                "z": np.quantile(z[:, 0], QUANTILES).round(2).tolist(),
            }


def power(screen: ByTurns, taken: Mapping[str, Moves]) -> str:
    """How many groups are beyond the threshold of one honest group of 100, and how many are named."""
    limit = {n: np.nanquantile(z, 1 - RATE, axis=0) for n, z in screen.honest.items()}
    stake = np.square(screen.games.turns.stake) >= CRITICAL
    table = []
    for name, moves in taken.items():
        among = visited(screen.games, moves)
        which = [(how, moves, share) for how, share in HELP.items()]
        if name == SAME:
            which.append(("critical ones", {row: 0 for row in moves if stake[row]}, 1.0))
        for how, some, share in which:
            z = _seeds(screen, some, among, share)
            for n in GAMES:
                shares = [f"{100 * share:.0f}" for share in (z[n] > limit[n]).mean(axis=0)]
                named = [f"{100 * screen.norms.share_named(z[n][:, 0], n, field):.0f}" for field in FIELDS]
                table.append([f"{name}, {how}, {n}", len(among), *shares, *named])
    heads = ["moves of, share, games", "appearances", *screen.columns, *(f"named, of {n}" for n in FIELDS)]
    return numbers_table(heads, table)


def quality(games: HonestGames, taken: Mapping[str, Moves]) -> str:
    """How often the moves of each search are first, sound, and what they lose; and the players' own."""
    rows = np.array(sorted(taken[HELPED_BY]))
    own = dict(zip(rows.tolist(), games.turns.decisions.played_index[rows].tolist(), strict=True))
    table = []
    for name, moves in {"the players": own, **taken}.items():
        index = replaced(games, moves, 1.0, 0)
        first, sound, error = games.turns.observed(index)[list(moves)].mean(axis=0)
        table.append([name, len(moves), f"{100 * first:.0f}", f"{100 * sound:.0f}", f"{-100 * error:.1f}"])
    return numbers_table(["moves of", "turns", "first, %", "sound, %", "scaled loss, 1/100"], table)


def read_taken(games: HonestGames) -> tuple[dict[str, Moves], dict[str, Moves]]:
    """The option that each search takes, by turn: in the games that were chosen on, and in others."""
    turns, lines = games.turns.decisions, games.turns.lines
    row_of = {key: row for row, key in enumerate(_keys(turns))}
    cells = pa.csv.read_csv(TAKEN_MOVES).to_pylist()
    chosen_on = list(dict.fromkeys(cell["game"] for cell in cells))[:CHOSEN_ON]
    parts: tuple[dict[str, dict[int, int]], ...] = ({SAME: {}}, {})
    for cell in cells:
        row = row_of[cell["game"], cell["ply"]]
        options = turns.options(row)[: lines[row]]
        moves = [move for move, _ in options]
        # A move searched alone that is as good as the last line counts as that.
        other = len(options) - 1 if (cell["alone"] or -(10**6)) >= options[-1][1] else -1
        part = parts[cell["game"] not in chosen_on]
        part.setdefault(cell["search"], {})[row] = (
            moves.index(cell["move"]) if cell["move"] in moves else other
        )
    parts[0][SAME] = dict.fromkeys(parts[0][HELPED_BY], 0)
    return dict(parts[0]), dict(parts[1])


def visited(games: HonestGames, moves: Moves) -> Ints:
    """The appearances whose turns were all searched."""
    rows = np.array(sorted(moves))
    whole = np.bincount(games.place[rows], minlength=len(games.elo)) == np.bincount(
        games.place, minlength=len(games.elo)
    )
    return np.asarray(games.rows[whole[games.rows]])


def replaced(games: HonestGames, moves: Moves, share: float, seed: int) -> Ints:
    """The played option of every turn, a share of them taken."""
    rng = np.random.default_rng(seed)
    played = games.turns.decisions.played_index.copy()
    for row, option in moves.items():
        if rng.random() < share:
            played[row] = option
    return played


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
    table = decisions.table()
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
