"""Rows of sums: who is in them, and how many games."""

import re

import numpy as np

from assay.decisions.evaluation import LICHESS
from assay.decisions.grouping import By
from assay.pgn.reader import read_texts
from assay.pgn.sources import GameText
from assay.stream.parts import moves_of, part_of
from assay.stream.sums import COUNTS, PARTS, Part
from assay.stream.values import Positions
from examples.server_games import evaluated_games

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
