"""Import against python-chess's reader on the same games, in the same run."""

import io
import itertools
import tempfile
from pathlib import Path
from typing import Any

import chess.pgn
import rust_pgn_reader_python_binding as rust

from assay.pgn.sources import find_files, open_stream, split_games
from assay.workspace import Workspace
from benchmarks.measure import best_seconds, peak_megabytes, row, shared

SAMPLE = 600  # games for python-chess, spread over the files: all of them would take minutes
MILLION = 1_000_000
SAME_MOVES = 100_000
"""Aborted games of different players among three times as many: of the same moves, or all different."""


def _texts(folder: Path) -> list[str]:
    texts = []
    for path in find_files(folder):
        with open_stream(path) as source:
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


def _short_openings(number: int) -> list[str]:
    """So many different games of four plies."""
    openings: list[str] = []
    lines: list[tuple[chess.Board, str]] = [(chess.Board(), "")]
    for ply in range(4):
        longer = []
        for board, text in lines:
            for move in board.legal_moves:
                line = f"{text} {f'{ply // 2 + 1}. ' if ply % 2 == 0 else ''}{board.san(move)}"
                if ply == 3:
                    openings.append(line)
                    if len(openings) == number:
                        return openings
                    continue
                after = board.copy(stack=False)
                after.push(move)
                longer.append((after, line))
        lines = longer
    return openings


def _aborted(texts: list[str], out: Path, openings: list[str]) -> None:
    """Two games of the careers, then an aborted one, over and over; every aborted one of other players."""
    careers = itertools.cycle(texts)
    with out.open("w", encoding="utf-8") as file:
        for number, moves in enumerate(openings):
            for half in (1, 2):
                file.write(next(careers).replace('[Round "', f'[Round "{number}.{half}.', 1) + "\n\n")
            tags = f'[Event "E{number}"]\n[White "user{number}"]\n[Black "guest{number}"]\n[Result "1-0"]\n'
            file.write(f"{tags}\n{moves} 1-0\n\n")


def _same_moves_ratio(texts: list[str]) -> float:
    """Time to import with aborted games that all have the same moves, over that with different moves."""
    with tempfile.TemporaryDirectory() as place:
        same, different = Path(place) / "same.pgn", Path(place) / "different.pgn"
        _aborted(texts, same, [" 1. e4 e5 2. Nf3 Nc6"] * SAME_MOVES)
        _aborted(texts, different, _short_openings(SAME_MOVES))
        slow = best_seconds(lambda: _import(same), runs=2)
        return slow / best_seconds(lambda: _import(different), runs=2)


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
    crowded = _same_moves_ratio(texts)
    return [
        row("parse alone, against chess.pgn.read_game", parse / slow, "times", least=60),
        row("  the same on one thread", single / slow, "times"),
        row("whole import, against chess.pgn.read_game", whole / slow, "times", least=15),
        row("peak memory, import of a million games", memory, "MB", most=600),
        row("300,000 games, a third of the same moves, against different ones", crowded, "times", most=1.3),
    ]
