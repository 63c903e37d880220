"""The screening of a field of agents, of whom one takes moves from the engine."""

import math
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from assay.answers.screening import ABOVE, Screening
from assay.decisions.decisions import Decisions
from assay.errors import InputError
from assay.rating.calibration import VARIABLE, shipped
from assay.screening.norms import find_norms, rating_error
from assay.screening.screen import (
    NO_AGREEMENT,
    NO_OPENS,
    NOT_MEASURED,
    screen_decisions,
)
from assay.source import DecisionsFile, Evaluations, Valuation
from assay.study import Study
from assay.testing import make_decisions
from examples.screened_games import PLAIN, calibration, field, with_first_choice


def changed(decisions: Decisions, name: str, value: object, player: str | None = None) -> Decisions:
    table = decisions.table()
    kept = table[name].to_pylist()
    who = table["player"].to_pylist()
    new = [value if player in (None, one) else old for old, one in zip(kept, who, strict=True)]
    kind = table.schema.field(name).type
    return Decisions.from_table(table.set_column(table.column_names.index(name), name, pa.array(new, kind)))


@pytest.fixture(scope="module")
def table() -> Decisions:
    return with_first_choice(field(games=3, turns=30), "Cid", 0.9)


@pytest.fixture(scope="module")
def found(table: Decisions) -> Screening:
    return screen_decisions(table, calibration(), PLAIN)


def test_who_takes_moves_stands_first_and_is_named(found: Screening) -> None:
    first = found.players[0]
    assert first.player == "Cid"
    assert first.flag == ABOVE
    assert first.q <= 0.05
    assert first.p == first.least_p == 0.002, "2,000 honest groups were measured"
    assert first.shown(first.p) == "<0.002"
    assert first.observed["first"] > 0.85
    assert [other.flag for other in found.players[1:]] == [None] * 3


def test_games_of_the_named_are_told(found: Screening) -> None:
    games = found.players[0].each_game
    assert [game.game for game in games] == ["Cid 0", "Cid 1", "Cid 2"]
    assert all(game.z > 1 for game in games)
    turns = found.players[0].turns
    assert len(turns) == 12
    assert all(turn.loss < 20 and turn.share < 0.9 for turn in turns), "sound where few find a sound move"
    assert not found.players[1].each_game
    assert not found.players[1].turns


def test_details_of_somebody_who_is_not_named(table: Decisions) -> None:
    screening = screen_decisions(table, calibration(), PLAIN, detailed="Dee")
    (dee,) = (screened for screened in screening.players if screened.player == "Dee")
    assert (dee.flag, len(dee.each_game)) == (None, 3)
    assert dee.turns


def test_by_event_and_by_game(table: Decisions) -> None:
    by_event = screen_decisions(table, calibration(), PLAIN, by="event")
    assert len(by_event.players) == 8
    assert by_event.players[0].group.startswith("event")
    by_game = screen_decisions(table, calibration(), PLAIN, by="game", least=10).players
    assert by_game[0].q <= 0.05
    assert all((entry.games, entry.flag) == (1, None) for entry in by_game), "nobody is named by one game"
    with pytest.raises(InputError, match="group by player, event, game"):
        screen_decisions(table, calibration(), PLAIN, by="year")


def test_where_nearly_everyone_is_to_one_side_nobody_is_named() -> None:
    names = ("Ann", "Bob", "Cid", "Dee", "Eve", "Fay")
    strong = field(names, games=3, turns=40, elo=1600, strength=dict.fromkeys(names, 2600.0))
    shifted = screen_decisions(strong, calibration(), PLAIN)
    assert min(entry.q for entry in shifted.players) <= 0.05
    assert [entry.flag for entry in shifted.players] == [None] * 6
    assert "another scale here" in shifted.unnamed


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


def test_a_single_player_is_a_field_of_one(table: Decisions) -> None:
    event = changed(table.select(player="Dee"), "event", "Club evening")
    for own, by, games in (
        (table.select(game="Dee 0"), "player", 1),
        (event, "player", 3),
        (event, "event", 3),
    ):
        (alone,) = screen_decisions(own, calibration(), PLAIN, by=by).players
        assert (alone.player, alone.games) == ("Dee", games)
        assert alone.q == alone.p


@pytest.mark.parametrize(
    ("elo", "words"), [(None, "none of these games has ratings"), (20, "Ann: a rating of 20")]
)
def test_where_nobody_can_be_screened_there_is_one_sentence(
    table: Decisions, elo: int | None, words: str
) -> None:
    with pytest.raises(InputError, match=words):
        screen_decisions(changed(table, "player_elo", elo), calibration(), PLAIN)
    with pytest.raises(InputError, match="3 moves, fewer than 20"):
        screen_decisions(table.take(np.arange(3)), calibration(), PLAIN)


def test_without_a_trace_nothing_can_be_screened(table: Decisions) -> None:
    bare = Decisions.from_table(table.table().drop_columns(["trace_depth", "trace_move", "trace_value"]))
    with pytest.raises(InputError, match="no turn of these games can be screened"):
        screen_decisions(bare, calibration(), PLAIN)


def test_a_doubted_rating_makes_less_unusual(table: Decisions, found: Screening) -> None:
    doubted = screen_decisions(table, calibration(), PLAIN, unsure=["Cid"])
    again = next(one for one in doubted.players if one.player == "Cid")
    ratings = table.table()["player_elo"].to_pylist()
    ratings[0] += 150  # one game of Ann's: her rating is moving
    column = pa.array(ratings, table.table().schema.field("player_elo").type)
    place = table.table().column_names.index("player_elo")
    moving = Decisions.from_table(table.table().set_column(place, "player_elo", column))
    assert any("Ann" in note for note in screen_decisions(moving, calibration(), PLAIN).notes)
    assert again.rating_error > 1.3 * found.players[0].rating_error
    assert abs(again.z["hard"]) < abs(found.players[0].z["hard"])
    assert any("Cid" in note for note in doubted.notes)


@pytest.fixture(scope="module")
def evaluated() -> Decisions:
    """Two players, rated 2400 and 2200, who err as beginners do; one value per position."""
    table = make_decisions(games=8, plies=80, recipe=SOURCE).table()
    rows = table.to_pylist()
    for row in rows:
        index = row["played_index"]
        for name in ("moves", "cp", "mate"):
            row[name] = row[name][index : index + 1]
        row["played_index"], row["n_lines"] = 0, 0
    return Decisions.from_table(pa.Table.from_pylist(rows, schema=table.schema))


def test_one_value_per_position_is_screened_by_elo(evaluated: Decisions) -> None:
    scale = shipped(SOURCE)
    assert scale is not None
    plain = screen_decisions(evaluated, scale, None)
    assert plain.unnamed == NOT_MEASURED
    for screened in plain.players:
        assert set(screened.z) == {"elo", "all"}
        assert all(map(math.isnan, (*screened.z.values(), screened.p, screened.q))), "nothing was measured"
        assert screened.flag is None
    # With norms there is a z; the same rules hold for who is screened, and how far ratings are trusted.
    norms = find_norms(SOURCE)
    normed = screen_decisions(evaluated, scale, norms)
    assert normed.notes == (NO_AGREEMENT,)
    assert normed.unnamed == NO_OPENS, "no honest lichess events were measured"
    assert not normed.named
    assert all(screened.z["all"] == screened.z["elo"] < 0 for screened in normed.players)
    doubted = screen_decisions(evaluated, scale, norms, unsure=["Ann"])
    before, after = (
        {screened.player: screened.z["elo"] for screened in some.players} for some in (normed, doubted)
    )
    assert abs(after["Ann"]) < abs(before["Ann"])
    assert after["Bob"] == pytest.approx(before["Bob"])
    assert any("not to be trusted" in note and "Ann" in note for note in doubted.notes)
    high = screen_decisions(changed(evaluated, "player_elo", 2950), scale, norms)
    assert any("are rated beyond" in note for note in high.notes)
    unrated = screen_decisions(changed(evaluated, "player_elo", None, "Ann"), scale, norms)
    assert unrated.left_out == {"Ann": "no rating in these games"}


# Games that bring their evaluations along: losses and the Elo are screened, agreement is not known.

SOURCE = "evaluated-lichess-classical"


# From a file of decisions to its screening.


@pytest.fixture(autouse=True)
def _no_calibration(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(VARIABLE, str(tmp_path / "none"))


@pytest.fixture(scope="module")
def games(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("screen") / "field.parquet"
    with_first_choice(field(games=5, turns=25), "Cid", 1.0).write(path)
    return path


def test_a_study_screens_and_says_how_often_it_errs(games: Path) -> None:
    found = Study(games).screen()
    assert (found.engine, found.recipe) == ("Stockfish 15.1", "standard")
    assert found.field == 4
    assert found.players[0].player == "Cid"
    assert found.rates
    assert found.full is None


def test_ten_opens_of_honest_simulated_players_through_the_public_screen(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Strengths are as far from the ratings as those of people; norms are those of simulated players."""
    monkeypatch.setattr("assay.screening.screen.find_norms", lambda _: PLAIN)
    names = [f"Player {number}" for number in range(24)]
    rng = np.random.default_rng(3)
    named, error = [], rating_error(np.array([2000.0]))
    for seed in range(10):
        strength = dict(zip(names, rng.normal(2000, error, len(names)).tolist(), strict=True))
        path = tmp_path / f"{seed}.parquet"
        field(names, games=3, turns=25, strength=strength, seed=100 * seed).write(path)
        screening = Study(path).screen()
        assert screening.field == len(names)
        assert not screening.unnamed
        named.append(len(screening.named))
    assert sum(map(bool, named)) <= 2


def test_decisions_left_out_for_their_lists_are_noted(games: Path, tmp_path: Path) -> None:
    table = pq.read_table(games)
    moves = table["moves"].to_pylist()
    for row in (20, 21):
        moves[row][-1] = moves[row][0]
    place = table.column_names.index("moves")
    pq.write_table(table.set_column(place, "moves", pa.array(moves)), tmp_path / "two.parquet")
    study = Study(tmp_path / "two.parquet")
    for answer in (study.rate(), study.screen()):
        (note,) = [note for note in answer.notes if "names a move twice" in note]
        assert note.startswith(f"2 of {len(moves):,} decisions are left out")


def test_everyone_counts_where_some_are_shown(games: Path) -> None:
    everyone, one = Study(games).screen(), Study(games).screen(players=["dee"])
    assert [who.player for who in one.players] == ["Dee"]
    assert one.field == 4
    assert one.players[0].q == next(who.q for who in everyone.players if who.player == "Dee")


def test_what_is_standard_already_is_not_tested_again(games: Path) -> None:
    said: list[str] = []
    found = Study(games, say=said.append).screen(full=True)
    assert found.full is None
    assert "those of standard already" in said[-1]


QUICK = "266262b92aeaddbc"


def of_recipe(decisions: Decisions, recipe_id: str) -> Decisions:
    table = decisions.table()
    column = pa.array([recipe_id] * len(decisions), table.schema.field("recipe_id").type)
    return Decisions.from_table(table.set_column(table.column_names.index("recipe_id"), "recipe_id", column))


def test_those_who_are_named_are_tested_again_as_some_of_everyone(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The first look has values of quick, the second of standard, of whom the first named alone."""
    path = tmp_path / "field.parquet"
    standard = with_first_choice(field(games=5, turns=25), "Cid", 1.0)
    of_recipe(standard, QUICK).write(path)
    asked: list[tuple[object, object, object]] = []
    plain = DecisionsFile.decisions

    def decisions(self: DecisionsFile, valuation: Valuation, **given: Any) -> Iterator[Decisions]:
        asked.append((valuation.recipe, valuation.evaluations, given.get("players")))
        return plain(self, valuation, **given) if len(asked) == 1 else iter([standard])

    monkeypatch.setattr(DecisionsFile, "decisions", decisions)
    found = Study(path, recipe="quick", evaluations="file").screen(full=True)
    assert not found.named, "error rates of quick were not measured"
    assert found.unnamed == NOT_MEASURED
    named = sorted(entry.player for entry in found.players if entry.stands_out)
    assert "Cid" in named
    assert len(named) < 4
    assert asked[1] == ("standard", Evaluations.ENGINE, named)
    assert found.full is not None
    assert found.full.recipe == "standard"
    assert found.full.field == found.field == 4
    assert sorted(one.player for one in found.full.players) == named
    again = found.full.players[0]
    assert again.player == "Cid"
    assert again.flag == ABOVE
    assert found.full.rates


def test_a_file_of_values_cannot_be_looked_at_again(tmp_path: Path) -> None:
    path = tmp_path / "field.parquet"
    of_recipe(with_first_choice(field(games=5, turns=25), "Cid", 1.0), QUICK).write(path)
    said: list[str] = []
    assert Study(path, say=said.append).screen(full=True).full is None
    assert "cannot be made anew" in said[-1]


def test_a_recipe_without_calibration_has_one_sentence(tmp_path: Path) -> None:
    path = tmp_path / "made.parquet"
    make_decisions(trace=True).write(path)
    with pytest.raises(InputError, match="nothing to hold the moves against"):
        Study(path).screen()


def test_evaluations_of_nobody_known_have_one_sentence(tmp_path: Path) -> None:
    path = tmp_path / "evaluated.parquet"
    make_decisions(recipe="annotations").write(path)
    with pytest.raises(InputError, match="do not name what evaluated them"):
        Study(path).screen()
