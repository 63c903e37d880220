import pyarrow as pa

from assay.decisions.decisions import Decisions
from assay.screening.preparation import not_prepared, shared


def of(*pairs: tuple[str, str | None]) -> Decisions:
    rows = [
        {
            "game_id": f"game {row}",
            "ply": 20,
            "player": player,
            "moves": ["a", "b"],
            "cp": [0, -10],
            "played": "a",
            "position_key": key,
        }
        for row, (player, key) in enumerate(pairs)
    ]
    return Decisions.from_table(pa.Table.from_pylist(rows))


def test_a_position_of_three_players_is_prepared() -> None:
    table = of(("Ann", "x"), ("Bob", "x"), ("Cid", "x"), ("Ann", "y"), ("Ann", "y"), ("Bob", "y"))
    assert shared(table).tolist() == [True, True, True, False, False, False]
    assert len(table.filter(not_prepared())) == 3


def test_one_players_own_games_are_not_book() -> None:
    table = of(*[("Ann", "x")] * 5)
    assert not shared(table).any()


def test_unknown_positions_are_shared_by_nobody() -> None:
    assert not shared(of(("Ann", None), ("Bob", None), ("Cid", None))).any()
