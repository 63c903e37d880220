"""What tests of served pages share: whole pages, and games found by their players."""

import math
import time
from typing import Any

from assay.answers.ratings import PlayerRating, Rating, Ratings, Record

HOSTILE = "<script>alert(1)</script>'&\u202e"

EVALUATED = """[White "Ann"]
[Black "Bob"]
[Result "0-1"]

1. f3 { [%eval -0.8] } 1... e5 { [%eval -0.7] } 2. a3 { [%eval -0.9] } 2... a6 { [%eval 0.1] }
3. g4 { [%eval #-1] } 3... Qh4# 0-1
"""
"""A game with one evaluation per position, and a blunder at move 3."""


def game_id(client: Any, white: str = "Byrne") -> str:
    """The id of the game with this name in it."""
    rows = client.get("/games", params={"as": "json", "q": white}).json()
    found: str = rows[0]["game_id"]
    return found


def whole(client: Any, address: str, **params: str) -> str:
    """A page when everything on it is worked out, its words with single blanks."""
    end = time.monotonic() + 120.0
    while time.monotonic() < end:
        text = client.get(address, params=params).text
        if "data-pending" not in text:
            return " ".join(text.split())
        time.sleep(0.01)
    raise AssertionError(f"{address} is never ready")


def until(client: Any, kind: str, *states: str) -> dict[str, Any]:
    """Wait until the last job of a kind is in one of these states; the job."""
    assert client.site.jobs.wait(
        lambda jobs: (
            any(job.kind == kind for job in jobs)
            and next(job for job in reversed(jobs) if job.kind == kind).state in states
        ),
        120.0,
    ), client.site.jobs.snapshot()
    found: dict[str, Any] = next(job for job in client.site.jobs.snapshot() if job["kind"] == kind)
    return found


def many_ratings(number: int) -> Ratings:
    """Ratings of so many invented players, strongest first."""
    players = []
    for place in range(number):
        elo = 2800.0 - 1200.0 * place / number
        by_method = {
            name: Rating(name, elo + shift, low=elo - 150, high=elo + 150, decisions=50, games=5)
            for name, shift in (("bayes", -40.0), ("gain", 30.0))
        }
        players.append(
            PlayerRating(
                player=f"Player {(7919 * place) % number:05d}, X",
                group="",
                games=1 + (31 * place) % 97,
                decisions=50,
                record=Record(1, 2, 1),
                reference=elo + 10 if place % 3 else math.nan,
                ratings=by_method,
                combined=Rating("combined", elo, low=elo - 120, high=elo + 120, decisions=50, games=5),
            )
        )
    return Ratings(
        engine="Stockfish 17",
        recipe="standard",
        recipe_id="0123456789ab",
        by="player",
        players=tuple(players),
        too_few={},
        scale="FIDE Elo, classical",
        prior="flat over 1500 to 2800",
        span=(1500.0, 2800.0),
    )
