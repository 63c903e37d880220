"""A game as it is being played: the file that grows."""

from collections.abc import Callable
from pathlib import Path

import pytest

from assay.errors import InputError
from assay.live.game import GameSoFar, follow, read_game
from examples.gain_examples import annotated_pgn


@pytest.mark.parametrize(
    ("content", "number", "message"),
    [
        ("", None, "there is no game in"),
        ('[White "A"]\n\n1. e4 *\n', 2, "no game 2"),
        ('[White "A"]\n[Variant "Chess960"]\n\n1. e4 *\n', None, "usual rules"),
        ('[White "A"]\n[FEN "garbage"]\n\n1. e4 *\n', None, "not possible"),
        ('[White "A"]\n[FEN "8/8/8/8/8/8/8/8 w - - 0 1"]\n\n1. e4 *\n', None, "not possible"),
    ],
)
def test_files_without_the_game_are_clear_errors(
    tmp_path: Path, content: str, number: int | None, message: str
) -> None:
    path = tmp_path / "game.pgn"
    path.write_text(content)
    with pytest.raises(InputError, match=message):
        read_game(path, number)


def test_the_last_game_of_a_file_is_the_one(tmp_path: Path) -> None:
    path = tmp_path / "games.pgn"
    path.write_text('[White "A"]\n\n1. e4 *\n\n[White "B"]\n\n1. d4 *\n')
    assert read_game(path).record.white_name == "B"
    assert read_game(path, 1).record.white_name == "A"


def script(path: Path, steps: list[str | None]) -> Callable[[float], None]:
    """Instead of sleeping: write the next content; None takes the file away."""
    left = iter(steps)

    def sleep(_: float) -> None:
        content = next(left)
        if content is None:
            path.unlink()
        else:
            path.with_suffix(".new").write_text(content)
            path.with_suffix(".new").replace(path)

    return sleep


def test_following_a_broadcast(tmp_path: Path) -> None:
    path = tmp_path / "live.pgn"
    one, two, end = annotated_pgn(10, "*"), annotated_pgn(12, "*"), annotated_pgn(12, "1/2-1/2")
    half = one[: one.index("3... Bg7") + 4]
    corrected = annotated_pgn(9, "*")
    steps: list[str | None] = ["", half, one, one, None, two, corrected, two, end]
    seen: list[GameSoFar] = list(follow(path, sleep=script(path, steps)))
    assert [len(game.moves) for game in seen] == [5, 10, 12, 9, 12, 12]
    assert [game.record.result for game in seen] == [None] * 5 + [0.5]
