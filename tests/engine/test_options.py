"""Lines of one position as rows: with a real engine, and against a plain reading of it."""

import dataclasses

import chess
import pytest

from assay.engine.engines import identify, open_engine
from assay.engine.recipe import NAMED
from assay.engine.search import line_rows
from assay.engine.worker import Task, Worker

from .conftest import SMALL

pytestmark = pytest.mark.engine


MATE_IN_2 = "kbK5/pp6/1P6/8/8/8/8/R7 w - -"


@pytest.fixture
def worker(stockfish):
    made = []

    def make(recipe):
        made.append(Worker(stockfish, recipe, identify(stockfish, recipe)))
        return made[-1]

    yield make
    for each in made:
        each.close()


def test_mates(worker):
    row = worker(SMALL).run([Task(MATE_IN_2)]).rows[0]
    assert row.moves[0] == "a1a6"
    assert row.values[0] == 32_000 - 2


def test_all_options_are_valued_with_many_lines(worker):
    recipe = dataclasses.replace(NAMED["regan2011"], depth=9)
    board = chess.Board("r1bqkbnr/pppp1ppp/2n5/4p2Q/2B1P3/8/PPPP1PPP/RNB1K1NR w KQkq - 0 1")
    row = worker(recipe).run([Task(board.epd())]).rows[0]
    assert sorted(row.moves) == sorted(move.uci() for move in board.legal_moves)
    assert list(row.values) == sorted(row.values, reverse=True)
    if row.values[0] < 31_000:
        assert row.values[-1] == row.values[0] - 400
    assert row.depth == 9


def test_the_cap_keeps_options_at_the_cap(worker):
    recipe = dataclasses.replace(NAMED["regan2011"], depth=9)
    quiet = "rnbqkbnr/ppp2ppp/4p3/3p4/3PP3/2N5/PPP2PPP/R1BQKBNR b KQkq -"
    row = worker(recipe).run([Task(quiet)]).rows[0]
    assert min(row.values) == row.values[0] - 400
    assert len(row.moves) == row.n_legal
    exact = [value for value in row.values if value > row.values[0] - 400]
    assert len(exact) > 5


def test_a_search_alone_does_not_depend_on_those_before(worker):
    """With the hash cleared, a played move has one value, whatever was searched before it."""
    key = chess.STARTING_FEN[:-4]
    both = worker(SMALL).run([Task(key, ("a2a4", "h2h4"))])
    later = worker(SMALL).run([Task(key, ("h2h4",), depth=both.rows[0].depth)])
    of_both = {row.move: row._replace(seconds=0) for row in both.alone}
    assert of_both.keys() == {"a2a4", "h2h4"} - set(both.rows[0].moves)
    assert [row._replace(seconds=0) for row in later.alone] == [of_both["h2h4"]]


def test_line_rows_match_a_plain_reading_of_the_engine(stockfish):
    """The stored lines are those which the engine printed last for a whole depth."""
    session, _ = open_engine(stockfish, SMALL)
    try:
        legal = sorted(move.uci() for move in chess.Board().legal_moves)
        row, _ = line_rows(session, SMALL, Task(chess.STARTING_FEN[:-4]), legal, (), clear=True)
        blocks = _blocks(session, f"position startpos\ngo {SMALL.limit}\n", SMALL.lines)
    finally:
        session.close()
    complete = [block for block in blocks if len({line[0] for line in block}) == 1]
    assert list(row.moves) == [line[1] for line in complete[-1]]
    assert row.depth == complete[-1][0][0]


def _blocks(session, commands, n_lines):
    session.clear()
    session._send(commands)
    lines = []
    while not (text := session._read(20)).startswith(b"bestmove"):
        words = text.decode().split()
        if "multipv" in words and "upperbound" not in words and "lowerbound" not in words:
            lines.append((int(words[words.index("depth") + 1]), words[words.index("pv") + 1]))
        elif "multipv" in words:
            lines.append((-len(lines), "bound"))
    return [lines[start : start + n_lines] for start in range(0, len(lines), n_lines)]
