import json
import math
import re
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pyarrow.parquet as pq
import pytest

from assay.answers.ratings import Rating
from assay.cli import main
from assay.decisions.decisions import Decisions
from assay.errors import FitError, InputError
from assay.models.choice.model import ChoiceModel
from assay.models.choice.spreads import Spreads
from assay.models.choice.sums import probabilities
from assay.models.choice.tables import (
    milepost_table,
    milepost_tables,
    mileposts_of,
    period_labels,
    project,
    rate_groups,
)
from examples.choice_agents import agent_decisions, agent_spreads

AGENTS = {2600: (0.09, 0.52), 2300: (0.13, 0.49), 2000: (0.2, 0.46)}


@pytest.fixture(scope="module")
def decisions() -> Decisions:
    return agent_decisions(AGENTS, games=10, turns=25)


@pytest.fixture(scope="module")
def source(decisions: Decisions, tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("choice") / "decisions.parquet"
    decisions.write(path)
    return path


def unrated(parts: Sequence[Decisions]) -> list[Rating | None]:
    """A rating by the number of decisions alone."""
    return [Rating("choice", len(one), low=0, high=1e6, decisions=len(one), games=1) for one in parts]


def test_a_table_needs_two_mileposts(decisions: Decisions) -> None:
    assert list(mileposts_of(ChoiceModel(), decisions)) == [2600, 2300, 2000]
    with pytest.raises(InputError, match=r"within -1 points \(--width\) there are: none with a rating"):
        mileposts_of(ChoiceModel(), decisions, within=-1)
    with pytest.raises(InputError, match=r"there are: 20 near 2000\. Widen the mileposts with --width"):
        mileposts_of(ChoiceModel(), decisions.select(player_elo=2000))


def test_the_table_finds_the_agents(decisions: Decisions) -> None:
    table = milepost_table(ChoiceModel(), decisions)
    assert [row["elo"] for row in table] == [2600, 2300, 2000]
    assert table[0]["s_fit"] < table[2]["s_fit"]
    for row in table:
        s, _ = AGENTS[row["elo"]]
        # 500 decisions determine s, with c on the line, to about 15%.
        assert row["s_fit"] == pytest.approx(s, rel=0.5)
        assert row["mm_projected"] == pytest.approx(row["mm_actual"], abs=6)
        assert row["ad_projected"] == pytest.approx(row["ad_actual"], rel=0.2)
        assert row["games"] == 10
        assert row["s_low"] < row["s"] < row["s_high"]
        assert row["c_low"] < row["c"] < row["c_high"]
    line = np.diff([row["c_fit"] for row in table])
    assert line[0] == pytest.approx(line[1])


def test_later_periods_take_the_line_of_the_first(decisions: Decisions) -> None:
    tables = milepost_tables(ChoiceModel(), decisions, [(1990, 1994), (1995, 1999)])
    assert list(tables) == ["1990-1994", "1995-1999"]
    first, second = tables.values()
    assert [r["c_fit"] for r in first] == pytest.approx([r["c_fit"] for r in second])


def test_groups_are_rated_beside_their_published_ratings(decisions: Decisions) -> None:
    model = ChoiceModel()
    found, short = rate_groups(model, decisions, decisions.text("player"), unrated, fewest=150)
    assert not short
    assert len(found) == 6
    for one in found:
        assert one["difference"] == one["decisions"] - one["published"]
        assert one["elo"] == one["decisions"]
    none, _ = rate_groups(model, decisions, decisions.text("player"), lambda parts: [None] * len(parts))
    assert [none[0][name] for name in ("elo", "low", "difference")] == [None] * 3
    _, short = rate_groups(model, decisions, decisions.text("player"), unrated, fewest=10_000)
    assert len(short) == 6
    assert set(short.values()) == {"fewer than 10000 decisions"}
    labels = period_labels(decisions, [(1990, 1991)])
    assert set(labels) == {"1990-1991", None}


def test_one_failed_fit_leaves_the_others_their_ratings(
    decisions: Decisions, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    name = "player 2000 0"  # who always finds the best move: the fit of s has no end
    own, others = (
        decisions.take(np.flatnonzero(np.equal(decisions.text("player"), name) == is_own))
        for is_own in (True, False)
    )
    mixed = Decisions.concat([others, own.with_played(np.zeros(len(own), np.int64))])
    path, scale = tmp_path / "mixed.parquet", tmp_path / "scale.parquet"
    mixed.write(path)
    decisions.write(scale)
    assert main(["method", "choice", str(path), "--by", "player", "--mileposts", str(scale), "--json"]) == 0
    printed = capsys.readouterr()
    assert len(json.loads(printed.out)) == 5
    assert f"1 of 6 groups ({name}): the fit" in printed.err


def test_a_failed_milepost_is_named(decisions: Decisions) -> None:
    weak = decisions.select(player_elo=2000)
    perfect = weak.with_played(np.zeros(len(weak), np.int64))
    others = decisions.select(player_elo=[2300, 2600])
    with pytest.raises(FitError, match="milepost 2000: "):
        milepost_table(ChoiceModel(), Decisions.concat([others, perfect]))


def test_files_of_different_recipes_set_no_scale(
    decisions: Decisions, source: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    other = tmp_path / "other.parquet"
    table = decisions.table().slice(5)
    pq.write_table(table.drop_columns("recipe_id"), other)
    assert main(["method", "choice", str(source), "--by", "player", "--mileposts", str(other)]) == 2
    assert "calibration was made with recipe elsewhere-" in capsys.readouterr().err


# Commands ------------------------------------------------------------------------------------------------


def test_mileposts_print_as_in_the_paper(
    source: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    page = tmp_path / "mileposts.html"
    assert main(["method", "choice", str(source), "--by", "milepost", "--plot", str(page)]) == 0
    printed = capsys.readouterr().out
    for column in ("Elo", "c_fit", "s_fit", "mm_p/mm_a", "ad_p/ad_a", "Q_fit"):
        assert column in printed
    assert re.search(r"2600\s+\.[012]\d\d", printed)
    assert "first-move agreement" in page.read_text(encoding="utf-8")
    assert main(["method", "choice", str(source), "--by", "milepost", "--json"]) == 0
    assert [row["elo"] for row in json.loads(capsys.readouterr().out)] == [2600, 2300, 2000]
    periods = ["--period", "1990-1994", "--period", "1995-1999", "--csv"]
    assert main(["method", "choice", str(source), "--by", "milepost", *periods]) == 0
    assert capsys.readouterr().out.count("1995-1999") == 3


@pytest.mark.parametrize(
    "options",
    [["--by", "player"], ["--by", "time"], ["--by", "period", "--period", "1990-1994", "--period", "1995"]],
)
def test_rate_answers_the_papers_questions(
    options: list[str], source: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["method", "choice", str(source), *options, "--mileposts", str(source), "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert len(found) >= 2
    assert all(row["low"] < row["elo"] < row["high"] for row in found)


# What an agent projects beside what was played.


def test_projections_by_hand() -> None:
    spreads = Spreads(np.array([0, 0.1, 0.3, 0, 0.2]), np.array([0, 3, 5]), np.array([1, 0]))
    p = probabilities(spreads, 0.1, 0.5)
    shown = project(spreads, np.array([0, 1]), 0.1, 0.5)
    ranks = [shown[f"M_{rank}"] for rank in range(3)]
    assert shown["mm"].projected == pytest.approx((p[0] + p[3]) / 2)
    assert shown["mm"].actual == 0.5
    assert shown["ad"].projected == pytest.approx((p * spreads.delta).sum() / 2)
    assert shown["ad"].actual == pytest.approx(0.05)
    assert [one.projected for one in ranks] == pytest.approx([(p[0] + p[3]) / 2, (p[1] + p[4]) / 2, p[2] / 2])
    off = [one.projected - one.actual for one in ranks]
    assert shown["Q_fit"].actual == pytest.approx(1e4 * np.mean(np.square(off)))
    assert shown["mm"].model_deviation == pytest.approx(math.sqrt(p[0] * (1 - p[0]) + p[3] * (1 - p[3])) / 2)
    assert math.isnan(shown["mm"].games_deviation)


def test_independent_turns_have_a_ratio_of_one() -> None:
    spreads = agent_spreads(6000, 0.15, 0.5, seed=20)
    shown = project(spreads, np.arange(6000) // 30, 0.15, 0.5)
    for one in (shown["mm"], shown["ad"], shown["M_1"]):
        # A variance over 200 games is known to 10%.
        assert one.ratio == pytest.approx(1, abs=0.35)
        assert abs(one.projected - one.actual) < 4 * one.model_deviation
    assert shown["Q_fit"].actual < shown["Q_fit"].projected + 4 * shown["Q_fit"].model_deviation


def test_turns_that_hang_together_show_in_the_ratio() -> None:
    """Games of two kinds of agent, fitted as one: turns of a game are then not independent."""
    strong, weak = agent_spreads(3000, 0.03, 0.6, seed=21), agent_spreads(3000, 0.5, 0.45, seed=21)
    mixed = np.where(np.arange(3000) // 30 % 2 == 0, strong.played, weak.played)
    shown = project(strong.replayed(mixed), np.arange(3000) // 30, 0.15, 0.5)
    assert shown["mm"].ratio > 2
