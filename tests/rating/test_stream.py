"""Streams: the same games have the same numbers as from a workspace, whatever reads them."""

import os
import re
import signal
from collections import Counter
from collections.abc import Callable, Iterator
from itertools import count
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from assay.answers.ratings import PlayerRating, Ratings, with_combined
from assay.decisions.evaluation import LICHESS
from assay.decisions.exclusions import Choice
from assay.decisions.grouping import By
from assay.errors import InputError, PgnError
from assay.executors import Dask, Executor, Processes, Serial
from assay.models.appearances import Appearances
from assay.models.registry import make_model
from assay.pgn import reader
from assay.pgn.comments import ABSURD, MOVERS_VIEW, UNSIGNED_MATES
from assay.pgn.reader import games_table, read_texts
from assay.pgn.sources import GameText
from assay.rating import stream as module
from assay.rating.calibration import find_calibration
from assay.rating.evidence import COUNTS, UNKNOWN, Part, band_name
from assay.rating.pipeline import Request, rate_everyone
from assay.rating.stream import (
    METHODS,
    Block,
    Gathered,
    Register,
    State,
    Streamed,
    deal,
    gather,
    models_for,
    place_of,
    ratings_of,
    stream,
)
from assay.study import Study
from assay.workspace import Workspace
from assay.workspace.assemble import assemble_annotated, wrong_clocks
from examples.server_games import evaluated_games, spelt_games

BLITZ = LICHESS["blitz"]


# One pipeline: a file, a workspace, decisions, two processes, a cluster -----------------------------------


def numbers(one: PlayerRating) -> list[float]:
    ratings = with_combined(one).values()
    return [number for rating in ratings for number in (rating.elo, rating.low, rating.high)]


def same(ratings: Ratings, expected: Ratings) -> None:
    assert [one.player for one in ratings.players] == [one.player for one in expected.players]
    assert (ratings.level, ratings.scale, ratings.too_few) == (
        expected.level,
        expected.scale,
        expected.too_few,
    )
    for one, other in zip(ratings.players, expected.players, strict=True):
        assert (one.games, one.decisions, one.record) == (other.games, other.decisions, other.record)
        assert one.reference == pytest.approx(other.reference, rel=1e-12)
        assert list(one.ratings) == list(other.ratings)
        assert numbers(one) == pytest.approx(numbers(other), rel=1e-9)


@pytest.fixture(scope="module")
def month(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Players with more games than there are blocks, one with few, one whose only game is too short."""
    path = tmp_path_factory.mktemp("month") / "games.pgn"
    few = evaluated_games(3, n_players=2, seed=4).replace("Rapid", "Blitz").replace("player", "guest")
    few = few.replace("lichess.org/game", "lichess.org/other").replace('Date "1', 'Date "2')
    first, rest = few.split("[Event ")[1:3], few.split("[Event ")[3:]
    short = first[0].replace("guest", "passer").split("20.")[0] + "0-1\n\n"
    path.write_text(evaluated_games(150, n_players=4) + "[Event ".join(("", short, first[1], *rest)))
    return path


@pytest.fixture(scope="module")
def expected(month: Path, tmp_path_factory: pytest.TempPathFactory) -> Ratings:
    place = tmp_path_factory.mktemp("kept") / "games.assay"
    ratings = Study(month, workspace=place, evaluations="file").rate(level=0.9)
    assert max(one.games for one in ratings.players) > 40
    assert min(ratings.too_few.values()) == 0
    return ratings


@pytest.fixture(params=["serial", "processes", "cluster"])
def executor(request: pytest.FixtureRequest) -> Iterator[Executor]:
    if request.param == "cluster":
        distributed = pytest.importorskip("distributed", reason="needs the extra 'cluster'")
        with distributed.LocalCluster(
            n_workers=2, threads_per_worker=1, processes=False, dashboard_address=None
        ) as own:
            cluster = Dask(own.scheduler_address)
            yield cluster
            cluster.close()
        return
    made = Serial() if request.param == "serial" else Processes(2)
    yield made
    made.close()


def test_the_same_games_have_the_same_ratings(
    month: Path, expected: Ratings, executor: Executor, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(reader, "BATCH_GAMES", 17)
    streamed = stream(month, executor=executor, keep=False)
    blitz, rapid = ratings_of(streamed, level=0.9)
    assert (blitz.recipe_id, rapid.recipe_id) == (BLITZ, LICHESS["rapid"])
    same(blitz, expected)


def test_a_study_streams_what_it_rates(month: Path, expected: Ratings) -> None:
    same(Study(month, evaluations="file", jobs=1).stream(level=0.9)[0][0], expected)
    decisions = expected.decisions
    assert decisions is not None
    rated = rate_everyone(decisions, find_calibration(BLITZ), Request(level=0.9))
    assert [numbers(one) for one in rated.players] == [
        pytest.approx(numbers(one), rel=1e-9) for one in expected.players
    ]


def test_spellings_and_copies_are_settled_as_in_a_workspace(
    tmp_path: Path, executor: Executor, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "games.pgn"
    path.write_text(spelt_games())
    expected = Study(path, workspace=tmp_path / "games.assay", evaluations="file").rate(level=0.9)
    assert expected.left_out["duplicate"] == 2
    assert {"Tal, Mikhail", "Kasparov, Garry"} <= {player.player for player in expected.players}
    monkeypatch.setattr(reader, "BATCH_GAMES", 7)
    ratings = ratings_of(stream(path, executor=executor, keep=False), level=0.9)
    streamed = next(one for one in ratings if one.recipe_id == expected.recipe_id)
    same(streamed, expected)
    assert streamed.left_out["duplicate"] == 2


def test_copies_are_found_after_a_run_goes_on(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "_MOST_RECENT", 5)
    counted = gather(block(spelt_games()))
    assert counted.register is not None
    register = Register()
    assert len(register.add(counted.register)) == 2
    text, rows = register.arrays()
    for again in (register, Register(text.tolist(), rows)):
        assert len(again.add(counted.register)) == 42


def test_measures_are_those_of_a_workspace(
    month: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "find_calibration", lambda source: None)
    own, _ = ratings_of(stream(month, executor=Serial(), keep=False))
    assert own.scale is None
    workspace = Workspace(tmp_path / "games.assay")
    workspace.import_games(month)
    decisions = workspace.decisions("annotations", choice=Choice.parse("all"))
    other = rate_everyone(decisions, None, Request(methods=METHODS))
    assert [one.player for one in own.players] == [one.player for one in other.players]
    for one, two in zip(own.players, other.players, strict=True):
        assert one.measures.keys() == two.measures.keys()
        for name, measure in one.measures.items():
            ends = [two.measures[name].value, two.measures[name].low, two.measures[name].high]
            assert [measure.value, measure.low, measure.high] == pytest.approx(ends, rel=1e-9, nan_ok=True)


def test_what_must_be_said_is_said(month: Path) -> None:
    streamed = stream(month, executor=Serial(), keep=False)
    (note, *_) = ratings_of(streamed)[0].notes
    assert "no workspace is written" in note
    with pytest.raises(InputError, match="nobody has 100000"):
        ratings_of(streamed, least=100_000)


# Blocks of games -------------------------------------------------------------------------------------------


@pytest.fixture
def small(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(reader, "BATCH_GAMES", 4)


@pytest.mark.usefixtures("small")
def test_all_games_are_dealt(tmp_path: Path) -> None:
    one, other = tmp_path / "one.pgn", tmp_path / "other.pgn"
    one.write_text(evaluated_games(9))
    other.write_text(evaluated_games(2))
    told: list[tuple[str, int]] = []
    failures: list[str] = []
    blocks = list(
        deal([one, other], lambda name, size, position, games: told.append((name, games)), failures)
    )
    assert [(block.number, len(block.texts), block.source) for block in blocks] == [
        (0, 4, "one.pgn"),
        (1, 4, "one.pgn"),
        (2, 1, "one.pgn"),
        (3, 2, "other.pgn"),
    ]
    assert told[-1] == ("other.pgn", 11)
    assert not failures


# What a worker makes of a block ----------------------------------------------------------------------------


def block(text: str) -> Block:
    return Block(0, [GameText("[Event " + one) for one in text.split("[Event ")[1:]], "x")


def total(part: Part) -> np.ndarray:
    rows = [part.counts, *part.read.values(), *part.evidence.values()]
    return np.concatenate([np.asarray(one.sum(axis=0)).reshape(-1) for one in rows])


def test_a_band_holds_all_players_of_like_rating() -> None:
    by_band = gather(block(evaluated_games(6)), By.RATING_BAND).parts[BLITZ]
    by_player = gather(block(evaluated_games(6))).parts[BLITZ]
    assert all(name.endswith("99") for name, _ in by_band.groups)
    np.testing.assert_allclose(total(by_band), total(by_player))
    assert (band_name(16), band_name(9), band_name(-1)) == ("1600 to 1699", "0900 to 0999", UNKNOWN)


def test_a_name_that_plays_alone_has_one_game() -> None:
    text = re.sub(r'(White|Black) "[^"]+"', r'\1 "Solo"', evaluated_games(4).replace("Rapid", "Blitz"))
    part = gather(block(text)).parts[BLITZ]
    assert part.groups == [("Solo", "")]
    assert part.counts[:, COUNTS.index("games")].sum() == 4


def test_whoever_is_not_named_is_somebody_else_in_every_game() -> None:
    text = re.sub(r'(White|Black) "[^"]+"', r'\1 "?"', evaluated_games(4).replace("Rapid", "Blitz"))
    part = gather(block(text)).parts[BLITZ]
    assert len(part.groups) == 8
    assert all(re.fullmatch(r"\? \((White|Black) of game \w{6}\)", name) for name, _ in part.groups)


def test_what_is_left_out_is_counted() -> None:
    whole = evaluated_games(4)
    first, second, third, fourth = whole.split("[Event ")[1:]
    games = [
        first.split("20.")[0] + "0-1\n\n",  # too short
        "".join(second.replace("[%eval", "[%val")),  # no evaluations
        third.replace("{ [%eval ", "{ [%val ", 30),  # some missing: fewer than all
        fourth.replace("0:02:3", "0:09:3", 3),  # clocks that run backwards
    ]
    counted = gather(block("".join("[Event " + game for game in games)))
    assert dict(counted.left_out) == {"too_short": 1}
    assert (counted.games, counted.without, counted.partly) == (4, 1, 1)
    assert counted.clocks["backwards"] > 0
    only = gather(block(whole), chosen=Choice(frozenset({"classical"})))
    assert not only.parts
    assert dict(only.left_out) == {"fast_time_control": 4}


def test_games_of_no_server_are_rated_at_the_time_controls_that_a_workspace_rates() -> None:
    """Each time class of a server has a scale of its own; elsewhere fast games are left out."""
    text = evaluated_games(2).replace("https://lichess.org/", "https://elsewhere/")
    assert gather(block(text)).left_out == {"fast_time_control": 2}
    assert not gather(block(text), chosen=Choice.parse("all")).left_out


def test_text_that_is_no_game() -> None:
    counted = gather(Block(3, [GameText("nothing of the kind")], "x"))
    assert (counted.number, counted.games, counted.fragments, counted.parts) == (3, 0, 1, {})


# A killed run goes on --------------------------------------------------------------------------------------


@pytest.fixture
def games(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setattr(reader, "BATCH_GAMES", 3)
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    path = tmp_path / "games.pgn"
    path.write_text(evaluated_games(12))
    return path


def kept(tmp_path: Path) -> list[Path]:
    return list((tmp_path / "cache").rglob("*.npz"))


def stopping(after: int, stop: Callable[[], object]) -> Callable[..., Gathered]:
    """`gather`, but after so many blocks something else."""
    done: list[int] = []

    def gathering(block: Block, **asked: Any) -> Gathered:
        if len(done) == after:
            stop()
        done.append(block.number)
        return gather(block, **asked)

    return gathering


def interrupt() -> None:
    raise KeyboardInterrupt


def same_evidence(streamed: Streamed, whole: Streamed) -> None:
    assert streamed.evidence.keys() == whole.evidence.keys()
    for source, one in streamed.evidence.items():
        sums, others = one.sums(), whole.evidence[source].sums()
        assert sums.groups == others.groups
        np.testing.assert_array_equal(sums.starts, others.starts)
        np.testing.assert_array_equal(sums.counts, others.counts)
        for name, stack in sums.stacks().items():
            assert stack.total().equals(others.stacks()[name].total())
    assert streamed.counted == Gathered(**{**vars(whole.counted), "number": streamed.counted.number})


def test_a_killed_run_goes_on(games: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    whole = stream(games, executor=Serial(), keep=False)
    monkeypatch.setattr(module, "gather", stopping(2, interrupt))
    with pytest.raises(KeyboardInterrupt):
        stream(games, executor=Serial())
    assert len(kept(tmp_path)) == 1
    monkeypatch.setattr(module, "gather", stopping(2, pytest.fail))
    again = stream(games, executor=Serial())
    assert again.resumed == 2
    same_evidence(again, whole)
    assert not kept(tmp_path)


@pytest.mark.skipif(not hasattr(os, "fork"), reason="needs fork")
def test_a_run_that_was_shot_goes_on(games: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """SIGKILL leaves no time to keep anything: what was kept on the way counts, whole or not at all."""
    whole = stream(games, executor=Serial(), keep=False)
    child = os.fork()
    if not child:
        monkeypatch.setattr(module, "gather", stopping(3, lambda: os.kill(os.getpid(), signal.SIGKILL)))
        try:
            stream(games, executor=Serial(), keep_every=0.0)
        finally:
            os._exit(1)
    _, status = os.waitpid(child, 0)
    assert os.WTERMSIG(status) == signal.SIGKILL
    again = stream(games, executor=Serial())
    assert again.resumed == 3
    same_evidence(again, whole)
    assert not kept(tmp_path)


def test_what_another_version_kept_or_is_damaged_is_begun_anew(
    games: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Its methods may be others: sums of different meaning do not add up."""
    place = place_of([games])
    assert place is not None
    state = State(place)
    for one in deal([games], lambda *_: None, []):
        state.add(gather(one))
    state.keep()
    assert State(place).resumed == 4
    with monkeypatch.context() as patched:
        patched.setattr(module, "models_for", lambda source: {"gain": make_model("gain")})
        assert State(place).resumed == 0
    place.write_bytes(b"PK\x03\x04 and nothing more")
    assert State(place).resumed == 0


def test_other_questions_and_files_have_states_of_their_own(games: Path) -> None:
    place = place_of([games])
    assert place == place_of([games])
    assert place != place_of([games], By.RATING_BAND)
    assert place != place_of([games], chosen=Choice.parse("blitz"))
    games.write_text(evaluated_games(3))
    assert place != place_of([games])
    assert place_of([Path("-")]) is None


# Input that is not as it should be: one sentence -----------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "kind", "said"),
    [
        ("nothing of the kind\n", PgnError, "neither tags nor legal moves"),
        (evaluated_games(2).replace("%eval", "%val"), InputError, "2 games have no evaluations"),
        (
            re.sub(r"%eval -?[\d.]+", "%eval 5000", evaluated_games(2)),
            InputError,
            "evaluations of 2 of the games are absurd",
        ),
        (
            '[White "A"]\n[Result "1-0"]\n\n1. e4 { [%eval 0.1] } e5 1-0\n',
            InputError,
            "1 too_short",
        ),
    ],
)
def test_nothing_to_rate(tmp_path: Path, text: str, kind: type[Exception], said: str) -> None:
    path = tmp_path / "games.pgn"
    path.write_text(text)
    with pytest.raises(kind, match=said):
        stream(path, executor=Serial(), keep=False)


def test_what_cannot_be_put_together_in_a_stream(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="group by player, rating-band"):
        stream(tmp_path, by="event")


# Evaluations, clocks and ratings that are not as they should be: streamed as they are imported, and said ---

GAMES = evaluated_games(7).replace("Rated Rapid", "Rated Blitz")
VALUE = re.compile(r"\[%eval (-?[\d.]+)\]")


def by_ply(change, text: str = GAMES) -> str:  # type: ignore[no-untyped-def]
    """The games with each value changed by its ply."""
    lines = []
    for line in text.split("\n"):
        ply = count()
        lines.append(VALUE.sub(lambda value, ply=ply: change(next(ply), float(value[1])), line))
    return "\n".join(lines)


def with_mates(sign: str) -> str:
    lost = by_ply(lambda ply, value: f"[%eval {-3 - abs(value):.2f}]")
    return re.sub(r"\[%eval [-\d.]+\]( \[%clk [\d:]+\] \} 0-1)", rf"[%eval #{sign}3]\1", lost)


BAD = {
    "as they should be": GAMES,
    "mover's view": by_ply(lambda ply, value: f"[%eval {-value if ply % 2 == 0 else value:.2f}]"),
    "unsigned mates": with_mates(""),
    "signed mates": with_mates("-"),
    "some values": by_ply(lambda ply, value: "" if ply % 5 == 2 else f"[%eval {value:.2f}]"),
    "values to the middle": by_ply(lambda ply, value: f"[%eval {value:.2f}]" if ply < 40 else ""),
    "a single absurd value": by_ply(
        lambda ply, value: "[%eval 900.00]" if ply == 21 else f"[%eval {value:.2f}]"
    ),
    "values beyond all numbers": by_ply(
        lambda ply, value: "[%eval 99999999.1]" if ply % 9 == 3 else f"[%eval {value:.2f}]"
    ),
    "no numbers": by_ply(lambda ply, value: "[%eval nan]" if ply % 9 == 3 else f"[%eval {value:.2f}]"),
    "clocks backwards": GAMES.replace("0:02:4", "0:09:4"),
    "absurd clocks": GAMES.replace("0:02:4", "999:02:4"),
    "no clocks": re.sub(r" \[%clk [\d:]+\]", "", GAMES),
    "ratings of 0": re.sub(r'Elo "\d+"', 'Elo "0"', GAMES),
    "ratings with ?": re.sub(r'Elo "(\d+)"', r'Elo "\1?"', GAMES),
    "one name on both sides": re.sub(r'(White|Black) "[^"]+"', r'\1 "Solo"', GAMES),
    "nobody is named": re.sub(r'(White|Black) "[^"]+"', r'\1 "?"', GAMES),
    "cut in the middle": GAMES[: len(GAMES) * 2 // 3],
    "comments of engines": GAMES.replace("{ [%eval", "{+0.31/22 2.0s} { [%eval", 12),
}


@pytest.mark.parametrize("name", BAD)
def test_a_stream_adds_up_what_an_import_would(name: str) -> None:
    given = block(BAD[name])
    counted = gather(given)
    batch = read_texts(given.texts, given.source)
    games = games_table(batch.games)
    for side in ("white", "black"):
        games = games.append_column(side, games[f"{side}_name"])
    decisions = assemble_annotated(games, batch.annotations_table(), BLITZ)
    appearances = Appearances.of(decisions)
    part, rows = counted.parts[BLITZ], appearances.size > 0
    sums = dict(zip(COUNTS, part.counts.sum(axis=0).tolist(), strict=True))
    assert sums["games"] == rows.sum()
    assert sums["decisions"] == appearances.size.sum()
    assert sums["squares"] == np.square(appearances.size).sum()
    assert sums["rated"] == np.isfinite(appearances.elo[rows]).sum()
    assert sums["elo"] == pytest.approx(np.nansum(appearances.elo[rows]))
    assert sums["losses"] == (appearances.numbers("result")[rows] == 0).sum()
    for method, model in models_for(BLITZ).items():
        profile = model.profile(decisions)
        assert part.read[method][:, 0].sum() == profile.decisions
        own = np.asarray(part.evidence[method].sum(axis=0)).reshape(-1)
        np.testing.assert_allclose(own, profile.evidence.ravel(), rtol=1e-9, atol=1e-9)
    assert counted.clocks == wrong_clocks(games_table(batch.games), batch.annotations_table())
    assert counted.doubts == Counter(batch.doubts.values())


def gathered(name: str) -> Gathered:
    return gather(block(BAD[name]))


def test_what_is_put_right_is_as_it_should_be() -> None:
    turned, plain = gathered("mover's view"), gathered("as they should be")
    assert turned.doubts == {MOVERS_VIEW: 7}
    np.testing.assert_allclose(total(turned.parts[BLITZ]), total(plain.parts[BLITZ]))
    signed, unsigned = gathered("signed mates"), gathered("unsigned mates")
    assert (signed.doubts, unsigned.doubts) == ({}, {UNSIGNED_MATES: 7})
    np.testing.assert_allclose(total(unsigned.parts[BLITZ]), total(signed.parts[BLITZ]))


def test_what_is_not_known_is_counted() -> None:
    assert gathered("some values").partly == gathered("values to the middle").partly == 7
    assert gathered("clocks backwards").clocks["backwards"] > 0
    assert gathered("absurd clocks").clocks["absurd"] > 0
    assert not gathered("no clocks").clocks
    for name, rated in (("ratings of 0", 0), ("ratings with ?", 14)):
        assert gathered(name).parts[BLITZ].counts[:, COUNTS.index("rated")].sum() == rated


def test_absurd_values_are_not_read() -> None:
    counted = gather(block(by_ply(lambda ply, value: f"[%eval {1000 * (1 + abs(value)):.0f}]")))
    assert (counted.parts, counted.without, counted.doubts) == ({}, 7, {ABSURD: 7})
