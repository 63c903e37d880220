"""Blocks are the same whenever the same files are read; a file that is cut off is told of."""

from pathlib import Path

import pyarrow as pa
import pytest

from assay.pgn import reader as pgn
from assay.stream.blocks import Deal
from examples.server_games import evaluated_games


@pytest.fixture(autouse=True)
def small(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pgn, "BATCH_GAMES", 4)


def test_all_games_are_dealt(tmp_path: Path) -> None:
    one, other = tmp_path / "one.pgn", tmp_path / "other.pgn"
    one.write_text(evaluated_games(9))
    other.write_text(evaluated_games(2))
    told: list[tuple[str, int]] = []
    deal = Deal([one, other], lambda name, size, position, games: told.append((name, games)))
    blocks = list(deal.blocks())
    assert [(block.number, len(block.texts), block.source) for block in blocks] == [
        (0, 4, "one.pgn"),
        (1, 4, "one.pgn"),
        (2, 1, "one.pgn"),
        (3, 2, "other.pgn"),
    ]
    assert told[-1] == ("other.pgn", 11)
    assert not deal.failures


def test_a_file_that_is_cut_gives_what_came_before(tmp_path: Path) -> None:
    whole, cut = tmp_path / "whole.pgn.zst", tmp_path / "cut.pgn.zst"
    with pa.CompressedOutputStream(str(whole), "zstd") as file:
        file.write(evaluated_games(600).encode())
    cut.write_bytes(whole.read_bytes()[: whole.stat().st_size * 3 // 4])
    deal = Deal([cut, whole], lambda *_: None)
    games = [len(block.texts) for block in deal.blocks()]
    assert 600 < sum(games) < 1200
    (said,) = deal.failures
    assert "cut.pgn is damaged: it is cut off before its end; what came before was read" in said
