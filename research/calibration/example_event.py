"""Choose the example event: games that people played, for `make demo`, the README and the tests.

    python -m research example-event GAMES.pgn.zst > src/assay/data/examples/island.pgn

The rule was written before anything was analysed. Of the events of GAMES (FIDE games of 2012 to 2018) take
those in which 4 to 8 players, each with one published rating, all met equally often, at most 30 games,
classical by the event's name, none of them in the files that calibrate the engines' scales
(research/calibration/*.parquet). Of these take the one whose published ratings have the largest standard
deviation. The evaluations in GAMES are left out, so that an engine has to analyse the example. The players
are amateurs: they and their event get other names, in the order of the published ratings.
"""

from __future__ import annotations

import io
import statistics
from collections import Counter, defaultdict
from collections.abc import Sequence
from pathlib import Path

import chess.pgn
import pyarrow.parquet as pq

from research import command
from research.calibration.mileposts import read_games

PLAYERS = range(4, 9)
MOST_GAMES = 30
TAGS = ("Date", "Round", "Result", "WhiteElo", "BlackElo", "ECO")
EVENT = "Island championship 2012"
NAMES = ("Alder,A", "Birch,B", "Cedar,C", "Elm,D", "Hazel,E", "Larch,F", "Maple,G", "Rowan,H")


def main(words: Sequence[str]) -> None:
    """Print the games of the event that the rule takes."""
    parser = command("example-event", __doc__)
    parser.add_argument("games", type=Path)
    events = defaultdict(list)
    for text in read_games(parser.parse_args(words).games):
        headers = chess.pgn.read_headers(io.StringIO(text))
        assert headers is not None
        events[headers["Event"], headers["Date"][:4]].append((headers, text))
    calibrated = {
        name
        for path in Path(__file__).parent.glob("*.parquet")
        for name in pq.read_table(path, columns=["event"])["event"].to_pylist()
    }
    spreads = {
        key: spread([headers for headers, _ in games])
        for key, games in events.items()
        if key[0] not in calibrated
    }
    chosen = events[max(spreads, key=lambda key: spreads[key])]
    elos = {tags[side]: int(tags[f"{side}Elo"]) for tags, _ in chosen for side in ("White", "Black")}
    names = dict(zip(sorted(elos, key=lambda player: (-elos[player], player)), NAMES, strict=False))
    for tags, text in chosen:
        game = chess.pgn.read_game(io.StringIO(text))
        assert game is not None
        sides = {side: names[tags[side]] for side in ("White", "Black")}
        unchanged = {name: tags[name] for name in TAGS}
        game.headers = chess.pgn.Headers({"Event": EVENT, **unchanged, **sides})
        print(game.accept(chess.pgn.StringExporter(columns=80, comments=False)), end="\n\n")


def spread(games: Sequence[chess.pgn.Headers]) -> float:
    """The standard deviation of published ratings, -1 for an event that the rule does not admit."""
    pairs = Counter(frozenset((game["White"], game["Black"])) for game in games)
    ratings = {
        (game[colour], game.get(f"{colour}Elo", "")) for game in games for colour in ("White", "Black")
    }
    players = {name for name, _ in ratings}
    complete = len(pairs) == len(players) * (len(players) - 1) / 2 and len(set(pairs.values())) == 1
    rated = len(ratings) == len(players) and all(elo.isdigit() for _, elo in ratings)
    classical = all(game.get("SpeedGuess") == "standard" for game in games)
    if not (complete and rated and classical and len(players) in PLAYERS and len(games) <= MOST_GAMES):
        return -1.0
    return statistics.pstdev(int(elo) for _, elo in ratings)
