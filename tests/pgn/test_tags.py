"""Tags of one game, as clean files and as dirty ones have them."""

from collections.abc import Callable

import pytest

from assay.pgn.tags import (
    MAX_TAG_CHARACTERS,
    eco_of,
    elo_of,
    link_of,
    result_of,
    split_tags,
    text_tag,
    year_of,
)


def test_tags_and_what_is_behind_them() -> None:
    found = split_tags('[Event "Open"]\n[White "Able, Ann"]\n\n1. e4 e5 *\n')
    assert found.tags == {"Event": "Open", "White": "Able, Ann"}
    assert found.movetext == "1. e4 e5 *\n"


@pytest.mark.parametrize(
    ("line", "value"),
    [
        ('[White "Able \\"The Rook\\" Ann"]', 'Able "The Rook" Ann'),
        ('[White "Able "The Rook" Ann"]', 'Able "The Rook" Ann'),
        ('[White "Able, Ann]', "Able, Ann"),
        ('[ White  " Able, Ann " ]', "Able, Ann"),
        ('[White "Able, Ann"]\n[White "Other"]', "Able, Ann"),
        *((f'[White "{"A" * n}"]', "A" * min(n, MAX_TAG_CHARACTERS)) for n in (255, 256, 1000, 1900, 3000)),
        ('[White "Able\x07, Ann"]', "Able , Ann"),
    ],
)
def test_tags_out_of_order(line: str, value: str) -> None:
    assert split_tags(f"{line}\n\n1. e4 *").tags["White"] == value


def test_no_tags() -> None:
    assert split_tags("1. e4 e5 *").tags == {}
    assert split_tags("1. e4 e5 *").movetext == "1. e4 e5 *"


@pytest.mark.parametrize(
    ("read", "values", "texts"),
    [
        (year_of, [1999, 2001], ["1999.??.??", "2001-02-03", "????.01.01", "0999.1.1", None]),
        (elo_of, [2400, 2400], ["2400", "2400?", "99", "4001", "-", "", None, "²²²²"]),
        (result_of, [1.0, 0.0, 0.5, 0.5], ["1-0", "0 - 1", "1/2-1/2", "½-½", "*", "2-0", None]),
        (eco_of, ["B90", "B90", "C42"], ["B90", "b90", "C42/3", "?", None, "F00", "B9"]),
        (lambda text: text_tag({"Site": text}, "Site"), ["Ann"], ["Ann", "?", "????.??.??", "-", ""]),
    ],
)
def test_what_tags_say(read: Callable[..., object], values: list[object], texts: list[str | None]) -> None:
    """The first texts have these values, the others none."""
    assert [read(text) for text in texts] == values + [None] * (len(texts) - len(values))


def test_links() -> None:
    assert link_of({"Site": "https://lichess.org/abcd1234"}) == "https://lichess.org/abcd1234"
    assert link_of({"Site": "Paris", "Link": "https://chess.com/game/1"}) == "https://chess.com/game/1"
    assert link_of({"Site": "Paris FRA"}) is None
    assert link_of({"Site": "javascript:alert(1)"}) is None
    assert link_of({"Site": 'https://x.org/"><b>'}) is None
