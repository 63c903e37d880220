"""Games of rated players to calibrate with: for `assay calibrate` and docs/evidence/accuracy.md.

    python -m research mileposts MILEPOSTS OUT.pgn [--games 60] [--first 40]
    python -m research sides BELOW.pgn.zst STRONGER.pgn.zst OUT.pgn

MILEPOSTS is a folder of milepost-1500.pgn.zst and the like. Of each milepost, half of the games are drawn
at random; the other half come in clusters, six games of one player, so that what a player brings to all of
their games can be told from what changes from game to game. The mileposts take turns in the file: however
far its analysis gets, it is spread evenly. `sides` picks games of players below 1500, evenly over hundreds
of points, and games between players whose ratings are 300 points apart or more; at most two of any player,
and none of the events that are held out for evidence.
"""

from __future__ import annotations

import math
import random
import re
from collections import Counter, defaultdict
from collections.abc import Callable, Sequence
from itertools import zip_longest
from pathlib import Path

import zstandard

from research import command
from research.calibration.evaluated import is_held_out

CLUSTER = 6
"""Games of one player taken together, and then as many of anyone."""

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


def sides(words: Sequence[str]) -> None:
    """Pick games of players below 1500, and games between unequal players."""
    parser = command("sides", __doc__)
    parser.add_argument("below", type=Path, help="FIDE games of players below 2000")
    parser.add_argument("unequal", type=Path, help="FIDE games of stronger players")
    parser.add_argument("out", type=Path)
    parser.add_argument("--equal", type=int, default=200, help="games in which both are below 1500")
    parser.add_argument("--apart", type=int, default=40, help="games of each kind between unequal players")
    given = parser.parse_args(words)
    rng = random.Random(2012)
    below, stronger = read_games(given.below), read_games(given.unequal)
    rng.shuffle(below)
    rng.shuffle(stronger)
    taken: Counter[str] = Counter()
    weak = _spread_over_bands(below, given.equal, taken)
    far = _first(below, given.apart, taken, lambda low, high: low < 1500 and high - low >= 300)
    strong = _first(stronger, given.apart, taken, lambda low, high: high >= 2000 and high - low >= 300)
    turns = []
    for place, game in enumerate(weak):
        turns.append(game)
        if place % 5 == 4:
            turns += [games.pop(0) for games in (far, strong) if games]
    turns += far + strong
    given.out.write_text("\n".join(turns), encoding="utf-8")
    print(f"{len(turns)} games, {len(weak)} of them with both players below 1500")


def _elos(game: str) -> tuple[int, int] | None:
    """The lower and the higher of two published ratings, where the game has both and is not short."""
    tags = [re.search(rf'\[{side}Elo "(\d+)"', game) for side in ("White", "Black")]
    elos = sorted(int(tag[1]) for tag in tags if tag)
    if len(elos) < 2 or len(re.findall(r"\d+\.\s", game)) < FEWEST_MOVES:
        return None
    return elos[0], elos[1]


def _players(game: str) -> list[str]:
    return re.findall(r'\[(?:White|Black) "([^"]*)"', game)


def _may_be_taken(game: str, taken: Counter[str]) -> bool:
    """Whether neither player has two games already; games of events held out for evidence stay out."""
    event = re.search(r'\[Event "([^"]*)"', game)
    return all(taken[player] < 2 for player in _players(game)) and not (event and is_held_out(event[1]))


def _spread_over_bands(games: list[str], number: int, taken: Counter[str]) -> list[str]:
    """Games of two players from 1000 to 1499, so that every hundred points has about as many sides."""
    bands: Counter[int] = Counter()
    rest, chosen = list(games), list[str]()
    while len(chosen) < number:
        best, least = None, math.inf
        for place, game in enumerate(rest):
            elos = _elos(game)
            if elos is None or elos[0] < 1000 or elos[1] >= 1500 or not _may_be_taken(game, taken):
                continue
            crowd = sum(bands[elo // 100] for elo in elos) + (elos[0] // 100 == elos[1] // 100)
            if crowd < least:
                best, least = place, crowd
        if best is None:
            break
        game = rest.pop(best)
        chosen.append(game)
        taken.update(_players(game))
        bands.update(elo // 100 for elo in _elos(game) or ())
    return chosen


def _first(
    games: list[str], number: int, taken: Counter[str], wanted: Callable[[int, int], bool]
) -> list[str]:
    chosen: list[str] = []
    for game in games:
        elos = _elos(game)
        if len(chosen) < number and elos and wanted(*elos) and _may_be_taken(game, taken):
            chosen.append(game)
            taken.update(_players(game))
    return chosen
