"""Games of rated players to calibrate with: for `assay calibrate` and docs/accuracy.md.

    python -m research mileposts MILEPOSTS OUT.pgn [--games 60] [--first 40]
    python -m research unequal GAMES.pgn.zst OUT.pgn [--apart 300] [--games 90]

MILEPOSTS is a folder of milepost-1500.pgn.zst and the like. Of each milepost, half of the games are drawn at
random; the other half come in clusters, six games of one player, so that what a player brings to all of their
games can be told from what changes from game to game. The mileposts take turns in the file: however far its
analysis gets, it is spread evenly. `unequal` picks games between players whose ratings are far apart.
"""

from __future__ import annotations

import random
import re
from collections import defaultdict
from collections.abc import Sequence
from itertools import zip_longest
from pathlib import Path

import zstandard

from research import command

CLUSTER = 6
"""Games of one player taken together, and then as many of anyone."""

LOWEST = 1400
FEWEST_MOVES = 25


def read_games(path: Path) -> list[str]:
    """The games of one file as texts."""
    with zstandard.open(path, "rt", encoding="utf-8", errors="replace") as file:
        return ["[Event " + game for game in file.read().split("[Event ")[1:]]


def pick(games: list[str], number: int, rng: random.Random) -> list[str]:
    """Some games: a cluster, as many at random, the next cluster, and so on."""
    by_player = defaultdict(list)
    for index, game in enumerate(games):
        for player in re.findall(r'\[(?:White|Black) "([^"]*)"', game):
            by_player[player].append(index)
    # Only players with games enough; where they are few (1500 and 1700 have none), with the most there are.
    most = sorted((len(indices) for indices in by_player.values()), reverse=True)
    least = max(2, min(CLUSTER, most[min(len(most), number // CLUSTER) - 1]))
    players = sorted(player for player, indices in by_player.items() if len(indices) >= least)
    rng.shuffle(players)
    others = list(range(len(games)))
    rng.shuffle(others)
    chosen: dict[int, None] = {}
    while len(chosen) < min(number, len(games)):
        cluster = by_player[players.pop()] if players else []
        fresh = [index for index in cluster if index not in chosen]
        for index in rng.sample(fresh, min(CLUSTER, len(fresh))):
            chosen[index] = None
        at_random = [index for index in others if index not in chosen][:CLUSTER]
        chosen.update(dict.fromkeys(at_random))
    return [games[index] for index in list(chosen)[:number]]


def main(words: Sequence[str]) -> None:
    """Pick milepost games."""
    parser = command("mileposts", __doc__)
    parser.add_argument("mileposts", type=Path)
    parser.add_argument("out", type=Path)
    parser.add_argument("--games", type=int, default=60)
    parser.add_argument("--first", type=int, help="only the first so many of each milepost that are picked")
    given = parser.parse_args(words)
    rng = random.Random(2012)
    files = sorted(given.mileposts.glob("milepost-*.pgn.zst"))
    picked = [pick(read_games(path), given.games, rng)[: given.first] for path in files]
    turns = [game for round_ in zip_longest(*picked) for game in round_ if game is not None]
    given.out.write_text("\n".join(turns), encoding="utf-8")
    print(f"{len(turns)} games of {len(files)} mileposts")


def is_unequal(game: str, apart: int) -> bool:
    """Whether both ratings are published, high enough and far enough apart, and the game is not short."""
    tags = [re.search(rf'\[{side}Elo "(\d+)"', game) for side in ("White", "Black")]
    elos = [int(tag[1]) for tag in tags if tag]
    if len(elos) < 2 or min(elos) < LOWEST or abs(elos[0] - elos[1]) < apart:
        return False
    return len(re.findall(r"\d+\.\s", game)) >= FEWEST_MOVES


def unequal(words: Sequence[str]) -> None:
    """Pick games between players of different strength."""
    parser = command("unequal", __doc__)
    parser.add_argument("source", type=Path)
    parser.add_argument("out", type=Path)
    parser.add_argument("--apart", type=int, default=300)
    parser.add_argument("--games", type=int, default=90)
    given = parser.parse_args(words)
    games = [game for game in read_games(given.source) if is_unequal(game, given.apart)]
    random.Random(1).shuffle(games)
    given.out.write_text("".join(games[: given.games]), encoding="utf-8")
    print(f"{min(len(games), given.games)} of {len(games)} games")
