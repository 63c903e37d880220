"""Games between players of different strength: for `assay calibrate`, beside those of pick_mileposts.py.

    python pick_unequal.py GAMES.pgn.zst OUT.pgn [--apart 300] [--games 90]

In milepost games both players are equals, so a sign of the opponent passes for one of the player. These games
tell the two apart (docs/traits.md).
"""

import argparse
import random
import re
from pathlib import Path

import zstandard

SEED = 1
LOWEST = 1400
FEWEST_MOVES = 25


def read_games(path: Path) -> list[str]:
    """The games of one file as texts."""
    with zstandard.open(path, "rt", encoding="utf-8", errors="replace") as file:
        return re.split(r"(?m)^(?=\[Event )", file.read())


def is_wanted(game: str, apart: int) -> bool:
    """Whether both ratings are known, high enough and far enough apart, and the game is not a short one."""
    elos = [re.search(rf'\[{side}Elo "(\d+)"', game) for side in ("White", "Black")]
    known = [int(elo[1]) for elo in elos if elo]
    if len(known) < 2 or min(known) < LOWEST or abs(known[0] - known[1]) < apart:
        return False
    return len(re.findall(r"\d+\.\s", game)) >= FEWEST_MOVES


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("source", type=Path)
    parser.add_argument("out", type=Path)
    parser.add_argument("--apart", type=int, default=300)
    parser.add_argument("--games", type=int, default=90)
    given = parser.parse_args()
    games = [game for game in read_games(given.source) if is_wanted(game, given.apart)]
    random.Random(SEED).shuffle(games)
    given.out.write_text("".join(games[: given.games]), encoding="utf-8")
    print(f"{min(len(games), given.games)} of {len(games)} games")


if __name__ == "__main__":
    main()
