import pyarrow as pa
import pytest

from assay.engine.queue import GameLines
from assay.engine.replay import replay
from assay.errors import InputError

START = "4k3/8/8/8/8/8/4P3/4K3 b - - 0 1"


@pytest.fixture
def games() -> pa.Table:
    moves = [["e2e4", "e7e5", "g1f3"], [], ["e8e7", "e2e4"]]
    return pa.table({"moves": pa.array(moves, pa.list_(pa.string())), "start_fen": [None, None, START]})


def test_games_in_pieces_are_the_same_games(games):
    whole, pieces = GameLines.of(games), GameLines.of(games.slice(row, 1) for row in range(3))
    assert whole.codes.tolist() == pieces.codes.tolist()
    assert whole.offsets.tolist() == pieces.offsets.tolist() == [0, 3, 3, 5]
    assert whole.starts == pieces.starts == {2: START}
    assert len(GameLines.of(iter(()))) == 0


def test_some_games_are_replayed_as_all_are(games):
    lines = GameLines.of(games)
    every = replay(games["moves"], games["start_fen"].to_pylist())
    some = lines.replay([0, 2])  # type: ignore[arg-type]
    assert some.keys.to_pylist() == [*every.keys.to_pylist()[:4], *every.keys.to_pylist()[5:]]
    assert lines.moves(2, 1) == ["e8e7"]


def test_what_is_no_move_is_refused():
    games = pa.table({"moves": [["e2e4", "castles"]], "start_fen": pa.array([None], pa.string())})
    with pytest.raises(InputError, match="UCI"):
        GameLines.of(games).replay([0])  # type: ignore[arg-type]
