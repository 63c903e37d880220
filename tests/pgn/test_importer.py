"""Importing: everything reaches the store once, whatever the size of its parts, and is counted."""

from pathlib import Path

import pyarrow as pa
import pytest

from assay.errors import PgnError
from assay.pgn import importer
from assay.pgn.importer import NEEDED, SeenGames, import_files
from assay.pgn.reader import games_table

DIRTY = Path(__file__).parent.parent / "dirty"


class Kept:
    """A store that keeps rows in lists."""

    def __init__(self) -> None:
        self.games: list[pa.Table] = []
        self.annotations: list[pa.Table] = []

    def __call__(self, games: pa.Table, annotations: pa.Table) -> None:
        self.games.append(games)
        self.annotations.append(annotations)


def fresh() -> SeenGames:
    return SeenGames(games_table([]).select(NEEDED))


def test_parts_of_any_size_hold_the_same_rows(examples: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    whole, parts = Kept(), Kept()
    report = import_files([examples / "tournament.pgn"], fresh(), whole)
    assert (report.files, report.read, report.added, len(whole.games)) == (1, 12, 12, 1)
    monkeypatch.setattr(importer, "FLUSH_GAMES", 5)
    monkeypatch.setattr("assay.pgn.reader.BATCH_GAMES", 2)
    import_files([examples / "tournament.pgn"], fresh(), parts)
    assert [table.num_rows for table in parts.games] == [6, 6]
    assert pa.concat_tables(parts.games).equals(whole.games[0].combine_chunks())


def test_counts_of_an_import() -> None:
    kept = Kept()
    names = ("simul", "twice", "preamble", "many_comments")  # one game, told in four ways
    report = import_files([DIRTY / f"{name}.pgn" for name in names], fresh(), kept)
    assert (report.files, report.read, report.added, report.known) == (4, 7, 7, 0)
    assert (report.fragments, report.annotations) == (1, 4)
    assert report.excluded == {"odds_or_simul": 1, "duplicate": 6}
    assert report.as_dict()["rated"] == report.rated == 0
    assert sum(table.num_rows for table in kept.annotations) == 4


def test_a_file_that_is_none_is_told_after_the_others(examples: Path, tmp_path: Path) -> None:
    for name in ("one.pgn", "two.pgn"):
        (tmp_path / name).write_text("no chess here")
    kept = Kept()
    files = [tmp_path / "one.pgn", examples / "tournament.pgn", tmp_path / "two.pgn"]
    with pytest.raises(PgnError, match=r"one\.pgn is not PGN.*and 1 more files failed"):
        import_files(files, fresh(), kept)
    assert sum(table.num_rows for table in kept.games) == 12


def test_progress_goes_to_the_end_of_the_file(examples: Path) -> None:
    told: list[tuple[str, int, int, int]] = []
    path = examples / "tournament.pgn"
    import_files([path], fresh(), Kept(), progress=lambda *one: told.append(one))
    assert told[-1] == ("tournament.pgn", path.stat().st_size, path.stat().st_size, 12)
