"""Importing: sources read, games settled, rows handed to whoever stores them."""

from collections import Counter
from collections.abc import Callable, Iterable
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

import pyarrow as pa

from assay.decisions.exclusions import Choice
from assay.errors import PgnError
from assay.pgn.pgn import Batch, read_games
from assay.pgn.records import GameRecord, games_table
from assay.pgn.seen import SeenGames
from assay.pgn.sources import Stream, open_stream, source_name
from assay.store.comments import wrong_clocks

FLUSH_GAMES = 20_000

_CHOICE = Choice()
"""What depends on a choice is counted as where nobody chooses."""

Store = Callable[[pa.Table, pa.Table], None]
"""Takes rows of games and of annotations, and keeps them."""

Progress = Callable[[str, int, int, int], None]
"""Called with the source's name, its size and position in bytes, and the games read so far."""


@dataclass
class ImportReport:
    """What an import did."""

    files: int = 0
    read: int = 0
    added: int = 0
    known: int = 0
    fragments: int = 0
    annotations: int = 0
    excluded: Counter[str] = field(default_factory=Counter)
    clocks: Counter[str] = field(default_factory=Counter)
    """Clocks that tell nothing, by what is wrong with them: `backwards`, `absurd` (decisions.clocks)."""
    doubts: Counter[str] = field(default_factory=Counter)
    """Games whose evaluations are not what they should be, by what is wrong (assay.pgn.doubts)."""
    ambiguous: list[str] = field(default_factory=list)
    """Lines for a file of aliases that would settle the names which stay ambiguous, most games first."""

    @property
    def rated(self) -> int:
        """How many of the added games may be rated."""
        return self.added - sum(self.excluded.values())

    def as_dict(self) -> dict[str, Any]:
        """For programs."""
        return {
            **asdict(self),
            "excluded": dict(self.excluded),
            "clocks": dict(self.clocks),
            "doubts": dict(self.doubts),
            "rated": self.rated,
        }


def import_files(
    files: Iterable[Path], seen: SeenGames, store: Store, progress: Progress = lambda *_: None
) -> ImportReport:
    """Read every file into the store. A file that is no PGN is an error, after all others were read."""
    report = ImportReport()
    failures: list[PgnError] = []
    pending = _Pending(store)
    try:
        for path in files:
            report.files += 1
            with open_stream(path) as source:
                try:
                    _import_source(source, path, seen, pending, progress, report)
                except PgnError as error:
                    failures.append(error)
    finally:
        pending.flush()
    if failures:
        more = f" (and {len(failures) - 1} more files failed)" if len(failures) > 1 else ""
        raise PgnError(f"{failures[0]}{more}")
    return report


def _import_source(
    source: Stream,
    path: Path,
    seen: SeenGames,
    pending: "_Pending",
    progress: Progress,
    report: ImportReport,
) -> None:
    name = source_name(path)
    found = 0
    seen.begin(name)
    for batch in read_games(source.stream, name):
        found += len(batch.games)
        _count(report, batch, new := seen.admit(batch))
        if new:
            games, said = games_table(new), batch.annotations_table(new)
            report.annotations += said.num_rows
            report.clocks.update(wrong_clocks(games, said))
            pending.add(games, said)
        progress(name, source.size, source.position(), report.read)
    if not found:
        raise PgnError(f"{name} is not PGN: it has neither tags nor legal moves")


def _count(report: ImportReport, batch: Batch, new: list[GameRecord]) -> None:
    report.read += len(batch.games)
    report.added += len(new)
    report.known += len(batch.games) - len(new)
    report.fragments += batch.fragments
    report.doubts.update(batch.doubts[one.game_id] for one in new if one.game_id in batch.doubts)
    reasons = (_CHOICE.reason(record.exclusion, record.n_plies, record.time_class) for record in new)
    report.excluded.update(reason for reason in reasons if reason is not None)


class _Pending:
    """Rows that wait until there are enough of them for a part."""

    def __init__(self, store: Store) -> None:
        self._store = store
        self._games: list[pa.Table] = []
        self._annotations: list[pa.Table] = []

    def add(self, games: pa.Table, annotations: pa.Table) -> None:
        self._games.append(games)
        self._annotations.append(annotations)
        if sum(table.num_rows for table in self._games) >= FLUSH_GAMES:
            self.flush()

    def flush(self) -> None:
        if self._games:
            self._store(pa.concat_tables(self._games), pa.concat_tables(self._annotations))
        self._games, self._annotations = [], []
