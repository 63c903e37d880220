"""Which games Toga II analyses, and in which order."""

from pathlib import Path

import pyarrow as pa
import zstandard

from research.papers.difatta2009 import toga_games

GAME = """[Event "Open"]
[WhiteElo "{white}"]
[BlackElo "{black}"]

1. e4 e5 {turns}. Nf3 1-0

"""


def test_games_of_a_milepost_are_picked_by_rating_and_length(tmp_path: Path) -> None:
    games = [(2105, 2095, 30), (2105, 2111, 30), (2100, 2100, 19), (2090, 2110, 20)]
    text = "".join(GAME.format(white=white, black=black, turns=turns) for white, black, turns in games)
    file = tmp_path / "milepost-2100.pgn.zst"
    file.write_bytes(zstandard.compress(text.encode()))
    found = toga_games.pick(file, 2100, 5)
    assert sorted(game.split('WhiteElo "')[1][:4] for game in found) == ["2090", "2105"]
    assert len(toga_games.pick(file, 2100, 1)) == 1


def test_every_fourth_turn_of_all_games_comes_first_and_ends_of_games_last() -> None:
    played = [["e2e4"]] * 16 + [[]]
    missing = pa.table({"ply": pa.array([*range(16), 0]), "played": pa.array(played, pa.list_(pa.string()))})
    order = toga_games.in_passes(missing)
    turns = (order["ply"].to_numpy() // 2)[:16]
    assert (turns[:4] % 4).tolist() == [0] * 4
    assert (turns[4:8] % 4).tolist() == [2] * 4
    assert order["played"][16].as_py() == []
