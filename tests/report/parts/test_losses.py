"""The moves that cost the most."""

import pyarrow as pa
import pytest

from assay.decisions.decisions import Decisions
from assay.decisions.measures import expectation
from assay.report.parts.losses import biggest_losses
from examples.report_examples import chess_decisions

START = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq -"


def decision(**columns: object) -> Decisions:
    """One decision in the first position, the best move first."""
    row = {
        "player": "Ann",
        "played": "f2f3",
        "moves": ["e2e4", "f2f3"],
        "cp": [30, -400],
        "position_key": START,
    }
    return Decisions.from_table(pa.Table.from_pylist([{**row, **columns}]))


def test_losses_come_with_the_largest_first() -> None:
    found = biggest_losses(chess_decisions())
    assert len(found) == 12
    lost = [one.lost for one in found]
    assert lost == sorted(lost, reverse=True)
    assert all(one.diagram.startswith("data:image/svg+xml,") for one in found)


def test_a_loss_in_words() -> None:
    [one] = biggest_losses(decision(ply=0, year=1972, event="Reykjavik", opponent="Bob", colour="white"))
    assert (one.turn, one.played, one.best, one.before, one.after) == ("1.", "f3", "e4", "+0.30", "−4.00")
    assert one.occasion == "Reykjavik, 1972"
    [other] = biggest_losses(decision(year=1972, event="Reykjavik 1972"))
    assert other.occasion == "Reykjavik 1972"
    assert one.lost == pytest.approx(float(expectation(30) - expectation(-400)))


def test_a_position_that_was_evaluated_alone_takes_the_next() -> None:
    [one] = biggest_losses(decision(moves=["f2f3"], cp=[-400], before=30, after=-400, n_legal=20))
    assert (one.best, one.before, one.after) == ("", "+0.30", "−4.00")


def test_a_lost_pawn_counts_less_where_all_is_decided() -> None:
    both = Decisions.concat([decision(cp=[900, 700], recipe_id="r"), decision(cp=[50, -50], recipe_id="r")])
    assert [one.after for one in biggest_losses(both)] == ["−0.50", "+7.00"]


def test_what_is_excluded_is_not_shown() -> None:
    assert biggest_losses(decision(exclusion="variant")) == []
