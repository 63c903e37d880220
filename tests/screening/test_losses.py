"""Games that bring their evaluations along: losses and the Elo are screened, agreement is not known."""

import math

import numpy as np
import pyarrow as pa
import pytest

from assay.decisions.decisions import Decisions
from assay.errors import InputError
from assay.rating.calibration import Calibration, shipped
from assay.screening.losses import NO_AGREEMENT, NOT_MEASURED, screen_losses
from assay.testing import make_decisions

SOURCE = "evaluated-lichess-classical"


@pytest.fixture(scope="module")
def evaluated() -> Decisions:
    """Two players, rated 2400 and 2200, who err as beginners do; one value per position."""
    table = make_decisions(games=8, plies=80, recipe=SOURCE).to_table()
    rows = table.to_pylist()
    for row in rows:
        index = row["played_index"]
        for name in ("moves", "cp", "mate"):
            row[name] = row[name][index : index + 1]
        row["played_index"], row["n_lines"] = 0, 0
    return Decisions.from_table(pa.Table.from_pylist(rows, schema=table.schema))


def test_losses_and_elo_are_screened_and_agreement_is_not_known(evaluated: Decisions) -> None:
    calibration = shipped(SOURCE)
    assert calibration is not None
    found = screen_losses(evaluated, calibration, None)
    assert {one.player for one in found.players} == {"Ann", "Bob"}
    for one in found.players:
        assert math.isnan(one.z["first"])
        assert math.isnan(one.z["hard"])
        assert one.z["error"] < 0
        assert one.z["all"] == pytest.approx(one.z["elo"])
        assert one.flag == "below"
    assert found.notes == (NO_AGREEMENT, NOT_MEASURED)


def changed(decisions: Decisions, player: str | None, elo: int | None) -> Decisions:
    """The same with another rating, of one player or of everyone."""
    table = decisions.to_table()
    rows = [
        elo if player in (None, who) else own
        for who, own in zip(table["player"].to_pylist(), table["player_elo"].to_pylist(), strict=True)
    ]
    place = table.schema.get_field_index("player_elo")
    return Decisions.from_table(
        table.set_column(place, "player_elo", pa.array(rows, table.schema.field("player_elo").type))
    )


@pytest.fixture(scope="module")
def scale() -> Calibration:
    found = shipped(SOURCE)
    assert found is not None
    return found


def test_who_cannot_be_screened_is_named_with_the_reason(evaluated: Decisions, scale: Calibration) -> None:
    unrated = screen_losses(changed(evaluated, "Ann", None), scale, None)
    assert unrated.left_out == {"Ann": "no rating in these games"}
    assert [one.player for one in unrated.players] == ["Bob"]
    wrong = screen_losses(changed(evaluated, "Ann", 20), scale, None)
    assert "a rating of 20 is plainly wrong" in wrong.left_out["Ann"]


def test_where_nobody_can_be_screened_there_is_one_sentence(evaluated: Decisions, scale: Calibration) -> None:
    with pytest.raises(InputError, match="none of these games has ratings"):
        screen_losses(changed(evaluated, None, None), scale, None)
    first = evaluated.select(player="Ann")
    late = first.take(np.flatnonzero(first.numbers("ply") >= 16)[:3])
    with pytest.raises(InputError, match="Ann: 3 turns, fewer than 20"):
        screen_losses(late, scale, None)


def test_one_game_is_a_field_of_two_and_one_player_a_field_of_one(
    evaluated: Decisions, scale: Calibration
) -> None:
    game = evaluated.names("game_id")[0]
    found = screen_losses(evaluated.select(game=game), scale, None)
    assert [one.games for one in found.players] == [1, 1]
    own = evaluated.select(player="Ann")
    own = own.take(np.flatnonzero(own.codes("event") == own.codes("event")[0]))
    for by in ("player", "event"):
        (alone,) = screen_losses(own, scale, None, by=by).players
        assert alone.q == alone.p == alone.bonferroni


def test_doubted_ratings_and_those_beyond_the_scale_are_said(
    evaluated: Decisions, scale: Calibration
) -> None:
    plain = {one.player: one for one in screen_losses(evaluated, scale, None).players}
    found = screen_losses(evaluated, scale, None, unsure=["Ann"])
    doubted = {one.player: one for one in found.players}
    assert abs(doubted["Ann"].z["elo"]) < abs(plain["Ann"].z["elo"])
    assert doubted["Bob"].z["elo"] == pytest.approx(plain["Bob"].z["elo"])
    assert any("not sure any more" in note and "Ann" in note for note in found.notes)
    high = screen_losses(changed(evaluated, None, 2950), scale, None)
    assert any("are rated beyond" in note for note in high.notes)
