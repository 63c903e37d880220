"""Published ratings since March 2024, and players without a name, where a file is rated."""

import json
import re
from pathlib import Path

import pytest

from assay.cli import main
from assay.decisions.elo import before_march_2024, published
from examples.server_games import evaluated_games


def test_fide_ratings_of_today_on_the_scale_before_march_2024() -> None:
    """R + 0.4 (2000 - R), backwards."""
    for before in (1000.0, 1400.0, 1990.0):
        assert before_march_2024(before + 0.4 * (2000 - before)) == pytest.approx(before)
    assert before_march_2024([2000.0, 2400.0]).tolist() == [2000.0, 2400.0]


def fide_games(year: int, named: bool = True) -> str:
    """Games evaluated by Stockfish at depth 16, of players whose published ratings are 1700."""
    text = re.sub(r'\[Site "[^"]*"\]', '[Site "Paris"]\n[Annotator "Stockfish depth 16"]', evaluated_games(4))
    text = re.sub(r"\[%clk [^\]]*\]", "", text)
    text = re.sub(r'\[(UTC)?Date "[^"]*"\]\n', "", re.sub(r'Elo "\d+"', 'Elo "1700"', text))
    text = text.replace("[Site", f'[Date "{year}.05.01"]\n[Site')
    text = re.sub(r'\[Event "[^"]*"\]', '[Event "Open"]', re.sub(r'\[TimeControl "[^"]*"\]\n', "", text))
    text = re.sub(r"player(\d)", lambda name: f"Player, {'ABCDE'[int(name[1])]}", text)
    return text if named else re.sub(r'(White|Black) "[^"]+"', r'\1 "?"', text)


def rated(path: Path, text: str, capsys: pytest.CaptureFixture[str]) -> list[dict[str, object]]:
    path.write_text(text)
    assert main(["rate", str(path), "--evaluations", "file", "--all-players", "--json"]) == 0
    return json.loads(capsys.readouterr().out)["players"]


@pytest.mark.parametrize(("year", "reference"), [(2018, 1700.0), (2025, 1500.0)])
def test_published_ratings_are_compared_on_one_scale(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], year: int, reference: float
) -> None:
    players = rated(tmp_path / "games.pgn", fide_games(year), capsys)
    assert {player["reference"] for player in players} == {reference}
    simulated = rated(tmp_path / "agents.pgn", fide_games(year).replace("Player, ", "Agent 1"), capsys)
    assert {player["reference"] for player in simulated} == {1700.0}


def test_each_rating_is_converted_by_the_date_of_its_game(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """A file that mixes dates: 1700 of 2018 stays, 1700 of 2025 is 1500; also where the file is streamed."""
    text = fide_games(2018) + "\n" + fide_games(2025).replace("Player, ", "Later, ")
    path = tmp_path / "games.pgn"
    players = rated(path, text, capsys)
    expected = {True: 1700.0, False: 1500.0}
    assert {player["player"]: player["reference"] for player in players} == {
        player["player"]: expected[str(player["player"]).startswith("Player")] for player in players
    }
    assert len({player["reference"] for player in players}) == 2
    assert main(["rate", str(path), "--stream", "--all-players", "--json"]) == 0
    streamed = json.loads(capsys.readouterr().out)["players"]
    assert {player["player"]: player["reference"] for player in streamed} == {
        player["player"]: player["reference"] for player in players
    }


@pytest.mark.parametrize(
    ("date", "site", "name", "elo"),
    [
        ("2024.02.29", "Paris", "Player, A", 1700),
        ("2024.03.01", "Paris", "Player, A", 1500),
        ("????.??.??", "Paris", "Player, A", 1700),
        ("2025-01-01", "https://lichess.org/abc", "Player, A", 1700),
        ("2025-01-01", "https://lichess.org/broadcast/abc", "Player, A", 1500),
        ("2025.01.01", "Paris", "Maia 1700", 1700),
    ],
)
def test_which_ratings_are_fides_of_today(date: str, site: str, name: str, elo: int) -> None:
    assert published(1700, date, site, name) == elo
    assert published(2100, date, site, name) == 2100
    assert published(None, date, site, name) is None


def test_another_version_of_the_evaluator_is_provisional_and_wider(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    answers = []
    for version in ("Stockfish depth 16", "Stockfish 8 depth 16", "Stockfish 16 depth 16"):
        path = tmp_path / f"{version}.pgn"
        path.write_text(fide_games(2018).replace("Stockfish depth 16", version))
        assert main(["rate", str(path), "--evaluations", "file", "--all-players", "--json"]) == 0
        answers.append(json.loads(capsys.readouterr().out))
    same, other, network = answers
    assert network["scale"] is None
    assert other["scale"] == same["scale"]
    assert [any("provisional" in note for note in answer["notes"]) for answer in (same, other)] == [
        False,
        True,
    ]
    for one, also in zip(same["players"], other["players"], strict=True):
        widths = [rated["combined"]["high"] - rated["combined"]["low"] for rated in (one, also)]
        assert widths[1] > widths[0]


def test_two_players_without_a_name_are_not_one(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    players = rated(tmp_path / "games.pgn", fide_games(2018, named=False), capsys)
    assert len(players) == len({player["player"] for player in players})
    assert {player["games"] for player in players} == {1}
    assert {str(player["player"])[:8] for player in players} == {"? (White", "? (Black"}
