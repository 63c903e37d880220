"""Forecasters of results and of moves by their names."""

from pathlib import Path

import pytest

from assay.cli import main
from assay.errors import InputError, MappingError
from assay.models.registry import methods
from assay.rating.backtest import backtest, forecasters
from assay.results.baselines import Colour
from assay.results.games import Rules, splits
from assay.testing import make_decisions
from assay.workspace import Workspace
from examples.packages import install_package
from examples.result_games import TRAINING


@pytest.fixture
def _one_more_model(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.syspath_prepend(str(install_package(tmp_path / "package")))


@pytest.mark.usefixtures("_one_more_model")
def test_a_model_of_moves_is_found_by_its_name() -> None:
    assert forecasters(["mean_rank"], decisions=make_decisions())[0].name == "mean_rank"
    with pytest.raises(InputError, match="give it a workspace"):
        forecasters(["mean_rank"])
    with pytest.raises(InputError, match=r"choose one of .*mean_rank"):
        forecasters(["nonsense"])


@pytest.mark.usefixtures("_one_more_model")
def test_the_command_reads_decisions_from_a_workspace(
    monkeypatch: pytest.MonkeyPatch, examples: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(Workspace, "decisions", lambda self, recipe: make_decisions())
    # The same games twice, the second time a year later: something to learn from, something to forecast.
    text = (examples / "tournament.pgn").read_text()
    later = tmp_path / "games.pgn"
    later.write_text(text + "\n\n" + text.replace('[Date "2026', '[Date "2027'))
    workspace = tmp_path / "w.assay"
    assert main(["import", str(later), "-w", str(workspace)]) == 0
    arguments = ["--sets", "1", "--least-games", "1", "--models", "mean_rank,colour"]
    assert main(["backtest", str(workspace), *arguments]) == 0
    assert "games forecast by colour alone" in capsys.readouterr().out
    assert main(["backtest", str(later), *arguments]) == 2


def test_every_method_of_the_registry_takes_part_or_says_why_not() -> None:
    sets = splits(TRAINING, 1, rules=Rules(months=12, least_games=1))
    decisions = make_decisions(plies=80)
    every = forecasters(list(methods()), decisions=decisions)
    found = backtest([*every, Colour()], sets, resamples=10)
    assert list(found.unable) == ["bayes"]
    assert "Elo mapping" in found.unable["bayes"]
    able = {row["forecaster"] for row in found.errors}
    assert able == {*methods(), "colour"} - {"bayes"}
    with pytest.raises(MappingError, match="Elo mapping"):
        backtest(forecasters(["bayes"], decisions=decisions), sets, resamples=10)
