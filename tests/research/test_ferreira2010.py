"""What each part of the company model is worth: every variant is tried on every set."""

from pathlib import Path

import numpy as np
import pytest

from assay.results.company import EVIDENCE, TUNED
from assay.results.games import Rules, Split, splits
from examples.result_games import simulated, write_competition
from research.papers import ferreira2010 as ablation


def test_every_variant_has_a_line_with_the_mean_of_its_sets(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    games, _ = simulated(players=20, games=900, months=24)
    path = write_competition(tmp_path / "training.csv", games)
    rules = Rules(months=3, least_games=2, recent=20)
    monkeypatch.setattr(ablation, "splits", lambda games, *_, **__: splits(games, 2, apart=3, rules=rules))
    monkeypatch.setattr(ablation, "VARIANTS", ablation.VARIANTS[:1] + ablation.VARIANTS[-1:])
    lines = [line.strip("| ").split(" | ") for line in ablation.errors_table(path).splitlines()[2:]]
    assert [name for name, *_ in lines] == [
        "ferreira2010, submitted",
        "ferreira2010, after",
        "ratings alone",
        "company",
    ]
    for _, mean_cell, cells in lines:
        mean, errors = float(mean_cell), [float(word) for word in cells.split(", ")]
        assert len(errors) == 2
        assert mean == pytest.approx(np.mean(errors), abs=1e-4)


def test_variants_leave_out_what_they_say(monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[list[bool]] = []

    def errors(sets: list[Split], settings: object, used: np.ndarray) -> list[float]:
        asked.append(used.tolist())
        return [0.5]

    monkeypatch.setattr(ablation, "left_out_errors", errors)
    monkeypatch.setattr(ablation, "splits", lambda *_, **__: [])
    monkeypatch.setattr(ablation, "read_competition", lambda _: type("Read", (), {"games": None})())
    monkeypatch.setattr(ablation, "month_rmse", lambda *_: 0.5)
    monkeypatch.setattr(ablation.np, "mean", lambda _: 0.5)
    ablation.errors_table(Path("none"))
    assert len(asked) == len(ablation.VARIANTS)
    assert asked[-1] == [True] * len(EVIDENCE)
    without = {name: used for (name, *_), used in zip(ablation.VARIANTS, asked, strict=True)}
    assert without["company without doubt"] == [name != "doubt" for name in EVIDENCE]
    assert ablation.NO_SCHEDULE.schedule == 0.0 != TUNED.schedule
