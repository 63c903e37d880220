"""Files that commands read: decisions, mileposts, games by results."""

from pathlib import Path

import numpy as np
import pytest

from assay.decisions.decisions import Decisions
from assay.models.bayes import BayesModel
from assay.testing import make_decisions, simulate
from examples.gain_examples import with_column, with_game_ids
from examples.result_games import simulated, write_competition


@pytest.fixture(scope="session")
def source(tmp_path_factory: pytest.TempPathFactory) -> str:
    """Ann and Bob, ten games in five years."""
    path = tmp_path_factory.mktemp("commands") / "decisions.parquet"
    make_decisions(games=10, plies=80).write(path)
    return str(path)


@pytest.fixture(scope="session")
def opening(tmp_path_factory: pytest.TempPathFactory) -> str:
    """Decisions that pass the rules of no method: all are of the opening."""
    path = tmp_path_factory.mktemp("commands") / "opening.parquet"
    made = make_decisions(games=2)
    made.take(np.flatnonzero(made.numbers("ply") < 8)).write(path)
    return str(path)


@pytest.fixture(scope="session")
def meetings(tmp_path_factory: pytest.TempPathFactory) -> str:
    """Ann and Bob, who met in three events; Cid and Dan, who met each other."""
    path = tmp_path_factory.mktemp("commands") / "meetings.parquet"
    others = with_game_ids(make_decisions(games=6, seed=5, players=("Cid, E", "Dan, F")), "others")
    Decisions.concat([make_decisions(games=9), others]).write(path)
    return str(path)


@pytest.fixture(scope="session")
def six_games(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Ann and Bob, six games: game0 to game5."""
    path = tmp_path_factory.mktemp("skill") / "games.parquet"
    make_decisions(games=6, plies=60).write(path)
    return path


@pytest.fixture(scope="session")
def mileposts(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Agents of rising skill, rated 2000 to 2500: the mapping from c to Elo is known."""
    model, parts = BayesModel(), []
    for step in range(6):
        made = with_game_ids(make_decisions(games=8, plies=70, seed=step), str(step))
        for name in ("player_elo", "opponent_elo"):
            made = with_column(made, name, [2000 + 100 * step] * len(made))
        parts.append(simulate(made, model.agent(made, 0.8 + 0.2 * step), seed=step))
    path = tmp_path_factory.mktemp("mileposts") / "mileposts.parquet"
    Decisions.concat(parts).write(path)
    return path


@pytest.fixture
def files(tmp_path: Path) -> dict[str, Path]:
    """Games by results in the competition's format: to learn from, to forecast, and where to write."""
    games, _ = simulated(players=20, games=900, months=24)
    return {
        "train": write_competition(tmp_path / "training.csv", games.between(1, 20)),
        "test": write_competition(tmp_path / "test.csv", games.between(21, 24), results=False),
        "solved": write_competition(tmp_path / "solved.csv", games.between(21, 24)),
        "all": write_competition(tmp_path / "all.csv", games),
        "out": tmp_path / "predictions.csv",
    }
