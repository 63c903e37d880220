"""`assay rate` where games are streamed, as a user types it."""

import json
from pathlib import Path

import pyarrow as pa
import pytest

from assay import study
from examples.commands import document, printed, run, sentence
from examples.server_games import evaluated_games


@pytest.fixture(autouse=True)
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))


@pytest.fixture
def games(tmp_path: Path) -> Path:
    path = tmp_path / "games.pgn"
    path.write_text(evaluated_games(9))
    return path


def test_sources_stand_apart(capsys: pytest.CaptureFixture[str], games: Path, tmp_path: Path) -> None:
    said = ("rate", games, "--evaluations", "file", "--stream", "--jobs", "1")
    found = document(capsys, *said)
    assert found["streamed"] is True
    blitz, rapid = found["sources"]
    assert (blitz["source"], rapid["source"]) == ("evaluated-lichess-blitz", "evaluated-lichess-rapid")
    assert "players" not in found
    assert {one["player"] for one in found["sources"][0]["players"]} <= {f"player{n}" for n in range(5)}
    text = " ".join(printed(capsys, *said).split())
    assert "no workspace is written, duplicates are not sought" in text
    assert not list(tmp_path.glob("*.assay"))
    rows = printed(capsys, *said, "--csv").splitlines()
    assert rows[0].startswith("source,player,")


def test_bands_and_one_source(capsys: pytest.CaptureFixture[str], games: Path) -> None:
    games.write_text(evaluated_games(6).replace("Rated Rapid", "Rated Blitz"))
    found = document(capsys, "rate", games, "--evaluations", "file", "--by", "rating-band", "--jobs", "1")
    assert found["players"] == found["sources"][0]["players"]
    assert all(one["player"].endswith("99") for one in found["players"])


def test_population_tables(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    path, out = tmp_path / "games.pgn", tmp_path / "population.json"
    path.write_text(evaluated_games(180, n_players=40).replace("Rated Rapid", "Rated Blitz"))
    printed(capsys, "rate", path, "--evaluations", "file", "--population", out, "--jobs", "1")
    first, *_ = json.loads(out.read_text())
    assert (first["source"], first["band"]) == ("evaluated-lichess-blitz", None)


def test_a_file_that_is_cut_is_rated_and_told(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    path = tmp_path / "cut.pgn.zst"
    with pa.CompressedOutputStream(str(path), "zstd") as file:
        file.write(evaluated_games(300).encode())
    path.write_bytes(path.read_bytes()[: path.stat().st_size * 3 // 4])
    code, out, _ = run(capsys, "rate", path, "--evaluations", "file", "--stream", "--jobs", "1", "--json")
    assert code == 2
    assert "cut off" in json.loads(out)["damage"][0]


def test_which_games_are_streamed(
    capsys: pytest.CaptureFixture[str], games: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """By their size, where the file's comments tell the values, and no workspace is named or there."""
    said = ("rate", games, "--evaluations", "file", "--time", "all", "--jobs", "1")
    monkeypatch.setattr(study, "STREAMED_BYTES", 10)
    assert document(capsys, *said)["streamed"]
    assert "streamed" not in document(capsys, *said, "--workspace", tmp_path / "w.assay")
    assert "streamed" not in document(capsys, *said, "--no-stream")
    assert "streamed" not in document(capsys, *said)  # there is a workspace now


def test_what_a_stream_cannot_do(capsys: pytest.CaptureFixture[str], games: Path) -> None:
    said = ("rate", games, "--stream", "--evaluations")
    assert "--player takes all games at once" in sentence(capsys, *said, "file", "--player", "player1")
    assert "--prior takes all games at once" in sentence(capsys, *said, "file", "--prior", "pool")
    assert "leave --stream out" in sentence(capsys, *said, "engine")
    assert "leave --no-stream out" in sentence(capsys, "rate", games, "--no-stream", "--by", "rating-band")
