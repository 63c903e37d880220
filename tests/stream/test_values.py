"""Values and clocks of a block's positions, against the tables of an import."""

import numpy as np
import pytest

from assay.decisions import evaluation
from assay.decisions.arrays import single
from assay.decisions.evaluation import MATE
from assay.pgn.reader import read_texts
from assay.pgn.sources import GameText
from assay.stream.values import Positions
from examples.server_games import evaluated_games

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
