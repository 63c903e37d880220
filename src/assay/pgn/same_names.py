"""Names in groups, such that one person's names are in few of them.

Whether two names can be one person's is not an equivalence: "Smith" may be "Smith, A" and "Smith, B", who are
two. So names are not merged; but two that can be one person's share their family names and the first letter
of the given one, if there is one, or else have all the same words (decisions.names.same_person). To find
the names that are worth a comparison, only those groups need be looked at.
"""

from assay.decisions.names import fold_name

_NO_LETTER = -1
_LETTERS = 64


def _letter(given: tuple[str, ...]) -> int:
    """A number for the first letter: one of few, so that a family has few groups, whatever the script."""
    return ord(given[0][0]) % _LETTERS if given else _NO_LETTER


class NameGroups:
    """Groups of names by family and first letter of the given names, numbered as they come."""

    def __init__(self) -> None:
        self._numbers: dict[tuple[tuple[str, ...], int], int] = {}
        self._of_family: dict[tuple[str, ...], list[int]] = {}
        self._of_words: dict[frozenset[str], list[int]] = {}

    def of(self, name: str) -> int:
        """The group of a name, which is noted."""
        folded = fold_name(name)
        key = folded.family, _letter(folded.given)
        number = self._numbers.get(key)
        if number is None:
            number = self._numbers[key] = len(self._numbers)
            self._of_family.setdefault(folded.family, []).append(number)
        # A single word cannot stand in another order.
        several = len(folded.family) + len(folded.given) > 1
        if several and number not in (same := self._of_words.setdefault(folded.words, [])):
            same.append(number)
        return number

    def possible(self, name: str) -> set[int]:
        """The groups of noted names in which there can be one of the same person."""
        folded = fold_name(name)
        found = set(self._of_words.get(folded.words, ()))
        if folded.given:
            for letter in (_letter(folded.given), _NO_LETTER):
                number = self._numbers.get((folded.family, letter))
                if number is not None:
                    found.add(number)
        else:
            found.update(self._of_family.get(folded.family, ()))
        return found
