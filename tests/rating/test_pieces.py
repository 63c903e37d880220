import pyarrow as pa

from assay.decisions.decisions import Decisions
from assay.rating.pieces import Pieces, left_out_of


def test_one_piece_is_kept_and_several_are_not(games: Decisions) -> None:
    first, second = games.games[:2]
    one, other = games.select(game=first), games.select(game=second)
    empty = games.select(game="no such game")
    single = Pieces([empty, one])
    assert [len(piece) for piece in single.read()] == [len(one)]
    assert single.only is one
    several = Pieces(iter([one, empty, other]))
    assert several.recipe_id == single.recipe_id != ""
    assert [len(piece) for piece in several.read()] == [len(one), len(other)]
    assert several.only is None
    assert several.players == {*one.players, *other.players}


def test_only_some_players_are_passed_on(games: Decisions) -> None:
    player = games.players[0]
    (piece,) = Pieces([games]).read([player])
    assert piece.players == [player]


def test_nothing_has_no_recipe() -> None:
    nothing = Pieces([])
    assert (nothing.recipe_id, nothing.only, list(nothing.read())) == ("", None, [])


def test_games_left_out_are_counted_once_over_all_pieces(games: Decisions) -> None:
    some = games.select(game=games.games[:3])
    table = some.to_table()
    reasons = ["too_short" if game == games.games[0] else None for game in some.text("game_id")]
    marked = Decisions.from_table(
        table.set_column(table.schema.get_field_index("exclusion"), "exclusion", [reasons])
    )
    assert left_out_of(marked) == {"too_short": 1}
    pieces = Pieces([marked.select(game=game) for game in marked.games])
    assert sum(map(len, pieces.read())) == len(some)
    assert pieces.left_out == {"too_short": 1}


def test_moves_without_a_value_are_counted(games: Decisions) -> None:
    table = games.to_table()
    reasons = ["not_analysed" if row % 4 == 0 else None for row in range(table.num_rows)]
    place = table.schema.get_field_index("exclusion")
    marked = Decisions.from_table(table.set_column(place, "exclusion", pa.array(reasons, pa.string())))
    pieces = Pieces([marked])
    list(pieces.read())
    assert abs(pieces.without_value - 0.25) < 0.01
