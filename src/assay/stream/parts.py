"""The sums of some games of one source of values: by name and part, for each method."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy import sparse

from assay.decisions.arrays import Floats, Ints
from assay.decisions.decisions import Decisions
from assay.decisions.grouping import By
from assay.decisions.measures import between
from assay.decisions.rules import evaluated
from assay.models.appearances import OPENING_TURNS
from assay.models.base import MoveModel
from assay.models.registry import make_model
from assay.pgn.reader import Batch, GameRecord, games_table
from assay.rating.files import find_calibration
from assay.store.annotated import assemble_annotated, decisions_between
from assay.stream.sums import COUNTS, PARTS, Layout, Part, compact
from assay.stream.values import Positions

METHODS = ("conformance", "covariance", "gain", "markov")
"""What reads games that bring one value per ply, where there is no scale; a calibration names its own."""

_VALUES_ALONE = frozenset((*METHODS, "traits"))
"""Methods that read nothing else of games that bring one value per ply."""

BAND = 100
"""Rating points of a band."""

UNKNOWN = "unknown rating"


@dataclass(frozen=True, eq=False)
class Moves:
    """The moves of some games that may count, and which of the games each is of."""

    decisions: Decisions
    game: Ints
    black: Ints
    """1 for Black's moves, 0 for White's."""
    partly: int
    """Games that lack the evaluation of a move after the opening, other than the last."""


def models_for(source: str) -> dict[str, MoveModel]:
    """The methods that read the values of a source: those of its calibration, where it has one."""
    calibration = find_calibration(source)
    if calibration is None:
        return {name: make_model(name) for name in METHODS}
    return {name: calibration.models[name] for name in calibration.spread.methods}


def moves_of(records: Sequence[GameRecord], batch: Batch, positions: Positions, source: str) -> Moves:
    """The moves of some games of a block, whose positions are given."""
    options = any(one.moves is not None for record in records for one in batch.said.get(record.game_id, ()))
    if options or not models_for(source).keys() <= _VALUES_ALONE:
        return _assembled(records, batch, source)
    positions.settle(records)
    rows, before, after = between(positions.value, positions.offsets)
    lengths = np.diff(positions.offsets) - 1
    game = np.repeat(np.arange(len(lengths)), lengths)
    ply = rows - np.repeat(positions.offsets[:-1], lengths)
    black_starts = np.array(
        [one.start_fen is not None and " b " in one.start_fen for one in records], dtype=np.int64
    )
    known = ~(np.isnan(before) | np.isnan(after))
    partly = _partly(game, ply, known)
    before, after, ply, game = before[known], after[known], ply[known], game[known]
    decisions = decisions_between(before, after, ply, game, source)
    return Moves(decisions, game, (ply + black_starts[game]) % 2, partly)


def _assembled(records: Sequence[GameRecord], batch: Batch, source: str) -> Moves:
    """The same by the join that an import's games go through: where comments name options, for instance."""
    games, said = games_table(list(records)), batch.annotations_table(list(records))
    for side in ("white", "black"):
        games = games.append_column(side, games[f"{side}_name"])
    decisions = assemble_annotated(games, said, source)
    ids, place = decisions.names("game_id"), {record.game_id: at for at, record in enumerate(records)}
    game = np.array([place[name] for name in ids], dtype=np.int64)[decisions.codes("game_id")]
    known = decisions.codes("exclusion") < 0
    partly = _partly(game, decisions.numbers("ply"), known)
    black = np.array([name == "black" for name in decisions.names("colour")], np.int64)
    kept = np.flatnonzero(known)
    return Moves(decisions.take(kept), game[kept], black[decisions.codes("colour")][kept], partly)


def _partly(game: Ints, ply: Any, known: Any) -> int:
    """How many games lack the evaluation of a move after the opening, other than the last."""
    if not len(game):
        return 0
    last = np.append(game[1:] != game[:-1], True)
    return len(np.unique(game[~known & (ply >= 2 * OPENING_TURNS) & ~last]))


def part_of(records: Sequence[GameRecord], moves: Moves, source: str, by: By) -> Part | None:
    """What the moves add to every method's evidence; None where they add nothing."""
    if not len(moves.decisions):
        return None
    # An appearance is one player in one game: two for each, but for games that one name plays alone.
    alone = np.array([one.white_name == one.black_name for one in records], dtype=bool)
    appearance = 2 * moves.game + np.where(alone[moves.game], 0, moves.black)
    counted = ~(moves.decisions.numbers("ply") < 2 * OPENING_TURNS) & evaluated()(moves.decisions)
    size = np.bincount(appearance[counted], minlength=2 * len(records))
    names, name = _names(records, by)
    part = np.array([int(one.game_id[-8:], 16) % PARTS for one in records], dtype=np.int64)
    rows, place = np.unique((name * PARTS + np.repeat(part, 2))[size > 0], return_inverse=True)
    if not len(rows):
        return None
    row = np.full(2 * len(records), -1, dtype=np.int64)
    row[size > 0] = place.reshape(-1)
    kept = np.flatnonzero(row[appearance] >= 0)
    decisions = moves.decisions if len(kept) == len(appearance) else moves.decisions.take(kept)
    models = models_for(source)
    matrix = _evidence(models, decisions, appearance[kept], row, len(rows))
    counts = _counts(records, size, row, len(rows))
    return Part(Layout.of(models), names, rows, _joined([counts, *matrix]))


def _evidence(
    models: dict[str, MoveModel], decisions: Decisions, appearance: Ints, row: Ints, n_rows: int
) -> list[Any]:
    """Decisions, games and evidence of every method, one row for each name and part."""
    found: list[Any] = []
    chosen: dict[bytes, tuple[Decisions, Ints, Floats]] = {}  # most methods read the same decisions
    for model in models.values():
        keep = model.keeps(decisions)
        which = keep.tobytes()
        if which not in chosen:
            kept = decisions if keep.all() else decisions.take(np.flatnonzero(keep))
            own = appearance if keep.all() else appearance[keep]
            made = np.bincount(row[own], minlength=n_rows)
            chosen[which] = kept, row[own], np.stack((made, _games(own, row, n_rows)), axis=1)
        kept, group, counts = chosen[which]
        evidence = model.evidence(kept, group, n_rows)
        found += [counts, evidence if sparse.issparse(evidence) else evidence.reshape(n_rows, -1)]
    return found


def _games(appearance: Ints, row: Ints, n_rows: int) -> Ints:
    """How many different games each row has; both sides of one in one row, of a band, are one game."""
    here = (np.bincount(appearance, minlength=len(row)) > 0).reshape(-1, 2)
    both = row.reshape(-1, 2)
    here[:, 1] &= ~(here[:, 0] & (both[:, 0] == both[:, 1]))
    return np.bincount(both[here], minlength=n_rows)


def _joined(columns: list[Any]) -> sparse.csr_array:
    """Columns side by side, sparse; dense ones that stand together are made so together."""
    pieces: list[Any] = []
    dense: list[Any] = []
    for one in [*columns, None]:
        if one is not None and not sparse.issparse(one):
            dense.append(one)
            continue
        if dense:
            pieces.append(sparse.csr_array(np.concatenate(dense, axis=1, dtype=np.float32)))
            dense = []
        if one is not None:
            pieces.append(sparse.csr_array(one, dtype=np.float32))
    return compact(sparse.csr_array(sparse.hstack(pieces, format="csr", dtype=np.float32)))


def _names(records: Sequence[GameRecord], by: By) -> tuple[list[str], Ints]:
    """What the sums are kept by, and the place of each appearance's name: White's and Black's in turn."""
    if by is By.PLAYER:
        known: dict[str, int] = {}
        place = [
            known.setdefault(name, len(known)) for one in records for name in (one.white_name, one.black_name)
        ]
        return list(known), np.array(place, dtype=np.int64)
    elo = _elos(records)
    band = np.where(np.isnan(elo), -1, np.nan_to_num(elo) // BAND).astype(np.int64)
    bands, places = np.unique(band, return_inverse=True)
    return [band_name(one) for one in bands.tolist()], places.reshape(-1)


def band_name(band: int) -> str:
    """A band of ratings: `1600 to 1699`."""
    return UNKNOWN if band < 0 else f"{BAND * band:04d} to {BAND * band + BAND - 1:04d}"


def _elos(records: Sequence[GameRecord]) -> Floats:
    """The reference rating of each appearance, NaN where it is not known."""
    return np.array([elo or np.nan for one in records for elo in (one.white_elo, one.black_elo)])


def _counts(records: Sequence[GameRecord], size: Ints, row: Ints, n_rows: int) -> Floats:
    kept = row >= 0
    elo = _elos(records)[kept]
    white = np.array([np.nan if one.result is None else one.result for one in records])
    result = np.stack((white, 1 - white), axis=1).reshape(-1)[kept]
    columns = {
        "games": np.ones(int(kept.sum())),
        "decisions": size[kept],
        "squares": np.square(size[kept]),
        "elo": np.nan_to_num(elo),
        "rated": ~np.isnan(elo),
        "wins": result == 1,
        "draws": result == 0.5,
        "losses": result == 0,
    }
    return np.stack(
        [np.bincount(row[kept], columns[name].astype(np.float64), minlength=n_rows) for name in COUNTS],
        axis=1,
    )
