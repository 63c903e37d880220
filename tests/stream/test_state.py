"""A killed run goes on: the same sums as without the kill."""

import os
import signal
from pathlib import Path

import pytest

from assay.decisions.grouping import By
from assay.executors import Serial
from assay.models.registry import make_model
from assay.pgn import reader as pgn
from assay.stream import run as module
from assay.stream import state as state_module
from assay.stream.blocks import Deal
from assay.stream.gather import Asked, Gathered, gather
from assay.stream.run import Streamed, stream
from assay.stream.state import State, place_of
from examples.server_games import evaluated_games


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
