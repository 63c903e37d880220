"""Ratings and decisions to make reports of: plausible numbers, no engine."""

import itertools
import math
from dataclasses import replace

import chess
import numpy as np
import pyarrow as pa

from assay.domain.decisions import Decisions
from assay.domain.measures import loss
from assay.domain.rating import PlayerRating, Rating, Ratings, Record
from assay.report.pages import Provenance

METHODS = ("bayes", "choice", "conformance", "covariance", "gain", "markov")

MADE = Provenance(
    engine="Stockfish 17",
    settings={"Threads": 1, "Hash": 32},
    recipe={"nodes": 150_000, "lines": 10, "clear_hash": True},
    recipe_id="0123456789ab",
    games=6,
    decisions=180,
    left_out={"opening": 90, "forced": 4},
    command="assay rate games.pgn --report out.html",
    date="2026-11-16",
    assay="0.1.0",
    versions={"python": "3.11.9", "numpy": "2.0"},
)


def chess_decisions(
    players: tuple[str, ...] = ("Ann", "Bob", "Cem"), plies: int = 60, seed: int = 0
) -> Decisions:
    """A double round of games with random legal moves and random values; earlier players err less."""
    generator = np.random.default_rng(seed)
    rows = []
    for number, (white, black) in enumerate(itertools.permutations(players, 2)):
        board = chess.Board()
        result = (1.0, 0.5, 0.0)[number % 3]
        for ply in range(plies):
            legal = [move.uci() for move in board.legal_moves]
            if not legal:
                break
            mover = white if board.turn else black
            generator.shuffle(legal)
            options = legal[:8]
            drops = np.concatenate(([0], np.sort(generator.integers(0, 400, len(options) - 1))))
            cp = (int(generator.normal(0, 100)) - drops).tolist()
            skill = 0.7 - 0.4 * players.index(mover) / len(players)
            index = min(int(generator.geometric(skill)) - 1, len(options) - 1)
            rows.append(
                {
                    "game_id": f"game{seed}-{number}",
                    "ply": ply,
                    "player": mover,
                    "opponent": black if board.turn else white,
                    "colour": "white" if board.turn else "black",
                    "year": 2000 + number % 3,
                    "event": f"Event {number % 2}",
                    "result": result if board.turn else 1 - result,
                    "player_elo": 2500 - 100 * players.index(mover),
                    "position_key": " ".join(board.fen().split()[:4]),
                    "moves": options,
                    "cp": cp,
                    "played": options[index],
                    "after": cp[index] + int(generator.normal(0, 10)),
                    "recipe_id": "made",
                }
            )
            board.push_uci(options[index])
    return Decisions.from_table(pa.Table.from_pylist(rows))


def make_ratings(
    decisions: Decisions, *, by: str = "player", seed: int = 0, calibrated: bool = True
) -> Ratings:
    """Ratings by the mean loss, with methods that stray a little: nothing but plausible."""
    column = {"player": None, "year": "year", "event": "event", "game": "game_id"}[by]
    generator = np.random.default_rng(seed)
    rated = []
    for player, own in decisions.by("player"):
        groups = [("", own)] if column is None else [(str(key), part) for key, part in own.by(column)]
        rated += [_rated(player, group, part, generator) for group, part in groups]
    rated.sort(key=lambda one: -one.combined.elo)
    return Ratings("Stockfish 17", "standard", "0123456789ab", by, calibrated, tuple(rated), {"Dee": 3})


def _rated(player: str, group: str, own: Decisions, generator: np.random.Generator) -> PlayerRating:
    counts = len(own), len(own.games)
    middle = 2900 - 9 * float(np.nanmean(loss(own, 1000)))
    half = 2400 / math.sqrt(len(own))

    def rating(method: str, centre: float, spread: float) -> Rating:
        return Rating(method, centre, centre - spread, centre + spread, *counts)

    methods = {
        name: rating(name, middle + float(generator.normal(0, half / 2)), 1.4 * half) for name in METHODS
    }
    if len(own) < 40:
        del methods["choice"]
    results = [part.numbers("result")[0] for _, part in own.by_game()]
    record = Record(*(sum(result == points for result in results) for points in (1.0, 0.5, 0.0)))
    elos = own.numbers("player_elo")
    reference = float(np.nanmean(elos)) if not np.isnan(elos).all() else math.nan
    history = tuple(
        (
            f"{year}",
            replace(
                rating("combined", middle + float(generator.normal(0, half)), 1.7 * half), decisions=len(part)
            ),
        )
        for year, part in sorted(
            (pair for pair in own.by("year") if pair[0] is not None), key=lambda pair: pair[0]
        )
    )
    combined = rating("combined", middle, half)
    return PlayerRating(
        player,
        group,
        len(own.games),
        len(own),
        record,
        reference,
        methods,
        combined,
        history if len(history) > 1 else (),
    )
