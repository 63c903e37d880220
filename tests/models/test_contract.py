"""One contract for every method that reads moves: whatever is registered is tested, by itself."""

from collections.abc import Callable
from typing import Any

import pyarrow as pa
import pytest

from assay.decisions.decisions import Decisions
from assay.errors import InputError
from assay.models.appearances import Appearances
from assay.models.base import MoveModel
from assay.models.registry import make_model, methods
from assay.rating.evidence import groups_of
from assay.rating.measures import estimates_by, measures
from assay.testing import MoveModelContract, make_decisions, prepared


class TestEveryMethod(MoveModelContract):
    @pytest.fixture
    def decisions(self) -> Decisions:
        return make_decisions(trace=True)

    @pytest.fixture
    def another(self) -> Decisions:
        return make_decisions(recipe="other", trace=True)

    @pytest.fixture(params=list(methods()))
    def model(self, request: pytest.FixtureRequest, decisions: Decisions) -> MoveModel:
        return prepared(make_model(request.param), decisions)


# No measure from nothing.

PAPERS = ("gain", "bayes", "choice", "conformance", "covariance", "markov")


def changed(decisions: Decisions, **columns: Callable[[dict[str, Any]], Any]) -> Decisions:
    """The decisions with some columns of every row made anew."""
    rows = [
        row | {name: make(row) for name, make in columns.items()} for row in decisions.table().to_pylist()
    ]
    return Decisions.from_table(pa.Table.from_pylist(rows))


def first_line_only(decisions: Decisions, forced_every: int) -> Decisions:
    """What one line of an engine leaves: the best move, every so many moves the only legal one."""
    return changed(
        decisions,
        moves=lambda row: row["moves"][:1],
        cp=lambda row: row["cp"][:1],
        mate=lambda row: row["mate"][:1],
        played=lambda row: row["moves"][0] if row["ply"] % forced_every == 0 else row["played"],
        played_index=lambda row: 0 if row["ply"] % forced_every == 0 or row["played_index"] == 0 else -1,
        n_legal=lambda row: 1 if row["ply"] % forced_every == 0 else 30,
        n_lines=lambda row: 1,
    )


@pytest.mark.parametrize("name", [name for name in PAPERS if name != "gain"])
def test_forced_moves_alone_are_no_measure(name: str) -> None:
    """With one line only forced moves have a known loss, and they are the same for everybody."""
    decisions = first_line_only(make_decisions(), forced_every=7)
    assert make_model(name).profile(decisions).decisions == 0
    with pytest.raises(InputError, match="analyse with 4 lines or more"):
        estimates_by(make_model(name), decisions)


def test_last_moves_alone_have_no_gain() -> None:
    """Files of one side's moves know no position after a move, but for the mate that ends a game."""
    decisions = changed(make_decisions(), after=lambda row: row["before"] if row["ply"] == 29 else None)
    with pytest.raises(InputError, match="without --own-moves"):
        estimates_by(make_model("gain"), decisions)


@pytest.mark.parametrize("name", PAPERS)
def test_moves_that_are_all_alike_leave_an_interval(name: str) -> None:
    """Nobody is known to the last digit from moves that all were the best one."""
    model = make_model(name)
    perfect = changed(
        make_decisions(games=5),
        played=lambda row: row["moves"][0],
        played_index=lambda row: 0,
        after=lambda row: row["cp"][0],
    )
    groups = groups_of(Appearances.of(perfect), "player")
    measured = measures({name: model}, {name: Appearances.of(perfect).stack(model)}, groups[0])
    for measure in measured.values():
        assert measure.high - measure.low > 1e-3
