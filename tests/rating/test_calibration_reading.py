"""Calibrations come from anyone: what no calibration holds is refused, in one sentence."""

import json
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from assay.errors import InputError
from assay.rating.calibration import Calibration

SHIPPED = (
    Path(__file__).resolve().parents[2] / "src" / "assay" / "data" / "calibrations" / "672593ce2551e878.npz"
)
Change = Callable[[dict[str, Any], dict[str, Any]], Any]


def changed(path: Path, change: Change) -> Path:
    """The shipped calibration with a change to its header or its arrays."""
    with np.load(SHIPPED) as stored:
        arrays = {name: stored[name] for name in stored.files}
    header = json.loads(str(arrays.pop("header")))
    change(header, arrays)
    with path.open("wb") as file:
        np.savez_compressed(file, header=np.array(json.dumps(header)), **arrays)
    return path


def test_unchanged_it_is_read(tmp_path: Path) -> None:
    assert (
        Calibration.read(changed(tmp_path / "a.npz", lambda header, arrays: None)).recipe_id == SHIPPED.stem
    )


def test_agents_are_read_and_may_be_absent(tmp_path: Path) -> None:
    agents = Calibration.read(SHIPPED).agents
    assert agents is not None
    assert agents.at(2600).rise > agents.at(1600).rise

    def without(header: dict[str, Any], arrays: dict[str, Any]) -> None:
        del arrays["agents.elo"], arrays["agents.parameters"]

    assert Calibration.read(changed(tmp_path / "a.npz", without)).agents is None


def put(name: str, value: Any) -> Change:
    return lambda header, arrays: arrays.__setitem__(name, value(arrays[name]) if callable(value) else value)


def say(name: str, value: Any) -> Change:
    return lambda header, arrays: header.__setitem__(name, value)


def about(name: str, value: Any) -> Change:
    return lambda header, arrays: header["about"].__setitem__(name, value)


def rename(header: dict[str, Any], arrays: dict[str, Any]) -> None:
    header["mappings"]["astrology"] = header["mappings"].pop("gain")


CHANGES: dict[str, tuple[Change, str]] = {
    "mileposts that are no numbers": (put("mileposts", lambda a: a * np.nan), "not a number"),
    "infinite knots": (put("bayes.strength", lambda a: a / 0.0), "not a number"),
    "empty knots": (put("bayes.elo", np.empty(0)), "do not rise"),
    "one knot": (put("bayes.elo", lambda a: a[:1]), "do not rise"),
    "reversed knots": (put("bayes.elo", lambda a: a[::-1]), "do not rise"),
    "reversed strengths": (put("choice.strength", lambda a: a[::-1]), "do not rise"),
    "equal strengths": (put("choice.strength", lambda a: 0 * a), "do not rise"),
    "fewer strengths": (put("choice.strength", lambda a: a[1:]), "do not rise"),
    "knots in two dimensions": (put("bayes.elo", lambda a: a[None, :]), "do not rise"),
    "mileposts beyond the scale": (put("mileposts", lambda a: a * 1e6), "not on the Elo scale"),
    "profiles of fewer mileposts": (put("gain.profiles", lambda a: a[1:]), "not those of the mileposts"),
    "profiles of another shape": (put("gain.profiles", lambda a: a[:, 1:]), "another shape"),
    "counts below zero": (put("gain.counts", lambda a: -a), "not those of the mileposts"),
    "texts for numbers": (put("gain.counts", np.array([["a", "b"]] * 14)), "not a number"),
    "a spread of another shape": (put("spread.variance", lambda a: a[:, :2]), "another shape"),
    "a ladder that falls": (put("spread.games", lambda a: a[::-1]), "do not rise"),
    "a variance below zero": (put("spread.variance", lambda a: -a), "variance is not positive"),
    "a curve that falls": (put("spread.curve", lambda a: -a), "curves do not rise"),
    "a mix of unknown methods": (say("mixes", {"papers": {"astrology": 1.0}}), "not of its methods"),
    "a mix of nothing": (say("mixes", {"papers": {}}), "not of its methods"),
    "a mix of weights beyond all": (say("mixes", {"papers": {"traits": 7000.0}}), "cannot be"),
    "mixes in a list": (say("mixes", []), "another form"),
    "agents without parameters": (
        lambda header, arrays: arrays.pop("agents.parameters"),
        "simulated players have another form",
    ),
    "agents that fall": (
        put("agents.elo", lambda a: a[::-1]),
        "the Elos of its simulated players do not rise",
    ),
    "agents of two parameters": (
        put("agents.parameters", lambda a: a[:, :2]),
        "simulated players have another form",
    ),
    "agents beyond all measure": (
        put("agents.parameters", lambda a: a * 1e3),
        "simulated players have another form",
    ),
    "slices of another kind": (put("slices.moon.lines", np.zeros((2, 2))), "slices have another form"),
    "slices without their errors": (
        lambda header, arrays: arrays.pop("slices.phase.covariance"),
        "slices have another form",
    ),
    "slices of another number": (put("slices.phase.lines", lambda a: a[1:]), "another shape"),
    "slices whose errors are none": (put("slices.phase.covariance", lambda a: -a), "no covariance"),
    "slices that do not vary": (put("slices.phase.dispersion", lambda a: 0 * a), "vary less"),
    "expected losses of another number": (
        put("losses.lines", lambda a: a[:, 1:]),
        "losses have another shape",
    ),
    "an unknown method": (rename, "method 'astrology', which this assay lacks"),
    "no methods": (say("mappings", {}), "no method"),
    "mappings in a list": (say("mappings", []), "another form"),
    "a recipe that is a number": (say("recipe_id", 5), "another form"),
    "a spread that is not finite": (
        lambda header, arrays: header["spread"].__setitem__("game_size", float("nan")),
        "another form",
    ),
    "a spread of other names": (lambda header, arrays: header["spread"].clear(), "another form"),
    "an error that is a text": (
        lambda header, arrays: header["mappings"]["bayes"].__setitem__("error", "80"),
        "another form",
    ),
    "a spread all of which lasts": (
        lambda header, arrays: header["spread"].__setitem__("lasting", 1.0),
        "another form",
    ),
    "players in words": (about("population", "strong"), "of its players has another form"),
    "players without a mean": (about("population", {"deviation": 100.0}), "of its players has another form"),
    "players who are all alike": (about("population", {"mean": 2000.0, "deviation": 1e-200}), "Elo scale"),
    "players far beyond": (about("population", {"mean": 9000.0, "deviation": 100.0}), "Elo scale"),
    "a spread that lasts less than nothing": (
        lambda header, arrays: header["spread"].__setitem__("lasting", -0.1),
        "another form",
    ),
    "one quantile of players": (
        about("population", {"mean": 2000.0, "deviation": 100.0, "quantiles": [2000.0]}),
        "of its players has another form",
    ),
    "quantiles that fall": (
        about("population", {"mean": 2000.0, "deviation": 100.0, "quantiles": [2100.0, 1900.0]}),
        "quantiles of its players do not rise",
    ),
    "players beyond the scale": (
        about("population", {"mean": 2000.0, "deviation": 100.0, "quantiles": [1900.0, 9000.0]}),
        "players are not on the Elo scale",
    ),
    "results in words": (about("results", "they follow"), "what it says of results has another form"),
    "results without their error": (about("results", {"b": 0.9}), "what it says of results has another form"),
    "results that follow backwards": (
        about("results", {"b": -0.1, "error": 300.0}),
        "what it says of results cannot be",
    ),
    "results by moves that never err": (
        about("results", {"b": 0.9, "error": 0.0}),
        "what it says of results cannot be",
    ),
    "results that are no numbers": (
        about("results", {"b": float("nan"), "error": 300.0}),
        "what it says of results cannot be",
    ),
    "a mapping that is a number": (lambda header, arrays: header["mappings"].__setitem__("bayes", 5), ""),
    "a missing array": (lambda header, arrays: arrays.pop("mileposts"), ""),
    "a format in words": (say("format", "one"), ""),
    "a newer format": (say("format", 99), "newer assay"),
    "another thing": (say("what", "a picture"), ""),
}


@pytest.mark.parametrize("what", list(CHANGES))
def test_what_no_calibration_holds_is_refused(tmp_path: Path, what: str) -> None:
    change, said = CHANGES[what]
    with np.errstate(divide="ignore", invalid="ignore"):
        path = changed(tmp_path / "a.npz", change)
    with pytest.raises(InputError) as raised:
        Calibration.read(path)
    assert said in str(raised.value)
    assert len(str(raised.value)) < 400


def member(name: str, content: bytes, path: Path) -> Path:
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr(name, content)
    return path


def test_a_bomb_is_not_unpacked(tmp_path: Path) -> None:
    """Two gigabytes of zeros in two megabytes: refused by what the archive says of itself."""
    path = tmp_path / "bomb.npz"
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        for number in range(5):
            archive.writestr(f"a{number}.npy", bytes(60 << 20))
    assert path.stat().st_size < 1 << 20
    with pytest.raises(InputError, match="unpacks to more than 256 MB"):
        Calibration.read(path)


def test_an_array_that_claims_to_be_larger_makes_no_room(tmp_path: Path) -> None:
    claimed = "{'descr': '<f8', 'fortran_order': False, 'shape': (1000000, 1000000), }".ljust(117) + "\n"
    content = b"\x93NUMPY\x01\x00" + len(claimed).to_bytes(2, "little") + claimed.encode() + bytes(64)
    with pytest.raises(InputError, match="not what it claims to be"):
        Calibration.read(member("header.npy", content, tmp_path / "a.npz"))


@pytest.mark.parametrize("text", ["[" * 100_000, "5", "null", "{}", '{"what": "assay calibration"}'])
def test_headers_of_any_form(tmp_path: Path, text: str) -> None:
    path = tmp_path / "a.npz"
    np.savez_compressed(path, header=np.array(text))
    with pytest.raises(InputError, match="is not a calibration"):
        Calibration.read(path)


@pytest.mark.parametrize("content", [b"", b"PK", b"\x93NUMPY", b"\x93NUMPY\x09\x00\xff\xff", b"\0" * 100])
def test_members_of_any_form(tmp_path: Path, content: bytes) -> None:
    with pytest.raises(InputError, match="is not a calibration"):
        Calibration.read(member("header.npy", content, tmp_path / "a.npz"))
