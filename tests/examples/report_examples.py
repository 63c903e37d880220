"""Ratings and decisions to make reports of: plausible numbers, no engine."""

import itertools
import math
from dataclasses import replace

import chess
import numpy as np
import pyarrow as pa

from assay.answers.ratings import Measure, PlayerRating, Rating, Ratings, Record
from assay.decisions.decisions import Decisions
from assay.decisions.measures import loss
from assay.report.page import Provenance

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
    if not calibrated:
        rated = [_measured(one) for one in rated]
    return Ratings(
        engine="Stockfish 17",
        recipe="standard",
        recipe_id="0123456789ab",
        by=by,
        scale="FIDE Elo, classical" if calibrated else None,
        prior="flat over 1500 to 2800" if calibrated else None,
        span=(1500.0, 2800.0) if calibrated else (math.nan, math.nan),
        players=tuple(rated),
        too_few={"Dee": 3},
    )


def _measured(one: PlayerRating) -> PlayerRating:
    """The same player where there is no scale: two methods with what they measure."""
    c = one.combined.elo / 2000
    measures = {
        "bayes": Measure("bayes", "skill c", c, low=c - 0.2, high=c + 0.2),
        "covariance": Measure("covariance", "mean loss, centipawns", 20.0 / c, rises=False),
    }
    return replace(one, ratings={}, combined=None, history=(), measures=measures)


def _rated(player: str, group: str, own: Decisions, generator: np.random.Generator) -> PlayerRating:
    counts = len(own), len(own.games)
    middle = 2900 - 9 * float(np.nanmean(loss(own, 1000)))
    half = 2400 / math.sqrt(len(own))

    def rating(method: str, centre: float, spread: float) -> Rating:
        return Rating(
            method, centre, low=centre - spread, high=centre + spread, decisions=counts[0], games=counts[1]
        )

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
        player=player,
        group=group,
        games=len(own.games),
        decisions=len(own),
        record=record,
        reference=reference,
        ratings=methods,
        combined=combined,
        history=history if len(history) > 1 else (),
    )
