"""Classes of values are those of the paper."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from assay.errors import InputError
from assay.models.markov.value_classes import ValueClasses

SCHEMES = [ValueClasses.growing(), ValueClasses.uniform(), ValueClasses.growing(9, 300, 0.5)]


class TestClasses:
    def test_the_nineteen_classes_have_the_papers_widths(self) -> None:
        classes = ValueClasses.growing()
        widths = np.diff((0.0, *classes.edges))
        assert len(classes) == 19
        assert (np.diff(widths) > 0).all()
        assert widths[0] == pytest.approx(10, abs=2)
        assert widths[-1] == pytest.approx(50, abs=10)
        # The boundaries are even steps of the printed factor f.
        factor = (np.exp(-np.array(classes.edges) / 100) - np.exp(-2)) / (1 - np.exp(-2))
        assert np.diff(factor) == pytest.approx(-1 / 8)

    def test_uniform_classes_are_those_of_table_2(self) -> None:
        classes = ValueClasses.uniform()
        assert classes.middles().tolist() == [-180, -140, -100, -60, -20, 20, 60, 100, 140, 180]
        assert classes.of([-161, -160, -50, 0, 50, 161, 31_990]).tolist() == [0, 1, 3, 5, 6, 9, 9]

    @pytest.mark.parametrize("classes", SCHEMES, ids=lambda one: one.name)
    def test_middles_lie_in_their_classes(self, classes: ValueClasses) -> None:
        assert classes.of(classes.middles()).tolist() == list(range(len(classes)))

    @given(st.lists(st.integers(-32_000, 32_000), min_size=2))
    def test_classes_keep_the_order_and_mirror(self, values: list[int]) -> None:
        ordered = np.sort(np.array(values, dtype=float))
        for classes in SCHEMES:
            assert (np.diff(classes.of(ordered)) >= 0).all()
            if classes.zero:
                assert (classes.of(-ordered) == len(classes) - 1 - classes.of(ordered)).all()

    def test_scale_moves_the_boundaries_only(self) -> None:
        assert np.allclose(np.array(ValueClasses.growing(scale=0.5).edges) * 2, ValueClasses.growing().edges)
        assert ValueClasses.growing(scale=0.5).name != ValueClasses.growing().name

    @pytest.mark.parametrize(
        "make",
        [
            lambda: ValueClasses.growing(4),
            lambda: ValueClasses.uniform(70, 200),
            lambda: ValueClasses.growing(scale=0),
            lambda: ValueClasses((20.0, 10.0), False, "falling"),
        ],
    )
    def test_impossible_classes_are_refused(self, make) -> None:
        with pytest.raises(InputError):
            make()
