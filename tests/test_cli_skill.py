"""`assay skill` as a user calls it: every use that the paper names."""

import json
import math
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from assay.cli import main
from assay.domain.decisions import Decisions
from assay.models import BayesModel
from assay.models.apparent_skill import map_to_elo
from assay.models.hypotheses import Hypothesis, log_probability
from assay.validation.simulate import simulate
from decision_tables import make_decisions


@pytest.fixture(scope="module")
def source(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("skill") / "games.parquet"
    make_decisions(games=6, plies=60).write(path)
    return path


@pytest.fixture(scope="module")
def mileposts(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Agents of rising skill, rated 2000 to 2500: the mapping from c to Elo is known."""
    model, parts = BayesModel(), []
    for step in range(6):
        table = make_decisions(games=8, plies=70, seed=step).to_table()
        elo = np.full(len(table), 2000 + 100 * step, np.int16)
        names = {
            "player_elo": elo,
            "opponent_elo": elo,
            "game_id": [f"{step}-{g}" for g in range(len(table))],
        }
        for name, values in names.items():
            table = table.set_column(table.schema.get_field_index(name), name, [values])
        parts.append(decisions := Decisions.from_table(table))
        parts[-1] = simulate(decisions, model.agent(decisions, 0.8 + 0.2 * step), seed=step)
    path = tmp_path_factory.mktemp("mileposts") / "mileposts.parquet"
    Decisions.concat(parts).write(path)
    return path


def call(capsys: pytest.CaptureFixture[str], *arguments: object) -> Any:
    assert main(["skill", *(str(one) for one in arguments), "--json"]) == 0
    return json.loads(capsys.readouterr().out)


def test_one_posterior_for_all(source: Path, capsys: pytest.CaptureFixture[str]) -> None:
    found = call(capsys, source)
    (row,) = found["rows"]
    model = BayesModel()
    estimate = model.estimate(model.profile(Decisions.read(source)))
    assert row["c"] == pytest.approx(estimate["c"].value)
    assert row["low"] == pytest.approx(estimate["c"].low)
    assert "own searched value" in found["outside"]


@pytest.mark.parametrize(
    ("options", "rows"),
    [
        (["--by", "player"], 2),
        (["--by", "game"], 12),
        (["--by", "year"], 6),
        (["--by", "event"], 6),
        (["--player", "Ann", "--game", "game3"], 1),
        (["--band", "2100:2500"], 1),
        (["--curve"], 3),
        (["--by", "result"], 4),
    ],
)
def test_every_grouping(
    source: Path, capsys: pytest.CaptureFixture[str], options: list[str], rows: int
) -> None:
    assert len(call(capsys, source, *options)["rows"]) == rows


def test_every_milepost(mileposts: Path, capsys: pytest.CaptureFixture[str]) -> None:
    rows = call(capsys, mileposts, "--by", "milepost", "--mileposts", mileposts)["rows"]
    assert [row["milepost"] for row in rows] == [str(2000 + 100 * step) for step in range(6)]
    assert [row["c"] for row in rows] == pytest.approx([0.8 + 0.2 * step for step in range(6)], abs=0.4)


def test_elo_through_mileposts(source: Path, mileposts: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (row,) = call(capsys, source, "--mileposts", mileposts)["rows"]
    assert row["elo_low"] < row["elo"] < row["elo_high"]


def test_a_sequence_under_a_player(source: Path, mileposts: Path, capsys: pytest.CaptureFixture[str]) -> None:
    model, decisions = BayesModel(), Decisions.read(source)
    rated = Hypothesis.rated(2300, map_to_elo(model, Decisions.read(mileposts)))
    (row,) = call(capsys, source, "--sequence", "2300", "--mileposts", mileposts)["rows"]
    expected = log_probability(model.profile(decisions), rated) / math.log(10)
    assert row["log10 probability"] == pytest.approx(expected)
    assert row["probability of a move"] == pytest.approx(10 ** (expected / row["decisions"]))
    (agent,) = call(capsys, source, "--sequence", "c=1.4")["rows"]
    assert agent["player"] == "c = 1.4"


def test_two_hypotheses_and_what_the_ratio_is_not(source: Path, capsys: pytest.CaptureFixture[str]) -> None:
    found = call(capsys, source, "--versus", "engine", "c=1")
    assert found["rows"][0]["log ratio"] < 0
    assert "no proof of cheating" in found["not"]
    assert main(["skill", str(source), "--versus", "engine", "c=1:2"]) == 0
    assert "no proof of cheating" in " ".join(capsys.readouterr().out.split())


def test_tables_say_what_became_of_moves_outside_the_lines(
    source: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["skill", str(source), "--by", "result", "--outside", "exclude"]) == 0
    assert "outside the lines are left out" in " ".join(capsys.readouterr().out.split())


def test_csv_and_figures(source: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["skill", str(source), "--by", "player", "--csv", "--figure", str(tmp_path / "f.html")]) == 0
    assert capsys.readouterr().out.splitlines()[0] == "player,games,decisions,c,deviation,low,high"
    assert main(["skill", str(source), "--curve", "--figure", str(tmp_path / "g.html")]) == 0
    for name in ("f.html", "g.html"):
        page = (tmp_path / name).read_text()
        assert "plotly" in page
        assert 'src="http' not in page


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--player", "Nobody"], "there is no player 'Nobody'"),
        (["--band", "high"], "is not a range"),
        (["--sequence", "2400"], "needs a recipe with a calibration"),
        (["--sequence", "strong"], "is no player"),
        (["--sequence", "c=1:x"], "is not a range"),
        (["--curve", "--by", "result"], "choose one of"),
        (["--by", "milepost"], "within 20 points"),
    ],
)
def test_wrong_use_is_one_sentence(
    source: Path, capsys: pytest.CaptureFixture[str], options: list[str], message: str
) -> None:
    assert main(["skill", str(source), *options]) == 2
    assert message in capsys.readouterr().err


def test_the_elo_interval_comes_from_games(
    source: Path, mileposts: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Six games, three of them played without a fault and three as they come: games differ."""
    decisions, model = Decisions.read(source), BayesModel()
    model.mapping = map_to_elo(model, Decisions.read(mileposts))
    good = decisions.select(game=["game0", "game2", "game4"])
    rest = decisions.select(game=["game1", "game3", "game5"])
    mixed = Decisions.concat([good.with_played(np.zeros(len(good), np.int64)), rest])
    mixed.write(tmp_path / "mixed.parquet")
    mixed = Decisions.read(tmp_path / "mixed.parquet")
    found = call(capsys, tmp_path / "mixed.parquet", "--mileposts", mileposts)
    (row,) = found["rows"]
    assert "games resampled" in found["intervals"]
    expected = model.rate_games(model.profiles_by(mixed))
    assert (row["elo_low"], row["elo_high"]) == pytest.approx((expected.low, expected.high))
    few = model.rate(model.profile(mixed))
    assert row["elo_high"] - row["elo_low"] > few.high - few.low
    assert (row["low"], row["high"]) == pytest.approx(model.posterior(model.profile(mixed)).region())
    for one in call(capsys, tmp_path / "mixed.parquet", "--by", "player", "--mileposts", mileposts)["rows"]:
        alone = model.rate_games(model.profiles_by(mixed.select(player=one["player"])))
        assert one["elo_low"] == pytest.approx(alone.low)
    assert main(["skill", str(source), "--mileposts", str(mileposts)]) == 0
    assert "games resampled where there are 5 or more" in " ".join(capsys.readouterr().out.split())
