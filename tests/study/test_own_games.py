"""Games of one player, who need not be named; rated by the evaluations they bring, in each time class."""

import re
from pathlib import Path
from random import Random

import pytest

from assay import Study
from assay.decisions.evaluation import is_on_scale, published_by
from assay.errors import InputError
from assay.source import open_source
from examples.commands import document, run, sentence
from examples.server_games import evaluated_game


@pytest.fixture
def mine(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Twelve games of one account, eight blitz and four rapid, and three blitz games without evaluations."""
    monkeypatch.setenv("ASSAY_SETTINGS", str(tmp_path / "settings.toml"))
    chosen, texts = Random(1), []
    for number in range(15):
        event = "Rated Rapid game" if number % 3 == 0 and number < 12 else "Rated Blitz game"
        sides = ("Ann_1", f"other{number % 4}")
        text = evaluated_game(number, *(sides if number % 2 else sides[::-1]), chosen, event)
        texts.append(text if number < 12 else re.sub(r"\[%eval [^]]*\]", "", text))
    path = tmp_path / "mine.pgn"
    path.write_text("".join(texts))
    return path


def test_the_player_of_all_games_is_rated_in_each_time_class(
    mine: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """By the comments, though an engine may be there; it is said what is rated how, before the answer."""
    answer = document(capsys, "rate", mine)
    assert [one["player"] for one in answer["players"]] == ["Ann_1"]
    assert (answer["scale"], answer["players"][0]["games"]) == ("lichess blitz", 8)
    (rapid,) = answer["others"]
    assert (rapid["scale"], rapid["players"][0]["games"]) == ("lichess rapid", 4)
    code, out, err = run(capsys, "rate", mine)
    assert code == 0
    how = err.splitlines()[0]
    assert "15 games, 12 of them rated by the evaluations" in how
    assert "(8 lichess blitz, 4 lichess rapid); 3 blitz without" in how
    assert "--evaluations engine rates all by the engine, in about" in how
    assert "Ann_1 · 8 games" in out
    assert "Lichess rapid, 4 games: Played like" in " ".join(out.split())
    assert "other1" not in out
    code, out, _ = run(capsys, "rate", mine, "--csv")
    assert {"lichess blitz", "lichess rapid"} <= set(re.split("[,\n]", out))


def test_opponents_too(mine: Path, capsys: pytest.CaptureFixture[str]) -> None:
    answer = document(capsys, "rate", mine, "--all-players")
    assert len(answer["players"]) == 5


def test_one_time_class(mine: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """By lichess's name for a game's class, which the answer is of; and only games since a day."""
    answer = document(capsys, "rate", mine, "--since", "1104", "--until", "1109")
    assert answer["players"][0]["games"] == 4
    assert answer["left_out"]["other_date"] == 9
    assert "others" in answer


def test_nobody_need_be_named(mine: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert document(capsys, "progress", mine)["player"] == "Ann_1"
    match = tmp_path / "match.pgn"
    match.write_text("".join(evaluated_game(number, "Ann_1", "Bob", Random(2)) for number in range(5)))
    assert "whose games?" in sentence(capsys, "progress", match)
    assert "whose games?" in sentence(capsys, "lesson", match)
    (tmp_path / "settings.toml").write_text('me = ["Bob", "Robert"]\n')
    assert Study(match).subject() == "Bob"
    assert document(capsys, "progress", match)["player"] == "Bob"


def test_server_ratings_stand_under_the_servers_name(mine: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for command in (("compare", mine, "Ann_1", "other1"), ("tournament", mine)):
        _, out, _ = run(capsys, *command)
        assert " lichess " in out
        assert "publ." not in out


def test_names_of_one_person_are_joined(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ASSAY_SETTINGS", str(tmp_path / "settings.toml"))
    (tmp_path / "settings.toml").write_text('me = ["Bob", "Robert_2"]\n')
    chosen, path = Random(3), tmp_path / "both.pgn"
    names = ("Bob", "Robert_2", "Robert_2", "Bob")
    path.write_text("".join(evaluated_game(n, me, f"other{n}", chosen) for n, me in enumerate(names)))
    study = Study(path)
    assert study.subject() == "Bob"
    assert study.rate(players=["Bob"])["Bob"].games == 4


def test_ratings_of_a_server_are_not_fides(mine: Path) -> None:
    assert published_by(["https://lichess.org/abc", "https://lichess.org/def", "London"]) == "lichess"
    assert published_by(["https://lichess.org/broadcast/x/y/z", None]) == ""
    assert is_on_scale("lichess", "lichess blitz")
    assert not is_on_scale("lichess", "FIDE Elo, classical")
    source = open_source(mine)
    source.check_published("lichess blitz", "--prior rating")
    with pytest.raises(InputError, match=r"--prior rating uses published ratings, .* lichess ratings"):
        source.check_published("FIDE Elo, classical", "--prior rating")
