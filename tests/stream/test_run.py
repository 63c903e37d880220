"""Streams as a whole: any split gives the same; bad input is one sentence."""

import re
from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest

from assay.errors import InputError, PgnError
from assay.executors import Processes, Serial
from assay.pgn import reader as pgn
from assay.stream.run import Streamed, stream
from examples.server_games import evaluated_games


def rows(found: Streamed) -> dict[tuple[str, str], np.ndarray]:
    return {
        (source, name): matrix.toarray()[8 * place : 8 * place + 8]
        for source, one in found.sums.items()
        for names, matrix in one.shards()
        for place, name in enumerate(names)
    }


def test_any_split_gives_the_same(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "games.pgn"
    path.write_text(evaluated_games(15))
    whole = rows(stream(path, executor=Serial(), keep=False))
    monkeypatch.setattr(pgn, "BATCH_GAMES", 2)
    pool = Processes(2)
    try:
        split = rows(stream(path, executor=pool, keep=False))
    finally:
        pool.close()
    assert whole.keys() == split.keys()
    for key, own in whole.items():
        np.testing.assert_allclose(split[key], own, rtol=1e-5, atol=1e-4)


def test_a_file_that_is_cut_is_rated_up_to_there(tmp_path: Path) -> None:
    path = tmp_path / "cut.pgn.zst"
    with pa.CompressedOutputStream(str(path), "zstd") as file:
        file.write(evaluated_games(400).encode())
    path.write_bytes(path.read_bytes()[: path.stat().st_size * 3 // 4])
    found = stream(path, executor=Serial(), keep=False)
    assert 0 < found.counted.games < 400
    assert "cut off" in found.damage[0]


@pytest.mark.parametrize(
    ("text", "kind", "said"),
    [
        ("nothing of the kind\n", PgnError, "neither tags nor legal moves"),
        (evaluated_games(2).replace("%eval", "%val"), InputError, "2 games have no evaluations"),
        (
            re.sub(r"%eval -?[\d.]+", "%eval 5000", evaluated_games(2)),
            InputError,
            "evaluations of 2 of the games are absurd",
        ),
        (
            '[White "A"]\n[Result "1-0"]\n\n1. e4 { [%eval 0.1] } e5 1-0\n',
            InputError,
            "1 too_short",
        ),
    ],
)
def test_nothing_to_rate(tmp_path: Path, text: str, kind: type[Exception], said: str) -> None:
    path = tmp_path / "games.pgn"
    path.write_text(text)
    with pytest.raises(kind, match=said):
        stream(path, executor=Serial(), keep=False)


def test_what_cannot_be_put_together_in_a_stream(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="group by player, rating-band"):
        stream(tmp_path, by="event")
