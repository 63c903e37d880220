"""What a move loses, and how it is pondered."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from assay.decisions.decisions import Decisions
from assay.errors import InputError
from assay.models.losses.measure import LossMeasure, loss_classes, ponder, regression_k
from assay.testing import make_decisions


class TestLosses:
    def test_pondering_is_the_printed_formula(self) -> None:
        # Two pawns up, half a pawn lost: 0.5 / (1 + 2 / 0.75); two down: 0.5 / (1 + 2 / 3.3).
        assert ponder([50, 50, 50], [200, -200, 0], 0.75, -3.3) == pytest.approx(
            [50 / (1 + 2 / 0.75), 50 / (1 + 2 / 3.3), 50]
        )

    @given(st.floats(0, 3000), st.integers(-32_000, 32_000))
    def test_pondered_losses_are_never_larger_nor_negative(self, lost: float, best: int) -> None:
        assert 0 <= float(ponder(lost, best, 0.75, -3.3)) <= lost

    def test_classes_are_half_open_and_zero_is_apart(self) -> None:
        lost = [0, 0.0001, 1, 10, 10.5, 20, 30.0000000001, 199, 200, 201, 5000]
        assert loss_classes(lost, 10, 21).tolist() == [0, 1, 1, 1, 2, 2, 3, 20, 20, 21, 21]

    def test_guid_and_bratko_leave_out_decided_positions(self) -> None:
        decisions = make_decisions(games=4, plies=60)
        kept = decisions.filter(*LossMeasure("guid_bratko").rules())
        assert (np.abs(kept.numbers("before")) <= 200).all()
        assert 0 < len(kept) < len(decisions.filter(*LossMeasure("raw").rules()))

    def test_the_regression_finds_known_lines(self) -> None:
        # Mean loss 0.26 v + 0.18 above zero, -0.60 v + 0.17 below: b/a flattens it, a/b is as published.
        import pyarrow as pa

        generator = np.random.default_rng(0)
        best = np.round(generator.uniform(-400, 400, 6000)).astype(int)
        mean = np.where(best > 0, 0.26 * best + 18, -0.60 * best + 17)
        lost = np.maximum(np.round(mean * generator.uniform(0.8, 1.2, 6000)), 1).astype(int)
        rows = [
            {"player": "A", "moves": ["a", "b"], "cp": [int(v), int(v - d)], "played": "b"}
            for v, d in zip(best, lost, strict=True)
        ]
        decisions = Decisions.from_table(pa.Table.from_pylist(rows))
        assert regression_k(decisions) == pytest.approx((0.18 / 0.26, -0.17 / 0.60), rel=0.1)
        assert regression_k(decisions, published=True) == pytest.approx((1.44, -3.53), rel=0.1)

    @pytest.mark.parametrize(("k1", "k2"), [(-1.0, -3.0), (0.7, 3.3)])
    def test_k_of_the_wrong_sign_is_refused(self, k1: float, k2: float) -> None:
        with pytest.raises(InputError, match="k1"):
            LossMeasure("pondered", k1, k2)
