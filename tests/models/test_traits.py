import math
from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest

from assay.decisions.decisions import Decisions
from assay.decisions.depths import DEPTHS as KEPT
from assay.errors import InputError, MappingError
from assay.models.appearances import Appearances
from assay.models.base import MoveModel
from assay.models.depth.agents import DepthAgent
from assay.models.depth.likelihood import Positions, probabilities
from assay.models.traits.features import (
    AGENTS,
    CLOCK_FEATURES,
    FEATURES,
    OF_LOSSES,
    STRETCHES,
    VALUE_FEATURES,
    clock_features,
    features,
    value_features,
)
from assay.models.traits.model import (
    MOST_WEIGHT,
    PHASES,
    STEADY,
    ClocksModel,
    TraitsModel,
    ValueTraitsModel,
    fit_weights,
    shares,
)
from assay.rating.calibration import Calibration
from assay.testing import MoveModelContract, make_decisions, with_trace
from examples.milepost_games import milepost_games


def taught() -> TraitsModel:
    model = TraitsModel()
    size = model.shape[0] - 2
    rng = np.random.default_rng(0)
    return model.with_weights({"centre": np.zeros(size), "weight": rng.normal(0, 0.02, size)})


@pytest.fixture(scope="module")
def mileposts() -> Decisions:
    return with_trace(milepost_games(tuple(range(1700, 2600, 200)), games=8, plies=50), depths=8)


def test_without_a_trace_every_decision_is_left_out() -> None:
    decisions = make_decisions()
    profile = taught().profile(decisions)
    assert profile.decisions == 0
    assert profile.left_out["searched with a trace"] == len(decisions)


def test_without_weights_it_says_what_to_do() -> None:
    model = TraitsModel()
    with pytest.raises(MappingError, match="assay calibrate"):
        model.estimate(model.profile(with_trace(make_decisions())))


def test_weights_of_other_features_are_refused() -> None:
    with pytest.raises(InputError, match="features"):
        TraitsModel().with_weights({"centre": np.zeros(3), "weight": np.zeros(3)})


def test_those_who_taught_are_judged_by_the_others(mileposts: Decisions) -> None:
    appearances = Appearances.of(mileposts)
    model = TraitsModel()
    stack = appearances.stack(model)
    fold = np.arange(len(stack)) % 4
    honest = model.fit_weights(stack, appearances.elo, appearances.opponent_elo, fold)
    everyone = np.eye(len(stack))
    apart = model.strengths(honest.weighted(everyone))
    for one in range(4):
        others = np.flatnonzero(fold != one).tolist()
        alone = TraitsModel()
        # The penalty is chosen anew from fewer appearances, so this agrees in order, not to the last bit.
        known = appearances.elo[others], appearances.opponent_elo[others]
        alone.fit_weights(stack.only(others), *known, fold[others] % 3)
        own = np.flatnonzero(fold == one)
        expected = alone.strengths(stack.weighted(everyone[own]))
        assert np.corrcoef(apart[own], expected)[0, 1] > 0.9
    # Groups add up: a pair is the mean of its members, weighed by their decisions after the opening.
    pair = honest.weighted((everyone[0] + everyone[1])[None])
    n = np.asarray(stack.evidence)[:2, 0]
    assert np.abs(model.strengths(pair)[0] - (apart[:2] @ n) / n.sum()) < 0.15


def test_a_calibration_holds_the_weights(mileposts: Decisions, tmp_path: Path) -> None:
    made = Calibration.fit(Appearances.of(mileposts))
    assert "traits" in made.mappings
    made.write(tmp_path / "made.npz")
    read = Calibration.read(tmp_path / "made.npz")
    for name, lesson in made.models["traits"].weights.items():
        assert np.array_equal(read.models["traits"].weights[name], lesson)
    profile = TraitsModel().profile(mileposts)
    assert read.model("traits").estimate(profile) == made.model("traits").estimate(profile)
    assert made.model("traits").mapping is not None


def test_the_best_weights_are_recovered() -> None:
    """Signs that rise with Elo by a, with noise of deviation s each: the best weights go as a / s squared."""
    rng = np.random.default_rng(0)
    elo = np.linspace(1500, 2800, 40_000)
    rises, noise = np.array([1.0, -0.5, 0.0, 0.0, 0.25]), np.array([2.0, 1.0, 1.0, 3.0, 0.5])
    strength = (elo - elo.mean()) / elo.std()
    means = np.outer(strength, rises) + rng.normal(0, noise, (40_000, 5))
    found, apart = fit_weights(means, elo, elo, np.arange(40_000) % 10)
    best = rises / noise**2
    # Steady (strong) appearances count for more, which leaves less variance of strength to be found.
    steady = np.exp(STEADY * strength)
    variance = np.cov(strength, aweights=steady)
    shrunk = variance * best / (1 + variance * rises @ best)
    assert found.weight == pytest.approx(shrunk, abs=0.02)
    reached = (rises @ best) / (1 + rises @ best)
    assert np.corrcoef(apart, elo)[0, 1] ** 2 == pytest.approx(reached, abs=0.03)


def test_noise_teaches_nothing_about_those_who_were_kept_apart() -> None:
    rng = np.random.default_rng(1)
    means, elo = rng.normal(size=(300, 60)), rng.uniform(1500, 2800, 300)
    found, apart = fit_weights(means, elo, elo, np.arange(300) % 10)
    assert abs(np.corrcoef(apart, elo)[0, 1]) < 0.2
    assert np.corrcoef(found.discriminant(means), elo)[0, 1] > 0.3, "in hindsight noise always seems to know"


def test_one_fold_teaches_nothing() -> None:
    with pytest.raises(InputError, match="one group of players"):
        fit_weights(np.zeros((4, 2)), np.arange(4.0), np.arange(4.0), np.zeros(4, np.int64))


def test_a_feature_of_the_opponent_is_not_taken_for_one_of_the_player() -> None:
    """One sign tells of the player, one of the mean of both; few games are against others than equals."""
    rng = np.random.default_rng(2)
    elo = rng.uniform(1500, 2800, 2000)
    opponent = elo + np.where(np.arange(2000) < 1700, 0, rng.choice((-400, 400), 2000))
    means = np.stack((elo + rng.normal(0, 150, 2000), (elo + opponent) / 2 + rng.normal(0, 50, 2000)), axis=1)
    fold = np.arange(2000) % 10
    taught, blind = fit_weights(means, elo, opponent, fold)[0], fit_weights(means, elo, elo, fold)[0]
    drawn = [one.weight[1] / one.weight.sum() for one in (taught, blind)]
    # Not all of it: each counts three times, where six would be as much as all that are against equals.
    assert drawn[0] < drawn[1] - 0.1


def test_games_against_others_than_equals_count_as_much_as_those_against_equals_if_they_are_enough() -> None:
    target = np.linspace(-1.5, 1.5, 1000)
    unequal = np.arange(1000) % 3 == 0
    steady = np.exp(STEADY * target)
    found = shares(target, unequal) / steady
    assert found[unequal].sum() == pytest.approx(found[~unequal].sum())
    few = np.arange(1000) % 100 == 0
    found = shares(target, few) / steady
    assert found[few].mean() == pytest.approx(MOST_WEIGHT * found[~few].mean(), rel=0.01)
    assert shares(target, np.zeros(1000, dtype=bool)).mean() == pytest.approx(1)


def test_without_an_opening_players_are_not_drawn_to_the_middle() -> None:
    """The other features take over what those of the opening said, as steeply by Elo."""
    rng = np.random.default_rng(4)
    elo = rng.uniform(1500, 2800, 4000)
    strength = (elo - elo.mean()) / elo.std()
    means = strength[:, None] + rng.normal(0, 1, (4000, 6))
    opening = np.arange(6) >= 3
    weights, _ = fit_weights(means, elo, elo, np.arange(4000) % 10, opening=opening)
    without = np.where(opening, np.nan, means)
    slopes = [np.polyfit(strength, weights.discriminant(each), 1)[0] for each in (means, without)]
    assert slopes[1] == pytest.approx(slopes[0], rel=0.01)
    assert (weights.later[opening] == 0).all()


@pytest.fixture(scope="module")
def decisions() -> Decisions:
    return with_trace(make_decisions(games=3), depths=9)


def q(centipawns: float) -> float:
    return 1 / (1 + math.exp(-0.00368208 * centipawns))


def test_every_feature_has_a_name_and_a_number(decisions: Decisions) -> None:
    found = features(decisions, Positions.of(decisions))
    assert found.shape == (len(decisions), len(FEATURES))
    assert len(set(FEATURES)) == len(FEATURES)
    assert np.isfinite(found).all()


def test_features_against_a_plain_reading_of_the_trace(decisions: Decisions) -> None:
    found = features(decisions, Positions.of(decisions))
    trace = decisions.table().select(["trace_depth", "trace_move", "trace_value"]).to_pylist()
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
            assert found[row, FEATURES.index(name)] == pytest.approx(value, abs=1e-9), name


def test_what_agents_make_of_a_move_is_the_logarithm_of_its_probability(decisions: Decisions) -> None:
    positions = Positions.of(decisions)
    logs = []
    for parameters in AGENTS:
        options = probabilities(positions, DepthAgent.of(parameters)).options
        logs.append(np.log(options[decisions.offsets[:-1] + decisions.played_index]))
    expected = np.column_stack((logs[len(AGENTS) // 2], np.diff(logs, axis=0).T))
    found = features(decisions, positions)[:, -len(AGENTS) :]
    assert found == pytest.approx(expected, abs=1e-9)


def test_a_search_that_ends_early_is_as_its_last_depth(decisions: Decisions) -> None:
    shallow = with_trace(make_decisions(games=1), depths=3)
    assert KEPT > 3
    found = features(shallow, Positions.of(shallow))
    assert found[:, FEATURES.index("loss at depth 8")] == pytest.approx(found[:, FEATURES.index("loss")])
    assert (found[:, FEATURES.index("swing from depth 4")] == 0).all()
    assert OF_LOSSES[0] == "loss"


# Traits of consecutive values: the contract, and that nothing else is read.


def weighted_values() -> ValueTraitsModel:
    model = ValueTraitsModel()
    size = model.shape[0] - len(model.blocks)
    rng = np.random.default_rng(0)
    return model.with_weights({"centre": np.zeros(size), "weight": rng.normal(0, 0.02, size)})


class TestValueTraits(MoveModelContract):
    def make(self) -> MoveModel:
        return weighted_values()

    @pytest.fixture
    def decisions(self) -> Decisions:
        return make_decisions()


def test_a_profile_sums_the_features_of_each_stretch_of_the_game() -> None:
    decisions = make_decisions()
    model = ValueTraitsModel()
    profile = model.profile(decisions)
    kept, _ = model.select(decisions)
    found = value_features(kept.numbers("before"), kept.numbers("after"))
    turn = kept.numbers("ply") // 2 + 1
    later = turn > 8
    assert profile.evidence[0] == later.sum()
    assert profile.evidence[1 : 1 + len(VALUE_FEATURES)] == pytest.approx(found[later].sum(axis=0))
    middle = (turn > 20) & (turn <= 40)
    start = 1 + len(VALUE_FEATURES) + 1 + 9 + 5
    assert profile.evidence[start] == middle.sum()
    root = VALUE_FEATURES.index("root of loss")
    assert profile.evidence[start + 1] == pytest.approx(found[middle, root].sum())


# Signs of consecutive values, against one move at a time.

SLOPE = 0.00368208


def slow(before: float, after: float) -> dict[str, float]:
    """The signs of one move, by name."""

    def expected(value: float) -> float:
        return 1 / (1 + math.exp(-SLOPE * max(-1500.0, min(1500.0, value))))

    lost = max(expected(before) - expected(after), 0.0)
    cp = max(max(-1000.0, min(1000.0, before)) - max(-1000.0, min(1000.0, after)), 0.0)
    decided = abs(expected(before) - 0.5)
    found = {
        "loss": lost,
        "root of loss": math.sqrt(lost),
        "logarithm of loss": math.log(1 + cp),
        "no loss": float(cp == 0),
        "decided": decided,
        "expectation": expected(before),
        "root of loss, by decided": math.sqrt(lost) * decided,
        "no loss, by decided": (cp == 0) * decided,
        "rise": max(expected(after) - expected(before), 0.0),
        "change": abs(expected(after) - expected(before)),
        "unchanged": float(abs(after - before) < 5),
        "even": float(before == 0),
        "stays even": float(before == after == 0),
    }
    for bound in (10, 30, 60, 100, 200):
        found[f"loss within {bound} cp"] = float(cp <= bound)
    for low, high in zip((0.0, *STRETCHES), (*STRETCHES, 0.5), strict=True):
        here = low <= decided < high
        found[f"moves where decided by {low:g} to {high:g}"] = float(here)
        found[f"root of loss where decided by {low:g} to {high:g}"] = math.sqrt(lost) * here
        found[f"loss within 30 cp where decided by {low:g} to {high:g}"] = float(here and cp <= 30)
    return found


@pytest.mark.parametrize("mates", [False, True])
def test_features_are_those_of_each_move(mates: bool) -> None:
    rng = np.random.default_rng(3)
    before = rng.integers(-400, 400, 60).astype(float)
    after = before - rng.integers(-40, 150, 60)
    before[:4], after[:4] = (0, 0, 0, 12), (0, -30, 4, 12)
    if mates:
        before[:20], after[20:30] = 31_990, -31_995
    found = value_features(before, after)
    for row in range(60):
        expected = slow(before[row], after[row])
        assert list(VALUE_FEATURES) == sorted(expected, key=VALUE_FEATURES.index)
        assert found[row] == pytest.approx([expected[name] for name in VALUE_FEATURES], abs=1e-12)


# Strength by the clocks: the contract of every method, and what is summed.


def timed_decisions(recipe: str = "made") -> Decisions:
    """Decisions with a clock that runs down from three minutes, unknown in every seventh row."""
    table = make_decisions(recipe=recipe).table()
    rng = np.random.default_rng(4)
    spent = np.round(rng.exponential(3.0, len(table)), 1)
    before = np.maximum(180 - 2.0 * np.asarray(table["ply"]), 1.0)
    spent[::7] = np.nan
    for name, column in (("seconds_spent", spent), ("seconds_before", before)):
        values = pa.array(column, pa.float32(), from_pandas=True)
        if name in table.column_names:
            table = table.drop_columns(name)
        table = table.append_column(name, values)
    return Decisions.from_table(table)


def weighted_clocks() -> ClocksModel:
    model = ClocksModel()
    size = model.shape[0] - len(model.blocks)
    return model.with_weights(
        {"centre": np.zeros(size), "weight": np.random.default_rng(0).normal(0, 0.02, size)}
    )


class TestClocks(MoveModelContract):
    def make(self) -> MoveModel:
        return weighted_clocks()

    @pytest.fixture
    def decisions(self) -> Decisions:
        return timed_decisions()

    @pytest.fixture
    def another(self) -> Decisions:
        return timed_decisions("other")


def test_moves_without_a_clock_do_not_count_and_phases_are_apart() -> None:
    decisions = timed_decisions()
    model = ClocksModel()
    profile = model.profile(decisions)
    kept, _ = model.select(decisions)
    assert not np.isnan(kept.numbers("seconds_spent")).any()
    assert 0 < len(kept) < len(decisions)
    turn = kept.numbers("ply") // 2
    width, start = 1 + len(CLOCK_FEATURES), ValueTraitsModel().shape[0]
    counts = [((turn >= first) & (turn < (end or 1000))).sum() for first, end in ((0, 8), *PHASES)]
    assert profile.evidence[start::width].tolist() == counts
    assert profile.evidence[:start] == pytest.approx(ValueTraitsModel().profile(kept).evidence)


# Signs of clocks, against one move at a time.


def test_features_are_those_of_each_move_clock_features() -> None:
    spent, before = np.array([0.0, 1.0, 4.0, 70.0]), np.array([60.0, 9.0, 25.0, 40.0])
    found = clock_features(spent, before)
    for row, (took, left) in enumerate(zip(spent, before, strict=True)):
        expected = {
            "logarithm of seconds": math.log(1 + took),
            "square of logarithm of seconds": math.log(1 + took) ** 2,
            "within 1 s": float(took <= 1),
            "within 2 s": float(took <= 2),
            "within 5 s": float(took <= 5),
            "share of the clock": min(took / left, 1),
            "logarithm of clock": math.log(1 + left),
            "clock below 10 s": float(left < 10),
            "clock below 30 s": float(left < 30),
        }
        assert found[row] == pytest.approx([expected[name] for name in CLOCK_FEATURES])
