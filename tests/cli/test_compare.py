"""Panel Compare, as a user types it."""

import json
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from assay.cli import main
from assay.rating.calibration import Calibration, place_of
from assay.rating.spread import BridgeError
from examples.commands import printed
from examples.gain_examples import BYRNE, FISCHER, printed_decisions
from examples.milepost_games import milepost_games


@pytest.mark.parametrize(
    "arguments",
    [
        ("compare", "Ann", "Bob", "--limit", "1000000000"),
        ("forecast", "Ann", "Bob", "--resamples", "1000000000"),
    ],
    ids=" ".join,
)
def test_numbers_beyond_sense_are_refused_before_the_work(
    arguments: tuple[str, ...], source: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main([arguments[0], source, *arguments[1:]]) == 2
    assert "Invalid value" in capsys.readouterr().err


def test_one_table_for_each_event(capsys: pytest.CaptureFixture[str], meetings: str) -> None:
    tables = json.loads(printed(capsys, "tournament", meetings, "--json", "--resamples", "0"))
    assert [table["event"] for table in tables] == ["event0", "event1", "event2"]


def test_separate_groups_are_said(capsys: pytest.CaptureFixture[str], meetings: str) -> None:
    asked = ("tournament", meetings, "--from", "career", "--json")
    [plain] = json.loads(printed(capsys, *asked))
    assert plain["scale"] is None
    assert {one["rating"] for one in plain["players"]} == {None}
    assert "perceived" not in json.dumps(plain)
    [table] = json.loads(printed(capsys, *asked, "--perceived"))
    assert len(table["groups"]) == 2
    assert "own" in table["notes"][0]
    by_name = {player["player"]: player for player in table["players"]}
    ann, bob = by_name["Ann"], by_name["Bob"]
    both = ann["perceived_strength"]["value"] + bob["perceived_strength"]["value"]
    assert both == pytest.approx(ann["elo"] + bob["elo"], abs=0.2)
    assert [cell["opponent"] for cell in ann["opponents"]] == ["Bob"]
    [everyone] = json.loads(
        printed(capsys, "tournament", meetings, "--from", "career", "--pairs", "all", "--json")
    )
    assert len(everyone["groups"]) == 1
    assert len(everyone["players"][0]["opponents"]) == 3


def test_a_measured_engine_is_nearer_than_its_peak(capsys: pytest.CaptureFixture[str], meetings: str) -> None:
    found = []
    for profile in ("peak", "measured"):
        options = ("--from", "career", "--engine-profile", profile, "--resamples", "0", "--json")
        [table] = json.loads(printed(capsys, "tournament", meetings, "--perceived", *options))
        found.append(table["perceived_engine_strength"]["by_elo"])
    assert found[0] != found[1]


def test_the_paper_s_two_players(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    path = str(tmp_path / "game.parquet")
    printed_decisions().write(path)
    found = json.loads(printed(capsys, "compare", path, "fischer", "Byrne", "--json", "--perceived"))
    assert [player["player"] for player in found["players"]] == [FISCHER, BYRNE]
    assert found["expectation"]["value"] == pytest.approx(0.655, abs=5e-4)
    assert found["perceived_difference"]["value"] == pytest.approx(113, abs=0.5)
    assert not found["resampled"]
    assert "113" not in printed(capsys, "compare", path, "Fischer", "Byrne")
    shown = printed(capsys, "compare", path, "Fischer", "Byrne", "--perceived")
    assert "Perceived difference +113" in shown
    assert "too few games to resample" in shown


def test_a_player_in_two_periods(capsys: pytest.CaptureFixture[str], meetings: str) -> None:
    shown = printed(capsys, "compare", meetings, "Ann@2000-2001", "Ann@2003")
    assert "Ann@2000-2001 against Ann@2003" in shown


@pytest.mark.parametrize(
    ("names", "message"),
    [
        (("Ann", "Zed"), "there is no player 'Zed'"),
        (("Ann@1900", "Bob"), "choose other years"),
        (("Ann@x", "Bob"), "there is no event 'x'"),
    ],
)
def test_wrong_players_are_clear_errors(
    capsys: pytest.CaptureFixture[str], meetings: str, names: tuple[str, str], message: str
) -> None:
    assert main(["compare", meetings, *names]) == 2
    assert message in capsys.readouterr().err


def test_strength_through_an_engine_of_known_strength(
    capsys: pytest.CaptureFixture[str], meetings: str
) -> None:
    asked = ("tournament", meetings, "--resamples", "0", "--engine-profile", "peak")
    [table, *_] = json.loads(printed(capsys, *asked, "--engine-strength", "2860", "--json"))
    for one in table["players"]:
        through = one["perceived_through_engine"]
        assert through["low"] < through["value"] < through["high"]
    assert table["engine_strength"] == 2860
    shown = " ".join(printed(capsys, *asked, "--engine-strength", "2860").split())
    assert "of strength 2860 (Algorithm 4): perceived strength" in shown
    assert "through" not in printed(capsys, *asked)


def test_the_engine_s_strength_from_another_event(capsys: pytest.CaptureFixture[str], meetings: str) -> None:
    asked = ("compare", meetings, "Ann@event1", "Bob@event1", "--engine-profile", "peak", "--json")
    found = json.loads(printed(capsys, *asked, "--engine-from", "event0"))
    tables = json.loads(
        printed(
            capsys,
            "tournament",
            meetings,
            "--perceived",
            "--engine-profile",
            "peak",
            "--json",
            "--resamples",
            "0",
        )
    )
    assert found["engine_strength"] == tables[0]["perceived_engine_strength"]["by_elo"]
    again = json.loads(printed(capsys, *asked, "--engine-strength", str(found["engine_strength"])))
    values = [[one["perceived_through_engine"]["value"] for one in d["players"]] for d in (found, again)]
    assert values[0] == pytest.approx(values[1], abs=0.11)
    assert main([*asked, "--engine-from", "event0", "--engine-strength", "2800"]) == 2
    assert "choose one" in capsys.readouterr().err


@pytest.mark.parametrize("word", ["provisional", "bridge"])
@pytest.mark.parametrize("command", ["compare", "forecast", "career", "tournament"])
def test_a_provisional_scale_or_a_bridge_is_called_so_by_every_command(
    command: str,
    word: str,
    capsys: pytest.CaptureFixture[str],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    calibration: Calibration,
) -> None:
    """Fifty players in games are too few to trust; ratings on such a scale never stand without a word.

    Nor do ratings on a scale that a bridge carried over.
    """
    spread = calibration.spread
    if word == "provisional":
        poor = replace(calibration, spread=replace(spread, milepost_games=5.0))
    else:
        exact = np.zeros((len(spread.methods), len(spread.methods)))
        about = {"games": 70, "bridge": {"recipe": "standard", "engine": "Fish", "games": 650}}
        bridge = BridgeError(spread.centre, exact, exact)
        poor = replace(calibration, spread=replace(spread, bridge=bridge), about=about)
    monkeypatch.setenv("ASSAY_CALIBRATIONS", str(tmp_path))
    poor.write(place_of(poor.recipe_id, tmp_path))
    decisions = milepost_games([1800, 2400], seed=5, games=4, games_each=2)
    source = tmp_path / "decisions.parquet"
    decisions.write(source)
    one, other = sorted(decisions.players)[:2]
    names = {"career": [one], "tournament": []}.get(command, [one, other])
    asked = [
        command,
        str(source),
        *names,
        *(["--resamples", "0"] if command in ("forecast", "tournament") else []),
    ]
    assert main(asked) == 0
    said = capsys.readouterr()
    assert word in f"{said.out} {said.err}"
