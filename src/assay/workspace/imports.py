"""Importing games into a workspace."""

from collections.abc import Callable, Iterable, Mapping
from pathlib import Path

import pyarrow as pa

from assay.decisions.clocks import wrong_in_words
from assay.pgn.importer import NEEDED, ImportReport, Progress, SeenGames, import_files
from assay.pgn.players import alias_key, read_aliases
from assay.pgn.sources import find_files
from assay.pgn.spelling import find_spelling_file
from assay.pgn.wrong_evaluations import in_words
from assay.workspace.folder import Folder
from assay.workspace.players import keep_aliases, settle_players

Source = str | Path

_MANY_PARTS = 8
"""So many small parts are joined into one; fewer are not worth writing again."""


def import_games(
    folder: Folder,
    source: Source | Iterable[Source],
    *,
    aliases: Source | Mapping[str, str] | None,
    spelling: Source | None,
    progress: Progress,
    say: Callable[[str], None],
) -> ImportReport:
    """Import PGN from files, folders or `-`; then settle which names are one player."""
    sources = [source] if isinstance(source, str | Path) else list(source)
    files = [file for one in sources for file in find_files(one)]
    if isinstance(aliases, str | Path):
        given_aliases = read_aliases(Path(aliases))
    else:
        given_aliases = {alias_key(name): player for name, player in (aliases or {}).items()}
    spelling_file = find_spelling_file(Path(spelling) if spelling is not None else None)

    def keep(games: pa.Table, annotations: pa.Table) -> None:
        # Annotations first: a game that is there has its annotations, even after a kill between the two.
        folder.annotations.append(annotations)
        folder.games.append(games)

    with folder.filling():
        known_aliases = keep_aliases(folder, given_aliases)
        try:
            # Nothing holds on to what is known of the games while the names are settled: it is large.
            report = import_files(files, SeenGames(folder.games.read(NEEDED)), keep, progress)
        finally:
            unsettled = settle_players(folder, known_aliases, spelling_file, say)
            folder.games.compact(least=_MANY_PARTS)
            folder.annotations.compact(least=_MANY_PARTS)
    for sentence in (*in_words(report.doubts), *wrong_in_words(report.clocks)):
        say(sentence)
    report.ambiguous = [one.alias for one in unsettled]
    return report
