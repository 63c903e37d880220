"""The slices that a player's decisions are cut into: by phase, colour, month, opening, clock, opponent, men.

A slice is a number and a name. Phases, colours, bands of men, of clocks and of opponents are always the same
ones, in the same order, so that what is known of players of known Elo there can be kept beside them
(assay.rating.references). Months and openings are those of the games at hand.
"""

from __future__ import annotations

from bisect import bisect_right
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from assay.decisions.arrays import Floats, Ints
from assay.decisions.decisions import Decisions
from assay.decisions.grouping import ALSO_CALLED, SLICED_BY, By, check_by
from assay.errors import InputError

# Opening, middlegame, endgame, and how many men are left: read from a position, not from the turn.

PHASES = ("opening", "middlegame", "endgame")

MOST_POINTS = 13
"""In pieces of one side, in an endgame: a queen and a minor piece, two rooks and one, no more."""

LEAST_AT_HOME = 3
"""Of the twelve pieces on their first squares, while the opening lasts."""

MEN = ((25, 32), (17, 24), (9, 16), (2, 8))
"""Bands of the number of men on the board, kings and pawns included, first to last."""

_POINTS = {"q": 9, "r": 5, "b": 3, "n": 3}
_FIRST = {"1": " NBQKBN ", "8": " nbqkbn "}
_EMPTY = {str(n): " " * n for n in range(1, 9)}
_LETTERS = set("pnbrqkPNBRQK")


def phase(position_key: str) -> int:
    """The place in PHASES of a position (FEN, counters or not); -1 where it is no position of chess."""
    ranks = _ranks(position_key)
    if ranks is None:
        return -1
    board = "".join(ranks)
    white = sum(_POINTS.get(letter.lower(), 0) for letter in board if letter.isupper())
    black = sum(_POINTS.get(letter, 0) for letter in board if letter.islower())
    if max(white, black) <= MOST_POINTS:
        return 2
    first = zip(ranks[7] + ranks[0], _FIRST["1"] + _FIRST["8"], strict=True)
    at_home = sum(stands == own != " " for stands, own in first)
    return 0 if at_home >= LEAST_AT_HOME else 1


def men(position_key: str) -> int:
    """How many men are on the board, kings and pawns included; -1 where it is no position of chess."""
    ranks = _ranks(position_key)
    return -1 if ranks is None else sum(letter != " " for rank in ranks for letter in rank)


def phases(position_keys: Sequence[str | None]) -> Ints:
    """The phase of each position; -1 where it is not known."""
    return _each(position_keys, phase)


def men_bands(position_keys: Sequence[str | None]) -> Ints:
    """The place in MEN of each position; -1 where it is not known."""

    def band(key: str) -> int:
        count = men(key)
        return next((place for place, (low, high) in enumerate(MEN) if low <= count <= high), -1)

    return _each(position_keys, band)


def _each(position_keys: Sequence[str | None], of: Callable[[str], int]) -> Ints:
    known: dict[str | None, int] = {None: -1}
    for key in position_keys:
        if key is not None and key not in known:
            known[key] = of(key)
    return np.array([known[key] for key in position_keys], np.int64)


def _ranks(position_key: str) -> list[str] | None:
    """The eight ranks, the eighth first, blanks for empty squares; None where they are not eight of eight."""
    ranks = ["".join(_EMPTY.get(c, c) for c in rank) for rank in position_key.split(" ")[0].split("/")]
    sound = len(ranks) == 8 and all(len(rank) == 8 for rank in ranks)
    return ranks if sound and set("".join(ranks)) <= _LETTERS | {" "} else None


# Openings by the codes of the Encyclopaedia (tag ECO), in families of a size that a player has games in.

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


# Slices of decisions.

EVEN = 100.0
"""Opponents within so many points of the player are even."""

SECONDS = (30.0, 120.0, 600.0)
"""Where the bands of time left begin and end."""

CLOCK_COLUMN = "seconds_before"
"""The column of decisions with the seconds that the mover had left when the position came up."""

FIXED: Mapping[By, tuple[str, ...]] = {
    By.PHASE: PHASES,
    By.COLOUR: ("white", "black"),
    By.PIECES: tuple(f"{high} to {low} men" for low, high in MEN),
    By.OPPONENT: (f"{EVEN:.0f}+ weaker", f"within {EVEN:.0f}", f"{EVEN:.0f}+ stronger"),
    By.CLOCK: ("under 30 s", "30 s to 2 min", "2 to 10 min", "over 10 min"),
}
"""Names of the slices that are the same for everyone."""

_SENTENCES: Mapping[By, str] = {
    By.PHASE: "in the {}",
    By.COLOUR: "with {}",
    By.PIECES: "with {}",
    By.MONTH: "in {}",
    By.OPENING: "in {}",
    By.CLOCK: "with {} left",
    By.OPPONENT: "against opponents {}",
}


@dataclass(frozen=True, eq=False)
class Slicing:
    """The slice of each decision; -1 where it is not known."""

    by: By
    slice: Ints
    names: tuple[str, ...]

    @property
    def known(self) -> bool:
        """Whether any decision has a slice."""
        return bool((self.slice >= 0).any())


def sliced_by(word: str) -> By:
    """The word for slices, or another word for the same."""
    return ALSO_CALLED[word] if word in ALSO_CALLED else check_by(word, SLICED_BY)


def slicing(
    decisions: Decisions,
    by: By,
    *,
    own: Floats | None = None,
    of_games: Mapping[str, str] | None = None,
) -> Slicing:
    """The slice of each decision.

    `own` is a rating of each decision's player, for those who have no published one: opponents are weaker or
    stronger than that. `of_games` names the month or the opening of each game by its id.
    """
    if by in (By.MONTH, By.OPENING):
        return _of_games(decisions, by, of_games or {})
    made = {
        By.PHASE: lambda: phases(decisions.text("position_key")),
        By.COLOUR: lambda: _colours(decisions),
        By.PIECES: lambda: men_bands(decisions.text("position_key")),
        By.OPPONENT: lambda: _opponents(decisions, own),
        By.CLOCK: lambda: _clocks(decisions),
    }
    if by not in made:
        raise InputError(f"decisions cannot be cut into slices by '{by}': choose another --by")
    return Slicing(by, made[by](), FIXED[by])


def in_words(by: By, name: str) -> str:
    """A slice as it stands in a sentence: in the endgame, with White, against opponents 100+ stronger."""
    named = name.capitalize() if by is By.COLOUR else name
    return _SENTENCES[by].format(named)


def _of_games(decisions: Decisions, by: By, of_games: Mapping[str, str]) -> Slicing:
    names = tuple(sorted(set(of_games.values())))
    place = {name: index for index, name in enumerate(names)}
    games = np.array(
        [place[of_games[game]] if game in of_games else -1 for game in decisions.names("game_id")], np.int64
    )
    return Slicing(by, games[decisions.codes("game_id")], names)


def _colours(decisions: Decisions) -> Ints:
    known = {"white": 0, "black": 1}
    codes = np.array([known.get(name, -1) for name in decisions.names("colour")] + [-1], np.int64)
    return np.asarray(codes[decisions.codes("colour")])  # null is -1, the last


def _opponents(decisions: Decisions, own: Floats | None) -> Ints:
    mine, theirs = decisions.numbers("player_elo"), decisions.numbers("opponent_elo")
    mine = np.where(mine > 0, mine, np.nan if own is None else own)
    apart = np.where(theirs > 0, theirs, np.nan) - mine
    band = 1 + (apart > EVEN).astype(np.int64) - (apart < -EVEN).astype(np.int64)
    return np.asarray(np.where(np.isnan(apart), -1, band))


def _clocks(decisions: Decisions) -> Ints:
    if not decisions.has(CLOCK_COLUMN):
        return np.full(len(decisions), -1, np.int64)
    left = decisions.numbers(CLOCK_COLUMN)
    return np.asarray(np.where(np.isnan(left), -1, np.searchsorted(SECONDS, left, side="right")))
