"""Stationary vectors of chains."""

import numpy as np
import pytest

from assay.errors import FitError
from assay.models.markov.chains import all_pairs, mirrored, outcomes, stationary
from examples.markov_chains import triangular


class TestChains:
    def test_stationary_is_the_left_eigenvector(self) -> None:
        generator = np.random.default_rng(3)
        for _ in range(20):
            matrix = generator.dirichlet(np.full(7, 0.3), size=7)
            vector = stationary(matrix)
            values, vectors = np.linalg.eig(matrix.T)
            known = np.real(vectors[:, np.argmin(np.abs(values - 1))])
            assert vector == pytest.approx(known / known.sum())

    def test_a_class_that_is_never_left_takes_all(self) -> None:
        assert stationary([[0.5, 0.5, 0], [0.2, 0.3, 0.5], [0, 0, 1]]).tolist() == [0, 0, 1]
        assert stationary([[1, 0, 0], [0.2, 0.3, 0.5], [0.1, 0.4, 0.5]]) == pytest.approx([1, 0, 0])
        assert stationary([[0.5, 0.5, 0], [0, 1, 0], [0.1, 0.4, 0.5]]) == pytest.approx([0, 1, 0])

    def test_two_such_classes_have_no_single_answer(self) -> None:
        with pytest.raises(FitError, match="single stationary"):
            stationary([[1, 0, 0], [0.2, 0.3, 0.5], [0, 0, 1]])
        with pytest.raises(FitError, match="single stationary"):
            stationary(np.eye(4))

    def test_pairs_are_the_stationary_vectors_of_products(self) -> None:
        generator = np.random.default_rng(5)
        matrices = triangular(generator, 19, 6)
        answer = all_pairs(matrices, matrices)
        for i, white in enumerate(matrices):
            for j, black in enumerate(matrices):
                vector = stationary(white @ mirrored(black))
                assert answer[i, j] == pytest.approx([vector[-1], vector[1:-1].sum(), vector[0]])

    def test_threads_change_nothing(self) -> None:
        matrices = triangular(np.random.default_rng(6), 10, 50)
        rows, columns = np.divmod(np.arange(2500), 50)
        one = outcomes(matrices, matrices, rows, columns, threads=1)
        assert np.array_equal(one, outcomes(matrices, matrices, rows, columns, threads=3))

    def test_against_oneself_only_the_last_move_tells(self) -> None:
        # The vector is seen after Black's move: White is a little above one half, as in the paper's Table 9.
        matrix = triangular(np.random.default_rng(7), 19, rare=0.02)
        win, draw, _ = all_pairs(matrix, matrix)[0, 0]
        assert 0.5 < win + draw / 2 < 0.55
