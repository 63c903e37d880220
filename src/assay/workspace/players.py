"""Who played: which names are one player, their published ratings, and the games with players in place."""

from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from assay.decisions.arrays import single
from assay.decisions.exclusions import Choice
from assay.decisions.names import Who, find_player
from assay.files import write_text
from assay.pgn.players import (
    AMBIGUOUS,
    NEEDED,
    Ambiguous,
    Resolved,
    ambiguous,
    players_table,
    read_aliases,
    resolve,
)
from assay.pgn.spelling import Spelling
from assay.workspace.folder import Folder
from assay.workspace.marks import NEEDED as NEEDED_MARKS
from assay.workspace.marks import mark

NEEDED_TO_CHOOSE = tuple(
    dict.fromkeys(("white_name", "black_name", "white_elo", "black_elo", "year", "event", *NEEDED_MARKS))
)
"""Columns of the table games that tell whose a game is, when it was and whether it may be rated."""


def keep_aliases(folder: Folder, given: Mapping[str, str] | None) -> dict[str, str]:
    """All aliases given so far: later imports settle the names of all games anew. With the lock held."""
    kept = folder.aliases
    aliases = {**(read_aliases(kept) if kept.is_file() else {}), **(given or {})}
    if given:
        write_text(kept, alias_lines(aliases), follow=False)
    return aliases


def alias_lines(aliases: Mapping[str, str]) -> str:
    """Aliases as the text of a file."""
    return "".join(f"{name} = {player}\n" for name, player in sorted(aliases.items()))


def settle_players(
    folder: Folder, aliases: dict[str, str], spelling_file: Path | None, say: Callable[[str], None]
) -> list[Ambiguous]:
    """Make the tables of players and of published ratings anew, from all games. With the lock held.

    The names that stay ambiguous are returned, the most frequent first.
    """
    games = folder.games.read(list(NEEDED))
    counts = _names_as_written(games)
    if not counts:
        return []
    spelling = Spelling(spelling_file, say) if spelling_file is not None else None
    spellings = spelling.players(counts) if spelling is not None else {}
    resolved = resolve(counts, aliases, spellings, games)
    folder.players.replace(players_table(resolved))
    if spelling is not None:
        players = {one.player for one in resolved.values()}
        folder.reference_ratings.replace(spelling.ratings(players))
    return ambiguous(resolved, counts)


def ambiguous_names(folder: Folder) -> list[Ambiguous]:
    """The names that the last import left ambiguous, the most frequent first."""
    rows = folder.players.read().to_pylist()
    if not any(row["method"] == AMBIGUOUS for row in rows):
        return []
    resolved = {row["name"]: Resolved(row["player"], row["method"]) for row in rows}
    return ambiguous(resolved, _names_as_written(folder.games.read(["white_name", "black_name"])))


def games_by_player(folder: Folder) -> dict[str, int]:
    """How many games each player has, the one with most first."""
    counts = _names_as_written(folder.games.read(["white_name", "black_name"]))
    rows = folder.players.read(["name", "player"])
    players = dict(zip(rows["name"].to_pylist(), rows["player"].to_pylist(), strict=True))
    games: Counter[str] = Counter()
    for name, n in counts.items():
        games[players.get(name, name)] += n
    return dict(sorted(games.items(), key=lambda item: (-item[1], item[0])))


def _names_as_written(names: pa.Table) -> Counter[str]:
    both = pa.concat_arrays([single(names["white_name"]), single(names["black_name"])])
    return Counter({count["values"]: count["counts"] for count in pc.value_counts(both).to_pylist()})


def find_players(folder: Folder, wanted: Iterable[str]) -> list[str]:
    """The players whom a user means, each by a name or a part of it."""
    known = pc.unique(single(folder.players.read(["player"])["player"])).to_pylist()
    return [find_player(name, known) for name in wanted]


def find_whom(folder: Folder, wanted: Iterable[str | Who]) -> list[Who]:
    """Whom a user means: players in some years or at some event, by their full names.

    A part of a name means who played in those years, if that is one.
    """
    meant = [Who.parse(one) if isinstance(one, str) else one for one in wanted]
    if all(one.years is None and one.event is None for one in meant):
        players = find_players(folder, (one.player for one in meant))
        return [replace(one, player=player) for one, player in zip(meant, players, strict=True)]
    games = KnownPlayers(folder).put_into(folder.games.read(list(NEEDED_TO_CHOOSE)))
    return [_find_one(games, one) for one in meant]


def _find_one(games: pa.Table, meant: Who) -> Who:
    then = games
    if meant.years is not None:
        then = games.filter(pc.is_in(games["year"], pa.array(list(meant.years), pa.int16())))
    player = find_player(meant.player, _players_of(then if then.num_rows else games))
    known = replace(meant, player=player)
    if known.event is None:
        return known
    return known.found([player], pc.unique(pc.drop_null(games_of(games, [Who(player)])["event"])).to_pylist())


def _players_of(games: pa.Table) -> set[str]:
    return {name for side in ("white", "black") for name in pc.unique(games[side]).to_pylist()}


def games_of(games: pa.Table, whom: Iterable[Who]) -> pa.Table:
    """The games of these players, each in the years or at the event in question."""
    wanted = pa.array(np.zeros(games.num_rows, dtype=bool))
    for one in whom:
        own = pc.or_(pc.equal(games["white"], one.player), pc.equal(games["black"], one.player))
        if one.event is not None:
            own = pc.and_(own, pc.equal(games["event"], one.event))
        if one.years is not None:
            own = pc.and_(own, pc.is_in(games["year"], pa.array(list(one.years), pa.int16())))
        wanted = pc.or_(wanted, pc.fill_null(own, False))
    return games.filter(wanted)


def games_with_players(
    folder: Folder, players: Iterable[str] | None = None, choice: Choice | None = None
) -> pa.Table:
    """All games, or those of some players, with the players in place of the names as written.

    Their reasons are those of the choice.
    """
    folder.require()
    games = KnownPlayers(folder, choice).put_into(folder.games.read())
    return games if players is None else games_of(games, [Who(player) for player in players])


class KnownPlayers:
    """The settled names and the published ratings, read once and put into any number of games."""

    def __init__(self, folder: Folder, choice: Choice | None = None) -> None:
        self._choice = choice
        self._names = folder.players.read()
        self._ratings = folder.reference_ratings.read()

    def put_into(self, games: pa.Table) -> pa.Table:
        """The games with columns `white` and `black`, and the rating of the year where the tags give none.

        The reasons why games must not be rated are those of the choice.
        """
        games = mark(games, self._choice)
        for side in ("white", "black"):
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
        known = pc.binary_join_element_wise(
            single(self._ratings["player"]), single(self._ratings["year"]).cast(pa.string()), "|"
        )
        return single(self._ratings["elo"]).take(pc.index_in(wanted, known))
