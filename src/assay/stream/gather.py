"""What a worker does with a block of games: read it, and add up the evidence of every player in it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from scipy import sparse

from assay.domain.arrays import Floats, Ints
from assay.domain.decisions import Decisions
from assay.domain.evaluators import evaluated_by
from assay.domain.exclusions import TIME_CLASSES, Choice
from assay.domain.grouping import By
from assay.ingest.pgn import read_texts
from assay.ingest.records import games_table
from assay.models.appearances import OPENING_TURNS, Appearances
from assay.models.base import MoveModel
from assay.models.registry import make_model
from assay.rating.files import find_calibration
from assay.store.annotated import assemble_annotated
from assay.store.comments import wrong_clocks
from assay.stream.blocks import Block
from assay.stream.sums import COUNTS, PARTS, Layout, Part, Sums, add_parts

METHODS = ("conformance", "covariance", "gain", "markov")
"""What reads games that bring one value per ply, where there is no scale; a calibration names its own."""

BAND = 100
"""Rating points of a band."""

UNKNOWN = "unknown rating"

EVERY_TIME = Choice(frozenset(TIME_CLASSES))
"""Each time class has a source of values, and a scale, of its own: so none is left out."""


@dataclass(frozen=True)
class Asked:
    """What decides the sums, besides the games."""

    by: By = By.PLAYER
    choice: Choice = EVERY_TIME

    @property
    def words(self) -> str:
        """For telling one run from another."""
        return f"{self.by} {sorted(self.choice.times)} {self.choice.min_turns}"


@dataclass
class Gathered:
    """What a block of games adds."""

    numbers: list[int]
    """Of the blocks."""
    parts: dict[str, Part] = field(default_factory=dict)
    """By source of the values."""
    games: int = 0
    fragments: int = 0
    left_out: Counter[str] = field(default_factory=Counter)
    clocks: Counter[str] = field(default_factory=Counter)
    without: int = 0
    """Games without evaluations, among those that may be rated."""
    partly: int = 0
    """Games that lack the evaluation of a move after the opening, other than the last."""


def models_for(source: str) -> dict[str, MoveModel]:
    """The methods that read the values of a source: those of its calibration, where it has one."""
    calibration = find_calibration(source)
    if calibration is None:
        return {name: make_model(name) for name in METHODS}
    return {name: calibration.models[name] for name in calibration.spread.methods}


def gather(block: Block, asked: Asked) -> Gathered:
    """The evidence of a block of games by source of the values, name and part."""
    batch = read_texts(block.texts, block.source)
    found = Gathered([block.number], games=len(batch.games), fragments=batch.fragments)
    games, said = games_table(batch.games), batch.annotations_table(batch.games)
    found.clocks = wrong_clocks(games, said)
    games = _marked(games, asked.choice)
    found.left_out = Counter({reason: n for reason, n in _counted(games["exclusion"]).items() if reason})
    games = games.filter(pc.is_null(games["exclusion"]))
    evaluated = said.filter(pc.or_(pc.is_valid(said["cp"]), pc.is_valid(said["mate"])))
    has = pc.is_in(games["game_id"], evaluated["game_id"].combine_chunks())
    found.without = games.num_rows - int(pc.sum(has).as_py() or 0)
    games = games.filter(has)
    for source, rows in _by_source(games).items():
        some = games.take(pa.array(rows))
        own = evaluated.filter(pc.is_in(evaluated["game_id"], some["game_id"].combine_chunks()))
        part, partly = _part(some, own, source, asked.by)
        found.partly += partly
        if part is not None:
            found.parts[source] = part
    return found


def merge(several: Sequence[Gathered]) -> Gathered:
    """What several blocks add, as one: for a reduction on the way back."""
    whole = Gathered([number for one in several for number in one.numbers])
    for name in ("games", "fragments", "without", "partly"):
        setattr(whole, name, sum(getattr(one, name) for one in several))
    for one in several:
        whole.left_out.update(one.left_out)
        whole.clocks.update(one.clocks)
    sums: dict[str, Sums] = {}
    for one in several:
        add_parts(sums, one.parts)
    whole.parts = {source: one.as_part() for source, one in sums.items()}
    return whole


def _marked(games: pa.Table, choice: Choice) -> pa.Table:
    """The games with the reasons that depend on the choice, and names as written for players."""
    reasons = [
        choice.reason(stored, plies, time)
        for stored, plies, time in zip(
            games["exclusion"].to_pylist(),
            games["n_plies"].to_pylist(),
            games["time_class"].to_pylist(),
            strict=True,
        )
    ]
    place = games.schema.get_field_index("exclusion")
    games = games.set_column(place, "exclusion", pa.array(reasons, pa.string()))
    for side in ("white", "black"):
        games = games.append_column(side, games[f"{side}_name"])
    return games


def _counted(column: pa.ChunkedArray) -> Counter[str | None]:
    return Counter({one["values"]: one["counts"] for one in pc.value_counts(column).to_pylist()})


def _by_source(games: pa.Table) -> dict[str, list[int]]:
    """The rows of the games by the source of their values."""
    columns = [games[name].to_pylist() for name in ("site", "event", "evaluator", "time_class")]
    found: dict[str, list[int]] = {}
    known: dict[tuple[str, ...], str] = {}
    for row, kind in enumerate(zip(*columns, strict=True)):
        plain = tuple(one or "" for one in kind)
        if plain not in known:
            known[plain] = evaluated_by(plain[0], plain[1], plain[2], plain[3])
        found.setdefault(known[plain], []).append(row)
    return found


def _part(games: pa.Table, evaluated: pa.Table, source: str, by: By) -> tuple[Part | None, int]:
    """The sums of some games of one source; and how many of them lack some evaluations."""
    decisions = assemble_annotated(games, evaluated, source)
    if not len(decisions):
        return None, 0
    appearances = Appearances.of(decisions)
    partly = _partly(decisions)
    names, name = _names(appearances, by)
    ids = decisions.names("game_id")
    part = np.array([int(one[-8:], 16) % PARTS for one in ids], dtype=np.int64)[appearances.game]
    rows, place = np.unique((name * PARTS + part)[appearances.size > 0], return_inverse=True)
    where = np.full(len(appearances), -1, dtype=np.int64)
    where[appearances.size > 0] = place.reshape(-1)
    if not len(rows):
        return None, partly
    counted = decisions.take(np.flatnonzero(where[appearances.place(decisions)] >= 0))
    models = models_for(source)
    keys = tuple(map(str, range(len(rows))))
    columns: list[Any] = [_counts(appearances, where, len(rows))]
    for model in models.values():
        stack = model.stack(counted, lambda kept: where[appearances.place(kept)], keys)
        columns += [np.stack((stack.decisions, stack.games), axis=1), stack.evidence]
    matrix = sparse.hstack([sparse.csr_array(one) for one in columns], format="csr", dtype=np.float32)
    return Part(Layout.of(models), names, rows, sparse.csr_array(matrix)), partly


def _partly(decisions: Decisions) -> int:
    """How many games lack the evaluation of a move after the opening, other than the last."""
    game, ply = decisions.codes("game_id"), decisions.numbers("ply")
    last = np.append(game[1:] != game[:-1], True)
    lacking = (decisions.codes("exclusion") >= 0) & (ply >= 2 * OPENING_TURNS) & ~last
    return len(np.unique(game[lacking]))


def _names(appearances: Appearances, by: By) -> tuple[list[str], Ints]:
    """What the sums are kept by, and the place of each appearance's name."""
    if by is By.PLAYER:
        return appearances.names("player"), appearances.player
    elo = appearances.elo
    band = np.where(np.isnan(elo), -1, np.nan_to_num(elo) // BAND).astype(np.int64)
    bands, place = np.unique(band, return_inverse=True)
    return [band_name(one) for one in bands.tolist()], place.reshape(-1)


def band_name(band: int) -> str:
    """A band of ratings: `1600 to 1699`."""
    return UNKNOWN if band < 0 else f"{BAND * band:04d} to {BAND * band + BAND - 1:04d}"


def _counts(appearances: Appearances, where: Ints, n_rows: int) -> Floats:
    kept = where >= 0
    elo, result = appearances.elo[kept], appearances.numbers("result")[kept]
    columns = {
        "games": np.ones(int(kept.sum())),
        "decisions": appearances.size[kept],
        "elo": np.nan_to_num(elo),
        "rated": ~np.isnan(elo),
        "wins": result == 1,
        "draws": result == 0.5,
        "losses": result == 0,
    }
    return np.stack(
        [np.bincount(where[kept], columns[name].astype(np.float64), minlength=n_rows) for name in COUNTS],
        axis=1,
    )
