import json
from pathlib import Path

import numpy as np
import pytest

from assay.decisions.elo import expectation
from assay.errors import InputError
from research.evidence.agent.closed_loop import by_level, covered, main, results_of, slope, slope_interval


def row(reference: float | None, elo: float, width: float) -> dict[str, object]:
    combined = {"elo": elo, "low": elo - width, "high": elo + width}
    return {"player": "Ann", "reference": reference, "combined": combined}


def test_errors_and_coverage_by_level() -> None:
    rated = {"players": [row(1500, 1560, 50), row(1500, 1480, 50), row(2000, 2010, 50), row(None, 1, 1)]}
    low, high, everything = by_level(covered(rated))
    assert (low["elo"], low["n"], low["mean_error"], low["covered"]) == (1500, 2, 20, 0.5)
    assert low["rmse"] == pytest.approx(np.sqrt((60**2 + 20**2) / 2))
    assert high["covered"] == 1
    assert (everything["n"], everything["covered"]) == (3, pytest.approx(2 / 3))
    assert everything["width"] == 100
    with pytest.raises(InputError, match="no row"):
        covered({"players": [row(None, 1, 1), {"reference": 1500, "combined": None}]})


@pytest.mark.parametrize("truth", [0.5, 1.0, 1.6])
def test_the_slope_of_results_is_found(truth: float) -> None:
    rng = np.random.default_rng(5)
    ahead = rng.choice([-600, -400, -200, 200, 400], 4000).astype(float)
    won = (rng.random(4000) < expectation(truth * ahead)).astype(float)
    games = np.stack((ahead, won), axis=1)
    assert slope(games) == pytest.approx(truth, abs=0.12)
    low, high = slope_interval(games, resamples=60)
    assert low < truth < high


def test_from_files(tmp_path: Path) -> None:
    games = tmp_path / "games.pgn"
    tags = '[White "A"]\n[Black "B"]\n[WhiteElo "1900"]\n[BlackElo "1500"]\n[Result "{}"]\n\n1. e4 {}\n\n'
    games.write_text("".join(tags.format(one, one) for one in ("1-0", "1/2-1/2", "*", "0-1", "1-0")))
    assert results_of(games).tolist() == [[400, 1], [400, 0.5], [400, 0], [400, 1]]
    rated = tmp_path / "rated.json"
    rated.write_text(json.dumps({"players": [row(1500, 1560, 100), row(1900, 1800, 50)]}))
    said: list[str] = []
    assert main([str(rated), str(games)], said.append) == 0
    assert "| 1500 | 1 | +60 |" in said[0]
    assert "| all | 2 | -20 |" in said[0]
    assert "4 games" in said[0]
    assert main([], said.append) == 2
    (tmp_path / "none.pgn").write_text("")
    with pytest.raises(InputError, match="no game"):
        results_of(tmp_path / "none.pgn")
