"""A worker's sums, against profiles of the imported games."""

from pathlib import Path

import numpy as np
import pytest

from assay.decisions.evaluation import LICHESS
from assay.decisions.exclusions import TIME_CLASSES, Choice
from assay.decisions.grouping import By
from assay.pgn.sources import GameText
from assay.stream.blocks import Block, Deal
from assay.stream.gather import Asked, gather
from assay.stream.parts import UNKNOWN, band_name, models_for
from assay.stream.sums import Sums, add_parts, counts_of, stacks_of
from assay.workspace import Workspace
from examples.server_games import evaluated_games


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
