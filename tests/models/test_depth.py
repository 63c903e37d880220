import numpy as np
import pytest

from assay.decisions.arrays import Floats
from assay.decisions.measures import expectation
from assay.decisions.profile import Profile
from assay.errors import InputError
from assay.models.depth.agents import (
    AXES,
    SHAPE,
    AgentsByElo,
    DepthAgent,
    beneath,
    care,
    depth_weights,
    fit_agents,
    interpolation,
    look_below,
    losses_below,
    weights_below,
)
from assay.models.depth.expected import clipped, expected, move_probabilities, slopes
from assay.models.depth.likelihood import Positions, log_likelihoods, probabilities
from assay.models.depth.model import LEVELS, DepthModel, line_of_agents, resolve
from assay.rating.calibration import shipped
from assay.testing import make_decisions
from examples.depth_agents import POSITIONS, Lines, as_trace, below, g, one_position, slow_probability
from examples.slice_players import ELO, agents, chances, choices, simulation


def test_estimates_are_agents_with_intervals() -> None:
    model = DepthModel()
    estimate = model.estimate(model.profile(make_decisions(games=40, trace=True)))
    for name in ("level", "c", "sight", "rise", "mean_depth"):
        quantity = estimate[name]
        assert quantity.low < quantity.value < quantity.high, name
    assert 0 < estimate["sight"].low < estimate["sight"].high < 1
    assert 1 < estimate["mean_depth"].low < estimate["mean_depth"].high < 12


def test_batches_change_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    decisions, model = make_decisions(trace=True), DepthModel()
    whole = model.profile(decisions)
    monkeypatch.setattr("assay.models.depth.likelihood.ROWS", 17)
    assert model.profile(decisions).equals(whole)


def test_without_trace_no_decision_passes_and_the_reason_is_told() -> None:
    bare = make_decisions()
    model = DepthModel()
    assert model.reads_trace
    profile = model.profile(bare)
    assert profile.decisions == 0
    assert profile.left_out["searched with a trace"] > 0
    assert "have no trace" in model.none_passes(bare)
    with pytest.raises(InputError, match="no decisions"):
        model.estimate(profile)


def test_the_line_of_agents_is_within_the_grid_and_monotone() -> None:
    points = line_of_agents(LEVELS)
    assert (np.diff(points, axis=0) * [1, -1, 1] > 0).all()
    assert points.min(axis=0) == pytest.approx([0.99, -4.52, -1.6], abs=0.05)
    assert points.max(axis=0) == pytest.approx([8.46, 1.86, 3.3], abs=0.05)


def test_weights_are_shares_that_rise_after_depth_one() -> None:
    weights = DepthAgent(3.0, 0.2, 1.5).weights(8)
    assert weights.sum() == pytest.approx(1)
    assert weights[0] == pytest.approx(0.2)
    assert weights[3] / weights[1] == pytest.approx(2**1.5)


def test_one_special_case_is_the_paper_the_last_depth_alone() -> None:
    weights = depth_weights(0.0, 400.0, 13)
    assert weights[-1] == pytest.approx(1)
    assert weights[:-1].sum() == pytest.approx(0, abs=1e-10)


@pytest.mark.parametrize("wrong", [(-1.0, 0.2, 1.0), (1.0, 1.2, 1.0), (1.0, 0.2, float("nan"))])
def test_agents_that_cannot_be(wrong: tuple[float, float, float]) -> None:
    with pytest.raises(InputError, match="c must be 0 or more"):
        DepthAgent(*wrong)


NODES = np.stack([one.ravel() for one in np.meshgrid(*AXES, indexing="ij")], axis=1)
LINES = AgentsByElo(np.array([1600.0, 2600.0]), np.array([[0.9, -1.1, 0.7], [1.3, -2.2, 1.5]]))


def test_straight_lines_between_and_beyond() -> None:
    assert LINES.parameters_at(2100.0) == pytest.approx([np.exp(1.1), -1.65, 1.1])
    assert LINES.parameters_at(2700.0) == pytest.approx([np.exp(1.34), -2.31, 1.58])
    assert LINES.parameters_at(1500.0)[2] < 0.7
    assert LINES.parameters_at(9000.0) == pytest.approx(LINES.parameters_at(3200.0))


def test_lines_are_found_again_from_mileposts() -> None:
    elos = np.arange(1600.0, 2700.0, 100)
    profiles = []
    for point in LINES.parameters_at(elos):
        evidence = -500 * np.square((NODES - point) / [1.0, 1.5, 2.0]).sum(axis=1)
        profiles.append(Profile("depth()", evidence, 1000.0, 10.0, recipe_id="made"))
    found = fit_agents(elos, profiles)
    assert found.parameters_at(elos) == pytest.approx(LINES.parameters_at(elos), abs=0.02)


def test_two_mileposts_at_least() -> None:
    with pytest.raises(InputError, match="two or more"):
        fit_agents([1600.0], [Profile("depth()", np.zeros(len(NODES)), 1.0, 1.0, recipe_id="made")])
    with pytest.raises(InputError, match="rising"):
        AgentsByElo(np.array([1700.0, 1600.0]), np.zeros((2, 3)))


def bell(mean: Floats, deviation: Floats) -> Floats:
    """A log-likelihood on the grid that is quadratic, so that cubic splines are exact."""
    return np.asarray(-0.5 * np.square((NODES - mean) / deviation).sum(axis=1))


def test_interpolation_is_exact_at_the_nodes_and_for_cubics() -> None:
    evidence = bell(np.array([3.0, -2.0, 1.0]), np.array([0.5, 1.0, 1.0]))
    points = np.array([*NODES[[0, 100, 1699]], [3.3, -1.4, 2.2]])
    expected = [*evidence[[0, 100, 1699]], -0.5 * (0.36 + 0.36 + 1.44)]
    assert interpolation(points) @ evidence == pytest.approx(expected)


@pytest.mark.parametrize("width", [0.4, 0.02, 0.002])
def test_a_posterior_is_resolved_however_narrow(width: float) -> None:
    mean, deviation = np.array([3.3, -1.7, 1.2]), width * np.array([1.0, 1.5, 1.2])
    found = resolve(bell(mean, deviation))
    assert found.mean == pytest.approx(mean, abs=0.02 * width)
    assert found.deviation == pytest.approx(deviation, rel=0.03)
    assert found.region() == pytest.approx(
        np.stack((mean - 1.96 * deviation, mean + 1.96 * deviation), axis=1), abs=0.1 * width
    )


def test_functions_of_the_weights() -> None:
    mean, deviation = np.array([3.0, -1.7, 1.2]), np.array([0.1, 0.1, 0.2])
    posterior = resolve(bell(mean, deviation))
    found = posterior.quantity(posterior.axes[1][:, None] + posterior.axes[2][None, :])
    assert (found.value, found.deviation) == pytest.approx((-0.5, np.hypot(0.1, 0.2)), abs=0.01)
    assert (found.low, found.high) == pytest.approx((-0.5 - 1.96 * 0.2236, -0.5 + 1.96 * 0.2236), abs=0.03)


def test_what_is_not_finite_is_refused() -> None:
    with pytest.raises(InputError, match="finite"):
        resolve(np.full(len(NODES), -np.inf))


@pytest.mark.parametrize("number", range(len(POSITIONS)))
def test_every_agent_of_the_grid_as_in_the_slow_version(number: int) -> None:
    options, lines, legal = POSITIONS[number]
    position = one_position(options, as_trace(lines), legal)
    if max(lines) > position.by_depth.depths:
        lines = {depth: known for depth, known in lines.items() if depth <= position.by_depth.depths}
    place = len(options) - 1
    move, final = options[place]
    final = lines[max(lines)].get(move, final)
    found = log_likelihoods(position, np.array([place]), np.zeros(1, np.int64), 1).reshape(SHAPE)
    for node in ((0, 0, 0), (4, 5, 3), (16, 9, 9), (8, 2, 7)):
        agent = DepthAgent.of([axis[k] for axis, k in zip(AXES, node, strict=True)])
        slow = slow_probability(lines, move, final, legal, agent)
        assert found[node] == pytest.approx(np.log(slow), rel=1e-9)


def test_groups_are_sums_of_single_decisions() -> None:
    decisions = make_decisions(games=2, plies=20, trace=True)
    positions, played = Positions.of(decisions), decisions.played_index
    single = log_likelihoods(positions, played, np.arange(len(decisions)), len(decisions))
    group = np.arange(len(decisions)) % 3
    together = log_likelihoods(positions, played, group, 4)
    for one in range(3):
        assert together[one] == pytest.approx(single[group == one].sum(axis=0))
    assert not together[3].any()


AGENT = DepthAgent(3.0, 0.2, 1.0)


def test_one_position_as_in_the_slow_version() -> None:
    options, lines, legal = POSITIONS[0]
    found = probabilities(one_position(options, as_trace(lines), legal), AGENT)
    slow = [slow_probability(lines, move, value, legal, AGENT) for move, value in options]
    assert found.options == pytest.approx(slow)
    assert found.tail == pytest.approx([1 - sum(slow)])
    assert found.tail[0] > 0


def test_more_than_one_is_never_given() -> None:
    # Eleven legal moves, ten lines, and the eleventh as good as the last: better than the mean below it.
    lines = {1: {f"m{i}": -30 * i for i in range(3)}}
    options = [*((f"m{i}", -30 * i) for i in range(3)), ("z", -60)]
    found = probabilities(one_position(options, as_trace(lines), 4), AGENT)
    assert found.options.sum() == pytest.approx(1)
    assert found.tail.tolist() == [0.0]


def test_an_agent_for_each_decision() -> None:
    decisions = make_decisions(games=1, plies=2, trace=True)
    positions, other = Positions.of(decisions), DepthAgent(5.0, 0.05, 2.0)
    both = probabilities(positions, [AGENT, other]).options
    assert both[:6] == pytest.approx(probabilities(positions, AGENT).options[:6])
    assert both[6:] == pytest.approx(probabilities(positions, other).options[6:])
    with pytest.raises(InputError, match="as many simulated players"):
        probabilities(positions, [AGENT])


def test_a_move_that_looks_good_at_sight_tempts_those_who_look_there() -> None:
    lines = {1: {"trap": 80, "good": 0, "b": -10}, 6: {"good": 30, "b": -10, "trap": -200}}
    position = one_position([("good", 30), ("b", -10), ("trap", -200)], as_trace(lines), 3)
    at_sight = probabilities(position, DepthAgent(3.0, 0.5, 1.0)).options
    deep = probabilities(position, DepthAgent(3.0, 0.05, 3.0)).options
    assert at_sight[2] > 3 * deep[2]
    assert deep[0] > at_sight[0]


def test_a_level_game_is_guarded_more_than_a_decided_one() -> None:
    assert care(3.0, [75, -75]) == pytest.approx([2.1 * 4**-0.56] * 2)
    assert (np.diff(care(3.0, np.linspace(0, 1000, 20))) < 0).all()
    assert care(3.0, 1000) == care(3.0, 1950)  # beyond ten pawns nothing is left to let go


def test_moves_below_the_last_line_lie_between_it_and_a_lost_position() -> None:
    below = losses_below(np.array([50.0, -900.0]), np.array([80.0, 20.0]))
    assert below.shape == (2, 8)
    assert (np.diff(below, axis=1) > 0).all()
    assert (below[0] > 80).all()
    assert (below[0] < 1050).all()
    assert (below[1] < 100).all()
    weights = weights_below(below, np.array([3.0, 3.0]))
    assert weights.sum(axis=1) == pytest.approx([1, 1])
    assert (np.diff(weights, axis=1) < 0).all()


def test_all_of_them_are_looked_at_as_their_mean() -> None:
    below, agent = losses_below(50.0, 80.0), DepthAgent(3.0, 0.2, 1.0)
    weights = weights_below(below, beneath(agent).c)
    slow = sum(w * (1 + loss / 200) ** -0.85 for w, loss in zip(weights, below, strict=True))
    assert look_below(50.0, 80.0, 0.85, agent) == pytest.approx(0.7 * slow)
    first = sum(
        w * (1 + loss / 200) ** -0.85 * (1 + loss / 50) ** -1.75
        for w, loss in zip(weights, below, strict=True)
    )
    assert look_below(50.0, 80.0, 0.85, agent, opening=True) == pytest.approx(0.7 * first)
    # Where all is lost, or the last line is far below, nothing lies further down.
    assert look_below(-1500.0, 0.0, 0.85, agent) == pytest.approx(0.7)
    assert 0 < look_below(1900.0, 3500.0, 0.85, agent) < 1


def test_beneath_is_300_points_of_the_calibration_that_ships() -> None:
    calibration = shipped("672593ce2551e878")
    assert calibration is not None
    assert calibration.agents is not None
    for elo in (1810, 2300, 2800):
        found, expected = beneath(calibration.agents.at(elo)), calibration.agents.at(elo - 300)
        assert found.parameters == pytest.approx(expected.parameters, abs=0.003)


def test_written_out_for_positions_whose_moves_are_all_listed() -> None:
    decisions = make_decisions(games=1, plies=10, trace=True)  # six options, six legal moves
    found = expected(decisions, agents(), 2000.0)
    share = probabilities(Positions.of(decisions), agents().at(2000.0))
    for row in range(len(decisions)):
        own = slice(*decisions.offsets[row : row + 2])
        values, p = decisions.values[own].astype(float), share.options[own]
        assert found.loss[row] == pytest.approx((p * (values[0] - values)).sum(), abs=1e-6)
        worth = expectation(values)
        assert found.lost[row] == pytest.approx((p * (worth[0] - worth)).sum(), abs=1e-9)
        played = decisions.played_index[row]
        assert found.as_good[row] == pytest.approx(p[values >= values[played]].sum())
        assert found.best[row] == pytest.approx(p[values >= values[0]].sum())
        assert found.fine[row] == pytest.approx(p[worth >= worth[0] - 0.01].sum())
        assert found.better[row] == pytest.approx(p[worth >= worth[played] + 0.05].sum())


def test_moves_below_the_lines_count_as_they_do_where_all_are_known() -> None:
    moves = simulation().moves
    rows, first = np.arange(len(moves.counts)), np.zeros(len(moves.counts), np.int64)
    best = np.array([values[-1].argmax() for values in moves.values])
    few = expected(moves.with_lines(rows, best, 10), agents(), 1800.0)
    all_ = expected(moves.with_lines(rows, best, int(moves.counts.max())), agents(), 1800.0)
    assert first.sum() == 0
    assert few.lost.mean() == pytest.approx(all_.lost.mean(), rel=0.25)
    assert few.best == pytest.approx(all_.best, abs=0.2)


def test_stronger_players_lose_less() -> None:
    decisions = make_decisions(games=2, trace=True)
    losses = [expected(decisions, agents(), elo).loss.mean() for elo in (1500.0, 2000.0, 2500.0)]
    assert losses[0] > losses[1] > losses[2]


AGENTS = AgentsByElo(
    np.array([1000.0, 2000.0, 3000.0]), np.array([[0.7, 0.0, 0], [1.1, -1.5, 1], [1.5, -3, 2]])
)


def test_the_slope_is_the_derivative_of_the_log_likelihood() -> None:
    decisions = make_decisions(games=2, trace=True).filter(*DepthModel().rules())
    elo = np.linspace(1400, 2600, len(decisions))
    found = slopes(decisions, AGENTS, elo)
    played = decisions.offsets[:-1] + decisions.played_index
    positions = Positions.of(decisions)
    low, high = (
        np.log(probabilities(positions, AGENTS.agents(elo + step)).options[played]) for step in (-1.0, 1.0)
    )
    inside = np.abs((elo - 2000) % 1000) > 30  # lines have a bend at their ends
    assert found.slope[inside] == pytest.approx(((high - low) / 2)[inside], rel=0.02, abs=2e-6)


def test_information_is_the_variance_of_the_slope_of_the_agent_that_chose() -> None:
    known, share = choices(), chances(ELO)
    counts = simulation().moves.counts
    starts = np.cumsum(counts) - counts
    mean = np.add.reduceat(share * known.slope, starts)
    square = np.add.reduceat(share * np.square(known.slope), starts)
    informed = np.add.reduceat(share * known.information, starts)
    assert mean.sum() == pytest.approx(0, abs=0.1 * np.sqrt(square.sum()))
    assert informed.sum() == pytest.approx(square.sum(), rel=0.1)


AGENTS_moves = [DepthAgent(2.7, 0.3, 0.6), DepthAgent(4.0, 0.08, 1.6)]


def legal_of(lines: Lines, n_legal: int) -> list[str]:
    known = sorted({move for one in lines.values() for move in one})
    return known + [f"other {k}" for k in range(n_legal - len(known))]


@pytest.mark.parametrize("position", POSITIONS)
def test_options_and_tail_as_for_many_decisions(position: tuple[list[tuple[str, int]], Lines, int]) -> None:
    _, lines, n_legal = position
    legal = legal_of(lines, n_legal)
    found = move_probabilities(as_trace(lines), legal, AGENTS_moves)
    assert found.sum(axis=1) == pytest.approx([1, 1])
    deepest = list(lines[max(lines)].items())
    for agent, row in zip(AGENTS_moves, found, strict=True):
        same = probabilities(one_position(deepest, as_trace(lines), n_legal), agent)
        listed = [legal.index(move) for move, _ in deepest]
        assert row[listed] == pytest.approx(same.options)
        assert 1 - row[listed].sum() == pytest.approx(same.tail[0])


def test_a_move_that_only_a_small_depth_lists_is_known_there() -> None:
    lines: Lines = {1: {"a": 10, "b": 0}, 2: {"c": 20, "d": -10}}
    agent = DepthAgent(3.0, 0.4, 0.0)
    row = move_probabilities(as_trace(lines), ["a", "b", "c", "d", "e"], [agent])[0]
    near, far = (below(20, -10, 3.0, 2, seen=one) for one in (True, False))
    first = [g(10, 10, 3.0), g(10, 0, 3.0), *[below(10, 0, 3.0, 1, seen=True)] * 2]
    last = [near, near, g(20, 20, 3.0), g(20, -10, 3.0)]
    y = [0.4 * one + 0.6 * other for one, other in zip(first, last, strict=True)]
    y.append(0.4 * below(10, 0, 3.0, 1, seen=False) + 0.6 * far)
    assert row == pytest.approx(np.array(y) / sum(y))


def test_a_scale_of_its_own_decides_what_is_compared() -> None:
    trace = [(1, "a", 31_999), (1, "b", 1500)]
    assert move_probabilities(trace, ["a", "b"], AGENTS_moves)[:, 0] == pytest.approx([0.5, 0.5])
    by_value = move_probabilities(trace, ["a", "b"], AGENTS_moves, scale=lambda values: values)
    assert (by_value[:, 0] > 0.999).all()
    assert clipped(np.array([31_999.0, -1500.0, 12.0])).tolist() == [1000.0, -1000.0, 12.0]


def test_without_lines_or_with_moves_that_are_not_legal_there_is_no_answer() -> None:
    for trace in ([], [(1, "a", 0), (1, "z", -5)]):
        with pytest.raises(InputError, match="lines of a search"):
            move_probabilities(trace, ["a", "b"], AGENTS_moves)
