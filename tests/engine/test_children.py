"""Options valued by searches of the positions after them: the rule that saves searches, and what it keeps."""

import dataclasses

import chess
import pytest

from assay.engine.engines import identify, open_engine
from assay.engine.recipe import NAMED, recipe_id
from assay.engine.search import CHILDREN_RULE
from assay.engine.worker import Task, Worker

RECIPE = dataclasses.replace(NAMED["difatta2009"], depth=8, lines=4)
POSITIONS = (
    "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq -",
    "r1bqkb1r/pppp1ppp/2n2n2/4p3/2B1P3/5N2/PPPP1PPP/RNBQK2R w KQkq -",
    "8/5k2/3p4/1p1Pp2p/pP2Pp1P/P4P1K/8/8 b - -",
    "r5k1/5ppp/8/8/8/8/5PPP/R5K1 w - -",
)


@pytest.fixture
def without_lines(scripted):
    """A function that makes an engine with one line only, whatever it is told."""

    def make(*arguments):
        return scripted("--fault", "no_lines", "--only", "nowhere", *arguments)

    return make


def run(config, recipe, *tasks):
    worker = Worker(config, recipe, identify(config, recipe))
    try:
        return worker.run(tasks)
    finally:
        worker.close()


def all_values(config, recipe, key):
    """The slow and plain way: every option's value at every depth, from its own whole search."""
    session, _ = open_engine(config, recipe)
    board = chess.Board(f"{key} 0 1")
    values = {}
    try:
        for move in sorted(move.uci() for move in board.legal_moves):
            board.push_uci(move)
            if not any(board.legal_moves):
                value = 31999 if board.is_check() else 0
                values[move] = dict.fromkeys(range(1, recipe.depth + 1), value)
            else:
                found = session.search(
                    f"fen {board.fen()}",
                    f"depth {recipe.depth - 1}",
                    n_lines=1,
                    clear=True,
                    ceiling=60,
                    last_depth=recipe.depth - 1,
                )
                values[move] = {lines[0].depth + 1: -lines[0].value for lines in found.trace.depths}
            board.pop()
    finally:
        session.close()
    return values


def by_the_rule(values, recipe):
    """Whole searches that the rule leaves: option and value."""
    whole = {}
    for move in sorted(values, key=lambda move: (-values[move][4], move)):
        lines = sorted(whole.values(), reverse=True)[: recipe.lines]
        before = [values[move][depth] for depth in range(6, recipe.depth)]
        if len(lines) < recipe.lines or all(value >= lines[-1] - 20 for value in before):
            whole[move] = values[move][recipe.depth]
    return sorted(whole.items(), key=lambda option: (-option[1], option[0]))


@pytest.mark.parametrize("key", POSITIONS)
@pytest.mark.parametrize("lines", [2, 4, 10])
def test_the_lines_are_those_of_the_rule_written_plainly(without_lines, key, lines):
    config = without_lines()
    recipe = dataclasses.replace(RECIPE, lines=lines)
    row = run(config, recipe, Task(key)).rows[0]
    values = all_values(config, recipe, key)
    assert list(zip(row.moves, row.values, strict=True)) == by_the_rule(values, recipe)[:lines]
    assert (row.n_legal, row.depth) == (len(values), recipe.depth)
    # Every value of the trace is that of a whole search, and the last of it are the lines.
    assert all(values[move][depth] == value for depth, move, value in row.trace)
    assert [step[1:] for step in row.trace[-len(row.moves) :]] == list(
        zip(row.moves, row.values, strict=True)
    )


def test_options_that_stay_behind_cost_less(without_lines):
    recipe = dataclasses.replace(RECIPE, lines=2)
    row = run(without_lines(), recipe, Task(POSITIONS[0])).rows[0]
    # The scripted engine counts a hundred nodes a ply: 3 plies to order 20 options, 7 for a whole search.
    assert row.nodes < 20 * (300 + 700)


def test_below_depth_six_nothing_is_lost(without_lines):
    config = without_lines()
    recipe = dataclasses.replace(RECIPE, depth=5)
    row = run(config, recipe, Task(POSITIONS[1])).rows[0]
    values = {move: found[5] for move, found in all_values(config, recipe, POSITIONS[1]).items()}
    best = sorted(values.items(), key=lambda option: (-option[1], option[0]))
    assert list(zip(row.moves, row.values, strict=True)) == best[: recipe.lines]


@pytest.mark.parametrize("depth", [5, 8])
def test_rows_depend_neither_on_the_played_moves_nor_on_what_came_before(without_lines, depth):
    # This engine's answers depend on all that was searched since the hash was cleared.
    config = without_lines("--remember")
    recipe = dataclasses.replace(RECIPE, depth=depth)
    key = POSITIONS[0]
    legal = tuple(sorted(move.uci() for move in chess.Board().legal_moves))
    plain = run(config, recipe, Task(key))
    after_others = run(config, recipe, *(Task(other) for other in POSITIONS[1:]), Task(key, legal))
    assert after_others.rows[-1]._replace(seconds=0) == plain.rows[0]._replace(seconds=0)
    assert {row.move for row in after_others.alone} == set(legal) - set(plain.rows[0].moves)
    later = run(config, recipe, Task(key, legal, depth=depth))
    alone = {row.move: row._replace(seconds=0) for row in later.alone}
    assert [row._replace(seconds=0) for row in after_others.alone] == [
        alone[row.move] for row in after_others.alone
    ]
    assert all(row.depth == depth for row in later.alone)


def test_the_rule_is_part_of_the_identity(without_lines, scripted):
    identity = identify(without_lines(), RECIPE)
    assert identity.children == CHILDREN_RULE
    assert identity.describe()["children"] == CHILDREN_RULE
    earlier = dataclasses.replace(identity, children="")
    assert recipe_id(RECIPE, earlier) != recipe_id(RECIPE, identity)
    assert "children" not in identify(scripted(), RECIPE).describe()


def test_an_engine_with_lines_that_searches_no_move_alone(scripted):
    """Lines as by any engine; a played move outside them by the position after it, one ply less deep."""
    config = scripted("--fault", "no_searchmoves", "--only", "nowhere")
    recipe = dataclasses.replace(RECIPE, depth=5)
    key = POSITIONS[1]
    legal = tuple(sorted(move.uci() for move in chess.Board(f"{key} 0 1").legal_moves))
    found = run(config, recipe, Task(key, legal))
    whole = run(scripted(), recipe, Task(key, legal))
    assert found.rows[0]._replace(seconds=0) == whole.rows[0]._replace(seconds=0)
    after = {move: by_depth[5] for move, by_depth in all_values(config, recipe, key).items()}
    outside = [move for move in legal if move not in found.rows[0].moves]
    assert [(row.move, row.value, row.depth) for row in found.alone] == [
        (move, after[move], 5) for move in outside
    ]
    later = run(config, recipe, Task(key, legal, depth=5))
    assert not later.rows
    assert {row.move: row.value for row in later.alone} == after
