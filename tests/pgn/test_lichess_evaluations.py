"""Evaluations of positions from lichess's file."""

import io
import json
from importlib import resources

import pytest
import zstandard

from assay.errors import InputError, PgnError
from assay.pgn.lichess_evaluations import read_evaluations
from assay.workspace import Workspace

EXAMPLE = str(resources.files("assay") / "data" / "examples" / "game_of_the_century.pgn")


START = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq -"


AFTER_NF3 = "rnbqkbnr/pppppppp/8/8/8/5N2/PPPPPPPP/RNBQKB1R b KQkq -"


EVALUATIONS = [
    {"fen": "8/8/8/8/8/8/8/K1k5 w - -", "evals": []},
    {
        "fen": START,
        "evals": [
            {
                "pvs": [{"cp": 30, "line": "e2e4 e7e5"}, {"cp": 25, "line": "d2d4"}],
                "knodes": 200,
                "depth": 30,
            },
            {"pvs": [{"cp": 33, "line": "e2e4"}], "knodes": 9000, "depth": 50},
        ],
    },
    {"fen": AFTER_NF3, "evals": [{"pvs": [{"mate": -3, "line": "e7e5"}], "knodes": 1, "depth": 9}]},
]


def lines(objects):
    return "".join(json.dumps(one, separators=(",", ":")) + "\n" for one in objects).encode()


@pytest.mark.parametrize("packed", [False, True])
def test_lichess_evaluations_as_analyses(tmp_path, packed):
    workspace = Workspace(tmp_path / "w")
    workspace.import_games(EXAMPLE)
    path = tmp_path / "evaluations.jsonl"
    path.write_bytes(zstandard.compress(lines(EVALUATIONS)) if packed else lines(EVALUATIONS))
    assert workspace.import_evaluations(path) == 2
    assert workspace.import_evaluations(path) == 0
    rows = {row["position_key"]: row for row in workspace.table_analyses.read().to_pylist()}
    first = rows[START]
    assert (first["moves"], first["cp"], first["depth"]) == (["e2e4", "d2d4"], [30, 25], 30)
    assert (first["nodes"], first["n_legal"]) == (200_000, 20)
    # White is mated in three: Black, who moves, mates.
    assert rows[AFTER_NF3]["mate"] == [3]
    decisions = workspace.decisions("lichess")
    assert decisions.numbers("before")[0] == 30
    assert decisions.numbers("after")[0] == -(32_000 - 3)


def test_of_a_file_that_is_cut_off_the_analyses_before_are_kept(tmp_path):
    workspace = Workspace(tmp_path / "w")
    workspace.import_games(EXAMPLE)
    path = tmp_path / "evaluations.jsonl.zst"
    others = lines([EVALUATIONS[0] | {"fen": "8/8/8/8/8/4k3/8/4K3 w - -"}]) * 1000
    path.write_bytes(zstandard.compress(lines(EVALUATIONS) + others) + zstandard.compress(b"more")[:-2])
    with pytest.raises(PgnError, match="is damaged: it is cut off"):
        workspace.import_evaluations(path)
    assert workspace.table_analyses.read().num_rows == 2


def test_castling_is_the_kings_move():
    key = "4k3/8/8/8/8/8/8/4K2R w K -"
    text = lines([{"fen": key, "evals": [{"pvs": [{"cp": 500, "line": "e1h1"}], "knodes": 1, "depth": 9}]}])
    (table,) = read_evaluations(io.BytesIO(text), {key})
    assert table["moves"].to_pylist() == [["e1g1"]]


class Slow(io.BytesIO):
    """A stream that gives little at a time, as pipes do."""

    def __init__(self, text, n_bytes):
        super().__init__(text)
        self.n_bytes = n_bytes

    def read(self, size=-1):
        return super().read(min(size, self.n_bytes))


@pytest.mark.parametrize("n_bytes", [1, 7, 300, 1 << 20])
@pytest.mark.parametrize("end", [b"", b"\n"])
def test_lines_are_whole_however_they_are_read(n_bytes, end):
    text = lines(EVALUATIONS).rstrip(b"\n")
    found = list(read_evaluations(Slow(text + end, n_bytes), {START, AFTER_NF3}))
    assert [key for table in found for key in table["position_key"].to_pylist()] == [START, AFTER_NF3]


def test_a_file_without_lines_is_not_read_into_memory():
    """One clear error after a megabyte, whatever comes; up to it a line may be as long as it likes."""
    start = json.dumps(EVALUATIONS[1], separators=(",", ":")).encode()
    long = start[:-1] + b" " * ((1 << 20) - len(start)) + b"}"
    (table,) = read_evaluations(io.BytesIO(long + b"\n"), {START})
    assert table.num_rows == 1
    for n_bytes in (5_000, 1 << 20):
        stream = Slow(start + b"\n" + start[:-1] + b" " * (5 << 20), n_bytes)
        with pytest.raises(InputError, match="line 2 is longer than 1 MB"):
            list(read_evaluations(stream, {AFTER_NF3}))
        assert stream.tell() <= 3 << 20
