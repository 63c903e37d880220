"""`assay method ...` as a user calls it: each method in its own numbers."""

from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest

from assay.decisions.decisions import Decisions
from assay.decisions.papers import paper_of
from assay.testing import make_decisions
from examples.commands import document, printed, run, sentence


def test_indicators(capsys: pytest.CaptureFixture[str], source: str) -> None:
    rows = document(capsys, "method", "conformance", source, "--by", "year")
    assert [row["year"] for row in rows] == [2000, 2001, 2002, 2003, 2004]
    assert "best" in printed(capsys, "method", "conformance", source, "--results", "--loss", "raw")
    rows = document(capsys, "method", "covariance", source, "--n0", 0, "--n0", 5)
    assert [row["n0"] for row in rows] == [0, 5]
    assert "trace" in sentence(capsys, "method", "complexity", source)


@pytest.mark.parametrize("method", ["gain", "markov"])
def test_a_methods_own_numbers(capsys: pytest.CaptureFixture[str], source: str, method: str) -> None:
    # The engine's own distribution is measured on all the moves at hand: the peak is the same for everyone.
    more = ("--engine-profile", "peak") if method == "gain" else ()
    rows = document(capsys, "method", method, source, *more)
    assert [row["player"] for row in rows] == ["Ann", "Bob"]
    (ann,) = document(capsys, "method", method, source, "--player", "ann", *more)
    assert {**ann, **rows[0]} == ann
    assert len(document(capsys, "method", method, source, "--by", "year")) == 10


def test_every_method_cites_its_paper(capsys: pytest.CaptureFixture[str]) -> None:
    for name in ("gain", "bayes", "choice", "conformance", "covariance", "markov", "complexity"):
        paper = paper_of(name)
        assert paper is not None
        said = " ".join(printed(capsys, "method", name, "--help").split())
        assert paper.name[-4:] in said, name


def test_markov_as_the_paper_has_it(capsys: pytest.CaptureFixture[str], source: str) -> None:
    asked = ("method", "markov", source, "--prior", "none", "--classes", "uniform")
    rows = document(capsys, *asked, "--show", "pairs")
    assert [row["white"] for row in rows] == ["Ann", "Bob"]
    apart = document(capsys, *asked, "--show", "matrix", "--colours", "apart")
    assert len(apart) == 2 * 2 * 10
    with_prior = document(capsys, "method", "markov", source, "--classes", "uniform", "--show", "pairs")
    assert with_prior[0]["expectation"] != rows[0]["expectation"]


def test_k_by_search_and_curves_of_covariance(capsys: pytest.CaptureFixture[str], source: str) -> None:
    shown = " ".join(printed(capsys, "method", "conformance", source, "--search", "--results").split())
    assert "by search k1 =" in shown
    assert "--loss pondered" in sentence(capsys, "method", "conformance", source, "--search", "--loss", "raw")
    paper, found = document(capsys, "method", "covariance", source, "--vector", "tanh")
    assert (paper["k1"], paper["k2"], paper["a"]) == (1.2, -3.41, 1.16)
    assert found["correlation"] >= paper["correlation"]
    # The results of these games are drawn at random.
    _, _, said = run(capsys, "method", "covariance", source, "--vector", "spline")
    assert "no rising vector" in said


@pytest.mark.parametrize("method", ["conformance", "markov"])
def test_repetitions_are_left_out_where_that_is_asked(
    capsys: pytest.CaptureFixture[str], tmp_path: Path, method: str
) -> None:
    some = make_decisions(games=6, plies=60)
    again = np.arange(len(some)) % 4 == 0
    table = some.to_table()
    place = table.column_names.index("repetition")
    path = tmp_path / "repeated.parquet"
    Decisions.from_table(table.set_column(place, "repetition", pa.array(again.astype(np.int16)))).write(path)
    moves = [
        sum(row["decisions" if method == "markov" else "moves"] for row in document(capsys, *asked))
        for asked in (("method", method, str(path)), ("method", method, str(path), "--no-repetitions"))
    ]
    assert 0 < moves[1] < moves[0]


def test_depth_and_traits_read_the_trace(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "games.parquet"
    make_decisions(trace=True).write(path)
    [ann, bob] = document(capsys, "method", "depth", path)
    assert {ann["player"], bob["player"]} == {"Ann", "Bob"}
    assert ann["sight_low"] <= ann["sight"] <= ann["sight_high"]
    assert "assay calibrate" in sentence(capsys, "method", "traits", path)
