"""Blocks are the same whenever the same files are read; a file that is cut off is told of."""

import os
import re
import signal
from collections import Counter
from itertools import count
from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest
from scipy import sparse

from assay.decisions import evaluation
from assay.decisions.arrays import single
from assay.decisions.evaluation import LICHESS, MATE
from assay.decisions.exclusions import Choice
from assay.decisions.grouping import By
from assay.decisions.time_control import TIME_CLASSES
from assay.errors import InputError, PgnError
from assay.executors import Processes, Serial
from assay.models.appearances import Appearances
from assay.models.registry import make_model
from assay.pgn import reader as pgn
from assay.pgn.reader import Batch, games_table, read_texts
from assay.pgn.sources import GameText
from assay.pgn.wrong_evaluations import ABSURD, MOVERS_VIEW, UNSIGNED_MATES
from assay.rating import stream as module
from assay.rating import stream as parts
from assay.rating import stream as ratings
from assay.rating import stream as state_module
from assay.rating.rate import rate_everyone
from assay.rating.stream import (
    COUNTS,
    PARTS,
    UNKNOWN,
    Asked,
    Block,
    Deal,
    Gathered,
    Layout,
    Part,
    Positions,
    State,
    Streamed,
    Sums,
    add_parts,
    band_name,
    counts_of,
    gather,
    models_for,
    moves_of,
    part_of,
    place_of,
    ratings_of,
    read_sums,
    stacks_of,
    stream,
    write_sums,
)
from assay.workspace import Workspace
from assay.workspace.assemble import wrong_clocks
from assay.workspace.comments import assemble_annotated
from examples.server_games import evaluated_games


@pytest.fixture
def small(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pgn, "BATCH_GAMES", 4)


@pytest.mark.usefixtures("small")
def test_all_games_are_dealt(tmp_path: Path) -> None:
    one, other = tmp_path / "one.pgn", tmp_path / "other.pgn"
    one.write_text(evaluated_games(9))
    other.write_text(evaluated_games(2))
    told: list[tuple[str, int]] = []
    deal = Deal([one, other], lambda name, size, position, games: told.append((name, games)))
    blocks = list(deal.blocks())
    assert [(block.number, len(block.texts), block.source) for block in blocks] == [
        (0, 4, "one.pgn"),
        (1, 4, "one.pgn"),
        (2, 1, "one.pgn"),
        (3, 2, "other.pgn"),
    ]
    assert told[-1] == ("other.pgn", 11)
    assert not deal.failures


def test_a_file_that_is_cut_gives_what_came_before(tmp_path: Path) -> None:
    whole, cut = tmp_path / "whole.pgn.zst", tmp_path / "cut.pgn.zst"
    with pa.CompressedOutputStream(str(whole), "zstd") as file:
        file.write(evaluated_games(600).encode())
    cut.write_bytes(whole.read_bytes()[: whole.stat().st_size * 3 // 4])
    deal = Deal([cut, whole], lambda *_: None)
    games = [len(block.texts) for block in deal.blocks()]
    assert 600 < sum(games) < 1200
    (said,) = deal.failures
    assert "cut.pgn is damaged: it is cut off before its end; what came before was read" in said


# A worker's sums, against profiles of the imported games.


def block(text: str, tmp_path: Path) -> Block:
    path = tmp_path / "games.pgn"
    path.write_text(text)
    (found,) = Deal([path], lambda *_: None).blocks()
    return found


def test_profiles_are_those_of_the_imported_games(tmp_path: Path) -> None:
    given = block(evaluated_games(20), tmp_path)
    found = gather(given, Asked())
    assert set(found.parts) == {LICHESS["blitz"], LICHESS["rapid"]}
    assert (found.games, found.without, found.partly, dict(found.left_out)) == (20, 0, 0, {})
    for kind in ("blitz", "rapid"):
        source = LICHESS[kind]
        path = tmp_path / f"{kind}.pgn"  # a workspace rates the games of one source
        path.write_text(
            "".join(one.text + "\n\n" for one in given.texts if f"{kind.title()} game" in one.text)
        )
        workspace = Workspace(tmp_path / kind)
        workspace.import_games(path)
        own = workspace.decisions("annotations", choice=Choice(frozenset(TIME_CLASSES)))
        sums: dict[str, Sums] = {}
        add_parts(sums, {source: found.parts[source]})
        for names, matrix in sums[source].shards():
            stacks, counts = stacks_of(matrix, sums[source].layout, source), counts_of(matrix)
            for index, name in enumerate(names):
                rows = np.arange(8) + 8 * index
                mine = own.select(player=name)
                assert counts["games"][rows].sum() == len(mine.games)
                assert counts["losses"][rows].sum() + counts["wins"][rows].sum() == len(mine.games)
                elo = counts["elo"][rows].sum() / counts["rated"][rows].sum()
                assert elo == pytest.approx(mine.numbers("player_elo").mean())
                for method, model in models_for(source).items():
                    profile = stacks[method].only(rows.tolist()).total()
                    expected = model.profile(mine)
                    np.testing.assert_allclose(profile.evidence, expected.evidence, rtol=1e-5, atol=1e-4)
                    assert (profile.decisions, profile.games) == (expected.decisions, expected.games)


def test_bands_hold_all_players_of_like_rating(tmp_path: Path) -> None:
    given = block(evaluated_games(6), tmp_path)
    by_band = gather(given, Asked(By.RATING_BAND)).parts[LICHESS["blitz"]]
    by_player = gather(given, Asked()).parts[LICHESS["blitz"]]
    assert all(name.endswith("99") for name in by_band.names)
    columns = np.ones(by_band.layout.width, dtype=bool)
    columns[[start + 1 for start in by_band.layout.places().values()]] = False  # two of one band, one game
    found, expected = (one.matrix.sum(axis=0)[columns] for one in (by_band, by_player))
    np.testing.assert_allclose(found, expected, rtol=1e-5)
    assert (band_name(16), band_name(9), band_name(-1)) == ("1600 to 1699", "0900 to 0999", UNKNOWN)


def test_what_is_left_out_is_counted(tmp_path: Path) -> None:
    whole = evaluated_games(4)
    first, second, third, fourth = whole.split("[Event ")[1:]
    games = [
        first.split("20.")[0] + "0-1\n\n",  # too short
        "".join(second.replace("[%eval", "[%val")),  # no evaluations
        third.replace("{ [%eval ", "{ [%val ", 30),  # some missing: fewer than all
        fourth.replace("0:02:3", "0:09:3", 3),  # clocks that run backwards
    ]
    found = gather(block("".join("[Event " + game for game in games), tmp_path), Asked())
    assert dict(found.left_out) == {"too_short": 1}
    assert (found.games, found.without, found.partly) == (4, 1, 1)
    assert found.clocks["backwards"] > 0
    only = gather(block(whole, tmp_path), Asked(choice=Choice(frozenset({"classical"}))))
    assert not only.parts
    assert dict(only.left_out) == {"fast_time_control": 4}


def test_text_that_is_no_game() -> None:
    found = gather(Block(3, [GameText("nothing of the kind")], "x"), Asked())
    assert (found.numbers, found.games, found.fragments, found.parts) == ([3], 0, 1, {})


# Rows of sums: who is in them, and how many games.

SOURCE = LICHESS["blitz"]


def part(text: str, by: By = By.PLAYER) -> Part:
    texts = [GameText("[Event " + one) for one in text.split("[Event ")[1:]]
    batch = read_texts(texts, "x")
    moves = moves_of(batch.games, batch, Positions.of(batch), SOURCE)
    found = part_of(batch.games, moves, SOURCE, by)
    assert found is not None
    return found


def games_by_method(found: Part) -> set[float]:
    sums = np.asarray(found.matrix.sum(axis=0)).reshape(-1)
    return {float(sums[start + 1]) for start in found.layout.places().values()}


def test_a_game_is_one_of_each_player_and_one_of_their_band() -> None:
    text = evaluated_games(9, n_players=4)
    by_player, by_band = part(text), part(text, By.RATING_BAND)
    assert games_by_method(by_player) == {18.0}
    one_band = part(re.sub(r'Elo "\d+"', 'Elo "0"', text), By.RATING_BAND)
    assert one_band.names == ["unknown rating"]
    assert games_by_method(one_band) == {9.0}
    assert 9.0 <= min(games_by_method(by_band)) <= 18.0


def test_a_name_that_plays_alone_has_one_game() -> None:
    text = re.sub(r'(White|Black) "[^"]+"', r'\1 "?"', evaluated_games(4))
    found = part(text)
    assert found.names == ["?"]
    assert np.asarray(found.matrix.sum(axis=0)).reshape(-1)[COUNTS.index("games")] == 4
    assert games_by_method(found) == {4.0}


def test_rows_are_names_and_parts() -> None:
    found = part(evaluated_games(30))
    assert len(np.unique(found.rows)) == len(found.rows) == found.matrix.shape[0]
    assert set((found.rows // PARTS).tolist()) == set(range(len(found.names)))
    assert len(set((found.rows % PARTS).tolist())) > 4


# Values and clocks of a block's positions, against the tables of an import.

MATED = (
    '[Event "Rated Blitz game"]\n[Result "0-1"]\n\n'
    "1. f3 { [%eval -0.6] } e5 { [%eval -0.5] } 2. g4 { [%eval #-1] } Qh4# 0-1"
)
TWICE = '[White "A"]\n[Result "1-0"]\n\n1. e4 {good} { [%eval 0.3,18] [%clk 0:03:00] } e5 { [%eval #4] } 1-0'
TEXTS = [*("[Event " + one for one in evaluated_games(3).split("[Event ")[1:]), MATED, TWICE]


def test_values_are_those_of_the_table() -> None:
    batch = read_texts([GameText(text) for text in TEXTS], "x")
    assert batch.said  # the slow reader has a part in it
    found = Positions.of(batch)
    table = batch.annotations_table(batch.games)
    place = {record.game_id: found.offsets[at] for at, record in enumerate(batch.games)}
    expected = np.full((3, len(found.value)), np.nan)
    encoded = evaluation.encode(single(table["cp"]), single(table["mate"])).to_pylist()
    for row, value in zip(table.to_pylist(), encoded, strict=True):
        said = (value, row["clock"], row["elapsed"])
        expected[:, place[row["game_id"]] + row["position"]] = [np.nan if x is None else x for x in said]
    np.testing.assert_array_equal(np.stack((found.value, found.clock, found.elapsed)), expected)
    assert found.evaluated().tolist() == [*([batch.games[0].n_plies] * 3), 3, 2]


def test_the_rules_value_a_last_position_that_nobody_did() -> None:
    batch = read_texts([GameText(text) for text in TEXTS], "x")
    some = Positions.of(batch).only(np.array([3, 0]))
    records = [batch.games[3], batch.games[0]]
    assert np.isnan(some.value[4])
    some.settle(records)
    assert some.value[:5].tolist() == pytest.approx([np.nan, 60.0, -50.0, MATE - 1, -MATE], nan_ok=True)
    assert len(some.value) == 5 + batch.games[0].n_plies + 1
    before = some.value.copy()
    some.settle(records)  # what is known stays
    np.testing.assert_array_equal(some.value, before)


# Sparse sums: any order and any split gives the same, against plain dictionaries.

LAYOUT = Layout.of({name: make_model(name) for name in ("conformance", "covariance")})


def part_sums(seed: int, n_names: int = 12) -> Part:
    rng = np.random.default_rng(seed)
    names = [f"name {one}" for one in rng.permutation(30)[:n_names]]
    rows = np.unique(rng.integers(0, PARTS * n_names, 25))
    dense = rng.integers(0, 3, (len(rows), LAYOUT.width)) * rng.integers(0, 2, (len(rows), LAYOUT.width))
    return Part(LAYOUT, names, rows, sparse.csr_array(dense.astype(np.float32)))


def plain(parts: list[Part]) -> dict[tuple[str, int], np.ndarray]:
    found: dict[tuple[str, int], np.ndarray] = {}
    for one in parts:
        for row, values in zip(one.rows, one.matrix.toarray(), strict=True):
            key = one.names[row // PARTS], int(row % PARTS)
            found[key] = found.get(key, 0) + values
    return found


def held(sums: Sums) -> dict[tuple[str, int], np.ndarray]:
    return {
        (name, place): matrix.toarray()[PARTS * index + place]
        for names, matrix in sums.shards()
        for index, name in enumerate(names)
        for place in range(PARTS)
    }


def same(sums: Sums, expected: dict[tuple[str, int], np.ndarray]) -> None:
    found = held(sums)
    assert {name for name, _ in found} >= {name for name, _ in expected}
    for key, values in found.items():
        np.testing.assert_array_equal(values, expected.get(key, np.zeros(LAYOUT.width)))


@pytest.mark.parametrize("pending", [0, 10, 10_000])
def test_sums_are_those_of_all_parts(monkeypatch: pytest.MonkeyPatch, pending: int) -> None:
    monkeypatch.setattr(module, "_MOST_WAITING", pending)
    parts = [part_sums(seed) for seed in range(6)]
    sums = Sums(LAYOUT)
    for one in parts:
        sums.add(one)
    same(sums, plain(parts))
    for one in parts:  # after they were read
        sums.add(one)
    same(sums, plain(parts + parts))


def test_sums_of_sums() -> None:
    parts = [part_sums(seed) for seed in range(6)]
    halves = [Sums(LAYOUT), Sums(LAYOUT)]
    for place, one in enumerate(parts):
        halves[place % 2].add(one)
    whole: dict[str, Sums] = {}
    for half in halves:
        add_parts(whole, {"source": half.as_part()})
    same(whole["source"], plain(parts))


def test_places_take_four_bytes() -> None:
    """Half of the room that sums take would be places of eight bytes, which scipy falls back on."""
    wide = part_sums(1)
    wide.matrix.indices = wide.matrix.indices.astype(np.int64)
    wide.matrix.indptr = wide.matrix.indptr.astype(np.int64)
    sums = Sums(LAYOUT)
    sums.add(wide)
    same(sums, plain([part_sums(1)]))
    for matrix in (*(matrix for _, matrix in sums.shards()), sums.as_part().matrix):
        assert (matrix.indices.dtype, matrix.indptr.dtype) == (np.int32, np.int32)


def test_sums_come_back_from_a_file(tmp_path: Path) -> None:
    sums = Sums(LAYOUT)
    sums.add(part_sums(1))
    write_sums(tmp_path / "kept.npz", {"a": sums, "b": Sums(LAYOUT)}, {"finished": [1, 2]})
    found, about = read_sums(tmp_path / "kept.npz")
    assert about == {"finished": [1, 2]}
    assert list(found) == ["a", "b"]
    assert len(found["b"]) == 0
    same(found["a"], plain([part_sums(1)]))


def test_counts_and_profiles_have_their_columns() -> None:
    matrix = sparse.csr_array(np.arange(2 * LAYOUT.width, dtype=np.float32).reshape(2, -1))
    assert [one[0] for one in counts_of(matrix).values()] == list(range(len(COUNTS)))
    stacks = stacks_of(matrix, LAYOUT, "x")
    first = stacks["conformance"]
    assert (first.decisions[0], first.games[0]) == (len(COUNTS), len(COUNTS) + 1)
    assert first.evidence[0][0] == len(COUNTS) + 2
    assert stacks["covariance"].evidence[1][-1] == 2 * LAYOUT.width - 1


def test_sums_of_other_methods_are_refused() -> None:
    other = Layout.of({"markov": make_model("markov")})
    empty = sparse.csr_array((0, other.width), dtype=np.float32)
    with pytest.raises(ValueError, match="different meaning"):
        Sums(LAYOUT).add(Part(other, [], np.zeros(0, np.int64), empty))


# A killed run goes on: the same sums as without the kill.


@pytest.fixture
def games(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setattr(pgn, "BATCH_GAMES", 3)
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    path = tmp_path / "games.pgn"
    path.write_text(evaluated_games(12))
    return path


def total(found: Streamed) -> dict[str, float]:
    return {source: float(one.as_part().matrix.sum()) for source, one in found.sums.items()}


def kept(tmp_path: Path) -> list[Path]:
    return list((tmp_path / "cache").rglob("*.npz"))


def test_a_killed_run_goes_on(games: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    whole = stream(games, executor=Serial(), keep=False)
    done: list[int] = []

    def killed(block, asked: Asked) -> Gathered:  # type: ignore[no-untyped-def]
        if len(done) == 2:
            raise KeyboardInterrupt
        done.append(block.number)
        return gather(block, asked)

    monkeypatch.setattr(module, "gather", killed)
    with pytest.raises(KeyboardInterrupt):
        stream(games, executor=Serial())
    assert len(kept(tmp_path)) == 1
    done.clear()

    def counted(block, asked: Asked) -> Gathered:  # type: ignore[no-untyped-def]
        done.append(block.number)
        return gather(block, asked)

    monkeypatch.setattr(module, "gather", counted)
    again = stream(games, executor=Serial())
    assert done == [2, 3]
    assert again.resumed == 2
    assert total(again) == pytest.approx(total(whole))
    assert again.counted.games == whole.counted.games == 12
    assert not kept(tmp_path)


@pytest.mark.skipif(not hasattr(os, "fork"), reason="needs fork")
def test_a_run_that_was_shot_goes_on(games: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """SIGKILL leaves no time to keep anything: what was kept on the way counts, whole or not at all."""
    whole = stream(games, executor=Serial(), keep=False)
    child = os.fork()
    if not child:
        done: list[int] = []

        def shot(block, asked: Asked) -> Gathered:  # type: ignore[no-untyped-def]
            if len(done) == 3:
                os.kill(os.getpid(), signal.SIGKILL)
            done.append(block.number)
            return gather(block, asked)

        monkeypatch.setattr(module, "gather", shot)
        try:
            stream(games, executor=Serial(), keep_every=0.0)
        finally:
            os._exit(1)
    _, status = os.waitpid(child, 0)
    assert os.WTERMSIG(status) == signal.SIGKILL
    again = stream(games, executor=Serial())
    assert 2 <= again.resumed <= 3
    assert total(again) == pytest.approx(total(whole))
    assert again.counted.games == 12
    assert not kept(tmp_path)


def test_what_another_version_kept_is_begun_anew(games: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Its methods may be others: sums of different meaning do not add up."""
    place = place_of([games], Asked())
    assert place is not None
    state = State(place)
    for block in Deal([games], lambda *_: None).blocks():
        state.add(gather(block, Asked()))
    state.keep()
    assert State(place).resumed == 4
    monkeypatch.setattr(state_module, "models_for", lambda source: {"gain": make_model("gain")})
    assert State(place).resumed == 0


def test_what_is_finished_is_kept_on_the_way(
    games: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    seen: list[int] = []

    def watched(block, asked: Asked) -> Gathered:  # type: ignore[no-untyped-def]
        seen.append(len(kept(tmp_path)))
        return gather(block, asked)

    monkeypatch.setattr(module, "gather", watched)
    stream(games, executor=Serial(), keep_every=0.0)
    assert seen == [0, 1, 1, 1]


def test_other_questions_and_files_have_states_of_their_own(games: Path) -> None:
    place = place_of([games], Asked())
    assert place == place_of([games], Asked())
    assert place != place_of([games], Asked(By.RATING_BAND))
    games.write_text(evaluated_games(3))
    assert place != place_of([games], Asked())
    assert place_of([Path("-")], Asked()) is None


def test_a_damaged_state_is_begun_anew(tmp_path: Path) -> None:
    place = tmp_path / "state.npz"
    place.write_bytes(b"PK\x03\x04 and nothing more")
    assert State(place).resumed == 0


# Streams as a whole: any split gives the same; bad input is one sentence.


def rows(found: Streamed) -> dict[tuple[str, str], np.ndarray]:
    return {
        (source, name): matrix.toarray()[8 * place : 8 * place + 8]
        for source, one in found.sums.items()
        for names, matrix in one.shards()
        for place, name in enumerate(names)
    }


def test_any_split_gives_the_same(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "games.pgn"
    path.write_text(evaluated_games(15))
    whole = rows(stream(path, executor=Serial(), keep=False))
    monkeypatch.setattr(pgn, "BATCH_GAMES", 2)
    pool = Processes(2)
    try:
        split = rows(stream(path, executor=pool, keep=False))
    finally:
        pool.close()
    assert whole.keys() == split.keys()
    for key, own in whole.items():
        np.testing.assert_allclose(split[key], own, rtol=1e-5, atol=1e-4)


def test_a_file_that_is_cut_is_rated_up_to_there(tmp_path: Path) -> None:
    path = tmp_path / "cut.pgn.zst"
    with pa.CompressedOutputStream(str(path), "zstd") as file:
        file.write(evaluated_games(400).encode())
    path.write_bytes(path.read_bytes()[: path.stat().st_size * 3 // 4])
    found = stream(path, executor=Serial(), keep=False)
    assert 0 < found.counted.games < 400
    assert "cut off" in found.damage[0]


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


# Streamed measures and ratings, against those of the imported games.


@pytest.fixture
def uncalibrated(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(parts, "find_calibration", lambda source: None)
    monkeypatch.setattr(ratings, "find_calibration", lambda source: None)


@pytest.fixture
def games_ratings(tmp_path: Path) -> Path:
    path = tmp_path / "games_ratings.pgn"
    path.write_text(evaluated_games(24))
    return path


@pytest.fixture
def streamed(games_ratings: Path, uncalibrated: None) -> Streamed:
    return stream(games_ratings, executor=Serial(), keep=False)


def test_measures_are_those_of_the_imported_games(
    games_ratings: Path, streamed: Streamed, tmp_path: Path
) -> None:
    found = ratings_of(streamed)
    assert [one.recipe_id for one in found] == [LICHESS["blitz"], LICHESS["rapid"]]
    texts = ["[Event " + text for text in games_ratings.read_text().split("[Event ")[1:]]
    for one, kind in zip(found, ("Blitz", "Rapid"), strict=True):
        path = tmp_path / f"{kind}.pgn"  # a workspace rates the games_ratings of one source
        path.write_text("".join(text for text in texts if f"{kind} game" in text))
        workspace = Workspace(tmp_path / kind)
        workspace.import_games(path)
        decisions = workspace.decisions("annotations", choice=Choice(frozenset(TIME_CLASSES)))
        assert one.scale is None
        expected = rate_everyone(decisions, None, methods=parts.METHODS)
        assert {player.player for player in one.players} == {player.player for player in expected.players}
        by_name = {player.player: player for player in expected.players}
        for player in one.players:
            other = by_name[player.player]
            assert (player.games, player.decisions) == (other.games, other.decisions)
            assert player.record == other.record
            assert player.reference == pytest.approx(other.reference)
            for name, measure in player.measures.items():
                assert measure.value == pytest.approx(other.measures[name].value, rel=1e-4)
                # In parts, games_ratings tell how they vary a little less well.
                assert measure.low <= measure.value <= measure.high or measure.low != measure.low


def test_names_are_rated_so_many_at_once_whatever_their_shard(
    streamed: Streamed, monkeypatch: pytest.MonkeyPatch
) -> None:
    whole = {one.recipe_id: one for one in ratings_of(streamed)}
    monkeypatch.setattr(ratings, "AT_ONCE", 3)
    units = list(ratings._units(streamed, 10, 0.95))
    for source, sums in streamed.sums.items():
        own = [unit for unit in units if unit.source == source]
        assert [len(unit.names) for unit in own[:-1]] == [3] * (len(own) - 1)
        assert 0 < len(own[-1].names) <= 3
        named = [name for unit in own for name in unit.names]
        assert sorted(named) == sorted(name for names, _ in sums.shards() for name in names)
    for one in ratings_of(streamed):
        other = {player.player: player for player in whole[one.recipe_id].players}
        for player in one.players:
            assert player.record == other[player.player].record
            for name, measure in player.measures.items():
                assert measure.value == pytest.approx(other[player.player].measures[name].value, rel=1e-9)


def test_what_must_be_said_is_said(streamed: Streamed) -> None:
    (note, *_) = ratings_of(streamed)[0].notes
    assert "duplicates are not sought" in note
    assert "no workspace is written" in note


def test_few_decisions_are_told(streamed: Streamed) -> None:
    with pytest.raises(InputError, match="nobody has 100000"):
        ratings_of(streamed, least=100_000)
    blitz, *_ = ratings_of(streamed)
    most = max(player.decisions for player in blitz.players)
    (only, *_) = ratings_of(streamed, least=most)
    assert len(only.players) + len(only.too_few) == len(blitz.players)


# Evaluations, clocks and ratings that are not as they should be: streamed as they are imported, and said.

SOURCE_bad_input = LICHESS["blitz"]
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
    "one name on both sides": re.sub(r'(White|Black) "[^"]+"', r'\1 "?"', GAMES),
    "cut in the middle": GAMES[: len(GAMES) * 2 // 3],
    "comments of engines": GAMES.replace("{ [%eval", "{+0.31/22 2.0s} { [%eval", 12),
}


def block_bad_input(text: str) -> Block:
    texts = ["[Event " + game for game in text.split("[Event ")[1:]]
    return Block(0, [GameText(one) for one in texts], "bad.pgn")


def imported(batch: Batch):  # type: ignore[no-untyped-def]
    """Decisions and appearances as an import makes them, of the games that a stream rates."""
    games = games_table(batch.games)
    for side in ("white", "black"):
        games = games.append_column(side, games[f"{side}_name"])
    decisions = assemble_annotated(games, batch.annotations_table(batch.games), SOURCE_bad_input)
    return decisions, Appearances.of(decisions)


@pytest.mark.parametrize("name", BAD)
def test_a_stream_adds_up_what_an_import_would(name: str) -> None:
    given = block_bad_input(BAD[name])
    found = gather(given, Asked())
    batch = read_texts(given.texts, given.source)
    decisions, appearances = imported(batch)
    part = found.parts[SOURCE_bad_input]
    sums = np.asarray(part.matrix.sum(axis=0)).reshape(-1)
    counts = dict(zip(COUNTS, sums[: len(COUNTS)].tolist(), strict=True))
    assert counts["games"] == (appearances.size > 0).sum()
    assert counts["decisions"] == appearances.size.sum()
    assert counts["squares"] == np.square(appearances.size).sum()
    assert counts["rated"] == np.isfinite(appearances.elo[appearances.size > 0]).sum()
    assert counts["elo"] == pytest.approx(np.nansum(appearances.elo[appearances.size > 0]))
    assert counts["losses"] == (appearances.numbers("result")[appearances.size > 0] == 0).sum()
    for method, start in part.layout.places().items():
        expected = models_for(SOURCE_bad_input)[method].profile(decisions)
        own = sums[start : start + 2 + expected.evidence.size]
        assert own[0] == expected.decisions
        np.testing.assert_allclose(own[2:], expected.evidence.ravel(), rtol=1e-5, atol=1e-3)
    assert found.clocks == wrong_clocks(games_table(batch.games), batch.annotations_table(batch.games))
    assert found.doubts == Counter(batch.doubts.values())


def gathered(name: str) -> Gathered:
    return gather(block_bad_input(BAD[name]), Asked())


def total_bad_input(found: Gathered) -> np.ndarray:
    return np.asarray(found.parts[SOURCE_bad_input].matrix.sum(axis=0)).reshape(-1)


def test_what_is_put_right_is_as_it_should_be() -> None:
    turned = gathered("mover's view")
    assert turned.doubts == {MOVERS_VIEW: 7}
    np.testing.assert_allclose(total_bad_input(turned), total_bad_input(gathered("as they should be")))
    signed, unsigned = gathered("signed mates"), gathered("unsigned mates")
    assert (signed.doubts, unsigned.doubts) == ({}, {UNSIGNED_MATES: 7})
    np.testing.assert_allclose(total_bad_input(unsigned), total_bad_input(signed))


def test_what_is_not_known_is_counted() -> None:
    assert gathered("some values").partly == gathered("values to the middle").partly == 7
    assert gathered("clocks backwards").clocks["backwards"] > 0
    assert gathered("absurd clocks").clocks["absurd"] > 0
    assert not gathered("no clocks").clocks
    assert total_bad_input(gathered("ratings of 0"))[COUNTS.index("rated")] == 0
    assert total_bad_input(gathered("ratings with ?"))[COUNTS.index("rated")] == 14


def test_absurd_values_are_not_read() -> None:
    found = gather(
        block_bad_input(by_ply(lambda ply, value: f"[%eval {1000 * (1 + abs(value)):.0f}]")), Asked()
    )
    assert (found.parts, found.without, found.doubts) == ({}, 7, {ABSURD: 7})
