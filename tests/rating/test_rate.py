"""Every player of some decisions, rated."""

import numpy as np
import pytest

from assay.decisions.decisions import Decisions
from assay.errors import InputError
from assay.models.registry import make_model
from assay.rating.calibration import Calibration, rating_models
from assay.rating.rate import rate_decisions, ratings_of
from examples.milepost_games import milepost_games


def test_new_players_are_rated_where_they_are(calibration: Calibration) -> None:
    new = milepost_games(seed=1, games=6, games_each=6)
    players, too_few = rate_decisions(new, calibration)
    assert not too_few
    truth = np.array([one.reference for one in players])
    found = np.array([one.combined.elo for one in players])
    inside = [one.combined.low <= one.reference <= one.combined.high for one in players]
    assert np.mean(inside) >= 18 / 20
    assert np.corrcoef(truth, found)[0, 1] > 0.9
    assert players == tuple(sorted(players, key=lambda one: -one.combined.elo))
    # These games have no trace.
    known = {name for name, model in rating_models().items() if not model.reads_trace}
    assert set(players[0].ratings) == known


def test_more_games_narrower_intervals(calibration: Calibration) -> None:
    new = milepost_games([2000], seed=2, games=12, games_each=12)
    whole, _ = rate_decisions(new, calibration)
    single, _ = rate_decisions(new, calibration, by="game")
    assert len(whole) == 2
    assert len(single) == 24
    width = {one.player: one.combined.high - one.combined.low for one in whole}
    assert all(one.combined.high - one.combined.low > 1.3 * width[one.player] for one in single)
    assert {one.games for one in single} == {1}
    assert {one.record.draws for one in single} == {1}


def test_history_by_period(calibration: Calibration) -> None:
    new = milepost_games([2200], seed=3, games=6, games_each=6)
    periods = {game: "2001-0" + str(1 + index // 3) for index, game in enumerate(new.games)}
    players, _ = rate_decisions(new, calibration, periods=periods)
    for one in players:
        assert [label for label, _ in one.history] == ["2001-01", "2001-02"]
        assert all(rating.games == 3 for _, rating in one.history)


def test_nobody_with_enough_decisions(games: Decisions, calibration: Calibration) -> None:
    with pytest.raises(InputError, match="nobody has 1000"):
        rate_decisions(games, calibration, least=1000)


def test_a_level_is_what_intervals_are_of(calibration: Calibration) -> None:
    new = milepost_games([1800, 2200], seed=4, games=6, games_each=6)
    narrow, wide = (rate_decisions(new, calibration, level=level)[0] for level in (0.5, 0.95))
    for one, other in zip(narrow, wide, strict=True):
        assert one.combined.high - one.combined.low < 0.5 * (other.combined.high - other.combined.low)
    for wrong in ({"level": 1.5}, {"methods": []}):
        with pytest.raises(InputError):
            rate_decisions(new, calibration, **wrong)


def test_a_rating_of_zero_is_none(calibration: Calibration) -> None:
    table = milepost_games([2000], games=2).to_table()
    place = table.schema.get_field_index("player_elo")
    table = table.set_column(place, table.schema.field(place), [np.zeros(len(table), np.int16)])
    players, _ = rate_decisions(Decisions.from_table(table), calibration)
    assert all(np.isnan(one.reference) for one in players)


def test_parts_are_rated_as_the_whole_command_rates_them(calibration: Calibration) -> None:
    new = milepost_games([1900, 2300], seed=8, games=2, games_each=2)
    players, _ = rate_decisions(new, calibration, methods=["bayes"])
    kept, _ = make_model("bayes").select(new)
    parts = [kept.select(player=one.player) for one in players]
    found = ratings_of(parts, new, calibration, "bayes")
    for one, rating in zip(players, found, strict=True):
        assert rating == one.ratings["bayes"]
    # Some moves of a game are no game.
    assert ratings_of([kept.take(np.arange(3))], new, calibration, "bayes") == [None]
