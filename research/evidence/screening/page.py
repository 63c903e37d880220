"""The page of a screening: what was measured, as tables (docs/screening.md)."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from importlib.resources import files
from pathlib import Path
from typing import Any

import numpy as np

from assay.answers.screening import ABOVE, SHARES, SIDES, interval_of
from assay.decisions.arrays import Floats
from assay.decisions.evaluation import EVALUATED
from assay.errors import InputError
from assay.rating.calibration import find_calibration
from assay.screening.norms import ALL, Norms
from assay.screening.preparation import shared
from assay.screening.source_norms import SourceNorms, find_source_norms
from assay.screening.turns import EARLY_TURNS, FEW_MEN, STATISTICS, endgame
from assay.workspace import Workspace
from research.evidence.screening.dealings import OTHERS, SEEDS, honest_rates, over_dealings
from research.evidence.screening.measured import DEALT, LEVELS, THRESHOLDS, Measurement, bands_of
from research.evidence.screening.other_engine import OtherEngine, all_scenarios
from research.evidence.screening.power import SCENARIOS
from research.evidence.screening.trials import Trial, held_out_departures
from research.markdown import PLAIN, RIGHT, render, table

TEMPLATE = files(__package__) / "screening.md.jinja"

FEWEST_GAMES = 5
"""Of players whose games are also judged together."""

FEWEST_GROUPS = 20
"""Of evaluated games: shares of fewer groups are not printed."""

FACTOR, ENOUGH = 1.5, 5
"""Shares of honest groups should be nominal within this factor, where so many groups are due."""

SHORT, LONG = 20, 40
"""Turns of short games and of long ones."""


def measured_pages(
    workspace: Workspace, recipe: str, kept: Path | None = None, other: tuple[Workspace, str] | None = None
) -> dict[str, str]:
    """The page and the norms that ship, by their names below docs/."""
    recipe_id = workspace.recipe_id(recipe)
    decisions = workspace.decisions(recipe_id, trace=True)
    calibration = find_calibration(recipe_id)
    if calibration is None:
        raise InputError(f"{recipe} has no calibration yet: make one first (assay calibrate)")
    trial = Trial(decisions, kept, SEEDS[0])
    measured = Measurement(trial)
    choices = None if other is None else choices_of(*other)
    honest, powers = over_dealings(measured, all_scenarios(choices), choices, kept)
    about = {
        "engine": calibration.about["engine"],
        "recipe": calibration.about["recipe"],
        "games": len(set(measured.trial.appearances.game[measured.rows].tolist())),
        "appearances": len(measured.rows),
        "players": len(set(measured.trial.appearances.player[measured.rows].tolist())),
        "made_by": "python -m research screening WORKSPACE",
    }
    norms = measured.norms(calibration, about, list(honest_rates(honest, len(SEEDS))))
    engine = None
    if other is not None and choices:
        engine = OtherEngine.of(_engine_of(*other), measured.trial.turns, choices)
    place = f"../src/assay/data/norms/{recipe_id}.json"
    return {
        "screening.md": page(measured, norms, powers, engine),
        place: json.dumps(norms.document(), indent=1) + "\n",
    }


def choices_of(workspace: Workspace, recipe_id: str) -> dict[str, str]:
    """The first choice of a recipe in every position that it analysed."""
    decisions = workspace.decisions(recipe_id)
    keys = decisions.text("position_key")
    some = np.flatnonzero(decisions.n_options > 0).tolist()
    return {str(keys[row]): decisions.options(row)[0][0] for row in some}


def _engine_of(workspace: Workspace, recipe_id: str) -> str:
    """An engine and its recipe in words."""
    made = workspace.recipes()[recipe_id]
    return f"{made['engine']['name']} ({made['recipe']['name']})"


def page(
    measured: Measurement,
    norms: Norms,
    powers: Mapping[str, Sequence[Mapping[str, Any]]],
    other: OtherEngine | None = None,
) -> str:
    """The whole page; `other` is the engine whose choice is taken in some scenarios."""
    trial = measured.trial
    players = len(set(trial.appearances.player[measured.rows].tolist()))
    of_one = trial.of_one_player(FEWEST_GAMES)
    by_player = held_out_departures(
        trial, measured.norms_of, measured.evidence, of_one, trial.by_elo(of_one, alone=True), True
    )[:, -1]
    sources = [one for source in EVALUATED if (one := find_source_norms(source)) is not None]
    context = {
        "games": len(set(trial.appearances.game[measured.rows].tolist())),
        "appearances": len(measured.rows),
        "players": players,
        "turns": f"{int(measured.evidence.turns.sum()):,}",
        "recipe_id": norms.recipe_id,
        "one_player": len(of_one),
        "one_player_mean": f"{by_player.mean():+.2f}",
        "one_player_deviation": f"{by_player.std():.2f}",
        "dispersion": dispersion(norms),
        "standard": standard(measured),
        "rates": rates(norms),
        "sequence_rates": sequence_rates(norms),
        "power": power(powers),
        "behind": behind(powers),
        "plainly_behind": behind(powers, 2.0),
        "missing": ", ".join(name for name in SCENARIOS if name not in powers),
        "other": other,
        "dealings": len(SEEDS),
        "beginnings": measured.beginnings(),
        "stale": stale(measured),
        "situations": situations(measured),
        "kinds": kinds_of_games(measured),
        "known": {n: known_to(groups) for n, groups in independent(measured).items()},
        "independent": independent(measured),
        "rule": {side: rule(side) for side in SIDES},
        "sources": sources,
        "source_rates": source_rates(sources),
        "known_rates": known_rates(sources),
        "kinds_of_players": "\n\n".join(kinds_of_players(one) for one in sources if one.situations),
        "off": off_nominal(norms.rates),
        "sources_off": "; ".join(
            text for one in sources if (text := off_nominal(one.rates, f"{one.about['scale']}, "))
        ),
    }
    return render(TEMPLATE, context)


def rule(side: str) -> str:
    """What the p of a side is the smallest of."""
    return ", ".join(f"p(`{name}`) / {share:.2g}" for name, share in SHARES[side].items())


def independent(measured: Measurement) -> dict[int, int]:
    """How many honest groups of each number of games do not overlap."""
    return {n: round(len(one.groups) / (1 if n == 1 else DEALT)) for n, one in measured.honest.items()}


def known_to(groups: int) -> dict[str, str]:
    """By which factor a share of both tails may be off (95%), of as many groups: by the nominal share."""
    return {
        f"{share:g}": f"{np.exp(1.96 / np.sqrt(2 * groups * share)):.1f}" for share in (0.05, 0.01, 0.001)
    }


def numbers_table(heads: Sequence[str], rows: Iterable[Sequence[object]]) -> str:
    """A table of names, and numbers to their right."""
    return table(heads, rows, [f" {PLAIN} ", *[f" {RIGHT} "] * (len(heads) - 1)])


def dispersion(norms: Norms) -> str:
    """How much more honest games vary than turns that are independent."""
    rows = [
        [name, f"{a:.2f}", f"{f:.0f}"]
        for name, a, f in zip(STATISTICS, norms.dispersion, norms.form, strict=True)
    ]
    return numbers_table(["statistic", "dispersion a", "form f, Elo"], rows)


def standard(measured: Measurement) -> str:
    """Mean and deviation of the departures of single honest games in every band."""
    honest = measured.honest[1]
    rows = [
        [band, n, *(f"{m:+.2f} / {s:.2f}" for m, s in zip(mean, deviation, strict=True))]
        for band, n, mean, deviation in bands_of(honest.z, honest.reference)
    ]
    return numbers_table(["band", "games", *ALL, "all"], rows)


def rates(norms: Norms) -> str:
    """Shares of honest groups beyond thresholds, above and below, in every band."""
    rows = []
    for one in norms.rates:
        if one["threshold"] == THRESHOLDS[0]:
            rows.append([f"{one['games']}, {one['band']}", one["groups"]])
        rows[-1].append(f"{100 * one['above']:.2f} / {100 * one['below']:.2f}")
    nominal = [one["nominal"] for one in norms.rates[: len(THRESHOLDS)]]
    heads = [f"beyond {t:g} ({100 * n:.2g}%)" for t, n in zip(THRESHOLDS, nominal, strict=True)]
    return numbers_table(["games, band", "groups", *heads], rows)


def off_nominal(rates: Iterable[Mapping[str, Any]], before: str = "") -> str:
    """Where honest groups were beyond a threshold more or less often than FACTOR allows, in words.

    Both tails together, where at least ENOUGH groups should be beyond; fewer tell nothing.
    """
    found = []
    for one in rates:
        share = (one["above"] + one["below"]) / 2
        if 2 * one["groups"] * one["nominal"] >= ENOUGH and not (
            one["nominal"] / FACTOR <= share <= one["nominal"] * FACTOR
        ):
            games = f"{one['games']} game{'s' if one['games'] > 1 else ''}"
            digits = 1 if share >= 0.01 else 2
            shown = f"{100 * share:.{digits}f} for {100 * one['nominal']:.2g}%"
            found.append(f"{before}{games}, {one['band']}: {shown}")
    return "; ".join(found)


def sequence_rates(norms: Norms) -> str:
    """How often honest groups ever reached an e-value."""
    found: dict[int, list[object]] = {}
    for one in norms.sequence["rates"]:
        found.setdefault(one["games"], [one["games"], one["groups"]]).append(f"{100 * one['share']:.2f}")
    heads = [f"e of {1 / level:g} ({100 * level:g}%)" for level in LEVELS]
    return numbers_table(["games", "groups", *heads], found.values())


def power(powers: Mapping[str, Sequence[Mapping[str, Any]]]) -> str:
    """Power of every test at 1% of false positives, by scenario and number of games."""
    names = ("ours", *SHARES[ABOVE], *OTHERS, "sequence")
    rows = [
        [f"{name}, {one['games']}", *(f"{100 * one[test]:.0f}" for test in names), *map(_apart, _each(one))]
        for name, found in powers.items()
        for one in found
    ]
    return numbers_table(["moves taken, games", *names, *(f"ours - {other}" for other in OTHERS)], rows)


def _each(one: Mapping[str, Any]) -> list[tuple[float, float]]:
    return [tuple(one["apart"][other]) for other in OTHERS]


def _apart(found: tuple[float, float]) -> str:
    """A difference of powers in points, with its standard error."""
    return f"{100 * found[0]:+.1f} ± {100 * found[1]:.1f}"


def behind(powers: Mapping[str, Sequence[Mapping[str, Any]]], errors: float = 0.0) -> str:
    """Where another test has more power than ours, by more than so many standard errors, in words."""
    found = []
    for name, rows in powers.items():
        for one in rows:
            for other, (apart, error) in zip(OTHERS, _each(one), strict=True):
                if apart < -max(errors * error, 1e-9):
                    shares = f"{100 * one['ours']:.1f} against {100 * one[other]:.1f}"
                    found.append(f"{name}, {one['games']}: {shares} ({other}, ± {100 * error:.1f})")
    return "; ".join(found)


def stale(measured: Measurement) -> str:
    """Honest groups of five games named at 1 in 100 whose ratings are too low, or too high."""
    few = sorted(measured.honest)[1]
    rows = [
        [
            shift,
            *(
                f"{100 * measured.stale(float(shift), error, side, few):.0f}"
                for side in SIDES
                for error in (60.0, 150.0)
            ),
        ]
        for shift in (0, 100, 200, 300)
    ]
    heads = [f"too {side}, error of ratings {error}" for side in ("low", "high") for error in (60, 150)]
    return numbers_table(["rating off by", *heads], rows)


def situations(measured: Measurement) -> str:
    """How much more or less honest players show than expected by kind of turn; without the rule too."""
    evidence, at = measured.by_turn()
    without, _ = measured.by_turn(phases=False)
    decisions = measured.trial.turns.decisions
    size = measured.evidence.turns[measured.trial.place[at]]
    end = endgame(decisions)[at]
    book = shared(decisions)[at]
    kinds = {
        "all turns": np.ones(len(at), dtype=bool),
        f"turns 9 to {EARLY_TURNS}": decisions.numbers("ply")[at] < 2 * EARLY_TURNS,
        f"endgames ({FEW_MEN} men or fewer)": end,
        "middlegames": ~end,
        f"games of fewer than {SHORT} turns": size < SHORT,
        f"games of {LONG} turns or more": size >= LONG,
        "positions of three players or more": book,
    }
    k, error = STATISTICS.index("equal"), STATISTICS.index("error")
    rows = []
    for name, mask in kinds.items():
        n = int(mask.sum())
        shown = [(evidence, k), (without, k), (evidence, error)]
        cells = [_excess(one.apart[mask, column], one.variance[mask, column]) for one, column in shown]
        rows.append([name, f"{n:,}", *cells])
    heads = [
        "turns",
        "number",
        "`equal`, % of turns",
        "the same without the rule",
        "`error`, hundredths of a pawn",
    ]
    return numbers_table(heads, rows)


def _excess(apart: Floats, variance: Floats) -> str:
    """A mean over turns in hundredths, with its standard error; turns vary more than independent ones."""
    n = len(apart)
    return f"{100 * apart.mean():+.1f} ± {100 * np.sqrt(1.4 * variance.sum()) / n:.1f}" if n else ""


def kinds_of_games(measured: Measurement) -> str:
    """Single honest games beyond thresholds by what kind of game it is, where at least so many are."""
    honest, trial = measured.honest[1], measured.trial
    rows = np.concatenate(honest.groups)
    turns = measured.evidence.turns[rows]
    n = len(trial.appearances)
    late = np.bincount(trial.place, endgame(trial.turns.decisions).astype(np.float64), n)[rows] / turns
    kinds = {
        f"fewer than {SHORT} turns": turns < SHORT,
        f"{SHORT} to {LONG - 1} turns": (turns >= SHORT) & (turns < LONG),
        f"{LONG} turns or more": turns >= LONG,
        "a third or more in endgames": late >= 1 / 3,
        "no endgame": late == 0,
    }
    found = []
    for name, mask in kinds.items():
        z = honest.z[mask, -1]
        cells = [
            f"{100 * (z > t).mean():.1f} / {100 * (z < -t).mean():.1f}" for t in THRESHOLDS[:2] if len(z)
        ]
        found.append([name, len(z), *cells])
    return numbers_table(["games", "number", "beyond 1.645 (5%)", "beyond 2.326 (1%)"], found)


def source_rates(sources: Iterable[SourceNorms]) -> str:
    """Honest groups of games with one value per position beyond thresholds, by source, games and band.

    A dash stands where not one group is due: nobody has measured such a share.
    """
    found: dict[tuple[object, ...], list[object]] = {}
    heads = ["games of", "number, band", "groups"]
    for norms in sources:
        for one in norms.rates:
            if one["groups"] < FEWEST_GROUPS:
                continue
            key = (norms.about["scale"], f"{one['games']}, {one['band']}", one["groups"])
            told = one["groups"] * one["nominal"] >= 1
            cell = f"{100 * one['above']:.2f} / {100 * one['below']:.2f}" if told else "-"
            found.setdefault(key, list(key)).append(cell)
        nominal = {one["threshold"]: one["nominal"] for one in norms.rates}
        heads = heads[:3] + [f"beyond {t:g} ({100 * share:.2g}%)" for t, share in nominal.items()]
    return numbers_table(heads, found.values())


def known_rates(sources: Iterable[SourceNorms]) -> str:
    """Shares over all ratings, with within what the number of groups lets one tell."""
    rows = []
    for norms in sources:
        for one in norms.rates:
            if one["band"] == "all" and one["groups"] * one["nominal"] >= 1:
                sides = []
                for side in SIDES:
                    low, high = interval_of(one, side)
                    sides.append(f"{100 * one[side]:.2f} ({100 * low:.2f} to {100 * high:.2f})")
                rows.append(
                    [norms.about["scale"], one["games"], one["groups"], f"{100 * one['nominal']:.2g}", *sides]
                )
    return numbers_table(["games of", "number", "groups", "nominal, %", "above, %", "below, %"], rows)


def kinds_of_players(norms: SourceNorms) -> str:
    """Honest players of some kind beyond thresholds, with two errors of their ratings."""
    found: dict[tuple[object, ...], dict[str, str]] = {}
    for one in norms.situations:
        if one["groups"] >= FEWEST_GROUPS:
            head = f"beyond {one['threshold']:g}, error {one['error']:.0f}"
            cell = f"{100 * one['above']:.1f} / {100 * one['below']:.1f}"
            found.setdefault((one["kind"], one["games"], one["groups"]), {})[head] = cell
    heads = list(dict.fromkeys(head for cells in found.values() for head in cells))
    rows = [[*key, *(cells.get(head, "-") for head in heads)] for key, cells in found.items()]
    return numbers_table(["players", "games", "groups", *heads], rows)
