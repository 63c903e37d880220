"""Decisions of a game under way: each position is asked about once, the played move when it is known."""

from pathlib import Path

from assay.engine.options import AloneRow, AnalysisRow
from assay.engine.worker import Outcome
from assay.live.game import read_game
from assay.live.positions import GameAnalysis
from examples.gain_examples import annotated_pgn

LISTED = ("g1f3", "g8f6", "c2c4")
TRACE = ((7, "c2c4", 20), (8, "g1f3", 10))


class Asked:
    """Lists some moves, all worth ten; remembers what it was asked."""

    recipe_id = "asked"

    def __init__(self) -> None:
        self.lines: list[str] = []
        self.alone: list[tuple[str, str]] = []
        self.histories: list[str] = []

    def analyse(
        self, position_key: str, history: str, played: str | None = None, depth: int | None = None
    ) -> Outcome:
        self.histories.append(history)
        found = Outcome()
        if depth is None:
            self.lines.append(position_key)
            empty = AnalysisRow.without_options(position_key)
            found.rows.append(
                empty._replace(n_legal=20, depth=8, moves=LISTED, values=(10, 10, 10), trace=TRACE)
            )
        if played is not None and played not in LISTED:
            self.alone.append((position_key, played))
            found.alone.append(AloneRow(position_key, played, -50, 8, 1, 0.0))
        return found


def test_positions_are_asked_about_once(pgn: Path) -> None:
    asked = Asked()
    analysis = GameAnalysis(asked)
    pgn.write_text(annotated_pgn(plies=4, result="*"))
    first = analysis.decisions(read_game(pgn))
    assert len(asked.lines) == 5
    assert [move for _, move in asked.alone] == ["g7g6"]
    assert asked.histories[2] == "startpos moves g1f3 g8f6"
    pgn.write_text(annotated_pgn(plies=5, result="*"))
    second = analysis.decisions(read_game(pgn))
    assert len(asked.lines) == 6  # the new position
    assert [move for _, move in asked.alone] == ["g7g6", "b1c3"]  # and the move that was not known before
    analysis.decisions(read_game(pgn))
    assert len(asked.histories) == 7
    assert (len(first), len(second)) == (4, 5)
    assert second.players == ["black", "white"]
    assert second.played_value.tolist() == [10, 10, 10, -50, -50]
    assert second.text("exclusion") == [None] * 5  # asked for by name: too short, and rated all the same


def test_decisions_have_the_trace_that_two_of_the_methods_of_rate_read(pgn: Path) -> None:
    pgn.write_text(annotated_pgn(plies=4, result="*"))
    found = GameAnalysis(Asked()).decisions(read_game(pgn)).to_table()
    assert found["trace_depth"].to_pylist() == [[7, 8]] * 4
    assert found["trace_value"].to_pylist() == [[20, 10]] * 4


def test_a_game_without_moves_has_no_decisions(tmp_path: Path) -> None:
    path = tmp_path / "game.pgn"
    path.write_text('[White "A"]\n[Black "B"]\n\n*\n')
    assert len(GameAnalysis(None).decisions(read_game(path))) == 0
    assert GameAnalysis(None).recipe_id == "annotations"
