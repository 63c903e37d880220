"""The tables of docs/evidence/screening.md, and the norms that ship: error rates on honest games.

    python -m research screening WORKSPACE [--recipe standard] [--norms FOLDER]

WORKSPACE holds the analysed games that `python -m research mileposts` picks. The norms of evaluated games are
made by `python -m research source-norms`, the moves that were taken by `python -m research taken-moves`.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np

from assay.answers.screening import SIDES, interval_of, share_interval
from assay.decisions.evaluation import EVALUATED, FIDE_CLASSICAL
from assay.errors import InputError
from assay.files import write_text
from assay.rating.calibration import find_calibration
from assay.screening.norms import Norms, find_norms
from assay.screening.statistics import NAMES
from assay.workspace import Workspace
from research import command_on_workspace
from research.calibration.screening_norms import document
from research.calibration.source_norms import EVENTS, open_fields, shift_rates
from research.evidence.screening import power
from research.evidence.screening.honest import SIZES, HonestGames, counted_opens
from research.markdown import Tables, numbers_table, print_tables

NORMS = Path(__file__).resolve().parents[3] / "src" / "assay" / "data" / "norms"

FEWEST_GROUPS = 20
"""Shares of fewer groups are not printed."""


def main(words: Sequence[str]) -> None:
    """Print the tables and write the norms."""
    parser = command_on_workspace("screening", __doc__)
    parser.add_argument("--norms", type=Path, default=NORMS, help="folder that the norms are written to")
    given = parser.parse_args(words)
    workspace = Workspace(given.workspace)
    recipe_id = workspace.recipe_id(given.recipe)
    calibration = find_calibration(recipe_id)
    if calibration is None or calibration.agents is None:
        raise InputError(f"{given.recipe} has no calibration yet: make one first (assay calibrate)")
    decisions = workspace.decisions(recipe_id, trace=True)
    honest = HonestGames(decisions)
    norms = honest.norms(recipe_id, calibration.agents)
    games = honest.appearances.game[honest.rows]
    fide = find_norms(FIDE_CLASSICAL)
    assert fide is not None, "its norms are made first: they show what events share"
    norms = replace(norms, shift=fide.shift)
    norms = replace(
        norms,
        rates=tuple(honest.rates(norms)),
        tails=tuple(honest.tails(norms)),
        opens={"naming": fide.opens["naming"], "by_games": honest.opens(norms)},
        about={
            "engine": calibration.about["engine"],
            "recipe": calibration.about["recipe"],
            "games": len(set(games.tolist())),
            "appearances": len(honest.rows),
            "players": len(set(honest.appearances.player[honest.rows].tolist())),
            "turns": int(honest.evidence().turns.sum()),
            "made_by": "python -m research screening WORKSPACE",
        },
    )
    print_tables(tables(norms))
    chosen_on, others = power.scenarios(honest)
    print_tables([("Moves taken on which statistics were chosen", power.quality(honest, chosen_on))])
    print_tables([("Moves taken in other games", power.quality(honest, others))])
    for screen in (power.ByTurns(honest, norms), power.ByElo(honest, decisions, fide)):
        print_tables(power.tables(screen, chosen_on, others))
        ships = replace(screen.norms, power=tuple(power.helped(screen, others)))
        place = given.norms / ("sources" if ships.shape else "") / f"{ships.source}.json"
        write_text(place, json.dumps(document(ships), indent=1) + "\n")


def tables(norms: Norms) -> Tables:
    """Each table of the page with its title."""
    assert norms.turns is not None
    about = norms.about
    yield (
        "Honest games",
        f"{about['games']} games, {about['appearances']} appearances of {about['players']} players, "
        f"{about['turns']:,} turns",
    )
    spread = zip(NAMES, norms.turns.dispersion, norms.turns.form, strict=True)
    yield (
        "Dispersion and form",
        numbers_table(
            ["statistic", "dispersion a", "form f, Elo"],
            [[name, f"{a:.2f}", f"{f:.0f}"] for name, a, f in spread],
        ),
    )
    sources = [norms, *(source for name in EVALUATED if (source := find_norms(name)) is not None)]
    yield "Honest groups beyond z, above / below, in percent", rates(sources)
    yield "Intervals of these shares", intervals(sources)
    yield "Opens of honest players", opens(sources)
    fide = find_norms(FIDE_CLASSICAL)
    assert fide is not None
    yield "Held-out events by what ships", unseen_events(fide)
    yield "Events called shifted, in percent", shifts(fide)


def _scale(norms: Norms) -> str:
    return str(norms.about.get("scale", norms.about.get("recipe")))


def rates(sources: Iterable[Norms]) -> str:
    """Honest groups beyond thresholds, by source, games and band; a dash where not one group is due."""
    by_key: dict[tuple[object, ...], list[object]] = {}
    for norms in sources:
        for rate in norms.rates:
            if rate["groups"] >= FEWEST_GROUPS:
                key = (_scale(norms), f"{rate['games']}, {rate['band']}", rate["groups"])
                measured = rate["groups"] * rate["nominal"] >= 1
                share = f"{100 * rate['above']:.2f} / {100 * rate['below']:.2f} ({100 * rate['nominal']:.2g})"
                by_key.setdefault(key, list(key)).append(share if measured else "-")
    heads = ["games of", "number, band", "groups", *("above / below (nominal)" for _ in range(4))]
    return numbers_table(heads, by_key.values())


def intervals(sources: Iterable[Norms]) -> str:
    """Shares over all ratings, with within what the number of groups lets one tell."""
    rows = []
    for norms in sources:
        for rate in norms.rates:
            if rate["band"] == "all" and rate["groups"] * rate["nominal"] >= 1:
                sides = [
                    f"{100 * rate[side]:.2f} ({100 * low:.2f} to {100 * high:.2f})"
                    for side in SIDES
                    for low, high in [interval_of(rate, side)]
                ]
                nominal = f"{100 * rate['nominal']:.2g}"
                rows.append([_scale(norms), rate["games"], rate["groups"], nominal, *sides])
    return numbers_table(["games of", "number", "groups", "nominal, %", "above, %", "below, %"], rows)


def opens(sources: Iterable[Norms]) -> str:
    """In how many opens somebody is named, by number of games, and how many were taken as shifted."""
    rows = []
    for norms in sources:
        for counted in norms.opens.get("by_games", ()):
            low, high = share_interval(counted["named"], counted["opens"])
            share = f"{counted['named']} ({100 * low:.1f} to {100 * high:.1f}%)"
            cells = [counted[name] for name in ("games", "players", "opens")]
            rows.append([_scale(norms), *cells, share, counted["shifted"]])
    return numbers_table(["games of", "games", "players", "opens", "named", "shifted"], rows)


def unseen_events(norms: Norms) -> str:
    """Groups of events that neither the calibration nor the norms have seen, judged by both."""
    rows = []
    with np.load(EVENTS) as kept:
        games, z = kept["games"], kept["shipped"].astype(np.float64)
    for n in SIZES:
        own = z[(games == n) & np.isfinite(z)]
        shares = [f"{100 * (own > x).mean():.1f} / {100 * (own < -x).mean():.1f}" for x in (1.645, 2.326)]
        counted = counted_opens(open_fields(norms, n, judged="shipped"), n)
        rows.append([n, len(own), f"{own.std():.2f}", *shares, f"{counted['named']} of {counted['opens']}"])
    heads = [
        "games",
        "groups",
        "standard deviation",
        "beyond 1.645, %",
        "beyond 2.326, %",
        "opens with a name",
    ]
    return numbers_table(heads, rows)


def shifts(norms: Norms) -> str:
    """How often honest events are called shifted, and how often a shift is noticed."""
    heads = ["games", "events", "median players", "as they are", "100 points", "200 points", "300 points"]
    return numbers_table(heads, shift_rates(norms))
