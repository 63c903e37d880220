"""The example event is the one that its rule takes."""

from collections.abc import Callable
from itertools import combinations
from pathlib import Path

import chess.pgn
import pytest

from research.calibration.example_event import main, spread


def round_robin(*elos: str, speed: str = "standard") -> list[chess.pgn.Headers]:
    players = [(f"Player {number}", elo) for number, elo in enumerate(elos)]
    return [
        chess.pgn.Headers(White=a, Black=b, WhiteElo=x, BlackElo=y, SpeedGuess=speed)
        for (a, x), (b, y) in combinations(players, 2)
    ]


def test_which_events_the_rule_admits() -> None:
    games = round_robin("1800", "2000", "2000", "2200")
    assert spread(games) == spread(games * 2) == pytest.approx(20_000**0.5)
    assert spread(games[1:]) == -1, "somebody has not met somebody"
    assert spread(games * 6) == -1, "too many games"
    assert spread(round_robin("1800", "2000", "2200")) == -1, "too few players"
    assert spread(round_robin("1800", "2000", "", "2200")) == -1, "somebody is unrated"
    assert spread(round_robin("1800", "2000", "2000", "2200", speed="blitz")) == -1


def test_the_example_is_what_the_rule_takes(
    shared_data: Callable[[str], Path], examples: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    main([str(shared_data("evaluated/twic-fide-stockfish.pgn.zst"))])
    assert capsys.readouterr().out == (examples / "island.pgn").read_text(encoding="utf-8")
