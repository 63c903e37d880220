"""The screening of a field of agents, of whom one takes moves from the engine."""

import numpy as np
import pyarrow as pa
import pytest

from assay.answers.screening import ABOVE
from assay.decisions.decisions import Decisions
from assay.errors import InputError
from assay.screening.screen import Found, beginning_region, screen_decisions
from examples.screened_games import PLAIN, calibration, field, with_first_choice


def changed(decisions: Decisions, name: str, value: object, player: str | None = None) -> Decisions:
    table = decisions.to_table()
    for column in ("trace_depth", "trace_move", "trace_value"):
        assert column in table.column_names
    kept = table[name].to_pylist()
    who = table["player"].to_pylist()
    new = [value if player in (None, one) else old for old, one in zip(kept, who, strict=True)]
    kind = table.schema.field(name).type
    return Decisions.from_table(table.set_column(table.column_names.index(name), name, pa.array(new, kind)))


@pytest.fixture(scope="module")
def table() -> Decisions:
    return with_first_choice(field(games=3, turns=30), "Cid", 0.9)


@pytest.fixture(scope="module")
def found(table: Decisions) -> Found:
    return screen_decisions(table, calibration(), PLAIN)


def test_who_takes_moves_stands_first_and_is_named(found: Found) -> None:
    first = found.players[0]
    assert first.player == "Cid"
    assert first.flag == ABOVE
    assert first.q <= 0.05
    assert first.alike < 0.05
    assert first.evidence > 1000
    assert first.observed["first"] > 0.85
    assert [one.flag for one in found.players[1:]] == [None] * 3


def test_games_of_the_named_are_told(found: Found) -> None:
    games = found.players[0].each_game
    assert [game.game for game in games] == ["Cid 0", "Cid 1", "Cid 2"]
    assert all(game.z > 1 for game in games)
    stands_out = [game for game in games if game.named]
    assert stands_out
    earliest, likeliest, latest = stands_out[0].first_turn or (0, 0, 0)
    assert 11 <= earliest <= likeliest <= latest
    assert not found.players[1].each_game


def test_by_event_and_by_game(table: Decisions) -> None:
    by_event = screen_decisions(table, calibration(), PLAIN, by="event")
    assert len(by_event.players) == 8
    assert by_event.players[0].group.startswith("event")
    assert screen_decisions(table, calibration(), PLAIN, by="game", least=10).players[0].games == 1
    with pytest.raises(InputError, match="group by player, event, game"):
        screen_decisions(table, calibration(), PLAIN, by="year")


def test_play_below_the_rating_is_a_tail_too() -> None:
    weak = field(games=4, turns=40, elo=2600, strength={"Bob": 1000.0})
    found = screen_decisions(weak, calibration(), PLAIN)
    assert found.players[0].player == "Bob"
    assert found.players[0].z["all"] < 0
    assert found.players[0].flag == "below"


def test_who_is_not_rated_or_wrongly_rated_is_left_out(table: Decisions) -> None:
    unrated = changed(table, "player_elo", None, "Ann")
    wrong = changed(unrated, "player_elo", 20, "Bob")
    found = screen_decisions(wrong, calibration(), PLAIN)
    assert {one.player for one in found.players} == {"Cid", "Dee"}
    assert found.left_out["Ann"] == "no rating in these games"
    assert "plainly wrong" in found.left_out["Bob"]


def test_without_any_rating_there_is_one_sentence(table: Decisions) -> None:
    with pytest.raises(InputError, match="none of these games has ratings"):
        screen_decisions(changed(table, "player_elo", None), calibration(), PLAIN)


def test_three_turns_are_too_few(table: Decisions) -> None:
    three = table.take(np.arange(3))
    with pytest.raises(InputError, match="3 turns, fewer than 20"):
        screen_decisions(three, calibration(), PLAIN)


def test_one_game_of_one_player_is_enough(table: Decisions) -> None:
    one = screen_decisions(table.select(game="Dee 0"), calibration(), PLAIN)
    assert [who.player for who in one.players] == ["Dee"]
    assert one.players[0].q == one.players[0].p == one.players[0].bonferroni


def test_all_games_of_an_event_by_one_player_are_a_field_of_one(table: Decisions) -> None:
    own = changed(table.select(player="Dee"), "event", "Club evening")
    for by in ("player", "event"):
        (one,) = screen_decisions(own, calibration(), PLAIN, by=by).players
        assert (one.player, one.games) == ("Dee", 3)
        assert one.q == one.p


def test_a_rating_that_is_plainly_wrong_everywhere_is_one_sentence(table: Decisions) -> None:
    with pytest.raises(InputError, match="Ann: a rating of 20 is plainly wrong"):
        screen_decisions(changed(table, "player_elo", 20), calibration(), PLAIN)


def test_without_a_trace_nothing_can_be_screened(table: Decisions) -> None:
    bare = Decisions.from_table(table.to_table().drop_columns(["trace_depth", "trace_move", "trace_value"]))
    with pytest.raises(InputError, match="no turn of these games can be screened"):
        screen_decisions(bare, calibration(), PLAIN)


def test_a_doubted_rating_makes_less_unusual(table: Decisions, found: Found) -> None:
    doubted = screen_decisions(table, calibration(), PLAIN, unsure=["Cid"])
    again = next(one for one in doubted.players if one.player == "Cid")
    assert again.rating_error == 150
    assert abs(again.z["hard"]) < abs(found.players[0].z["hard"])
    assert any("Cid" in note for note in doubted.notes)


def test_the_region_of_a_beginning() -> None:
    chance = np.array([0.02, 0.5, 0.4, 0.05, 0.03])
    assert beginning_region(chance, np.array([9, 10, 11, 12, 13])) == (10, 10, 11)
