"""Twenty champions in the box: pick their games, and make of their analyses the evidence that ships.

    python -m research champions-pick CAREERS OUT.pgn --first 5 [--after 0]
    python -m research champions WORKSPACE CAREERS

CAREERS is the folder of all games of the champions. `champions-pick` puts the classical games of each
champion and year into an order that a hash of SEED and the game decides, and writes those after the first
`--after` up to the first `--first` of every year: what is picked first is part of what is picked later.
`champions` reads the analyses of such games and writes the evidence of every champion and year to
src/assay/data/champions.npz.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterator, Sequence
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import chess
import chess.pgn

from assay import Workspace
from research import command

SEED = "assay champions 2026"

CHAMPIONS = (
    "Steinitz, William",
    "Lasker, Emanuel",
    "Capablanca, Jose Raul",
    "Alekhine, Alexander",
    "Euwe, Max",
    "Botvinnik, Mikhail",
    "Smyslov, Vassily",
    "Tal, Mihail",
    "Petrosian, Tigran V",
    "Spassky, Boris V",
    "Fischer, Robert James",
    "Karpov, Anatoly",
    "Kasparov, Gary",
    "Khalifman, Alexander",
    "Kramnik, Vladimir",
    "Ponomariov, Ruslan",
    "Kasimdzhanov, Rustam",
    "Topalov, Veselin",
    "Anand, Viswanathan",
    "Carlsen,Magnus",
)

NOT_CLASSICAL = re.compile(
    r"blind|rapid|\brap\b|blitz|speed|active|bullet|g/\d|\d+m\b|\bexh|simul|\bsim\b|\bsim\d|TV|advanced|internet"
    r"|online|casual|training|banter|showdown|(karpov|ccas).*troph|troph.*(karpov|ccas)|corsica|eurotel|immopar"
    r"|esports|crypto cup|pro league|titled|clutch|lindores|man.?(vs|machine|comp)|computer|freestyle|consult"
    r"|intel.gp|pca.gp|giants|chess classics|champions duel|dual of|leon (gm|masters|m\b)|ciudad|salamanca"
    r"|villarrobledo|gartenschach|play.?off|\btb\b|arctic stars|moscow stars|region group cup",
    re.IGNORECASE,
)
"""Words in the name of an event whose games are not classical, beyond the rules that `assay rate` applies."""

NOT_CLASSICAL_SITE = re.compile(
    r"\bINT$|internet|chess24|lichess|chess\.com|\bICC\b|playchess|cap d'agde|bastia", re.IGNORECASE
)
"""Places at which only fast games were played: servers, and two festivals of rapid chess."""


def classical_games(careers: Workspace) -> Iterator[dict[str, Any]]:
    """The games that `assay rate` would rate and whose event and place do not name a faster kind of chess."""
    for game in careers.games().to_pylist():
        fast = NOT_CLASSICAL.search(game["event"] or "") or NOT_CLASSICAL_SITE.search(game["site"] or "")
        if game["exclusion"] is None and game["year"] is not None and not fast:
            yield game


def game_key(game: dict[str, Any]) -> str:
    """A hash of the seed and the game that no spelling of its tags but players and year changes."""
    text = "|".join([SEED, game["white"], game["black"], str(game["year"]), *game["moves"]])
    return hashlib.sha256(text.encode()).hexdigest()


def ordered(games: Sequence[dict[str, Any]]) -> dict[tuple[str, int], list[dict[str, Any]]]:
    """The games of each champion and year, in the order in which they are picked."""
    by_year: dict[tuple[str, int], list[dict[str, Any]]] = {}
    for game in sorted(games, key=game_key):
        for side in ("white", "black"):
            if game[side] in CHAMPIONS:
                by_year.setdefault((game[side], game["year"]), []).append(game)
    return dict(sorted(by_year.items()))


def pick(games: Sequence[dict[str, Any]], first: int, after: int = 0) -> list[dict[str, Any]]:
    """The first games of every champion and year without those that `after` games give; ranks take turns."""
    ranks: dict[str, tuple[int, str]] = {}
    for listed in ordered(games).values():
        for rank, game in enumerate(listed[:first]):
            key = game_key(game)
            ranks[key] = min(ranks.get(key, (rank, key)), (rank, key))
    by_key = {game_key(game): game for game in games}
    return [by_key[key] for key in sorted(ranks, key=ranks.__getitem__) if ranks[key][0] >= after]


def pgn(game: dict[str, Any]) -> str:
    """A game as PGN, under the names that the workspace gave its players."""
    written = chess.pgn.Game()
    written.headers.update(
        Event=game["event"] or "?",
        Site=game["site"] or "?",
        Date=game["date"] or "????.??.??",
        Round=game["round"] or "?",
        White=game["white"],
        Black=game["black"],
        Result={1.0: "1-0", 0.5: "1/2-1/2", 0.0: "0-1"}[game["result"]],
    )
    for side in ("white", "black"):
        if game[f"{side}_elo"] is not None:
            written.headers[f"{side.capitalize()}Elo"] = str(game[f"{side}_elo"])
    written.add_line(chess.Move.from_uci(move) for move in game["moves"])
    return f"{written}\n\n"


def pick_main(words: Sequence[str]) -> None:
    """Write the games that are to be analysed."""
    parser = command("champions-pick", __doc__)
    parser.add_argument("careers", type=Path)
    parser.add_argument("out", type=Path)
    parser.add_argument("--first", type=int, default=25, help="games of each champion and year")
    parser.add_argument("--after", type=int, default=0, help="without the first so many")
    given = parser.parse_args(words)
    with TemporaryDirectory() as folder:
        careers = Workspace(Path(folder) / "careers.assay")
        careers.import_games(given.careers)
        games = list(classical_games(careers))
    picked = pick(games, given.first, given.after)
    given.out.write_text("".join(map(pgn, picked)), encoding="utf-8")
    years = ordered(games)
    moves = sum(
        len(game["moves"][side == "black" :: 2])
        for game in picked
        for side in ("white", "black")
        if game[side] in CHAMPIONS
    )
    print(f"{len(picked)} games of {len(years)} years of {len(CHAMPIONS)} champions, {moves} own moves")
