"""What `assay method bayes` is asked, from the words of the command line."""

import math
from pathlib import Path

import pytest

from assay.cli import main
from assay.decisions.decisions import Decisions
from assay.models.base import recipe_of
from assay.models.bayes import BayesModel
from assay.models.bayes_skill import Hypothesis, log_probability
from assay.models.elo_mapping import ScalarMapping
from assay.rating.scale import scale_of_mileposts
from assay.rating.spread import LEAST_FORM
from examples.commands import document


def test_a_sequence_under_a_player(
    six_games: Path, mileposts: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    model, decisions = BayesModel(), Decisions.read(six_games)
    scale = scale_of_mileposts(BayesModel(), recipe_of(decisions), Decisions.read(mileposts))
    mapping = scale.mappings["bayes"]
    assert isinstance(mapping, ScalarMapping)
    rated = Hypothesis.rated(2300, mapping, LEAST_FORM)
    (row,) = document(capsys, "method", "bayes", six_games, "--sequence", "2300", "--mileposts", mileposts)[
        "rows"
    ]
    expected = log_probability(model.profile(decisions), rated) / math.log(10)
    assert row["log10 probability"] == pytest.approx(expected)
    assert row["probability of a move"] == pytest.approx(10 ** (expected / row["decisions"]))
    (agent,) = document(capsys, "method", "bayes", six_games, "--sequence", "c=1.4")["rows"]
    assert agent["player"] == "c = 1.4"


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--player", "Nobody"], "there is no player 'Nobody'"),
        (["--band", "high"], "is not a range"),
        (["--sequence", "2400"], "use a recipe with a calibration"),
        (["--sequence", "strong"], "does not describe a player"),
        (["--sequence", "c=1:x"], "is not a range"),
        (["--curve", "--by", "result"], "choose one of"),
        (["--by", "milepost"], "one century of rating"),
    ],
)
def test_wrong_use_is_one_sentence(
    six_games: Path, capsys: pytest.CaptureFixture[str], options: list[str], message: str
) -> None:
    assert main(["method", "bayes", str(six_games), *options]) == 2
    assert message in capsys.readouterr().err
