"""Scid's spelling file: canonical names, other spellings, and published ratings by year.

The file (Debian's `scid-rating-data`) is 180 MB of text. It is read once into two Parquet files in the
user's cache, which answer in milliseconds; a changed file is read again.
"""

from __future__ import annotations

import os
import re
import shutil
import weakref
from array import array
from collections.abc import Callable, Iterable
from pathlib import Path
from tempfile import mkdtemp

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from assay.decisions.schema import REFERENCE_RATINGS
from assay.errors import InputError
from assay.files import written_whole
from assay.pgn.players import alias_key
from assay.settings import folder_of

DEBIAN_FILE = Path("/usr/share/scid/data/spelling.ssp")

_INDEX_VERSION = 1
_YEAR = re.compile(r"(\d{4}):([\d?,]+)")


def find_spelling_file(given: Path | None = None) -> Path | None:
    """The spelling file to use: the one given, the one that ASSAY_SPELLING names, Debian's; None if none.

    An empty ASSAY_SPELLING switches Debian's off.
    """
    if given is not None:
        if not given.is_file():
            raise InputError(f"the spelling file {given} does not exist: name another with --spelling")
        return given
    named = os.environ.get("ASSAY_SPELLING")
    if named is not None:
        return find_spelling_file(Path(named)) if named else None
    return DEBIAN_FILE if DEBIAN_FILE.is_file() else None


class Spelling:
    """Answers from an indexed spelling file."""

    def __init__(self, path: Path, say: Callable[[str], None] = lambda _: None) -> None:
        try:
            self._open(path, _index_folder(path), say)
        except OSError:  # no home, or one that cannot be written: the index lives as long as this does
            folder = mkdtemp(prefix="assay-")
            weakref.finalize(self, shutil.rmtree, folder, ignore_errors=True)
            self._open(path, Path(folder), say)

    def _open(self, path: Path, folder: Path, say: Callable[[str], None]) -> None:
        self._names = folder / "names.parquet"
        self._ratings = folder / "ratings.parquet"
        if not self._names.is_file():  # written last
            say(f"Reading the names and ratings of {path.name}, once ...")
            _build(path, self._names, self._ratings)

    def players(self, names: Iterable[str]) -> dict[str, str]:
        """Canonical names of those names that are in the file."""
        keys = {name: _keys(name) for name in names}
        rows = _match(self._names, "key", sorted({key for ways in keys.values() for key in ways}))
        by_key = dict(zip(rows["key"].to_pylist(), rows["player"].to_pylist(), strict=True))
        first = {name: next((key for key in ways if key in by_key), None) for name, ways in keys.items()}
        return {name: by_key[key] for name, key in first.items() if key is not None}

    def ratings(self, players: Iterable[str]) -> pa.Table:
        """Published ratings by year of these players: rows of the table reference_ratings."""
        rows = _match(self._ratings, "player", sorted(set(players)))
        return rows.select(REFERENCE_RATINGS.arrow.names).cast(REFERENCE_RATINGS.arrow)


def _keys(name: str) -> list[str]:
    """How a name may stand in the index: as written; without a comma, family name last, then first."""
    key = alias_key(name)
    words = key.split()
    if "," in key or len(words) < 2:
        return [key]
    return [key, f"{words[-1]}, {' '.join(words[:-1])}", f"{words[0]}, {' '.join(words[1:])}"]


def _match(path: Path, column: str, values: list[str]) -> pa.Table:
    matches = pc.is_in(pc.field(column), pa.array(values, pa.string()))
    return pq.read_table(path, filters=matches)


def _index_folder(path: Path) -> Path:
    if (folder := folder_of("cache")) is None:
        raise OSError("there is no home")
    about = path.stat()
    return folder / f"spelling-{_INDEX_VERSION}-{about.st_size}-{int(about.st_mtime)}"


def _build(path: Path, names: Path, ratings: Path) -> None:
    """Read the file into the index; the names are written last and show that it is complete."""
    players: list[str] = []
    canonical: dict[str, int] = {}
    other: dict[str, int] = {}
    # Arrays of machine integers: as Python objects two million ratings would take half a gigabyte.
    owners, years, elos = array("i"), array("h"), array("h")
    with path.open(encoding="utf-8", errors="replace") as file:
        within = False
        for line in file:
            text = line.split("#", 1)[0].strip()
            if line.startswith("@"):
                within = line.startswith("@PLAYER")
            elif not within or not line.strip() or line.startswith("#"):
                continue
            elif not line[0].isspace():
                _add_key(canonical, alias_key(text), len(players))
                players.append(text)
                rated: set[int] = set()  # years, of this player
            elif players and line.lstrip().startswith("="):
                _add_key(other, alias_key(text[1:]), len(players) - 1)
            elif players and line.lstrip().startswith("%Elo"):
                by_year = {year: elo for year, elo in _ratings(line).items() if year not in rated}
                rated |= by_year.keys()
                owners.extend([len(players) - 1] * len(by_year))
                years.extend(by_year)
                elos.extend(by_year.values())
    if not players:
        raise InputError(f"{path} is not a Scid spelling file: it has no players")
    spelled = pa.array(players)
    columns = (
        spelled.take(pa.array(owners, pa.int32())),
        pa.array(years, pa.int16()),
        pa.array(elos, pa.int16()),
    )
    _write(pa.table(list(columns), schema=REFERENCE_RATINGS.arrow), ratings)
    keys = {key: number for key, number in {**other, **canonical}.items() if number >= 0}
    player = spelled.take(pa.array(keys.values(), pa.int32()))
    _write(pa.table({"key": pa.array(keys, pa.string()), "player": player}), names)


def _add_key(keys: dict[str, int], key: str, number: int) -> None:
    """A name that stands for two players stands for none."""
    keys[key] = number if keys.get(key, number) == number else -1


def _ratings(line: str) -> dict[int, int]:
    """The mean rating of each year on a line of ratings."""
    by_year = {}
    for year, listed in _YEAR.findall(line):
        values = [int(value) for value in listed.split(",") if value.isdigit() and 100 <= int(value) <= 4000]
        if values:
            by_year[int(year)] = round(sum(values) / len(values))
    return by_year


def _write(table: pa.Table, path: Path) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    with written_whole(path) as file:
        pq.write_table(table, file, compression="zstd", row_group_size=100_000)
