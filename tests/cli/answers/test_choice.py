"""What `assay method choice` answers."""

import pytest

from assay.decisions.decisions import Decisions
from assay.models.choice.model import ChoiceModel
from examples.commands import document, printed, run, sentence


def test_the_fit_and_what_its_agent_projects(capsys: pytest.CaptureFixture[str], source: str) -> None:
    found = document(capsys, "method", "choice", source)
    model, decisions = ChoiceModel(), Decisions.read(source)
    fit = model.fit(decisions, "percentile")
    assert (found["s"], found["c"], found["decisions"]) == pytest.approx((fit.s, fit.c, fit.decisions))
    low, high = found["interval"]["s"]
    assert low < found["s"] < high
    names = [one["name"] for one in found["projections"]]
    assert len(names) == len(set(names))
    lines = printed(capsys, "method", "choice", source, "--csv").splitlines()
    assert len(lines) == 1 + len(names)
    said = printed(capsys, "method", "choice", source)
    assert f"s = {fit.s:.3f}, c = {fit.c:.3f} (percentile" in said


def test_c_can_be_held(capsys: pytest.CaptureFixture[str], source: str) -> None:
    found = document(capsys, "method", "choice", source, "--c", 0.5, "--fit", "likelihood")
    assert found["c"] == 0.5
    assert found["interval"] is None


def test_players_on_the_scale_of_mileposts(
    capsys: pytest.CaptureFixture[str], source: str, mileposts: object
) -> None:
    code, out, said = run(
        capsys, "method", "choice", source, "--by", "player", "--mileposts", mileposts, "--csv"
    )
    assert code == 0, said
    head, *rows = out.splitlines()
    assert head == "group,games,decisions,s,c,elo,low,high,published,difference"
    assert [row.split(",")[0] for row in rows] in (["Ann", "Bob"], ["Bob", "Ann"])
    code, out, said = run(
        capsys,
        *("method", "choice", source, "--by", "player", "--mileposts", mileposts, "--min-decisions", 99_999),
    )
    assert "left out: 2 of 2 groups (" in said
    assert "there is no player to rate: give more games, or lower --min-decisions" in said
    assert (code, out) == (2, "")


def test_without_a_scale_s_and_c_are_told_and_no_elo(capsys: pytest.CaptureFixture[str], source: str) -> None:
    """Regan and Haworth's question 3 on games whose recipe has no calibration."""
    found = document(capsys, "method", "choice", source, "--by", "player")
    for row in found["rows"] if isinstance(found, dict) else found:
        assert row["s_low"] <= row["s"] <= row["s_high"]
        assert row["c_low"] <= row["c"] <= row["c_high"]
        assert row["elo"] is None
    said = " ".join(printed(capsys, "method", "choice", source, "--by", "player").split())
    assert "Sensitivity and consistency by player" in said
    assert "there is no Elo scale for choice here" in said


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--by", "period"], "give the periods to compare"),
        (["--by", "period", "--period", "then"], "then"),
        (["--fit", "guess"], "guess"),
    ],
)
def test_wrong_use_is_one_sentence(
    capsys: pytest.CaptureFixture[str], source: str, mileposts: object, options: list[str], message: str
) -> None:
    assert message in sentence(capsys, "method", "choice", source, *options, "--mileposts", mileposts)
