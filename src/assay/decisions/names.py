"""Names of players as written, folded so that the same person compares equal.

"Kasparov, Garry", "Kasparov, G", "Garry Kasparov" and "Kasparov,G." differ in order, initials and
punctuation; diacritics, case and titles do not matter. A name with digits in it (an engine, a user name) is
not taken apart.
"""

import re
import unicodedata
from collections.abc import Iterable
from dataclasses import dataclass
from functools import lru_cache

from assay.errors import InputError

_TITLES = {
    *(
        "gm",
        "im",
        "fm",
        "cm",
        "nm",
        "wgm",
        "wim",
        "wfm",
        "wcm",
        "wnm",
        "hgm",
        "lm",
        "agm",
        "aim",
        "afm",
        "acm",
    ),
    *("dr", "prof", "mr", "mrs", "ms", "sir"),
}
# Letters that Unicode does not take apart into a base letter and a mark.
_LETTERS = str.maketrans(
    {"ø": "o", "ł": "l", "đ": "d", "ß": "ss", "æ": "ae", "œ": "oe", "þ": "th", "ð": "d", "ı": "i"}
)
_BRACKETED = re.compile(r"\([^)]*\)|\[[^\]]*\]")
_BETWEEN = re.compile(r"[\s.\-_'’`]+")


@dataclass(frozen=True)
class FoldedName:
    """A name taken apart: family names and given names (initials among them), folded.

    `ordered` tells that the comma said which is which.
    """

    family: tuple[str, ...]
    given: tuple[str, ...]
    ordered: bool

    @property
    def words(self) -> frozenset[str]:
        """All its words, whatever their order."""
        return frozenset(self.family + self.given)


def fold(text: str) -> str:
    """Text without case, diacritics and compatibility forms."""
    decomposed = unicodedata.normalize("NFKD", text.casefold().translate(_LETTERS))
    return "".join(letter for letter in decomposed if not unicodedata.combining(letter))


@lru_cache(maxsize=65_536)
def fold_name(name: str) -> FoldedName:
    """Take a name apart."""
    text = _BRACKETED.sub(" ", fold(name))
    if any(letter.isdigit() for letter in text):
        return FoldedName((" ".join(text.split()),), (), True)
    before, comma, after = text.partition(",")
    if comma and _words(before):
        return FoldedName(_words(before), _words(after.replace(",", " ")), True)
    words = _words(text.replace(",", " "))
    if not words:
        return FoldedName((" ".join(text.split()),), (), True)
    if len(words) > 1 and len(words[-1]) == 1:  # "Kasparov G."
        initials = next(i for i in range(len(words)) if all(len(word) == 1 for word in words[i:]))
        return FoldedName(words[: max(initials, 1)], words[max(initials, 1) :], True)
    return FoldedName(words[-1:], words[:-1], len(words) == 1)


def _words(text: str) -> tuple[str, ...]:
    words = [word for word in _BETWEEN.split(text.strip()) if word]
    while len(words) > 1 and words[0] in _TITLES:
        words.pop(0)
    return tuple(word for word in words if word != "jr" or len(words) == 1)


def given_names_agree(one: tuple[str, ...], other: tuple[str, ...]) -> bool:
    """Whether given names can be one person's: word by word equal, or one the other's initial."""
    return all(
        a == b or (min(len(a), len(b)) == 1 and a[0] == b[0]) for a, b in zip(one, other, strict=False)
    )


def same_person(one: str, other: str) -> bool:
    """Whether two names as written can be one person's, judged by themselves alone."""
    a, b = fold_name(one), fold_name(other)
    if a.family == b.family and given_names_agree(a.given, b.given):
        return True
    # "Hou Yifan" beside "Hou, Yifan": without a comma the order of the words is not known.
    return not (a.ordered and b.ordered) and a.words == b.words


def find_player(wanted: str, players: Iterable[str]) -> str:
    """The one player whom a user means: by their name, or words of it ("fischer", "Bobby Fischer")."""
    known = sorted(set(players))
    if wanted in known:
        return wanted
    meant = fold_name(wanted)
    found = [name for name in known if same_person(wanted, name)]
    found = found or [name for name in known if meant.words <= fold_name(name).words]
    found = found or [name for name in known if set(meant.family) <= set(fold_name(name).family)]
    found = found or [name for name in known if wanted.strip() and fold(wanted) in fold(name)]
    if len(found) == 1:
        return found[0]
    if not found:
        more = f" and {len(known) - 8} more" if len(known) > 8 else ""
        shown = f"{'; '.join(known[:8])}{more}" if known else "none"
        raise InputError(f"there is no player '{wanted}' in these games: there are {shown}")
    raise InputError(f"'{wanted}' may be {'; '.join(found[:8])}: write more of the name")
