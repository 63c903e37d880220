"""The tables of docs/evidence/screening.md, and the norms that ship: error rates on honest games, and power.

    python -m research screening WORKSPACE [--recipe standard] [--norms FOLDER]

WORKSPACE holds the analysed games that `python -m research mileposts` and `unequal` pick. The norms of
evaluated games are made by `python -m research source-norms`.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

from assay.answers.screening import ABOVE, SHARES, SIDES, interval_of
from assay.decisions.evaluation import EVALUATED
from assay.errors import InputError
from assay.files import write_text
from assay.rating.calibration import Calibration, find_calibration
from assay.screening.norms import Norms, find_norms
from assay.screening.statistics import COUNTED, NAMES
from assay.workspace import Workspace
from research import command_on_workspace
from research.calibration.screening_norms import document
from research.evidence.screening.measured import (
    LEVELS,
    SEEDS,
    THRESHOLDS,
    Measurement,
    bands_of,
    honest_rates,
    over_splits,
)
from research.evidence.screening.trials import SCENARIOS, Trial
from research.markdown import Tables, numbers_table, print_tables

FACTOR, ENOUGH = 1.5, 5
"""Shares of honest groups should be nominal within this factor, where so many groups are due."""

FEWEST_GROUPS = 20
"""Of evaluated games: shares of fewer groups are not printed."""

NORMS = Path(__file__).resolve().parents[3] / "src" / "assay" / "data" / "norms"


def main(words: Sequence[str]) -> None:
    """Print the tables and write the norms; takes twenty minutes."""
    parser = command_on_workspace("screening", __doc__)
    parser.add_argument("--norms", type=Path, default=NORMS, help="folder that the norms are written to")
    given = parser.parse_args(words)
    workspace = Workspace(given.workspace)
    recipe_id = workspace.recipe_id(given.recipe)
    calibration = find_calibration(recipe_id)
    if calibration is None:
        raise InputError(f"{given.recipe} has no calibration yet: make one first (assay calibrate)")
    measured = Measurement(Trial(workspace.decisions(recipe_id, trace=True), SEEDS[0]))
    honest, powers = over_splits(measured, SCENARIOS)
    norms = norms_of(measured, calibration, list(honest_rates(honest, len(SEEDS))))
    print_tables(tables(measured, norms, powers))
    write_text(given.norms / f"{recipe_id}.json", json.dumps(document(norms), indent=1) + "\n")


def norms_of(measured: Measurement, calibration: Calibration, rates: Sequence[Mapping[str, Any]]) -> Norms:
    """The norms that ship, with their error rates."""
    appearances = measured.trial.appearances
    about = {
        "engine": calibration.about["engine"],
        "recipe": calibration.about["recipe"],
        "games": len(set(appearances.game[measured.rows].tolist())),
        "appearances": len(measured.rows),
        "players": len(set(appearances.player[measured.rows].tolist())),
        "made_by": "python -m research screening WORKSPACE",
    }
    return measured.norms(calibration, about, rates)


def tables(measured: Measurement, norms: Norms, powers: Mapping[str, Sequence[Mapping[str, Any]]]) -> Tables:
    """Each table of the page with its title."""
    about = norms.about
    yield (
        "Honest games",
        f"{about['games']} games, {about['appearances']} appearances of {about['players']} players, "
        f"{int(measured.evidence.turns.sum()):,} turns, {len(SEEDS)} splits",
    )
    yield "Dispersion and form", dispersion(norms)
    yield "z of single games, mean / standard deviation", standard(measured)
    yield "Honest groups beyond z, above / below, in percent", rates(norms)
    yield "Off by more than a factor of 1.5", off_nominal(norms.rates) or "none"
    yield "Test in sequence: honest groups that ever reached it, in percent", sequence_rates(norms)
    yield "Power in percent at 1% of false positives", power(powers)
    sources = [source for name in EVALUATED if (source := find_norms(name)) is not None]
    yield "Evaluated games: honest groups beyond z", source_rates(sources)
    yield "Evaluated games: intervals of these shares", known_rates(sources)
    off = (off_nominal(source.rates, f"{source.about['scale']}, ") for source in sources)
    yield "Evaluated games: off by more than a factor of 1.5", "; ".join(filter(None, off)) or "none"
    for source in sources:
        if source.situations:
            yield f"{source.about['scale']}: kinds of players", kinds_of_players(source)


def dispersion(norms: Norms) -> str:
    """How much more honest games vary than turns that are independent."""
    assert norms.turns is not None
    rows = [
        [statistic.name, f"{a:.2f}", f"{f:.0f}"]
        for statistic, a, f in zip(COUNTED, norms.turns.dispersion, norms.turns.form, strict=True)
    ]
    return numbers_table(["statistic", "dispersion a", "form f, Elo"], rows)


def standard(measured: Measurement) -> str:
    """Mean and deviation of the departures of single honest games in every band."""
    honest = measured.honest[1]
    rows = [
        [band, n, *(f"{m:+.2f} / {s:.2f}" for m, s in zip(mean, deviation, strict=True))]
        for band, n, mean, deviation in bands_of(honest.z, honest.reference)
    ]
    return numbers_table(["band", "games", *NAMES, "all"], rows)


def rates(norms: Norms) -> str:
    """Shares of honest groups beyond thresholds, above and below, in every band."""
    rows = []
    for rate in norms.rates:
        if rate["threshold"] == THRESHOLDS[0]:
            rows.append([f"{rate['games']}, {rate['band']}", rate["groups"]])
        rows[-1].append(f"{100 * rate['above']:.2f} / {100 * rate['below']:.2f}")
    nominal = [rate["nominal"] for rate in norms.rates[: len(THRESHOLDS)]]
    heads = [f"beyond {t:g} ({100 * n:.2g}%)" for t, n in zip(THRESHOLDS, nominal, strict=True)]
    return numbers_table(["games, band", "groups", *heads], rows)


def off_nominal(rates: Iterable[Mapping[str, Any]], before: str = "") -> str:
    """Where honest groups were beyond a threshold more or less often than FACTOR allows, in words.

    Both tails together, where at least ENOUGH groups should be beyond; fewer tell nothing.
    """
    words = []
    for rate in rates:
        share = (rate["above"] + rate["below"]) / 2
        if 2 * rate["groups"] * rate["nominal"] >= ENOUGH and not (
            rate["nominal"] / FACTOR <= share <= rate["nominal"] * FACTOR
        ):
            games = f"{rate['games']} game{'s' if rate['games'] > 1 else ''}"
            digits = 1 if share >= 0.01 else 2
            shown = f"{100 * share:.{digits}f} for {100 * rate['nominal']:.2g}%"
            words.append(f"{before}{games}, {rate['band']}: {shown}")
    return "; ".join(words)


def sequence_rates(norms: Norms) -> str:
    """How often honest groups ever reached an e-value."""
    by_number: dict[int, list[object]] = {}
    for rate in norms.sequence["rates"]:
        by_number.setdefault(rate["games"], [rate["games"], rate["groups"]]).append(
            f"{100 * rate['share']:.2f}"
        )
    heads = [f"e of {1 / level:g} ({100 * level:g}%)" for level in LEVELS]
    return numbers_table(["games", "groups", *heads], by_number.values())


def power(powers: Mapping[str, Sequence[Mapping[str, Any]]]) -> str:
    """Power of every test at 1% of false positives, by scenario and number of games."""
    names = ("ours", *SHARES[ABOVE], "plain", "sequence")
    rows = [
        [f"{name}, {row['games']}", *(f"{100 * row[test]:.0f}" for test in names)]
        for name, several in powers.items()
        for row in several
    ]
    return numbers_table(["moves taken, games", *names], rows)


def source_rates(sources: Iterable[Norms]) -> str:
    """Honest groups of games with one value per position beyond thresholds, by source, games and band.

    A dash stands where not one group is due: nobody has measured such a share.
    """
    by_key: dict[tuple[object, ...], list[object]] = {}
    heads = ["games of", "number, band", "groups"]
    for norms in sources:
        for rate in norms.rates:
            if rate["groups"] < FEWEST_GROUPS:
                continue
            key = (norms.about["scale"], f"{rate['games']}, {rate['band']}", rate["groups"])
            measured = rate["groups"] * rate["nominal"] >= 1
            cell = f"{100 * rate['above']:.2f} / {100 * rate['below']:.2f}" if measured else "-"
            by_key.setdefault(key, list(key)).append(cell)
        nominal = {rate["threshold"]: rate["nominal"] for rate in norms.rates}
        heads = heads[:3] + [f"beyond {t:g} ({100 * share:.2g}%)" for t, share in nominal.items()]
    return numbers_table(heads, by_key.values())


def known_rates(sources: Iterable[Norms]) -> str:
    """Shares over all ratings, with within what the number of groups lets one tell."""
    rows = []
    for norms in sources:
        for rate in norms.rates:
            if rate["band"] == "all" and rate["groups"] * rate["nominal"] >= 1:
                sides = []
                for side in SIDES:
                    low, high = interval_of(rate, side)
                    sides.append(f"{100 * rate[side]:.2f} ({100 * low:.2f} to {100 * high:.2f})")
                rows.append(
                    [
                        norms.about["scale"],
                        rate["games"],
                        rate["groups"],
                        f"{100 * rate['nominal']:.2g}",
                        *sides,
                    ]
                )
    return numbers_table(["games of", "number", "groups", "nominal, %", "above, %", "below, %"], rows)


def kinds_of_players(norms: Norms) -> str:
    """Honest players of some kind beyond thresholds, with two errors of their ratings."""
    by_key: dict[tuple[object, ...], dict[str, str]] = {}
    for rate in norms.situations:
        if rate["groups"] >= FEWEST_GROUPS:
            head = f"beyond {rate['threshold']:g}, error {rate['error']:.0f}"
            cell = f"{100 * rate['above']:.1f} / {100 * rate['below']:.1f}"
            by_key.setdefault((rate["kind"], rate["games"], rate["groups"]), {})[head] = cell
    heads = list(dict.fromkeys(head for cells in by_key.values() for head in cells))
    rows = [[*key, *(cells.get(head, "-") for head in heads)] for key, cells in by_key.items()]
    return numbers_table(["players", "games", "groups", *heads], rows)
