"""Blocks of games that one reader deals out, the same ones whenever the same files are read."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from assay.errors import PgnError
from assay.pgn.reader import take_texts
from assay.pgn.sources import GameText, open_stream, source_name, split_games

Progress = Callable[[str, int, int, int], None]
"""Is told the file's name, its size, how much of it is read, and how many games were dealt."""


@dataclass(frozen=True)
class Block:
    """Some games of a file, as text: the unit of work."""

    number: int
    texts: Sequence[GameText]
    source: str


class Deal:
    """Deals the games of files in blocks; a file that is cut off or damaged is told of after the others."""

    def __init__(self, files: Sequence[Path], progress: Progress) -> None:
        self._files, self._progress = files, progress
        self.games = 0
        self.failures: list[str] = []
        """What ended files before their ends; the games before that count."""

    def blocks(self) -> Iterator[Block]:
        """All blocks, in order."""
        number = 0
        for path in self._files:
            with open_stream(path) as opened:
                name = source_name(path)
                games = split_games(opened.stream, name)
                failure: PgnError | None = None
                while failure is None:
                    texts, failure = take_texts(games)
                    if not texts:
                        break
                    self.games += len(texts)
                    self._progress(name, opened.size, opened.position(), self.games)
                    yield Block(number, texts, name)
                    number += 1
                if failure is not None:
                    self.failures.append(str(failure))
