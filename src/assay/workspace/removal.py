"""Removing games from a workspace, with everything that is there only because of them; whole or not at all.

With the games go the evaluations in their comments, the analyses of positions that no other game has, the
names, aliases and published ratings of players who have no other game, the last ratings made, which rest on
them, and further copies of the same games (`duplicate`), which would stay there without being rated. All of
it is one change (`tables.changing`). Parts that were set aside as damaged may hold any of it and cannot be
searched: they go too. Nothing that was removed is left in a file of the workspace.
"""

from __future__ import annotations

import shutil
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import pyarrow as pa
import pyarrow.compute as pc

from assay.decisions.arrays import single
from assay.decisions.exclusions import Exclusion
from assay.decisions.names import find_event
from assay.errors import InputError
from assay.files import write_text
from assay.pgn.accounts import NOTES as ACCOUNTS
from assay.pgn.players import alias_key, read_aliases
from assay.workspace.assemble import playable, positions_of
from assay.workspace.games import CHOICE_COLUMNS, KnownPlayers, games_of
from assay.workspace.repair import DAMAGED
from assay.workspace.tables import changing, finish

if TYPE_CHECKING:
    from assay.workspace.workspace import Workspace

_GAMES_AT_A_TIME = 20_000
_SAME = ("moves_key", "white", "black")
_COLUMNS = ("game_id", "moves_key", *CHOICE_COLUMNS)


_MOST_NAMES = 8
"""Players that a plan names."""


@dataclass(frozen=True)
class Removal:
    """What goes."""

    game_ids: pa.Array
    positions: pa.Array
    """Positions that only these games have."""
    names: pa.Array
    """Names as written that no other game has."""
    players: pa.Array
    """Players whom only those names mean."""
    set_aside: int = 0
    """Files that were set aside as damaged: they may hold any of it, and all of them go."""

    def __len__(self) -> int:
        return len(self.game_ids)

    def in_words(self) -> str:
        """What would go, in a few words."""
        names = sorted(self.players.to_pylist())
        more = f" and {len(names) - _MOST_NAMES:,} more" if len(names) > _MOST_NAMES else ""
        whom = f", and all that is known of {'; '.join(names[:_MOST_NAMES])}{more}" if names else ""
        games = "1 game" if len(self) == 1 else f"{len(self):,} games"
        files = "the file" if self.set_aside == 1 else f"the {self.set_aside:,} files"
        aside = f", and {files} set aside in its folder {DAMAGED}" if self.set_aside else ""
        return f"{games}, {len(self.positions):,} positions that no other game has{whom}{aside}"


@dataclass(frozen=True)
class RemovalReport:
    """How much went from each table."""

    games: int
    players: int
    annotations: int
    analyses: int
    alone: int
    ratings: int
    aliases: int


def plan_removal(
    workspace: Workspace, players: Iterable[str], events: Iterable[str], game_ids: Iterable[str]
) -> Removal:
    """What goes with the games of these players (`Tal@1958` too), of these events, and these games."""
    workspace.require()
    games = KnownPlayers(workspace).put_into(workspace.table_games.read(list(_COLUMNS)))
    ids = [games_of(games, workspace.find_whom(players))["game_id"]] if (players := list(players)) else []
    for wanted_event in events:
        event = find_event(wanted_event, pc.drop_null(games["event"]).to_pylist())
        ids.append(games.filter(pc.fill_null(pc.equal(games["event"], event), False))["game_id"])
    present = set(games["game_id"].to_pylist()) if (game_ids := list(game_ids)) else set()
    for game_id in game_ids:
        if game_id not in present:
            raise InputError(f"there is no game '{game_id}': assay export games shows the ids")
    wanted = pc.unique(pa.chunked_array([*ids, game_ids], pa.string()))
    if not len(wanted):
        raise InputError("no game is meant: name players, events or games")
    wanted = pc.unique(pa.concat_arrays([wanted, _copies_of(games, wanted)]))
    goes = pc.is_in(games["game_id"], value_set=wanted)
    gone, stays = games.filter(goes), games.filter(pc.invert(goes))
    return Removal(
        wanted,
        _only_in(workspace, wanted),
        _names(gone, stays, "{}_name"),
        _names(gone, stays, "{}"),
        sum(not path.is_dir() for path in (workspace.path / DAMAGED).rglob("*"))
        if _set_aside(workspace)
        else 0,
    )


def remove(workspace: Workspace, removal: Removal) -> RemovalReport:
    """Remove all of it: killed at any moment, everything is still there or nothing is."""
    with workspace.writing(command="assay remove"):
        # It names accounts, and says that these games are there.
        (workspace.path / ACCOUNTS).unlink(missing_ok=True)
        for table in workspace.tables:
            table.clean()
        with changing(workspace.path) as into:
            games, positions = {"game_id": removal.game_ids}, {"position_key": removal.positions}
            players = {"player": removal.players}
            rated = {"player": single(workspace.table_ratings.read(["player"])["player"])}
            report = RemovalReport(
                games=workspace.table_games.rewrite_without(into, games),
                players=len(removal.players),
                annotations=workspace.table_annotations.rewrite_without(into, games),
                analyses=workspace.table_analyses.rewrite_without(into, positions),
                alone=workspace.table_alone.rewrite_without(into, positions),
                ratings=workspace.table_ratings.rewrite_without(into, rated),
                aliases=_aliases_without(workspace, removal, into / workspace.aliases.name),
            )
            workspace.table_players.rewrite_without(into, {"name": removal.names, **players})
            workspace.table_reference_ratings.rewrite_without(into, players)
        finish(workspace.path, workspace.tables)
        if _set_aside(workspace):
            shutil.rmtree(workspace.path / DAMAGED)
        if workspace.cache.is_dir() and not workspace.cache.is_symlink():
            shutil.rmtree(workspace.cache)
    return report


def _set_aside(workspace: Workspace) -> bool:
    """Whether there is a workspace of damaged files, in the workspace itself."""
    aside = workspace.path / DAMAGED
    return aside.is_dir() and not aside.is_symlink()


def _copies_of(games: pa.Table, wanted: pa.Array) -> pa.Array:
    """Games marked as duplicates of these: the same moves by the same players."""
    copies = games.filter(pc.fill_null(pc.equal(games["exclusion"], Exclusion.DUPLICATE), False))
    first = games.filter(pc.is_in(games["game_id"], value_set=wanted)).select(_SAME)
    same = copies.select(["game_id", *_SAME]).join(first, list(_SAME), join_type="left semi")
    return single(same["game_id"])


def _names(gone: pa.Table, stays: pa.Table, column: str) -> pa.Array:
    """Those of the games that go and of no game that stays."""

    def of(games: pa.Table) -> pa.Array:
        return pc.unique(
            pa.concat_arrays([single(games[column.format(side)]) for side in ("white", "black")])
        )

    names = of(gone)
    return names.filter(pc.invert(pc.is_in(names, value_set=of(stays))))


def _only_in(workspace: Workspace, game_ids: pa.Array) -> pa.Array:
    """Positions that only these games have, some games at a time: all positions are many."""
    gone: list[pa.Array] = []
    for games in workspace.table_games.chunks(_GAMES_AT_A_TIME):
        going = playable(games.filter(pc.is_in(games["game_id"], value_set=game_ids)))
        gone.append(pc.unique(positions_of(going).keys))
    only = pc.unique(
        pa.concat_arrays([pa.array([], pa.string()), *(keys.cast(pa.string()) for keys in gone)])
    )
    for games in workspace.table_games.chunks(_GAMES_AT_A_TIME):
        others = playable(games.filter(pc.invert(pc.is_in(games["game_id"], value_set=game_ids))))
        only = only.filter(pc.invert(pc.is_in(only, value_set=positions_of(others).keys.cast(pa.string()))))
    return only


def _aliases_without(workspace: Workspace, removal: Removal, into: Path) -> int:
    """Write the aliases that stay, where some go: those of a name or for a player that goes."""
    if not workspace.aliases.is_file():
        return 0
    aliases = read_aliases(workspace.aliases)
    names = {alias_key(name) for name in [*removal.names.to_pylist(), *removal.players.to_pylist()]}
    others = {name: to for name, to in aliases.items() if name not in names and alias_key(to) not in names}
    if len(others) < len(aliases):
        write_text(into, alias_lines(others), follow=False)
    return len(aliases) - len(others)


def alias_lines(aliases: Mapping[str, str]) -> str:
    """Aliases as the text of a file."""
    return "".join(f"{name} = {player}\n" for name, player in sorted(aliases.items()))
