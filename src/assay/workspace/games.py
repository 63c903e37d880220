"""Which games may be rated, by a user's choice, and who played them: functions of rows of the table games.

Length and time control are judged on reading. The table stores plain facts; tables of an earlier assay also
store `too_short` and `fast_time_control`, which hide whatever reason would have come after them: that is
found again from the columns.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from assay.decisions.arrays import coded, single
from assay.decisions.decisions import Decisions
from assay.decisions.exclusions import (
    AFTER_DATE,
    AFTER_LENGTH,
    AFTER_TIME,
    BY_CHOICE,
    Choice,
    Exclusion,
)
from assay.decisions.names import Who
from assay.decisions.time_control import FAST, TIME_CLASSES
from assay.pgn.tags import is_odds_or_simul
from assay.workspace.folder import Folder

SIDES = ("white", "black")

MARK_COLUMNS = ("exclusion", "n_plies", "time_class", "result", "event", "date")
"""Columns of the table games that tell whether a game may be rated."""

CHOICE_COLUMNS = tuple(
    dict.fromkeys(("white_name", "black_name", "white_elo", "black_elo", "year", "event", *MARK_COLUMNS))
)
"""Those, and the columns that tell whose a game is and when it was."""

_TEXT = pa.string()


def mark(games: pa.Table, choice: Choice | None = None) -> pa.Table:
    """The games with the first reason of each under this choice (`Choice.reason`, on whole columns)."""
    chosen = choice or Choice()
    plain = _plain(games)
    time = single(games["time_class"])
    fast = pc.is_in(time, _texts(FAST))
    of_time = pc.if_else(fast, Exclusion.FAST_TIME_CONTROL.value, Exclusion.OTHER_TIME_CONTROL.value)
    unasked = pc.invert(pc.is_in(time, _texts(chosen.times)))
    short = pc.less(single(games["n_plies"]), chosen.min_plies)
    reason = pc.if_else(pc.and_(unasked, _is_one(plain, AFTER_TIME)), of_time, plain)
    reason = pc.if_else(pc.and_(short, _is_one(plain, AFTER_LENGTH)), Exclusion.TOO_SHORT.value, reason)
    if chosen.since is not None or chosen.until is not None:
        dates = coded(games["date"] if "date" in games.column_names else games["year"].cast(_TEXT))
        inside = pa.array([chosen.includes(date) for date in dates.dictionary.to_pylist()], pa.bool_())
        outside = pc.invert(pc.fill_null(inside.take(dates.indices), False))
        reason = pc.if_else(pc.and_(outside, _is_one(plain, AFTER_DATE)), Exclusion.OTHER_DATE.value, reason)
    return games.set_column(games.schema.get_field_index("exclusion"), "exclusion", reason.cast(_TEXT))


def mark_decisions(decisions: Decisions, choice: Choice) -> Decisions:
    """Decisions from a file, marked anew by a choice; a game is as long as its last move says."""
    table = decisions.table()
    plies = table.group_by("game_id").aggregate([("ply", "max")])
    row = pc.index_in(table["game_id"], value_set=single(plies["game_id"]))
    length = pc.add(single(plies["ply_max"]).cast(pa.int32()).take(single(row)), 1)
    # A file that does not tell how long or how fast its games were leaves nothing to judge.
    table = table.append_column("n_plies", pc.fill_null(length, 2**15))
    marked = mark(table.set_column(*_filled(table, "time_class", "unknown")), choice)
    return Decisions.from_table(
        table.drop_columns(["n_plies"]).set_column(*_filled(marked, "exclusion", None))
    )


def _filled(table: pa.Table, name: str, value: str | None) -> tuple[int, str, pa.Array]:
    """A column to be set in a table, with a value for its nulls."""
    column = single(table[name]).cast(_TEXT)
    return table.schema.get_field_index(name), name, column if value is None else pc.fill_null(column, value)


def reasons(games: pa.Table) -> dict[str | None, int]:
    """How many of these games carry each reason, and (None) none; the most frequent first."""
    counts = Counter(
        {count["values"]: count["counts"] for count in pc.value_counts(games["exclusion"]).to_pylist()}
    )
    return dict(counts.most_common())


def left_out_by_choice(games: pa.Table, choice: Choice | None = None) -> str | None:
    """What another choice would include, in a sentence; None where it would include nothing.

    "left out: 12 blitz; --time classical,unknown,blitz includes them"
    """
    chosen = choice or Choice()
    times = games.filter(
        pc.is_in(
            games["exclusion"],
            _texts([Exclusion.FAST_TIME_CONTROL.value, Exclusion.OTHER_TIME_CONTROL.value]),
        )
    )["time_class"]
    by_class = {count["values"]: count["counts"] for count in pc.value_counts(times).to_pylist()}
    too_short = pc.sum(pc.equal(games["exclusion"], Exclusion.TOO_SHORT.value)).as_py() or 0
    parts = []
    if by_class:
        left = [name for name in TIME_CLASSES if name in by_class]
        counts = ", ".join(f"{by_class[name]:,} {_WORDS.get(name, name)}" for name in left)
        times = ",".join([*sorted(chosen.times, key=TIME_CLASSES.index), *left])
        pronoun = "it" if sum(by_class.values()) == 1 else "them"
        parts.append(f"{counts}; --time {times} includes {pronoun}")
    if too_short:
        pronoun = "it" if too_short == 1 else "them"
        parts.append(f"{too_short:,} under {chosen.min_turns} moves; --min-turns 1 includes {pronoun}")
    if other_days := pc.sum(pc.equal(games["exclusion"], Exclusion.OTHER_DATE.value)).as_py():
        parts.append(f"{other_days:,} of other days")
    return f"left out: {'. Also '.join(parts)}" if parts else None


_WORDS = {"unknown": "of unknown time class"}


def _plain(games: pa.Table) -> pa.Array:
    """The stored reasons; in place of those that depend on a choice, the plain reason that they hide."""
    stored = single(games["exclusion"]).cast(_TEXT)
    old = pc.is_in(stored, _texts(BY_CHOICE))
    rows = pc.indices_nonzero(old)
    if not len(rows):
        return stored
    hiding = games.select(["event", "result"]).take(rows)
    hidden = [
        Exclusion.ODDS_OR_SIMUL.value
        if is_odds_or_simul(event or "")
        else Exclusion.NO_RESULT.value
        if result is None
        else None
        for event, result in zip(hiding["event"].to_pylist(), hiding["result"].to_pylist(), strict=True)
    ]
    return pc.replace_with_mask(stored, pc.fill_null(old, False), pa.array(hidden, _TEXT))


def _texts(values: Iterable[str]) -> pa.Array:
    return pa.array(sorted(values), _TEXT)


def _is_one(column: pa.Array, reasons: frozenset[str | None]) -> pa.Array:
    """Whether each is one of these reasons; None is among them."""
    return pc.or_(
        pc.is_null(column), pc.is_in(column, _texts(reason for reason in reasons if reason is not None))
    )


def names_as_written(names: pa.Table) -> Counter[str]:
    """How often each name stands in these games."""
    both = pa.concat_arrays([single(names["white_name"]), single(names["black_name"])])
    return Counter({count["values"]: count["counts"] for count in pc.value_counts(both).to_pylist()})


def games_of(games: pa.Table, whom: Iterable[Who]) -> pa.Table:
    """The games of these players, each in the years or at the event in question."""
    whom = list(whom)
    return games.filter(pc.or_(*(played_by(games, whom, side) for side in SIDES)))


def played_by(games: pa.Table, whom: Iterable[Who], side: str) -> pa.ChunkedArray:
    """In which games one of these players, in the years or at the event in question, had this side."""
    wanted = pa.array(np.zeros(games.num_rows, dtype=bool))
    for who in whom:
        theirs = pc.equal(games[side], who.player)
        if who.event is not None:
            theirs = pc.and_(theirs, pc.equal(games["event"], who.event))
        if who.years is not None:
            theirs = pc.and_(theirs, pc.is_in(games["year"], pa.array(list(who.years), pa.int16())))
        wanted = pc.or_(wanted, pc.fill_null(theirs, False))
    return wanted


class KnownPlayers:
    """The settled names and the published ratings, read once and put into any number of games."""

    def __init__(self, folder: Folder, choice: Choice | None = None) -> None:
        self._choice = choice
        self._names = folder.table_players.read()
        self._ratings = folder.table_reference_ratings.read()

    def put_into(self, games: pa.Table) -> pa.Table:
        """The games with columns `white` and `black`, and the rating of the year where the tags give none.

        The reasons why games must not be rated are those of the choice.
        """
        games = mark(games, self._choice)
        for side in SIDES:
            name = single(games[f"{side}_name"])
            row = pc.index_in(name, single(self._names["name"]))
            player = pc.coalesce(single(self._names["player"]).take(row), name)
            games = games.append_column(side, player)
            elo = pc.coalesce(single(games[f"{side}_elo"]), self._reference_rating(player, games["year"]))
            games = games.set_column(games.schema.get_field_index(f"{side}_elo"), f"{side}_elo", elo)
        return games

    def _reference_rating(self, player: pa.Array, year: pa.ChunkedArray) -> pa.Array:
        """Published rating of each player in each year; null where there is none."""
        wanted = pc.binary_join_element_wise(player, single(year).cast(pa.string()), "|")
        published = pc.binary_join_element_wise(
            single(self._ratings["player"]), single(self._ratings["year"]).cast(pa.string()), "|"
        )
        return single(self._ratings["elo"]).take(pc.index_in(wanted, published))
