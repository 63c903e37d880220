"""The slices that a player's decisions are cut into: by phase, colour, month, opening, clock, opponent, men.

A slice is a number and a name. Phases, colours, bands of men, of clocks and of opponents are the same for
everyone, in the same order, so that a calibration can hold what players of each Elo do there
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
from assay.decisions.grouping import SLICED_BY, By, check_by
from assay.errors import InputError

PHASES = ("opening", "middlegame", "endgame")
"""By material and development in one position (docs/guides/train.md compares the rule with others):

- endgame: neither side has more than 13 points in pieces (queen 9, rook 5, bishop and knight 3);
- opening: not an endgame, and at least 3 of the 12 pieces that development moves (knights, bishops, queen and
  king of both sides) stand on their first squares;
- middlegame: everything else.
"""

MEN = ((25, 32), (17, 24), (9, 16), (2, 8))
"""Bands of the number of men on the board, kings and pawns included, first to last."""

_EVEN = 100.0
"""Opponents within so many points of the player are even."""

_SECONDS = (30.0, 120.0, 600.0)
"""Where the bands of time left begin and end."""

_CLOCK_COLUMN = "seconds_before"

FIXED: Mapping[By, tuple[str, ...]] = {
    By.PHASE: PHASES,
    By.COLOUR: ("white", "black"),
    By.PIECES: tuple(f"{high} to {low} men" for low, high in MEN),
    By.OPPONENT: (f"{_EVEN:.0f}+ weaker", f"within {_EVEN:.0f}", f"{_EVEN:.0f}+ stronger"),
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
    """The grouping that a word names, if decisions can be cut into slices by it."""
    return check_by(word, SLICED_BY)


def in_words(by: By, name: str) -> str:
    """A slice as it stands in a sentence: in the endgame, with White, against opponents 100+ stronger."""
    return _SENTENCES[by].format(name.capitalize() if by is By.COLOUR else name)


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
        names = tuple(sorted(set((of_games or {}).values())))
        place = {game: names.index(name) for game, name in (of_games or {}).items()}
        games = np.array([place.get(game, -1) for game in decisions.names("game_id")], np.int64)
        return Slicing(by, games[decisions.codes("game_id")], names)
    cuts: dict[By, Callable[[], Ints]] = {
        By.PHASE: lambda: phases(decisions.text("position_key")),
        By.COLOUR: lambda: _colours(decisions),
        By.PIECES: lambda: men_bands(decisions.text("position_key")),
        By.OPPONENT: lambda: _opponents(decisions, own),
        By.CLOCK: lambda: _clocks(decisions),
    }
    if by not in cuts:
        raise InputError(f"decisions cannot be cut into slices by '{by}': choose another --by")
    return Slicing(by, cuts[by](), FIXED[by])


def _colours(decisions: Decisions) -> Ints:
    number = {"white": 0, "black": 1}
    codes = np.array([number.get(name, -1) for name in decisions.names("colour")] + [-1], np.int64)
    return np.asarray(codes[decisions.codes("colour")])  # null is -1, the last


def _opponents(decisions: Decisions, own: Floats | None) -> Ints:
    mine, theirs = decisions.numbers("player_elo"), decisions.numbers("opponent_elo")
    mine = np.where(mine > 0, mine, np.nan if own is None else own)
    apart = np.where(theirs > 0, theirs, np.nan) - mine
    band = 1 + (apart > _EVEN).astype(np.int64) - (apart < -_EVEN).astype(np.int64)
    return np.asarray(np.where(np.isnan(apart), -1, band))


def _clocks(decisions: Decisions) -> Ints:
    if not decisions.has(_CLOCK_COLUMN):
        return np.full(len(decisions), -1, np.int64)
    left = decisions.numbers(_CLOCK_COLUMN)
    return np.asarray(np.where(np.isnan(left), -1, np.searchsorted(_SECONDS, left, side="right")))


# Phases and men.

_POINTS = {"q": 9, "r": 5, "b": 3, "n": 3}
_AT_HOME = " NBQKBN " + " nbqkbn "
_EMPTY = {str(n): " " * n for n in range(1, 9)}
_LETTERS = set("pnbrqkPNBRQK ")


def phases(position_keys: Sequence[str | None]) -> Ints:
    """The place in PHASES of each position; -1 where it is not known."""
    return _each(position_keys, phase)


def men_bands(position_keys: Sequence[str | None]) -> Ints:
    """The place in MEN of each position; -1 where it is not known."""

    def band(key: str) -> int:
        count = men(key)
        return next((place for place, (low, high) in enumerate(MEN) if low <= count <= high), -1)

    return _each(position_keys, band)


def _each(position_keys: Sequence[str | None], of: Callable[[str], int]) -> Ints:
    number = {key: -1 if key is None else of(key) for key in set(position_keys)}
    return np.array([number[key] for key in position_keys], np.int64)


def phase(position_key: str) -> int:
    """The place in PHASES of a position (FEN, counters or not); -1 where it is not a position of chess."""
    ranks = _ranks(position_key)
    if ranks is None:
        return -1
    board = "".join(ranks)
    white = sum(_POINTS.get(letter.lower(), 0) for letter in board if letter.isupper())
    black = sum(_POINTS.get(letter, 0) for letter in board if letter.islower())
    if max(white, black) <= 13:
        return 2
    pairs = zip(ranks[7] + ranks[0], _AT_HOME, strict=True)
    return 0 if sum(stands == home != " " for stands, home in pairs) >= 3 else 1


def men(position_key: str) -> int:
    """How many men are on the board, kings and pawns included; -1 where it is not a position of chess."""
    ranks = _ranks(position_key)
    return -1 if ranks is None else sum(letter != " " for rank in ranks for letter in rank)


def _ranks(position_key: str) -> list[str] | None:
    """The eight ranks, the eighth first, blanks for empty squares; None where they are not eight of eight."""
    ranks = ["".join(_EMPTY.get(c, c) for c in rank) for rank in position_key.split(" ")[0].split("/")]
    sound = len(ranks) == 8 and all(len(rank) == 8 for rank in ranks)
    return ranks if sound and set("".join(ranks)) <= _LETTERS else None


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

_FEWEST_PLIES, _MOST_PLIES = 4, 24
"""Games that share fewer first moves with a tagged one have no family."""


def family(eco: str) -> str:
    """The family of a code, A00 to E99."""
    return _BEGIN[bisect_right(_BEGIN, eco, key=lambda row: row[0]) - 1][1]


def families(games: Iterable[tuple[str, str | None, Sequence[str]]]) -> dict[str, str]:
    """The family of each game by its id, from (id, code or None, moves); those without one are left out.

    Games without a code take the family of tagged games that begin with the same moves, as long as possible.
    """
    rows = list(games)
    tagged = {game: family(eco) for game, eco, _ in rows if eco}
    learned: dict[tuple[str, ...], Counter[str]] = {}
    if len(tagged) < len(rows):
        for game, _, moves in rows:
            if game in tagged:
                for n in range(_FEWEST_PLIES, min(len(moves), _MOST_PLIES) + 1):
                    learned.setdefault(tuple(moves[:n]), Counter())[tagged[game]] += 1
    by_moves = {game: _longest(learned, moves) for game, _, moves in rows if game not in tagged}
    return tagged | {game: name for game, name in by_moves.items() if name is not None}


def _longest(learned: dict[tuple[str, ...], Counter[str]], moves: Sequence[str]) -> str | None:
    """The most frequent family among tagged games that share the most moves."""
    for n in range(min(len(moves), _MOST_PLIES), _FEWEST_PLIES - 1, -1):
        if (counts := learned.get(tuple(moves[:n]))) is not None:
            return min(counts, key=lambda name: (-counts[name], name))
    return None
