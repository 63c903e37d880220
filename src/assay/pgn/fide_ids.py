"""FIDE ids: two spellings with one id are one player, two with different ids are two.

Tags are wrong now and then, and one spelling may be borne by two people. So the id of a name is the one that
nearly all of its games with an id have; where they disagree, the name has none.
"""

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping

import pyarrow as pa

NEARLY_ALL = 0.9
"""The share of a name's games with an id that must agree on it."""

MOST_ID = 2**31 - 1


def fide_id_of(value: str | None) -> int | None:
    """A FIDE id as written; None where it is missing, zero or no number."""
    digits = (value or "").strip()
    if not (digits.isascii() and digits.isdigit() and len(digits) <= 10):
        return None
    number = int(digits)
    return number if 0 < number <= MOST_ID else None


def ids_of_names(games: pa.Table) -> dict[str, int]:
    """The id of each name that has one."""
    seen: dict[str, Counter[int]] = defaultdict(Counter)
    for side in ("white", "black"):
        columns = (games[f"{side}_name"].to_pylist(), games[f"{side}_fide"].to_pylist())
        for name, number in zip(*columns, strict=True):
            if number is not None:
                seen[name][number] += 1
    found = {}
    for name, numbers in seen.items():
        number, times = numbers.most_common(1)[0]
        if times >= NEARLY_ALL * numbers.total():
            found[name] = number
    return found


def id_of_all(names: Iterable[str], ids: Mapping[str, int]) -> int | None:
    """The one id that these names of a player have; None where they have none, or several."""
    known = {ids[name] for name in names if name in ids}
    return known.pop() if len(known) == 1 else None


def joined_by_id(
    joined: Mapping[str, str], ids: Mapping[str, int], rank: Mapping[str, tuple[bool, int, int]]
) -> dict[str, str]:
    """The player of every name, where players with one id are one: the one of the highest rank.

    A player whose names have several ids is not touched: which of them is meant cannot be told.
    """
    names: dict[str, list[str]] = defaultdict(list)
    for name, player in joined.items():
        names[player].append(name)
    bearers: dict[int, list[str]] = defaultdict(list)
    for player, own in sorted(names.items()):
        if (number := id_of_all(own, ids)) is not None:
            bearers[number].append(player)
    becomes = {}
    for players in bearers.values():
        chosen = max(players, key=lambda player: (rank[player], player))
        becomes.update(dict.fromkeys(players, chosen))
    return {name: becomes.get(player, player) for name, player in joined.items()}
