"""Methods are found by their short names: ours, and those of packages that are installed."""

import os
import re
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path

import pytest

from assay.errors import InputError
from assay.models import GainModel
from assay.models.registry import OURS, make_model, methods
from assay.testing import MoveModelContract
from examples.packages import install_package

TESTS = Path(__file__).resolve().parent.parent


def test_every_method_of_ours_is_there() -> None:
    assert list(methods()) == sorted(OURS)
    assert len(methods()) == len(OURS)
    assert all(methods()[name].name == name for name in methods())
    assert isinstance(make_model("gain", limit=100), GainModel)


def test_an_unknown_method_is_a_clear_error() -> None:
    with pytest.raises(InputError, match="there is no method 'guess': choose one of bayes, choice"):
        make_model("guess")


class TestAMethodOfSomeoneElse:
    def test_it_is_found_by_its_name(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.syspath_prepend(str(install_package(tmp_path)))
        assert set(methods()) == {*OURS, "mean_rank"}
        model = make_model("mean_rank")
        assert (model.name, type(model).__module__) == ("mean_rank", "rank_method")

    def test_the_contract_suite_runs_on_it(self, tmp_path: Path) -> None:
        path = os.pathsep.join((str(install_package(tmp_path)), os.environ.get("PYTHONPATH", "")))
        suite = [
            str(TESTS / "models" / "test_contract.py"),
            "-k",
            "mean_rank",
            "-q",
            "-p",
            "no:cacheprovider",
        ]
        run = subprocess.run(
            [sys.executable, "-m", "pytest", *suite, "--rootdir", str(TESTS.parent)],
            env={**os.environ, "PYTHONPATH": path},
            cwd=TESTS.parent,
            capture_output=True,
            text=True,
            check=False,
        )
        tests = sum(name.startswith("test_") for name in vars(MoveModelContract))
        assert run.returncode == 0, run.stdout
        assert re.search(rf"\b{tests} passed", run.stdout), run.stdout

    def test_it_may_be_installed_twice(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        for name in ("first", "second"):
            monkeypatch.syspath_prepend(str(install_package(tmp_path / name)))
        assert "mean_rank" in methods()


class TestABrokenPackageIsNamed:
    @pytest.mark.parametrize(
        ("entry_points", "why"),
        [
            ({"mean_rank": "no_such_module:Model"}, "ModuleNotFoundError: No module named 'no_such_module'"),
            ({"mean_rank": "rank_method:Absent"}, "has no attribute 'Absent'"),
            ({"mean_rank": "rank_method:np"}, "not a class made from assay.models.base.MoveModel"),
            ({"mean_rank": "rank_method:MoveModel"}, "does not fill the hooks estimate, evidence"),
            ({"rank": "rank_method:MeanRankModel"}, "the class calls itself 'mean_rank'"),
        ],
    )
    def test_where_its_class_cannot_be_used(
        self, entry_points: Mapping[str, str], why: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.syspath_prepend(str(install_package(tmp_path, entry_points=entry_points)))
        [name] = entry_points
        with pytest.raises(InputError, match=r"of the package rank-method 1\.2") as caught:
            make_model(name)
        assert why in str(caught.value)
        make_model("gain")  # the others go on

    def test_where_its_name_is_one_of_ours(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        package = install_package(tmp_path, entry_points={"gain": "rank_method:MeanRankModel"})
        monkeypatch.syspath_prepend(str(package))
        with pytest.raises(InputError, match=r"rank-method 1\.2 brings a method 'gain'.*assay itself has"):
            methods()

    def test_where_two_packages_have_one_name(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.syspath_prepend(str(install_package(tmp_path / "first")))
        other = install_package(tmp_path / "second", "ranks", {"mean_rank": "ranks:Ranks"})
        monkeypatch.syspath_prepend(str(other))
        with pytest.raises(InputError, match=r"package ranks 1\.2 .*package rank-method 1\.2 has already"):
            methods()


class TestNames:
    def test_methods_are_found_by_name(self) -> None:
        assert {"conformance", "covariance", "markov"} <= set(methods())
        assert make_model("markov", prior="none").prior == "none"
        with pytest.raises(InputError, match="choose one of"):
            make_model("guess")
