"""What methods measure without an Elo scale."""

from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest
from scipy.stats import binom

from assay.answers.ratings import Measure
from assay.cli import main
from assay.decisions.decisions import Decisions
from assay.errors import InputError
from assay.models.gain import GainModel
from assay.models.intervals import FEWEST_GAMES
from assay.models.markov import MarkovModel
from assay.rating.measures import estimates_by, standings
from assay.rating.pipeline import rate_decisions
from assay.testing import make_decisions
from examples.milepost_games import milepost_games, skill_of

METHODS = ("bayes", "conformance", "covariance", "gain", "markov")


def _fewest_inside(players: int, level: float = 0.95, chance: float = 0.001) -> int:
    """So many intervals hold the truth but for one run in a thousand, if each does at its level."""
    return int(binom.ppf(chance, players, level))


def test_intervals_hold_what_they_measure() -> None:
    """Agents of known skill; of the other methods the truth is what a large sample of the same agents has."""
    large, _ = rate_decisions(milepost_games([2000], games=90, games_each=90, seed=9), None, methods=METHODS)
    truth = {name: np.mean([one.measures[name].value for one in large]) for name in METHODS}
    truth["bayes"] = skill_of(2000)
    few, _ = rate_decisions(milepost_games([2000], games=80, games_each=5, seed=11), None, methods=METHODS)
    assert len(few) == 32
    for name in METHODS:
        found = [one.measures[name] for one in few]
        assert all(one.low < one.value < one.high for one in found), name
        assert sum(one.low <= truth[name] <= one.high for one in found) >= _fewest_inside(len(found)), name


def test_players_come_in_the_order_of_their_skill() -> None:
    new = milepost_games([1600, 2000, 2400], games=8, games_each=8)
    players, _ = rate_decisions(new, None, methods=METHODS)
    elos = [one.reference for one in players]
    assert elos == sorted(elos, reverse=True)
    assert all(one.combined is None and not one.ratings for one in players)


def test_games_all_alike_have_an_interval_all_the_same() -> None:
    """The jackknife sees no variance where every game has the same numbers; the moves still leave doubt."""
    new = milepost_games([2600], games=1, games_each=1, seed=3).table()
    place = new.schema.get_field_index("game_id")
    copies = [
        new.set_column(place, new.schema.field(place), pa.array([f"g{n}"] * len(new))) for n in range(5)
    ]
    players, _ = rate_decisions(Decisions.from_table(pa.concat_tables(copies)), None, methods=METHODS)
    for one in players:
        for found in one.measures.values():
            assert found.low < found.value < found.high, found


@pytest.mark.parametrize("games", [1, FEWEST_GAMES - 1])
def test_few_games_have_no_interval(games: int) -> None:
    new = milepost_games([1800, 2200], seed=6, games=games, games_each=games)
    players, _ = rate_decisions(new, None, methods=["gain", "bayes"])
    assert all(np.isnan(found.low) for one in players for found in one.measures.values())


def test_standings_need_no_unit() -> None:
    up = [{"a": Measure("a", "x", value)} for value in (1.0, 3.0, 2.0)]
    assert standings(up).tolist() == [0.0, 1.0, 0.5]
    down = [{"b": Measure("b", "y", value, rises=False)} for value in (10.0, 10.0, 50.0)]
    assert standings(down).tolist() == [0.75, 0.75, 0.0]
    both = standings([{**one, **other} for one, other in zip(up, down, strict=True)])
    assert both.tolist() == [0.375, 0.875, 0.25]
    assert np.isnan(standings([{}, up[0]])[0])


def test_nothing_in_the_table_can_be_read_as_elo(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("ASSAY_CALIBRATIONS", str(tmp_path))
    milepost_games([1800, 2200], games=4, games_each=4).write(tmp_path / "new.parquet")
    chosen = ["rate", str(tmp_path / "new.parquet"), "--method", "gain", "--method", "conformance"]
    assert main(chosen) == 0
    # The page wraps where the temporary folder's name puts it.
    shown = " ".join(capsys.readouterr().out.split())
    assert "no Elo" in shown
    assert "assay calibrate" in shown
    assert main([*chosen, "--details"]) == 0
    assert "mean gain, pawns (more is better)" in " ".join(capsys.readouterr().out.split())
    assert main([*chosen, "--csv"]) == 0
    header = capsys.readouterr().out.splitlines()[0].split(",")
    assert "elo" not in header
    assert {"method", "measure", "value", "low", "high"} <= set(header)


# A method's own numbers by player and by part of a player.


def test_rows_are_the_methods_own_estimates() -> None:
    decisions = make_decisions(games=6, plies=80)
    model = GainModel()
    rows = {row["player"]: row for row in estimates_by(model, decisions)}
    assert set(rows) == {"Ann", "Bob"}
    for player, row in rows.items():
        alone = model.estimate(model.profile(decisions.select(player=player)))
        assert row["mean_gain"] == pytest.approx(alone["mean_gain"].value)
        assert row["games"] == 6


def test_parts_of_a_player() -> None:
    decisions = make_decisions(games=10, plies=80)
    rows = estimates_by(MarkovModel(), decisions, "year")
    assert [row["year"] for row in rows if row["player"] == "Ann"] == ["2000", "2001", "2002", "2003", "2004"]
    games = estimates_by(GainModel(), decisions, "game")
    assert len(games) == 20
    assert all(row["game"].startswith("against ") for row in games)


def test_nothing_passes_the_rules() -> None:
    opening = make_decisions(games=2, plies=6)
    with pytest.raises(InputError, match="choose other games"):
        estimates_by(MarkovModel(), opening)
