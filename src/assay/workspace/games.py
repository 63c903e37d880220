"""Which games there are: those that may be rated, and why the others may not."""

from collections.abc import Iterable, Iterator

import pyarrow as pa
import pyarrow.compute as pc

from assay.decisions.exclusions import Choice
from assay.decisions.names import Who
from assay.decisions.schema import GAMES
from assay.decisions.slices import families
from assay.errors import InputError
from assay.store.tables import query
from assay.workspace import marks
from assay.workspace.folder import Folder
from assay.workspace.players import NEEDED_TO_CHOOSE, KnownPlayers, find_whom, games_of

Whom = Iterable[str | Who]
"""Players, each in some years or at some event where that is said: `Tal@1958-1960`."""

_GAMES_AT_ONCE = 20_000


def reasons(folder: Folder, choice: Choice | None = None) -> dict[str | None, int]:
    """How many games must not be rated for each reason, and (None) how many may."""
    folder.require()
    return marks.reasons(marks.mark(folder.games.read(list(marks.NEEDED)), choice))


def none_may_be_rated(
    folder: Folder, include: Iterable[str] = (), choice: Choice | None = None
) -> str | None:
    """Why no game may be rated, in a sentence; None where some may, or carry a reason of `include`."""
    folder.require()
    games = marks.mark(folder.games.read(list(marks.NEEDED)), choice)
    found = marks.reasons(games)
    if any(reason is None or reason in include for reason in found):
        return None
    why = ", ".join(f"{n:,} {str(reason).replace('_', ' ')}" for reason, n in found.items())
    advice = marks.left_out_by_choice(games, choice) or "give other games"
    return f"no game in {folder.path} may be rated ({why or 'there is none'}): {advice}"


def games_in_question(
    folder: Folder,
    players: Whom | None = None,
    choice: Choice | None = None,
    columns: Iterable[str] | None = None,
) -> pa.Table:
    """All games, or those of some players in some years or at some event, rated or not."""
    folder.require()
    games = KnownPlayers(folder, choice).put_into(folder.games.read(_and_needed(columns)))
    return games if players is None else games_of(games, find_whom(folder, players))


def game(folder: Folder, game_id: str, choice: Choice | None = None) -> pa.Table:
    """One game by its id, with its moves and players."""
    folder.require()
    names = ", ".join(GAMES.arrow.names)
    found = query(f"SELECT {names} FROM games WHERE game_id = ?", {"games": folder.games}, [game_id])
    if not found.num_rows:
        raise InputError(f"there is no game '{game_id}' in {folder.path}")
    return KnownPlayers(folder, choice).put_into(found.slice(0, 1).cast(GAMES.arrow))


def games_to_analyse(
    folder: Folder, players: Whom | None = None, include: Iterable[str] = (), choice: Choice | None = None
) -> pa.Table:
    """The games in question that may be rated or carry a reason of `include`."""
    return _to_analyse(games_in_question(folder, players, choice), include)


def iter_games_to_analyse(
    folder: Folder,
    columns: Iterable[str],
    players: Whom | None = None,
    include: Iterable[str] = (),
    choice: Choice | None = None,
) -> Iterator[pa.Table]:
    """These columns of the same games, some thousand games at a time."""
    folder.require()
    wanted, reasons = list(columns), list(include)
    whom = None if players is None else find_whom(folder, players)
    known = KnownPlayers(folder, choice)
    for stored in folder.games.chunks(_GAMES_AT_ONCE, _and_needed(wanted)):
        games = known.put_into(stored)
        games = games if whom is None else games_of(games, whom)
        yield _to_analyse(games, reasons).select(wanted)


def _and_needed(columns: Iterable[str] | None) -> list[str] | None:
    """These columns and those that tell which games are in question; None stands for all."""
    return None if columns is None else list(dict.fromkeys((*NEEDED_TO_CHOOSE, *columns)))


def _to_analyse(games: pa.Table, include: Iterable[str]) -> pa.Table:
    included = pc.is_in(games["exclusion"], value_set=pa.array(list(include), pa.string()))
    return games.filter(pc.or_(pc.is_null(games["exclusion"]), included))


def game_openings(folder: Folder) -> dict[str, str]:
    """The opening of each game by its id, where the usual position was the first."""
    games = folder.games.read(["game_id", "eco", "moves", "start_fen"])
    usual = games.filter(pc.is_null(games["start_fen"]))
    columns = (usual[name].to_pylist() for name in ("game_id", "eco", "moves"))
    return families(zip(*columns, strict=True))


def game_dates(folder: Folder) -> dict[str, str]:
    """The date of each game by its id, as far as it is known: year, or year and month, or day."""
    games = folder.games.read(["game_id", "date"])
    known = games.filter(pc.is_valid(games["date"])).to_pydict()
    return {
        game: str(date).replace(".", "-")
        for game, date in zip(known["game_id"], known["date"], strict=True)
        if str(date)[:4].isdigit()
    }
