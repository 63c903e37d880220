"""What carries the native scale over to other engines: src/assay/data/bridges, and docs/evidence/engines.md.

    python -m research bridge-positions MILEPOSTS HELD_OUT STANDARD QUICK
    python -m research bridge-analyse ENGINE RECIPE OUT.parquet
    python -m research bridge-versions FOLDER STANDARD
    python -m research bridge-check FOLDER STANDARD QUICK
    python -m research bridge-renew

All of these are workspaces. MILEPOSTS has milepost games, analysed with `standard` and Stockfish 15.1, and
HELD_OUT 70 of them: five of each milepost, by a seed. STANDARD and QUICK have the games of the calibration,
the milepost games among them. `bridge-positions` draws positions from the milepost games that are not held
out, and fits native scales by the lines of the last depth. `bridge-analyse` has an engine analyse them.
FOLDER has its files as VERSION-RECIPE.parquet, and workspaces VERSION.assay of the held-out games analysed by
that version. `bridge-versions` makes the calibrations that ship from both; `bridge-check` rates the held-out
games with scales made without their players. `bridge-renew` needs no games: it gives the files that ship the
population and the form of the native scales, after these were made anew, makes the scales of versions that
were not measured from those that were, and prints how well each version is foreseen by the others.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
from scipy import stats

from assay.decisions.arrays import Floats, Ints
from assay.decisions.decisions import Decisions
from assay.engine.engines import EngineConfig
from assay.engine.recipe import find_recipe
from assay.models.appearances import Appearances
from assay.models.elo_mapping import ScalarMapping
from assay.models.traits.model import LineTraitsModel
from assay.rating import bridge
from assay.rating.calibration import Calibration, all_shipped
from assay.rating.group_ratings import COMBINED, Rater
from assay.rating.scale import SHIPPED_SCALE
from assay.workspace import Workspace
from research import command
from research.markdown import numbers_table

DATA = Path("src/assay/data")
PER_MILEPOST = {"standard": 50, "quick": 150}
"""Positions of each milepost, 1500 to 2800: `quick` takes a tenth of the time."""

MILEPOSTS = range(1500, 2900, 100)
SEED = 32
NATIVE = "Stockfish 15.1"
RECIPES = {"standard": "standard", "thrifty": "standard", "quick": "quick"}
"""The recipes that have a scale with other versions, and the native one that is carried over."""

GAMES = (1, 5, 20)
TRAITS = LineTraitsModel.name


def positions(words: Sequence[str]) -> None:
    """Draw the positions, and fit the native scales by the lines of the last depth."""
    parser = command("bridge-positions", __doc__)
    for name in ("mileposts", "held_out", "standard", "quick"):
        parser.add_argument(name, type=Path)
    given = parser.parse_args(words)
    (DATA / "bridges").mkdir(exist_ok=True)
    mileposts = analysed(given.mileposts, "standard")
    drawn = draw(mileposts, set(Workspace(given.held_out).games()["game_id"].to_pylist()))
    for recipe, number in PER_MILEPOST.items():
        native = analysed(getattr(given, recipe), recipe)
        chosen, _ = shared(native, mileposts.take(drawn[: number * len(MILEPOSTS)]))
        chosen.first_lines(10).write(DATA / "bridges" / f"{recipe}.parquet")
        scale = fit(native, recipe)
        scale.write(DATA / "bridges" / f"{recipe}.npz")
        print(f"{recipe}: {len(chosen)} positions, scale from {scale.about['games']} games")


def analysed(workspace: Path, recipe: str) -> Decisions:
    """The decisions of the games of a workspace that are analysed whole."""
    decisions = Workspace(workspace).decisions(recipe)
    missing = np.unique(decisions.codes("game_id")[decisions.n_options == 0])
    return decisions.take(np.flatnonzero(~np.isin(decisions.codes("game_id"), missing)))


def draw(decisions: Decisions, held_out: set[str]) -> Ints:
    """Rows of different positions, the mileposts by turns, from games that are not held out."""
    usable = LineTraitsModel().keeps(decisions)
    out = [code for code, name in enumerate(decisions.names("game_id")) if name in held_out]
    usable &= ~np.isin(decisions.codes("game_id"), out)
    milepost = np.round(decisions.numbers("player_elo"), -2)
    keys = np.array(decisions.text("position_key"))
    rng = np.random.default_rng(SEED)
    most = max(PER_MILEPOST.values())
    columns, seen = [], set[str]()
    for elo in MILEPOSTS:
        column: list[int] = []
        for row in rng.permutation(np.flatnonzero(usable & (milepost == elo))):
            if keys[row] not in seen and len(column) < most:
                seen.add(keys[row])
                column.append(int(row))
        columns.append(column)
    return np.array(columns).T.reshape(-1)


def rows_of(decisions: Decisions, wanted: Decisions) -> Ints:
    """Rows of the same moves of the same games; an error where one is not there."""
    keys = {key: row for row, key in enumerate(_places(decisions))}
    return np.array([keys[key] for key in _places(wanted)], np.int64)


def _places(decisions: Decisions) -> Iterator[tuple[str | None, float]]:
    return zip(decisions.text("game_id"), decisions.numbers("ply").tolist(), strict=True)


def shared(native: Decisions, other: Decisions) -> tuple[Decisions, Decisions]:
    """The decisions that both have, in the same order."""
    present = set(_places(native))
    rows = [row for row, key in enumerate(_places(other)) if key in present]
    other = other.take(np.array(rows, np.int64))
    return native.take(rows_of(native, other)), other


def fit(decisions: Decisions, recipe: str, without: Collection[str] = ()) -> Calibration:
    """The native scale by the lines of the last depth, from games of all players but some."""
    out = [code for code, name in enumerate(decisions.names("player")) if name in without]
    games = np.unique(decisions.codes("game_id")[np.isin(decisions.codes("player"), out)])
    used = decisions.take(np.flatnonzero(~np.isin(decisions.codes("game_id"), games)))
    natives = [one for one in all_shipped() if one.carried_from is None and one.about.get("recipe") == recipe]
    about: dict[str, Any] = {
        "engine": NATIVE,
        "recipe": recipe,
        "games": len(np.unique(used.codes("game_id"))),
        "scale": SHIPPED_SCALE,
        "population": natives[0].about["population"],
    }
    scale = Calibration.fit(Appearances.of(used), about, {"traits": LineTraitsModel()})
    return replace(scale, agents=None, slices={}, losses=None)


def analyse(words: Sequence[str]) -> None:
    """Have an engine analyse the positions."""
    parser = command("bridge-analyse", __doc__)
    parser.add_argument("engine")
    parser.add_argument("recipe")
    parser.add_argument("out", type=Path)
    given = parser.parse_args(words)
    recipe, engine = find_recipe(given.recipe), EngineConfig(given.engine)
    _, native = bridge.native(RECIPES.get(recipe.name, "standard"))
    backlog = bridge.backlog_of(native, recipe, engine)
    bridge.analyse(native, backlog, engine, jobs=1).write(given.out)


def versions_in(folder: Path, recipe: str) -> dict[str, Path]:
    """The versions whose analyses of the positions are there."""
    found = {
        path.name.removesuffix(f"-{recipe}.parquet"): path for path in folder.glob(f"*-{recipe}.parquet")
    }
    return dict(sorted(found.items()))


def played(folder: Path, version: str, recipe: str, native: Decisions) -> tuple[Decisions, Decisions] | None:
    """The held-out games by both, as far as that version has analysed them."""
    workspace = folder / f"{version}.assay"
    if not workspace.exists() or recipe not in _recipes(workspace):
        return None
    both = shared(native, analysed(workspace, recipe))
    return both if len(both[0]) else None


def _recipes(workspace: Path) -> set[str]:
    return {about["recipe"]["name"] for about in Workspace(workspace).recipes().values()}


def versions(words: Sequence[str]) -> None:
    """Make the calibrations that ship: of the versions measured, and of the others together."""
    parser = command("bridge-versions", __doc__)
    parser.add_argument("folder", type=Path)
    parser.add_argument("standard", type=Path)
    given = parser.parse_args(words)
    for recipe, like in RECIPES.items():
        scale, native = bridge.native(like)
        games = analysed(given.standard if like == "standard" else given.folder / "15.1.assay", like)
        for version, path in versions_in(given.folder, recipe).items():
            parts = [shared(native, Decisions.read(path)), played(given.folder, version, recipe, games)]
            before, after = (Decisions.concat(sides) for sides in zip(*filter(None, parts), strict=True))
            about = {"engine": f"Stockfish {version}", "recipe": recipe}
            error = bridge.SYSTEMATIC[like] / 2
            measured = bridge.carry_over(scale, before, after, about, more_error=error)
            measured.write(DATA / "calibrations" / f"{measured.recipe_id}.npz")
    renew([])


def family_of(measured: Sequence[Calibration]) -> Calibration:
    """The scale of a version that was not measured: the mean of those that were, native ones among them.

    Its error is that of the prediction of one more from so few (Student's t): a standard deviation whose 1.96
    are as much as the t quantile of the scatter among them. To that comes their own error.
    """
    carried = [scale for scale in measured if scale.carried_from is not None]
    shifts = np.array([_shift_of(scale) for scale in measured])
    n = len(shifts)
    widening = stats.t.ppf(0.975, n - 1) / stats.norm.ppf(0.975) * np.sqrt(1 + 1 / n)
    error = np.hypot(widening * shifts.std(ddof=1), np.mean([scale.spread.carried for scale in carried]))
    first = carried[0]
    model, mapping = first.models[TRAITS], first.mappings[TRAITS]
    assert isinstance(model, LineTraitsModel)
    assert isinstance(mapping, ScalarMapping)
    sizes = model.weights["values"]
    mean_map = np.mean([scale.models[TRAITS].native_values(sizes) for scale in measured], axis=0)  # type: ignore[attr-defined]
    knots = np.mean([scale.mappings[TRAITS].knots_strength for scale in measured], axis=0)  # type: ignore[attr-defined]
    agreement = float(np.mean([scale.about["bridge"]["agreement"] for scale in carried]))
    return replace(
        first,
        about={
            **{name: first.about[name] for name in ("recipe", "scale", "population")},
            "engine": "Stockfish",
            "versions": ", ".join(sorted(version_of(scale) for scale in measured)),
            "positions": sum(scale.about["positions"] for scale in carried),
            "bridge": {
                **first.about["bridge"],
                "agreement": round(agreement, 3),
                "shift": round(float(shifts.mean()), 1),
                "error": round(float(error), 1),
            },
        },
        mappings={TRAITS: replace(mapping, knots_strength=knots)},
        models={TRAITS: LineTraitsModel().with_weights({**model.weights, "native": mean_map})},
        spread=replace(first.spread, carried=float(error)),
    )


def _shift_of(scale: Calibration) -> float:
    return 0.0 if scale.carried_from is None else float(scale.about["bridge"]["shift"])


def version_of(scale: Calibration) -> str:
    """The version of the Stockfish of a scale."""
    return str(scale.about["engine"]).removeprefix("Stockfish ")


def renew(words: Sequence[str]) -> None:
    """Give the scales that ship the form and population of today's native ones; make those of families."""
    command("bridge-renew", __doc__).parse_args(words)
    shipped = all_shipped()
    lines, foreseen = [], []
    for recipe, like in RECIPES.items():
        today = next(
            scale for scale in shipped if (scale.about["engine"], scale.about["recipe"]) == (NATIVE, like)
        )
        own, _ = bridge.native(like)
        carried = [scale for scale in shipped if scale.carried_from and scale.about["recipe"] == recipe]
        carried.sort(key=lambda scale: float(version_of(scale)))
        measured = [of_today(scale, today) for scale in ([own] if recipe == like else []) + carried]
        for scale in measured:
            native = scale.carried_from is None
            scale.write(
                DATA
                / ("bridges" if native else "calibrations")
                / f"{like if native else scale.recipe_id}.npz"
            )
        family = family_of(measured)
        family.write(DATA / "bridges" / f"stockfish-{recipe}.npz")
        lines += [_line(recipe, version_of(scale), scale) for scale in measured if scale.carried_from]
        lines.append(_line(recipe, "others", family))
        for place, scale in enumerate(measured):
            others = family_of([*measured[:place], *measured[place + 1 :]]).about["bridge"]
            off = _shift_of(scale) - others["shift"]
            row = (others["shift"], others["error"], _shift_of(scale), f"{off / others['error']:+.2f}")
            foreseen.append((recipe, version_of(scale), *row))
    print(numbers_table(("recipe", "Stockfish", "positions", "agreement", "shift", "error"), lines))
    print()
    print(numbers_table(("recipe", "Stockfish", "foreseen", "error", "measured", "off, in errors"), foreseen))


def of_today(scale: Calibration, native: Calibration) -> Calibration:
    """A scale with the population and the form of the native one, after that was made anew."""
    form = native.spread.form_at(np.array([scale.spread.centre]), native.spread.channels.index(TRAITS))
    spread = replace(scale.spread, form=np.repeat(form, len(scale.spread.channels)))
    return replace(scale, about={**scale.about, "population": native.about["population"]}, spread=spread)


def _line(recipe: str, version: str, scale: Calibration) -> tuple[object, ...]:
    carried = scale.about["bridge"]
    numbers = (carried["agreement"], carried["shift"], carried["error"])
    return (recipe, version, scale.about["positions"], *numbers)


def check(words: Sequence[str]) -> None:
    """Rate the held-out games with scales made without their players."""
    parser = command("bridge-check", __doc__)
    for name in ("folder", "standard", "quick"):
        parser.add_argument(name, type=Path)
    given = parser.parse_args(words)
    held_out = Workspace(given.folder / "15.1.assay").games()
    ids = set(held_out["game_id"].to_pylist())
    lines = []
    for recipe, like in RECIPES.items():
        every = analysed(given.standard if like == "standard" else given.quick, like)
        out = np.isin(
            every.codes("game_id"), [c for c, name in enumerate(every.names("game_id")) if name in ids]
        )
        games = every.take(np.flatnonzero(out))
        scale = fit(every, like, set(games.players))
        _, native = bridge.native(like)
        pairs = {
            version: shared(native, Decisions.read(path))
            for version, path in versions_in(given.folder, recipe).items()
        }
        for version, (before, after) in pairs.items():
            rated = played(given.folder, version, recipe, games)
            if rated is None:
                continue
            about = {"engine": version, "recipe": recipe}
            carried = bridge.carry_over(scale, before, after, about, more_error=bridge.SYSTEMATIC[like])
            of_this = carried.for_recipe(Appearances.of(rated[1]).recipe_id, carried.about)
            lines += [(recipe, version, *row) for row in _compare(scale, of_this, *rated)]
    heads = ("recipe", "Stockfish", "games", "groups", "correlation", "shift", "apart")
    print(numbers_table((*heads, "error", "covered", "width", "native error", "covered", "width"), lines))


def _compare(
    scale: Calibration, carried: Calibration, before: Decisions, after: Decisions
) -> Iterator[tuple[object, ...]]:
    """Ratings by the carried scale beside native ones, in groups of neighbours in published rating."""
    # Both have the same decisions, so names and appearances are in the same order.
    sides = [
        Appearances.of(side.with_games([str(one) for one in before.text("game_id")]))
        for side in (before, after)
    ]
    elo = sides[0].elo
    order = np.argsort(elo, kind="stable")
    order = order[(sides[0].size[order] >= 10) & (sides[1].size[order] >= 10)]
    raters = [Rater(side, by) for side, by in zip(sides, (scale, carried), strict=True)]
    for n in GAMES:
        groups = [order[start : start + n] for start in range(0, len(order) - n + 1, n)]
        if not groups:
            return
        players = [float(len(np.unique(sides[0].player[group]))) for group in groups]
        truth = np.array([elo[group].mean() for group in groups])
        native, other = (
            np.array(
                [
                    [r[COMBINED].elo, r[COMBINED].low, r[COMBINED].high]
                    for r in rater.rate(groups, players=players)
                ]
            )
            for rater in raters
        )
        difference = other[:, 0] - native[:, 0]
        error = difference.std(ddof=1) / np.sqrt(len(groups)) if len(groups) > 1 else np.nan
        together = np.corrcoef(native[:, 0], other[:, 0])[0, 1] if len(groups) > 2 else np.nan
        yield (
            *(n, len(groups), f"{together:.2f}", f"{difference.mean():+.0f} ± {error:.0f}"),
            f"{np.sqrt(np.square(difference).mean()):.0f}",
            *_accuracy(other, truth),
            *_accuracy(native, truth),
        )


def _accuracy(ratings: Floats, truth: Floats) -> tuple[str, str, str]:
    elo, low, high = ratings.T
    covered = ((low <= truth) & (truth <= high)).mean()
    return f"{np.abs(elo - truth).mean():.0f}", f"{covered:.0%}", f"{(high - low).mean():.0f}"
