import math

import numpy as np
import pytest

from assay.decisions.decisions import Decisions
from assay.decisions.depths import DEPTHS as KEPT
from assay.decisions.depths import values_by_depth
from assay.models.traits.signs import OF_LOSSES, OPENING, SIGNS, opening_columns, signs
from assay.testing import make_decisions, with_trace


@pytest.fixture(scope="module")
def decisions() -> Decisions:
    return with_trace(make_decisions(games=3), depths=9)


def q(centipawns: float) -> float:
    return 1 / (1 + math.exp(-0.00368208 * centipawns))


def test_every_sign_has_a_name_and_a_number(decisions: Decisions) -> None:
    found = signs(decisions, values_by_depth(decisions))
    assert found.shape == (len(decisions), len(SIGNS))
    assert len(set(SIGNS)) == len(SIGNS)
    assert np.isfinite(found).all()
    assert [SIGNS[column] for column in opening_columns()] == list(OPENING)


def test_signs_against_a_plain_reading_of_the_trace(decisions: Decisions) -> None:
    found = signs(decisions, values_by_depth(decisions))
    trace = decisions.to_table().select(["trace_depth", "trace_move", "trace_value"]).to_pylist()
    for row in range(0, len(decisions), 7):
        options = decisions.options(row)
        played, best = decisions.text("played")[row], options[0][1]
        worth = dict(options)[str(played)]
        rank = [move for move, _ in options].index(str(played)) + 1
        at: dict[int, dict[str, int]] = {}
        for depth, move, value in zip(*(trace[row][name] for name in trace[row]), strict=True):
            at.setdefault(depth, {})[move] = value
        leaders = [max(at[depth], key=lambda move: at[depth][move]) for depth in sorted(at)]
        tops = [q(max(at[depth].values())) for depth in sorted(at)]
        complexity = sum(
            abs(b - a)
            for a, b, one, other in zip(tops, tops[1:], leaders, leaders[1:], strict=False)
            if one != other
        )
        expected = {
            "loss": q(best) - q(worth),
            "no loss": float(best == worth),
            "loss within 60 cp": float(best - worth <= 60),
            "among the first 3": float(rank <= 3),
            "loss at depth 4": q(max(at[4].values())) - q(at[4][str(played)]),
            "no loss at depth 2": float(max(at[2].values()) == at[2][str(played)]),
            "fall from depth 6": q(at[6][str(played)]) - q(worth),
            "gap to the second": q(best) - q(options[1][1]),
            "mean loss of the options": sum(q(best) - q(value) for _, value in options) / len(options),
            "best move's loss at depth 2": q(max(at[2].values())) - q(at[2][options[0][0]]),
            "complexity": complexity,
            "root of loss, by complexity": math.sqrt(q(best) - q(worth)) * complexity,
        }
        for name, value in expected.items():
            assert found[row, SIGNS.index(name)] == pytest.approx(value, abs=1e-9), name


def test_a_search_that_ends_early_is_as_its_last_depth(decisions: Decisions) -> None:
    shallow = with_trace(make_decisions(games=1), depths=3)
    assert KEPT > 3
    found = signs(shallow, values_by_depth(shallow))
    assert found[:, SIGNS.index("loss at depth 8")] == pytest.approx(found[:, SIGNS.index("loss")])
    assert (found[:, SIGNS.index("swing from depth 4")] == 0).all()
    assert OF_LOSSES[0] == "loss"
