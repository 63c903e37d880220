"""What all methods share; what each of them keeps is in test_contract.py."""

import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path

import pytest

import assay.models
from assay.errors import InputError
from assay.models.base import MoveModel
from assay.models.gain import GainModel
from assay.models.registry import OURS, make_model, methods
from assay.testing import make_decisions
from examples.mean_rank import MeanRankModel
from examples.packages import install_package


def test_rules_are_counted_in_their_order() -> None:
    model, decisions = MeanRankModel(), make_decisions(games=2, plies=30)
    kept, left_out = model.select(decisions)
    assert list(left_out) == [rule.name for rule in model.rules()]
    assert list(left_out.values()) == [2 * 4, 0]  # two turns of both players in both games
    assert len(kept) == 60 - 8


def test_a_match_shares_the_colours() -> None:
    model = MeanRankModel()
    a, b = (model.profile(make_decisions().select(player=name)) for name in ("Ann", "Bob"))
    there, back = model.match(a, b), model.match(b, a)
    assert there.expectation == pytest.approx(1 - back.expectation)
    assert there.expectation == pytest.approx(model.forecast(a, b).expectation)


# `assay.models` loads what is used, and no more.


def loaded_by(code: str) -> set[str]:
    """The modules that are there after some code has run in a new interpreter."""
    run = subprocess.run(
        [sys.executable, "-c", f"{code}\nimport sys\nprint(*sys.modules)"],
        capture_output=True,
        text=True,
        check=True,
    )
    return set(run.stdout.split())


@pytest.mark.parametrize(
    "code", ["import assay, assay.models", "from assay.models.registry import methods; list(methods())"]
)
def test_names_are_known_without_loading_the_methods(code: str) -> None:
    loaded = loaded_by(code)
    assert not {"numba", "scipy.stats"} & loaded
    assert not {name for name in loaded if name.startswith("assay.models.gain")}


def test_a_method_that_needs_no_compiler_does_not_load_it() -> None:
    loaded = loaded_by("from assay.models import GainModel; GainModel()")
    assert "assay.models.gain" in loaded
    assert not {"numba", "scipy.stats", "assay.models.choice.model"} & loaded


def test_every_exported_name_is_there() -> None:
    assert dir(assay.models) == assay.models.__all__ == sorted(assay.models.__all__)
    assert all(getattr(assay.models, name).__name__ == name for name in assay.models.__all__)
    with pytest.raises(AttributeError, match="no attribute 'Nonsense'"):
        assay.models.Nonsense  # noqa: B018


def test_every_exported_method_is_registered() -> None:
    exported = [getattr(assay.models, name) for name in assay.models.__all__]
    readers = {one for one in exported if issubclass(one, MoveModel)}
    assert readers == set(methods().values())


# Methods are found by their short names: ours, and those of packages that are installed.

TESTS = Path(__file__).resolve().parent.parent


def test_every_method_of_ours_is_there() -> None:
    assert list(methods()) == sorted(OURS)
    assert len(methods()) == len(OURS)
    assert all(methods()[name].name == name for name in methods())
    assert isinstance(make_model("gain", limit=100), GainModel)
    assert make_model("markov", prior="none").prior == "none"


def test_an_unknown_method_is_a_clear_error() -> None:
    with pytest.raises(InputError, match="there is no method 'guess': choose one of bayes, choice"):
        make_model("guess")


class TestAMethodOfSomeoneElse:
    def test_it_is_found_by_its_name(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.syspath_prepend(str(install_package(tmp_path)))
        assert set(methods()) == {*OURS, "mean_rank"}
        model = make_model("mean_rank")
        assert (model.name, type(model).__module__) == ("mean_rank", "rank_method")


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
