"""The Markov method: classes, chains, prior, forecasts (Alliot 2017, sections 3.4 and 4.4)."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.special import gammaln
from scipy.stats import dirichlet_multinomial

from assay.errors import FitError, InputError
from assay.models.markov import (
    GRID,
    GROWING,
    UNIFORM,
    LevelPrior,
    MarkovModel,
    all_pairs,
    draw_each,
    fit_levels,
    log_likelihoods,
    log_weights,
    matrices,
    mirrored,
    pairs,
    shares,
    stationary,
    tilted,
)
from assay.testing import make_decisions
from examples.markov_chains import printed_rows, recovery, triangular


class TestModel:
    def test_counts_are_triangular_and_complete(self) -> None:
        decisions = make_decisions(games=8, plies=60)
        profile = MarkovModel().profile(decisions)
        assert (np.triu(profile.evidence, 1) == 0).all()
        assert profile.evidence.sum() == profile.decisions == 8 * (60 - 18)

    def test_counts_are_those_of_a_plain_loop(self) -> None:
        decisions = make_decisions(games=3, plies=40)
        classes = UNIFORM
        counts = np.zeros((10, 10))
        for best, played, ply in zip(
            decisions.best_value, decisions.played_value, decisions.numbers("ply"), strict=True
        ):
            if ply >= 18:
                counts[classes.of([best])[0], classes.of([played])[0]] += 1
        assert (MarkovModel("uniform").profile(decisions).evidence == counts).all()

    def test_colours_apart_add_up_to_colours_pooled(self) -> None:
        decisions = make_decisions(games=4, plies=50)
        apart = MarkovModel(colours="apart").profile(decisions)
        assert (apart.evidence.sum(axis=0) == MarkovModel().profile(decisions).evidence).all()
        model = MarkovModel(colours="apart")
        only_white = model.profile(decisions.select(colour="white"))
        assert only_white.evidence[1].sum() == 0

    def test_a_better_player_is_expected_to_win(self) -> None:
        careful, careless = (np.tril(np.full((19, 19), x)) + np.eye(19) * 20 for x in (0.05, 0.5))
        model = MarkovModel(prior="none")
        a, b = (shares(counts) * 100 for counts in (careful, careless))
        one = MarkovModel().profile(make_decisions(games=4, plies=40))
        first, second = (type(one)(model.identity, counts, 1900, 50) for counts in (a, b))
        forecast = model.match(first, second)
        assert forecast.expectation > 0.6
        assert forecast.win + forecast.draw + forecast.loss == pytest.approx(1)
        assert forecast.low < forecast.expectation < forecast.high

    def test_the_prior_draws_forecasts_to_one_half(self) -> None:
        decisions = make_decisions(games=80, plies=80, seed=4)
        plain, drawn = MarkovModel(prior="none"), MarkovModel()
        years = [plain.profile(own) for _, part in decisions.by("player") for _, own in part.by("year")]
        drawn.learn(years)
        spread = [np.nanstd(model.expectations(years, years)) for model in (plain, drawn)]
        assert spread[1] < spread[0]

    def test_raw_counts_that_never_leave_are_refused(self) -> None:
        decisions = make_decisions(games=1, plies=20)
        model = MarkovModel(prior="none")
        profile = model.profile(decisions)
        with pytest.raises(FitError, match="more games"):
            model.forecast(profile, profile)

    def test_estimate_after_learning_is_the_expectation_against_all(self) -> None:
        decisions = make_decisions(games=10, plies=60)
        model = MarkovModel()
        years = [model.profile(own) for _, part in decisions.by("player") for _, own in part.by("year")]
        model.learn(years)
        expectation = model.estimate(years[0])["expectation"]
        assert expectation.low < expectation.value < expectation.high


@pytest.mark.parametrize("spread", [0.0, 0.3])
def test_known_matrices_are_found_again_within_the_interval(spread: float) -> None:
    """Players drawn about known rows: 95% of the intervals hold the truth, within three standard errors."""
    found = recovery(pairs=60, spread=spread)
    assert found.coverage == pytest.approx(0.95, abs=3 * np.sqrt(0.95 * 0.05 / 60))
    assert found.error < found.raw_error
    assert 250 < found.strength < 1000  # 120 players tell it to a quarter: six other seeds gave 450 to 812


# Stationary vectors of chains.


class TestChains:
    def test_stationary_is_the_left_eigenvector(self) -> None:
        generator = np.random.default_rng(3)
        for _ in range(20):
            matrix = generator.dirichlet(np.full(7, 0.3), size=7)
            vector = stationary(matrix)
            values, vectors = np.linalg.eig(matrix.T)
            known = np.real(vectors[:, np.argmin(np.abs(values - 1))])
            assert vector == pytest.approx(known / known.sum())

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

    def test_against_oneself_only_the_last_move_tells(self) -> None:
        # The vector is seen after Black's move: White is a little above one half, as in the paper's Table 9.
        matrix = triangular(np.random.default_rng(7), 19, rare=0.02)
        win, draw, _ = all_pairs(matrix, matrix)[0, 0]
        assert 0.5 < win + draw / 2 < 0.55


# Priors at the level of error of each player.


class TestLevels:
    def test_tilted_rows_err_more_and_stay_rows(self) -> None:
        rows = printed_rows()
        more = tilted(rows, 0.5)
        assert more.sum(axis=-1) == pytest.approx(1.0)
        odds = [(1 - matrix[5, 5]) / matrix[5, 5] for matrix in (rows, more)]
        assert odds[1] == pytest.approx(odds[0] * np.exp(0.5))
        assert tilted(rows, 0.0) == pytest.approx(rows)
        assert tilted(rows, [0.1, 0.2]).shape == (2, 10, 10)

    def test_likelihoods_are_scipys(self) -> None:
        rows, generator = printed_rows(), np.random.default_rng(0)
        counts = np.array([generator.multinomial(60, row) for row in rows])
        expected = 40 * tilted(rows, [0.0, 0.3, -0.2])
        flat = expected.reshape(3, -1)
        known = [
            sum(
                dirichlet_multinomial(p[p > 0], 60).logpmf(n[p > 0])
                for n, p in zip(counts, each, strict=True)
            )
            for each in expected
        ]
        [ours] = log_likelihoods(counts[None].astype(float), flat, gammaln(flat), 40.0)
        assert ours - ours[0] == pytest.approx(np.array(known) - known[0])  # but for what no level changes

    def test_rows_never_seen_stay_where_they_are(self) -> None:
        counts = np.zeros((3, 3))
        counts[1, :2] = [1, 9]
        assert shares(counts).tolist() == [[1, 0, 0], [0.1, 0.9, 0], [0, 0, 1]]
        drawn = draw_each(np.broadcast_to(counts, (5, 3, 3)), np.random.default_rng(0))
        assert drawn.sum(axis=-1) == pytest.approx(1.0)
        assert (drawn[:, 2] == [0, 0, 1]).all()

    def test_levels_and_their_spread_are_found(self) -> None:
        generator = np.random.default_rng(1)
        rows = printed_rows()
        thetas = generator.normal(0, 0.4, 60)
        players = draw_each(300 * tilted(rows, thetas), generator)
        counts = np.array([[generator.multinomial(150, row) for row in player] for player in players])
        prior = fit_levels(counts, np.zeros((10, 10)))
        found = [float(prior.levels(player) @ GRID) for player in counts]
        assert prior.spread == pytest.approx(0.4, rel=0.25)
        assert np.corrcoef(found, thetas)[0, 1] > 0.95

    def test_many_players_at_once_have_the_levels_of_each(self) -> None:
        generator = np.random.default_rng(4)
        rows = printed_rows()
        counts = np.array([[generator.multinomial(8, row) for row in rows] for _ in range(12)]).astype(float)
        counts[3] *= 0.37  # weighted: not whole
        counts[5] = 0.0
        prior = LevelPrior(rows, 30.0, 0.3)
        found = prior.levels(counts)
        for player, own in zip(counts, found, strict=True):
            expected, seen = 30 * tilted(rows, GRID), player > 0
            logs = gammaln(expected[:, seen] + player[seen]) - gammaln(expected[:, seen])
            logs = logs.sum(axis=1) + log_weights(0.3)
            assert own == pytest.approx(np.exp(logs - logs.max()) / np.exp(logs - logs.max()).sum())
            assert prior.levels(player) == pytest.approx(own)
        assert prior.levels(np.zeros((2, 10, 10))).shape == (2, len(GRID))
        together = prior.posterior(counts)
        assert together == pytest.approx(np.stack([prior.posterior(player) for player in counts]))

    def test_few_players_cannot_tell_how_alike_players_are(self) -> None:
        decisions = make_decisions(games=40, plies=60)
        model = MarkovModel()
        model.learn([model.profile(decisions.select(player=name)) for name in ("Ann", "Bob")])
        assert model.prior_ is not None
        assert model.prior_.strength == 1.0


# The Markov method in the paper's own tables.


def test_pairs_of_raw_counts_are_the_model_s_forecasts() -> None:
    decisions = make_decisions(games=30, plies=80)
    model = MarkovModel("uniform", prior="none")
    rows = pairs(model, decisions)
    assert [(row["white"], row["black"]) for row in rows] == [("Ann", "Bob"), ("Bob", "Ann")]
    ann, bob = (model.profile(decisions.select(player=name)) for name in ("Ann", "Bob"))
    assert rows[0]["expectation"] == pytest.approx(model.expectation(ann, bob).expectation)
    assert rows[0]["win"] + rows[0]["draw"] + rows[0]["loss"] == pytest.approx(1)


def test_a_matrix_holds_the_raw_shares_of_transitions() -> None:
    decisions = make_decisions(games=30, plies=80)
    model = MarkovModel("uniform", prior="none")
    rows = [row for row in matrices(model, decisions) if row["player"] == "Ann"]
    found = np.array([[row[other["before"]] for other in rows] for row in rows])
    assert [row["before"] for row in rows] == [f"{m:+.2f}" for m in np.arange(-1.8, 1.81, 0.4)]
    np.testing.assert_allclose(found.sum(axis=1), 1)
    assert not np.triu(found, 1).any()  # values can only fall
    kept, _ = model.select(decisions.select(player="Ann"))
    level = (kept.best_value >= 0) & (kept.best_value <= 40)
    stays = level & (kept.played_value >= 0)
    assert found[5, 5] == pytest.approx(stays.sum() / level.sum())


def test_no_moves_are_an_error() -> None:
    with pytest.raises(InputError, match="choose other games"):
        pairs(MarkovModel(), make_decisions(games=2, plies=10))


# Classes of values are those of the paper.


class TestClasses:
    def test_the_nineteen_classes_have_the_papers_widths(self) -> None:
        widths = np.diff((0.0, *GROWING.edges))
        assert len(GROWING) == 19
        assert (np.diff(widths) > 0).all()
        assert widths[0] == pytest.approx(10, abs=2)
        assert widths[-1] == pytest.approx(50, abs=10)
        # The boundaries are even steps of the printed factor f.
        factor = (np.exp(-np.array(GROWING.edges) / 100) - np.exp(-2)) / (1 - np.exp(-2))
        assert np.diff(factor) == pytest.approx(-1 / 8)

    def test_uniform_classes_are_those_of_table_2(self) -> None:
        assert UNIFORM.middles().tolist() == [-180, -140, -100, -60, -20, 20, 60, 100, 140, 180]
        assert UNIFORM.of([-161, -160, -50, 0, 50, 161, 31_990]).tolist() == [0, 1, 3, 5, 6, 9, 9]

    @given(st.lists(st.integers(-32_000, 32_000), min_size=2))
    def test_classes_keep_the_order_and_mirror(self, values: list[int]) -> None:
        ordered = np.sort(np.array(values, dtype=float))
        for classes in (GROWING, UNIFORM):
            assert (np.diff(classes.of(ordered)) >= 0).all()
        assert (GROWING.of(-ordered) == 18 - GROWING.of(ordered)).all()
