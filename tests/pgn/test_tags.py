"""Tags of one game, as clean files and as dirty ones have them."""

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


def test_what_tags_say() -> None:
    tags = {"Event": "?", "Site": "????.??.??", "Round": "-", "White": "Ann"}
    assert [text_tag(tags, name) for name in ("Event", "Site", "Round", "White", "Black")] == [
        None,
        None,
        None,
        "Ann",
        None,
    ]
    assert [year_of(text) for text in ("1999.??.??", "2001-02-03", "????.01.01", "0999.1.1", None)] == [
        1999,
        2001,
        None,
        None,
        None,
    ]
    assert [elo_of(text) for text in ("2400", "2400?", "99", "4001", "-", "", None, "²²²²")] == [
        2400,
        2400,
        *[None] * 6,
    ]
    assert [result_of(text) for text in ("1-0", "0 - 1", "1/2-1/2", "½-½", "*", "2-0", None)] == [
        1.0,
        0.0,
        0.5,
        0.5,
        None,
        None,
        None,
    ]


def test_openings_and_links() -> None:
    assert [eco_of(one) for one in ("B90", "b90", "C42/3", "?", None, "F00", "B9")] == [
        *("B90", "B90", "C42", None, None, None, None)
    ]
    assert link_of({"Site": "https://lichess.org/abcd1234"}) == "https://lichess.org/abcd1234"
    assert link_of({"Site": "Paris", "Link": "https://chess.com/game/1"}) == "https://chess.com/game/1"
    assert link_of({"Site": "Paris FRA"}) is None
    assert link_of({"Site": "javascript:alert(1)"}) is None
    assert link_of({"Site": 'https://x.org/"><b>'}) is None
