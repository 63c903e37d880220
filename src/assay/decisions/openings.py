"""Openings by the codes of the Encyclopaedia (tag ECO), in families of a size that a player has games in.

Games without the tag take the family of tagged games that begin with the same moves, as long as possible.
"""

from __future__ import annotations

from bisect import bisect_right
from collections import Counter
from collections.abc import Iterable, Sequence

_BEGIN = (
    ("A00", "flank openings"),
    ("A10", "English"),
    ("A40", "Queen's pawn, others"),
    ("A51", "Budapest"),
    ("A53", "Old Indian"),
    ("A56", "Benoni"),
    ("A57", "Benko"),
    ("A60", "Benoni"),
    ("A80", "Dutch"),
    ("B00", "King's pawn, others"),
    ("B01", "Scandinavian"),
    ("B02", "Alekhine"),
    ("B06", "Modern and Pirc"),
    ("B10", "Caro-Kann"),
    ("B20", "Sicilian"),
    ("C00", "French"),
    ("C20", "Open games, others"),
    ("C42", "Petrov"),
    ("C44", "Open games, others"),
    ("C50", "Italian"),
    ("C60", "Spanish"),
    ("D00", "Queen's pawn, others"),
    ("D06", "Queen's Gambit"),
    ("D10", "Slav"),
    ("D20", "Queen's Gambit Accepted"),
    ("D30", "Queen's Gambit"),
    ("D43", "Slav"),
    ("D50", "Queen's Gambit"),
    ("D70", "Grünfeld"),
    ("E00", "Catalan"),
    ("E10", "Queen's Indian and others"),
    ("E20", "Nimzo-Indian"),
    ("E60", "King's Indian"),
)
"""The code that each family begins with; the last of one is before the first of the next."""

_CODES = [code for code, _ in _BEGIN]

FEWEST_PLIES = 4
"""Games that share fewer first moves with a tagged one have no family."""

MOST_PLIES = 24


def family(eco: str) -> str:
    """The family of a code, A00 to E99."""
    return _BEGIN[bisect_right(_CODES, eco) - 1][1]


def families(games: Iterable[tuple[str, str | None, Sequence[str]]]) -> dict[str, str]:
    """The family of each game by its id, from (id, code or None, moves); those without one are left out."""
    known = list(games)
    tagged = {game: family(eco) for game, eco, _ in known if eco}
    learned: dict[tuple[str, ...], Counter[str]] = {}
    if len(tagged) < len(known):
        for game, _, moves in known:
            if game in tagged:
                for n in range(FEWEST_PLIES, min(len(moves), MOST_PLIES) + 1):
                    learned.setdefault(tuple(moves[:n]), Counter())[tagged[game]] += 1
    answer = dict(tagged)
    for game, _, moves in known:
        if game not in answer and (found := _longest(learned, moves)) is not None:
            answer[game] = found
    return answer


def _longest(learned: dict[tuple[str, ...], Counter[str]], moves: Sequence[str]) -> str | None:
    """The most frequent family among tagged games that share the most moves."""
    for n in range(min(len(moves), MOST_PLIES), FEWEST_PLIES - 1, -1):
        if (found := learned.get(tuple(moves[:n]))) is not None:
            return min(found, key=lambda name: (-found[name], name))
    return None
