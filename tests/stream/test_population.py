"""Population tables of streamed games."""

from pathlib import Path

import numpy as np
import pytest

from assay.decisions.evaluation import ANNOTATED, LICHESS
from assay.executors import Serial
from assay.rating.percentiles import FEWEST_PLAYERS, RATING, SHARES
from assay.stream.population import measured, named, populations
from assay.stream.ratings import ratings_of
from assay.stream.run import stream
from examples.server_games import evaluated_games


def test_tables_hold_the_quantiles_of_what_is_measured(tmp_path: Path) -> None:
    path = tmp_path / "games.pgn"
    path.write_text(evaluated_games(150, n_players=45))
    sums = stream(path, executor=Serial(), keep=False).sums
    found = populations(sums, least=10)
    whole = next(one for one in found if one.source == LICHESS["blitz"] and one.band is None)
    values, elo = measured(LICHESS["blitz"], sums[LICHESS["blitz"]], 10)
    assert whole.players == len(elo) >= FEWEST_PLAYERS
    assert set(whole.quantiles) == set(values) >= {"conformance", RATING}
    for name, many in whole.quantiles.items():
        np.testing.assert_allclose(many, np.quantile(values[name], SHARES))
    assert "lichess blitz" in whole.words
    best = whole.percentile("conformance", float(values["conformance"].max()))
    assert best is not None
    assert best.share == SHARES[-1]
    for one in found:
        assert one.players >= FEWEST_PLAYERS
        assert one.band is None or one.band[1] - one.band[0] == 199
    assert not populations(sums, least=100_000)


def test_names_of_sources() -> None:
    assert named(LICHESS["rapid"]) == "lichess rapid"
    assert named(ANNOTATED) == "evaluated games"


def test_values_are_those_of_the_ratings(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from assay.stream import parts, ratings

    monkeypatch.setattr(parts, "find_calibration", lambda source: None)
    monkeypatch.setattr(ratings, "find_calibration", lambda source: None)
    path = tmp_path / "games.pgn"
    path.write_text(evaluated_games(12))
    found = stream(path, executor=Serial(), keep=False)
    (first, *_) = ratings_of(found)
    values, _ = measured(first.recipe_id, found.sums[first.recipe_id], 1)
    for name in parts.METHODS:
        own = sorted(player.measures[name].value for player in first.players)
        np.testing.assert_allclose(sorted(values[name]), own)
