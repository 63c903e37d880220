"""What is missing, beside a slow and plain way to find it."""

from collections import defaultdict

import numpy as np
import pyarrow as pa
import pytest

from assay.engine import queue as wanted
from assay.engine.queue import GameLines, Wanted
from assay.engine.replay import hash_keys, replay


@pytest.fixture(scope="module")
def games() -> pa.Table:
    """Random walks of a few moves: they need not be legal, only often the same."""
    generator = np.random.default_rng(3)
    quiet = ["a2a3", "a7a6", "h2h3", "h7h6", "b2b3", "b7b6"]
    moves = [list(generator.choice(quiet, generator.integers(0, 9))) for _ in range(60)]
    return pa.table(
        {"moves": pa.array(moves, pa.list_(pa.string())), "start_fen": pa.nulls(len(moves), pa.string())}
    )


@pytest.fixture(scope="module")
def stored(games) -> tuple[pa.Table, pa.Table]:
    """Analyses of half of the positions, two lines each, and some moves searched alone."""
    keys = sorted(set(replay(games["moves"]).keys.to_pylist()))
    half = keys[::2]
    lines = [["a2a3", "a7a6"] if row % 2 else ["h2h3", "b7b6"] for row in range(len(half))]
    analyses = pa.table(
        {"position_key": half, "depth": pa.array(range(len(half)), pa.int16()), "moves": lines}
    )
    alone = pa.table({"position_key": keys[::3], "move": ["b2b3"] * len(keys[::3])})
    return analyses, alone


def slowly(games, analyses, alone, first_turn, searched_alone=True):
    """The same by dictionaries of text."""
    done = {row["position_key"]: row for row in analyses.to_pylist()}
    tried = {(row["position_key"], row["move"]) for row in alone.to_pylist()}
    places, played = {}, defaultdict(set)
    for game, moves in enumerate(games["moves"].to_pylist()):
        keys = replay(pa.array([moves], pa.list_(pa.string()))).keys.to_pylist()
        for ply, (key, move) in enumerate(zip(keys, [*moves, None], strict=True)):
            if ply >= 2 * (first_turn - 1):
                places.setdefault(key, (game, ply))
                if move and searched_alone and (key, move) not in tried:
                    played[key].add(move)
    rows = []
    for key, (game, ply) in places.items():
        outside = sorted(played[key] - set(done[key]["moves"] if key in done else ()))
        if key not in done or outside:
            depth = done[key]["depth"] if key in done else None
            row = {"position_key": key, "depth": depth, "played": outside, "game": game, "ply": ply}
            rows.append(row)
    return rows, len(places), sum(key not in done for key in places)


@pytest.mark.parametrize("searched_alone", [True, False])
@pytest.mark.parametrize("first_turn", [1, 2])
def test_what_is_missing_is_what_a_plain_search_finds(games, stored, first_turn, searched_alone, monkeypatch):
    monkeypatch.setattr(wanted, "_GAMES_AT_ONCE", 7)
    analyses, alone = stored
    expected, n_positions, unknown = slowly(games, analyses, alone, first_turn, searched_alone)
    found = Wanted(GameLines.of(games), first_turn, alone=searched_alone)
    found.note(analyses.slice(row, 5) for row in range(0, analyses.num_rows, 5))
    found.note([alone])
    assert len(found) == n_positions
    assert found.count_unknown() == unknown > 0
    assert found.missing().to_pylist() == expected
    assert found.missing(4).to_pylist() == expected[:4]
    assert found.missing(0).to_pylist() == []
    last = expected[3]["game"]
    assert found.missing(4, whole_games=True).to_pylist() == [row for row in expected if row["game"] <= last]


def test_a_stored_key_has_the_hash_of_the_position_that_was_played(games):
    positions = replay(games["moves"])
    assert hash_keys(positions.keys).tolist() == positions.hashes.tolist()
    assert hash_keys(positions.keys.slice(5, 3)).tolist() == positions.hashes[5:8].tolist()
    assert len(np.unique(positions.hashes)) == len(set(positions.keys.to_pylist()))


START = "4k3/8/8/8/8/8/4P3/4K3 b - - 0 1"


@pytest.fixture
def games_lines() -> pa.Table:
    moves = [["e2e4", "e7e5", "g1f3"], [], ["e8e7", "e2e4"]]
    return pa.table({"moves": pa.array(moves, pa.list_(pa.string())), "start_fen": [None, None, START]})


def test_own_moves_are_those_of_the_side_to_move(games_lines):
    """Also where Black moves first: one side of each game is wanted, White, none and Black."""
    sides = games_lines.append_column("of_white", [[True, False, False]])
    sides = sides.append_column("of_black", [[False, False, True]])
    missing = Wanted(GameLines.of(sides), 1).missing().to_pylist()
    assert [(row["game"], row["ply"], row["played"]) for row in missing] == [
        (0, 0, ["e2e4"]),
        (0, 2, ["g1f3"]),
        (2, 0, ["e8e7"]),
        (2, 2, []),
    ]
    assert all(row["position_key"].split()[1] == ("w" if row["game"] == 0 else "b") for row in missing)


def test_games_in_pieces_are_the_same_games(games_lines):
    whole, pieces = GameLines.of(games_lines), GameLines.of(games_lines.slice(row, 1) for row in range(3))
    assert whole.codes.tolist() == pieces.codes.tolist()
    assert whole.offsets.tolist() == pieces.offsets.tolist() == [0, 3, 3, 5]
    assert whole.starts == pieces.starts == {2: START}
    assert len(GameLines.of(iter(()))) == 0
