"""Import against python-chess's reader on the same games, in the same run."""

import io
import itertools
import tempfile
from pathlib import Path
from typing import Any

import chess.pgn
import rust_pgn_reader_python_binding as rust

from assay.ingest.sources import find_files, open_source
from assay.ingest.splitter import split_games
from assay.workspace import Workspace
from benchmarks.measure import best_seconds, peak_megabytes, row, shared

SAMPLE = 600  # games for python-chess, spread over the files: all of them would take minutes
MILLION = 1_000_000


def _texts(folder: Path) -> list[str]:
    texts = []
    for path in find_files(folder):
        with open_source(path) as source:
            texts += [game.text for game in split_games(source.stream, path.name)]
    return texts


def _read_with_python_chess(texts: list[str]) -> None:
    for text in texts:
        chess.pgn.read_game(io.StringIO(text))


def _import(folder: Path) -> None:
    with tempfile.TemporaryDirectory() as place:
        Workspace(Path(place) / "w.assay").import_games(folder)


def _million_games(folder: Path, out: Path) -> None:
    """A file of a million games: the careers over and over, the round changed so that no two are the same."""
    texts = _texts(folder)
    with out.open("w", encoding="utf-8") as file:
        for number, text in zip(range(MILLION), itertools.cycle(texts), strict=False):
            file.write(text.replace('[Round "', f'[Round "{number}.', 1) + "\n\n")


def run() -> list[dict[str, Any]]:
    folder = shared("careers")
    texts = _texts(folder)
    sample = texts[:: max(1, len(texts) // SAMPLE)]
    slow = len(sample) / best_seconds(lambda: _read_with_python_chess(sample), runs=2)
    parse = len(texts) / best_seconds(lambda: rust.parse_games_from_strings(texts))
    single = len(texts) / best_seconds(lambda: rust.parse_games_from_strings(texts, num_threads=1))
    whole = len(texts) / best_seconds(lambda: _import(folder))
    with tempfile.TemporaryDirectory() as place:
        million = Path(place) / "million.pgn"
        _million_games(folder, million)
        code = "import sys; from assay import Workspace; Workspace(sys.argv[1]).import_games(sys.argv[2])"
        memory = peak_megabytes(code, str(Path(place) / "m.assay"), str(million))
    return [
        row(
            "parse alone, against chess.pgn.read_game",
            parse / slow,
            "times",
            "at least 60",
            parse / slow >= 60,
        ),
        row("  the same on one thread", single / slow, "times", "", True),
        row(
            "whole import, against chess.pgn.read_game",
            whole / slow,
            "times",
            "at least 15",
            whole / slow >= 15,
        ),
        row("peak memory, import of a million games", memory, "MB", "under 600", memory < 600),
    ]
