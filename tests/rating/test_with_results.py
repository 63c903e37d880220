"""Results of the games besides the moves: who met whom, and what it does to ratings."""

from dataclasses import replace

import numpy as np
import pyarrow as pa
import pytest

from assay.decisions.decisions import Decisions
from assay.decisions.elo import expectation
from assay.decisions.evaluation import EVALUATED
from assay.errors import InputError
from assay.models.appearances import Appearances
from assay.models.bayes import Posterior
from assay.rating import with_results as joint
from assay.rating.calibration import Calibration, find_calibration
from assay.rating.pipeline import Request, rate_everyone
from assay.rating.posterior import GRID, Range
from assay.rating.priors import RATING_ERROR, Normal
from assay.rating.with_results import (
    BY_MOVES,
    EVALUATED_NOTE,
    FOLLOWS,
    GAME_ERROR,
    Follows,
    Meetings,
    given_moves,
    joint_posteriors,
    meetings_of,
    notes_of,
)
from assay.results.metrics import WHITE_ADVANTAGE, draw_parameter, log_likelihood
from examples.milepost_games import milepost_games

SPAN = Range(1500, 2800)


def game(name: str, white: str, black: str, result: float | None, **about: object) -> list[dict[str, object]]:
    sides = {"white": (white, black, result), "black": (black, white, None if result is None else 1 - result)}
    return [
        {
            "game_id": name,
            "ply": 30 + ply,
            "player": sides[side][0],
            "opponent": sides[side][1],
            "colour": side,
            "result": sides[side][2],
            "opponent_elo": about.get("elo"),
            "moves": ["a", "b"],
            "cp": [10, 0],
            "played": "a",
            "recipe_id": "made",
        }
        for ply, side in enumerate(sides)
    ]


def appearances(*games: list[dict[str, object]]) -> Appearances:
    return Appearances.of(Decisions.from_table(pa.Table.from_pylist([row for one in games for row in one])))


def rows_of(found: Appearances, *players: str) -> list[np.ndarray]:
    names = found.players()
    return [np.array([k for k, name in enumerate(names) if name == player]) for player in players]


def test_each_game_counts_once() -> None:
    found = appearances(
        game("1", "Ann", "Bob", 1.0), game("2", "Bob", "Ann", 0.5), game("3", "Ann", "Bob", None)
    )
    meetings, sides, strangers = meetings_of(found, rows_of(found, "Ann", "Bob"), SPAN)
    assert not strangers
    assert sides.shape == (2, 2)
    by_result = sorted(zip(meetings.result, meetings.player, meetings.opponent, meetings.ahead, strict=True))
    points = {result if one == 0 else 1 - result for result, one, _, _ in by_result}
    assert points == {1.0, 0.5}
    for result, one, other, ahead in by_result:
        assert {one, other} == {0, 1}
        white = 0 if result in (0.0, 1.0) else 1
        assert ahead == (WHITE_ADVANTAGE if one == white else -WHITE_ADVANTAGE)
    assert meetings.draws == draw_parameter(np.array([1.0, 0.5]))


def test_opponents_who_are_not_rated_count_with_their_rating() -> None:
    found = appearances(
        game("1", "Ann", "Bob", 1.0, elo=2200),
        game("2", "Bob", "Ann", 0.0, elo=2300),
        game("3", "Ann", "Cy", 0.5),
    )
    meetings, sides, strangers = meetings_of(found, rows_of(found, "Ann"), SPAN)
    assert strangers == [Normal(2250.0, RATING_ERROR), SPAN]
    assert (sides[:, 1] == -1).all()
    assert [found.players()[row] for row in sides[:, 0]] == ["Ann"] * 3
    assert meetings.player.tolist() == [0, 0, 0]
    assert meetings.opponent.tolist() == [1, 1, 2]
    assert meetings.result.tolist() == [1.0, 1.0, 0.5]
    assert meetings.ahead.tolist() == [WHITE_ADVANTAGE, -WHITE_ADVANTAGE, WHITE_ADVANTAGE]


@pytest.fixture(scope="module")
def match() -> Decisions:
    """Two equals by their moves; White wins all games."""
    table = milepost_games([2100], seed=21, games=4, games_each=4).table()
    won = [1.0 if side == "white" else 0.0 for side in table["colour"].to_pylist()]
    place = table.schema.get_field_index("result")
    field = table.schema.field(place)
    return Decisions.from_table(table.set_column(place, field, pa.array(won, field.type)))


@pytest.mark.parametrize("by", ["player", "game"])
def test_who_wins_is_rated_higher(by: str, match: Decisions, calibration: Calibration) -> None:
    plain, both = (
        rate_everyone(match, calibration, Request(by=by, with_results=results)) for results in (False, True)
    )
    before = {one.title: one.combined for one in plain.players}
    for one in both.players:
        assert one.ratings["moves"].elo == pytest.approx(before[one.title].elo)
        assert set(one.ratings) - {"moves", "results"} == set(plain.players[0].ratings)
        moved = one.combined.elo - before[one.title].elo
        assert (moved > 0) == (one.record.wins > 0)
        if by == "player":  # single games lean on the end of the scale, which cuts their intervals
            assert one.combined.high - one.combined.low < before[one.title].high - before[one.title].low
        assert (one.ratings["results"].elo > 2150) == (one.record.wins > 0)
    assert any("--with results" in note for note in both.notes)
    assert not any("--with results" in note for note in plain.notes)


def test_without_a_scale_there_is_nothing_to_weigh(match: Decisions) -> None:
    with pytest.raises(InputError, match="see assay results"):
        rate_everyone(match, None, Request(with_results=True))


def meetings(n: int, ahead: float) -> Meetings:
    """So many wins of the first over the second."""
    places = np.zeros(n, np.int64), np.ones(n, np.int64)
    return Meetings(*places, np.full(n, ahead), np.ones(n), 1.0, np.ones((n, 2)))


@pytest.mark.parametrize("follows", [Follows(), Follows(0.95, 291.0)])
def test_results_beside_moves_make_elos_curve_again(follows: Follows) -> None:
    """Averaged over what moves of a game may say, the odds of its result are those of the Elos."""
    elos = np.array([2250.0, 2100.0])
    said = elos + follows.error * np.random.default_rng(1).normal(size=(40_000, 2))
    plain = meetings(len(said), WHITE_ADVANTAGE)
    expected = float(expectation(elos[0] - elos[1] + WHITE_ADVANTAGE))
    for known in ([True, True], [True, False], [False, False]):
        beside = given_moves(plain, np.where(known, said, np.nan), follows)
        difference = beside.shares @ (elos * [1, -1]) + beside.ahead
        assert float(expectation(difference).mean()) == pytest.approx(expected, abs=0.012)
    assert beside.shares == pytest.approx(plain.shares)
    assert beside.ahead == pytest.approx(plain.ahead)


def test_a_win_by_better_moves_tells_less() -> None:
    by_moves, against = (given_moves(meetings(1, 0.0), np.array([[x, 2100.0]])) for x in (2600.0, 1600.0))
    assert by_moves.ahead[0] == pytest.approx(500 * BY_MOVES)
    assert against.ahead[0] == pytest.approx(-500 * BY_MOVES)
    assert by_moves.shares == pytest.approx(against.shares)
    assert 0.8 < by_moves.shares[0, 0] < 0.95


def test_where_results_count_in_part_twice_it_is_said(calibration: Calibration) -> None:
    """Of values that games bring along, unless it was measured how much results repeat of them."""
    one = Meetings(np.array([0]), np.array([1]), np.zeros(1), np.ones(1), 1.0, np.ones((1, 2)))
    assert notes_of(one, calibration)[1:] == ()
    silent = replace(calibration, recipe_id="evaluated-fide-classical")
    assert notes_of(one, silent)[1:] == (EVALUATED_NOTE,)
    assert notes_of(one, replace(silent, about={FOLLOWS: {"b": 0.9, "error": 300.0}}))[1:] == ()


def test_what_a_calibration_says_of_results_is_what_counts(
    match: Decisions, calibration: Calibration
) -> None:
    """Stored with it: one that does not say has the usual number; the more moves tell, the less results."""

    def gained(**about: object) -> float:
        found = rate_everyone(
            match, replace(calibration, about={**calibration.about, **about}), Request(with_results=True)
        )
        return sum(abs(one.combined.elo - one.ratings["moves"].elo) for one in found.players)

    usual = gained()
    assert gained(results={"b": BY_MOVES, "error": GAME_ERROR}) == pytest.approx(usual)
    assert gained(results={"b": 0.95, "error": GAME_ERROR}) != pytest.approx(usual, rel=0.02)
    assert Follows.of(replace(calibration, about={FOLLOWS: {"b": 0.95, "error": 291.0}})) == Follows(
        0.95, 291
    )
    assert Follows.of(calibration) == Follows(BY_MOVES, GAME_ERROR)


@pytest.mark.parametrize("source", EVALUATED)
def test_calibrations_of_evaluated_games_say_how_far_results_follow(source: str) -> None:
    found = find_calibration(source)
    assert found is not None
    follows = Follows.of(found)
    # A scale that says little, and says so, has ratings that results hardly follow.
    assert (0.0 if "caveat" in found.about else 0.2) < follows.b < 1.5
    assert follows.stretch(2) > follows.b  # whoever is stronger still wins more, the moves given
    assert found.about[FOLLOWS]["games"] >= 200


# Moves and results together, against sums over the Elos of all players at once.

PRIOR = Range(1500, 2800).log_density(GRID)


def moves(elo: float, deviation: float) -> np.ndarray:
    return PRIOR - 0.5 * np.square((GRID - elo) / deviation)


def meetings_joint(
    *games: tuple[int, int, float],
    ahead: float = 33.0,
    draws: float = 1.0,
    shares: tuple[float, float] = (1.0, 1.0),
) -> Meetings:
    player, opponent, result = (np.array(column) for column in zip(*games, strict=True))
    every = np.tile(shares, (len(games), 1))
    return Meetings(player, opponent, np.full(len(games), ahead), result.astype(float), draws, every)


def slow_posteriors(own: list[np.ndarray], met: Meetings) -> list[tuple[float, float]]:
    """Mean and deviation of each of three players, from the density at every triple of Elos."""
    at = GRID[::16]
    axes = np.meshgrid(at, at, at, indexing="ij")
    log = sum(one[::16].reshape([-1 if k == axis else 1 for k in range(3)]) for axis, one in enumerate(own))
    for game in range(len(met)):
        one, other = met.shares[game]
        difference = one * axes[met.player[game]] - other * axes[met.opponent[game]] + met.ahead[game]
        log = log + log_likelihood(difference, met.result[game], met.draws)
    density = np.exp(log - log.max())
    density /= density.sum()
    found = []
    for axis in axes:
        mean = (density * axis).sum()
        found.append((mean, np.sqrt((density * (axis - mean) ** 2).sum())))
    return found


TRIPLES = {
    "one game": [(0, 1, 1.0)],
    "a circle of wins": [(0, 1, 1.0), (1, 2, 1.0), (2, 0, 1.0)],
    "one wins all": [(0, 1, 1.0), (0, 2, 1.0), (1, 0, 0.0), (1, 2, 0.5), (2, 0, 0.0), (0, 1, 1.0)],
    "a long match": [(0, 1, 1.0), (0, 1, 0.5)] * 8,
}


def posteriors_with(own: list[np.ndarray], met: Meetings) -> list[Posterior]:
    return [Posterior.of(GRID, log) for log in joint_posteriors(own, met)]


@pytest.mark.parametrize("games", TRIPLES.values(), ids=TRIPLES)
@pytest.mark.parametrize(
    ("deviation", "ahead", "shares"),
    [(150.0, 33.0, (1.0, 1.0)), (450.0, 33.0, (1.0, 1.0)), (250.0, 400.0, (0.8, 1.0))],
)
def test_as_with_every_triple_of_elos(
    games: list[tuple[int, int, float]], deviation: float, ahead: float, shares: tuple[float, float]
) -> None:
    own = [moves(1700, deviation), moves(2100, deviation), moves(2600, deviation)]
    met = meetings_joint(*games, ahead=ahead, shares=shares)
    for one, (mean, spread) in zip(posteriors_with(own, met), slow_posteriors(own, met), strict=True):
        assert one.mean == pytest.approx(mean, abs=0.05 * spread)
        assert one.deviation == pytest.approx(spread, rel=0.03)


def test_without_results_everybody_has_their_own() -> None:
    own = [moves(1700, 200), moves(2100, 200), moves(2600, 200)]
    alone = [Posterior.of(GRID, one).mean for one in own]
    found = posteriors_with(own, meetings_joint((0, 1, 0.5)))
    assert found[2].mean == alone[2]
    assert found[0].mean > alone[0] + 20
    assert found[1].mean < alone[1] - 20
    nobody = Meetings(*(np.zeros(0, np.int64),) * 2, *(np.zeros(0),) * 2, 1.0, np.zeros((0, 2)))
    assert [one.mean for one in posteriors_with(own, nobody)] == alone


def test_whoever_beats_the_well_known_is_known_better() -> None:
    own = [moves(2000, 1000), moves(2200, 10)]
    found = posteriors_with(own, meetings_joint(*[(0, 1, 0.5)] * 40, ahead=0.0))
    assert found[0].mean == pytest.approx(2200, abs=15)
    assert found[0].deviation < 60


def test_too_many_for_one_posterior(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(joint, "MOST_PLAYERS", 1)
    with pytest.raises(InputError, match="leave --with results"):
        joint_posteriors([moves(2000, 200)] * 2, meetings_joint((0, 1, 1.0)))
