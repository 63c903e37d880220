"""FIDE ids settle whether two spellings are one player."""

from collections import Counter

import pyarrow as pa
import pytest

from assay.decisions.schema import GAMES
from assay.pgn.players import NEEDED, id_of_all, ids_of_names, joined_by_id, resolve
from assay.pgn.tags import fide_id_of


@pytest.mark.parametrize(
    ("text", "number"),
    [("4100018", 4100018), (" 14109603 ", 14109603), ("0", None), ("", None), (None, None), ("n/a", None)],
)
def test_ids_as_written(text: str | None, number: int | None) -> None:
    assert fide_id_of(text) == number


def test_a_number_that_no_column_holds_is_none() -> None:
    assert fide_id_of("9" * 10) is None
    assert fide_id_of("9" * 5000) is None


def games(*rows: tuple[str, int | None, str, int | None]) -> pa.Table:
    """Games of White with an id against Black with an id."""
    columns: dict[str, list[object]] = {name: [None] * len(rows) for name in NEEDED}
    names = ("white_name", "white_fide", "black_name", "black_fide")
    for name, column in zip(names, zip(*rows, strict=True), strict=True):
        columns[name] = list(column)
    columns["moves_key"] = list(range(len(rows)))
    columns["n_plies"] = [80] * len(rows)
    return pa.table(
        {name: pa.array(column, GAMES.arrow.field(name).type) for name, column in columns.items()}
    )


def settled(table: pa.Table) -> dict[str, str]:
    counts = Counter(table["white_name"].to_pylist() + table["black_name"].to_pylist())
    return {name: one.player for name, one in resolve(counts, {}, {}, table).items()}


def test_the_id_of_a_name_is_that_of_nearly_all_its_games() -> None:
    often = [("Li, A", 1, "Rival, X", None)] * 19
    assert ids_of_names(games(*often, ("Li, A", 2, "Rival, X", None))) == {"Li, A": 1}
    assert ids_of_names(games(*often, *[("Li, A", 2, "Rival, X", None)] * 5)) == {}
    assert id_of_all(["a", "b"], {"a": 1, "b": 1}) == 1
    assert id_of_all(["a", "b"], {"a": 1, "b": 2}) is None
    assert id_of_all(["a"], {}) is None


def test_two_spellings_with_one_id_are_one_player() -> None:
    found = settled(
        games(("Korchnoi, Viktor", 1300016, "Rival, X", None), ("Kortschnoj, V", 1300016, "Rival, X", None))
    )
    assert found["Kortschnoj, V"] == found["Korchnoi, Viktor"] == "Korchnoi, Viktor"


def test_a_short_name_with_another_id_is_another_player() -> None:
    alone = games(("Polgar, Judit", None, "Rival, X", None), ("Polgar, J", None, "Rival, X", None))
    assert settled(alone)["Polgar, J"] == "Polgar, Judit"
    apart = games(("Polgar, Judit", 700070, "Rival, X", None), ("Polgar, J", 799999, "Rival, X", None))
    assert settled(apart)["Polgar, J"] == "Polgar, J"


def test_an_initial_goes_where_its_id_is() -> None:
    found = settled(
        games(
            ("Wang, Hao", 8602883, "Rival, X", None),
            ("Wang, Hui", 8600001, "Rival, X", None),
            ("Wang, H", 8600001, "Rival, X", None),
        )
    )
    assert found["Wang, H"] == "Wang, Hui"


def test_a_player_of_several_ids_is_left_alone() -> None:
    joined = {"A, B": "A, B", "A, Bob": "A, B", "C, D": "C, D"}
    rank = {"A, B": (False, 1, 5), "C, D": (False, 1, 1)}
    assert joined_by_id(joined, {"A, B": 1, "A, Bob": 2, "C, D": 1}, rank) == joined
    assert joined_by_id(joined, {"A, B": 1, "C, D": 1}, rank)["C, D"] == "A, B"
