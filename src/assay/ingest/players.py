"""Which names are one player.

Names are settled in this order: the user's aliases, a Scid spelling file, then each other. Among themselves,
names of one family are one player where their given names agree; an initial goes to the one player it fits,
and where it fits two it stays a name of its own. The result does not depend on the order of the games.
"""

from collections import Counter, defaultdict
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

import pyarrow as pa

from assay.domain.names import FoldedName, fold, fold_name, given_names_agree
from assay.domain.schema import PLAYERS
from assay.errors import InputError


@dataclass(frozen=True)
class Resolved:
    """The player that a name means, and how that was found."""

    player: str
    method: str


def read_aliases(path: Path) -> dict[str, str]:
    """Aliases from a file of lines `name = player`; `#` begins a comment."""
    aliases: dict[str, str] = {}
    try:
        lines = path.read_text(encoding="utf-8-sig").splitlines()
    except OSError as error:
        raise InputError(f"cannot read the aliases {path}: {error.strerror}") from error
    except UnicodeDecodeError as error:
        raise InputError(f"the aliases {path} are not UTF-8 text: save the file as UTF-8") from error
    for number, line in enumerate(lines, start=1):
        text = line.split("#", 1)[0].strip()
        if not text:
            continue
        name, equals, player = (part.strip() for part in text.partition("="))
        if not (name and equals and player):
            raise InputError(f"line {number} of {path} is not of the form 'name = player'")
        aliases[alias_key(name)] = player
    return aliases


def alias_key(name: str) -> str:
    """Aliases and spellings are looked up without case, diacritics and superfluous blanks."""
    return " ".join(fold(name).replace(".", " ").replace(",", ", ").split())


def resolve(
    counts: Mapping[str, int], aliases: Mapping[str, str], spellings: Mapping[str, str]
) -> dict[str, Resolved]:
    """The player of every name; `counts` says how often each occurs."""
    resolved: dict[str, Resolved] = {}
    weights: Counter[str] = Counter()
    for name, count in counts.items():
        if alias_key(name) in aliases:
            resolved[name] = Resolved(aliases[alias_key(name)], "alias")
        elif name in spellings:
            resolved[name] = Resolved(spellings[name], "spelling")
            weights[spellings[name]] += count
        else:
            weights[name] += count
    joined = _join(weights, fixed=set(spellings.values()))
    for name in counts:
        if name not in resolved:
            player = joined[name]
            resolved[name] = Resolved(player, "as_written" if player == name else "matched")
    return resolved


def players_table(resolved: Mapping[str, Resolved]) -> pa.Table:
    """Rows of the table players."""
    names = sorted(resolved)
    return pa.table(
        {
            "name": pa.array(names, pa.string()),
            "player": pa.array([resolved[name].player for name in names], pa.string()),
            "method": pa.array([resolved[name].method for name in names], pa.string()),
        },
        schema=PLAYERS.arrow,
    )


def _join(weights: Mapping[str, int], fixed: set[str]) -> dict[str, str]:
    """The canonical name of every name, found among the names themselves."""
    families: dict[tuple[str, ...], list[str]] = defaultdict(list)
    unordered: list[str] = []
    for name in sorted(weights):
        folded = fold_name(name)
        if folded.ordered:
            families[folded.family].append(name)
        else:
            unordered.append(name)
    for name in unordered:
        families[_family_of(fold_name(name), families)].append(name)
    joined: dict[str, str] = {}
    for family, names in families.items():
        joined.update(_join_family(family, names, weights, fixed))
    return joined


def _family_of(folded: FoldedName, families: Mapping[tuple[str, ...], list[str]]) -> tuple[str, ...]:
    """The family of a name without a comma: one that commas have named, else its last word."""
    words = folded.given + folded.family
    for cut in range(len(words) - 1, 0, -1):  # "Garry Kasparov", "Anna van der Berg"
        if words[cut:] in families:
            return words[cut:]
    for cut in range(1, len(words)):  # "Hou Yifan"
        if words[:cut] in families:
            return words[:cut]
    return folded.family


def _given(name: str, family: tuple[str, ...]) -> tuple[str, ...]:
    folded = fold_name(name)
    if folded.family == family:
        return folded.given
    words = folded.given + folded.family
    if words[-len(family) :] == family:
        return words[: -len(family)]
    return words[len(family) :]


def _join_family(
    family: tuple[str, ...], names: list[str], weights: Mapping[str, int], fixed: set[str]
) -> dict[str, str]:
    """Players of one family, grown from the fullest given names; shorter ones go where they fit one only."""
    by_given: dict[tuple[str, ...], list[str]] = defaultdict(list)
    for name in names:
        by_given[_given(name, family)].append(name)
    persons: list[list[tuple[str, ...]]] = []
    for given in sorted(by_given, key=lambda g: (-_fullness(g), g)):
        fitting = [person for person in persons if all(given_names_agree(given, other) for other in person)]
        if len(fitting) == 1 and (given or len(persons) == 1):
            fitting[0].append(given)
        else:
            persons.append([given])
    joined = {}
    for person in persons:
        members = [name for given in person for name in by_given[given]]
        joined.update(dict.fromkeys(members, _canonical(members, family, weights, fixed)))
    return joined


def _fullness(given: tuple[str, ...]) -> int:
    return sum(len(word) for word in given)


def _canonical(
    person: list[str], family: tuple[str, ...], weights: Mapping[str, int], fixed: set[str]
) -> str:
    """The spelling file's name if there is one; else the fullest, in "Family, Given" order, most frequent."""

    def rank(name: str) -> tuple[bool, int, bool, bool, int, str]:
        fullness = _fullness(_given(name, family))
        return (name not in fixed, -fullness, "," not in name, name.isupper(), -weights[name], name)

    return min(person, key=rank)
