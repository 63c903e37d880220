"""Make docs/reproduction/choice.md and its figure from analysed milepost games.

    python scripts/make_choice_page.py DECISIONS SIMULATION

DECISIONS holds decisions of players of known Elo with all their options; SIMULATION is what
scripts/simulate_choice.py wrote. Every number on the page is measured here or read from there.
"""

import json
import sys
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path

import numpy as np

from assay.domain.decisions import Decisions
from assay.models.choice import ChoiceModel
from assay.models.choice_curves import CURVES
from assay.models.choice_spreads import Scaling
from assay.models.choice_sums import AGREEMENT, DIFFERENCE, PERCENTILES
from assay.models.choice_tables import Milepost, calibrated, milepost_table, split_by_milepost
from assay.models.percentile import METHODS
from assay.validation.published import facts

DOCS = Path(__file__).resolve().parent.parent / "docs"


def table(columns: Sequence[str], rows: Iterable[Sequence[object]]) -> str:
    lines = ["| " + " | ".join(columns) + " |", "|" + "---|" * len(columns)]
    return "\n".join([*lines, *("| " + " | ".join(str(cell) for cell in row) + " |" for row in rows)])


def mileposts(rows: Sequence[Milepost], published: dict[int, dict[str, float]]) -> str:
    cells = []
    for row in rows:
        ours, theirs = row.as_row(), published[row.elo]
        cells.append(
            (
                row.elo,
                row.decisions,
                *(f"{ours[k]:.3f} ({theirs[k]:.3f})" for k in ("s", "c", "c_fit", "s_fit")),
                f"{ours['mm_projected']:.1f}/{ours['mm_actual']:.1f} "
                f"({theirs['mm_projected']}/{theirs['mm_actual']})",
                f"{ours['ad_projected']:.3f}/{ours['ad_actual']:.3f} "
                f"({theirs['ad_projected']:.3f}/{theirs['ad_actual']:.3f})",
                f"{ours['q_fit']:.3f} ({theirs['q_fit']:.3f})",
            )
        )
    names = ("Elo", "turns", "s", "c", "c_fit", "s_fit", "mm_p/mm_a", "ad_p/ad_a", "Q_fit")
    return table(names, cells)


def quality(model: ChoiceModel, parts: dict[int, Decisions], method: str = "percentile") -> tuple[float, ...]:
    """Means over mileposts: percentile misfit, errors of mm (percent) and ad, s and c."""
    found = []
    for part in parts.values():
        fit = model.fit(part, method, pull=False)
        sums = model.summaries(part)
        means = sums.at(np.log(fit.s), np.log(fit.c))[:, 0] / len(part)
        misfit = 1e4 * np.square(means[: len(PERCENTILES)] - PERCENTILES).mean()
        agreement = 100 * (means[AGREEMENT] - np.mean(sums.spreads.played == 0))
        found.append((misfit, agreement, means[DIFFERENCE] - sums.spreads.lost.mean(), fit.s, fit.c))
    misfit, agreement, lost, s, c = np.array(found).T
    return (
        misfit.mean(),
        np.abs(agreement).mean(),
        agreement.mean(),
        np.abs(lost).mean(),
        lost.mean(),
        s[-1],
        s[0],
        c[-1],
        c[0],
    )


QUALITY = (
    "",
    "percentile misfit",
    "mm off, %: size, mean",
    "ad off: size, mean",
    "s at 1600, 2700",
    "c at 1600, 2700",
)


def quality_row(name: str, found: tuple[float, ...]) -> tuple[str, ...]:
    misfit, mm_size, mm_mean, ad_size, ad_mean, s_low, s_high, c_low, c_high = found
    return (
        name,
        f"{misfit:.2f}",
        f"{mm_size:.2f}, {mm_mean:+.2f}",
        f"{ad_size:.4f}, {ad_mean:+.4f}",
        f"{s_low:.3f}, {s_high:.3f}",
        f"{c_low:.3f}, {c_high:.3f}",
    )


def halves_error(make: Callable[[], ChoiceModel], decisions: Decisions) -> tuple[float, float]:
    """Mean error and mean size of error of milepost ratings, each half of the games rated by the other."""
    games = decisions.games
    half = np.isin(decisions.text("game_id"), games[::2])
    errors = []
    for mask in (half, ~half):
        model = calibrated(make(), decisions.take(np.flatnonzero(mask)))
        others = split_by_milepost(model, decisions.take(np.flatnonzero(~mask)))
        errors += [model.rate(model.profile(part)).elo - elo for elo, part in others.items()]
    return float(np.mean(errors)), float(np.abs(errors).mean())


def simulation(rows: list[dict[str, object]]) -> str:
    cells = []
    for row in rows:
        found = row["quantities"]
        cells.append(
            (
                f"{row['turns']:,}",
                f"{row['s']}, {row['c']}",
                row["replications"],
                row["failed"],
                *(
                    f"{found[k]['median_off_percent']:+.1f} ({found[k]['deviation_percent']:.1f})"
                    for k in found
                ),
                ", ".join(f"{found[k]['coverage_percent']:.1f}" for k in found),
                ", ".join(f"{found[k]['coverage_without_resampling_percent']:.1f}" for k in found),
            )
        )
    return table(
        (
            "turns",
            "s, c",
            "replications",
            "no number",
            "s off, % (deviation)",
            "c off, %",
            "reference loss off, %",
            "coverage of s, c, reference loss, %: games resampled",
            "the same, from the profile alone",
        ),
        cells,
    )


def svg(rows: Sequence[Milepost], published: dict[int, dict[str, float]]) -> str:
    """Two panels by Elo: s_fit, and first-move agreement; ours filled, the paper's hollow."""
    panels = []
    for place, (title, low, high, ours, theirs) in enumerate(
        (
            ("sensitivity s_fit", 0.0, 0.35, lambda r: r.s_fit, lambda t: t["s_fit"]),
            (
                "first-move agreement, %",
                36,
                60,
                lambda r: 100 * r.projections.mm.actual,
                lambda t: t["mm_actual"],
            ),
        )
    ):
        left = 60 + 380 * place
        x = lambda elo, left=left: left + (elo - 1600) / 1100 * 280
        y = lambda value, low=low, high=high: 260 - (value - low) / (high - low) * 210
        panels.append(f'<text x="{left}" y="30" font-size="14">{title}</text>')
        panels.append(f'<path d="M{left} 50V260H{left + 290}" fill="none" stroke="#444"/>')
        for elo in (1600, 2000, 2400, 2700):
            panels.append(f'<text x="{x(elo)}" y="278" font-size="11" text-anchor="middle">{elo}</text>')
        for value in np.linspace(low, high, 5):
            panels.append(
                f'<text x="{left - 6}" y="{y(value) + 4}" font-size="11" text-anchor="end">{value:.3g}</text>'
            )
        for row in rows:
            panels.append(f'<circle cx="{x(row.elo):.1f}" cy="{y(ours(row)):.1f}" r="4" fill="#1f5fa8"/>')
            point = theirs(published[row.elo])
            panels.append(
                f'<circle cx="{x(row.elo):.1f}" cy="{y(point):.1f}" r="4" fill="none" stroke="#c0561f"/>'
            )
    legend = (
        '<circle cx="70" cy="298" r="4" fill="#1f5fa8"/><text x="80" y="302" font-size="12">Stockfish 15.1, '
        "18 games per milepost</text>"
        '<circle cx="330" cy="298" r="4" fill="none" stroke="#c0561f"/><text x="340" y="302" font-size="12">'
        "the paper: Rybka 3, 2006-2009</text>"
    )
    body = "\n".join([*panels, legend])
    return (
        '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 780 315" font-family="sans-serif">\n'
        f'<rect width="780" height="315" fill="white"/>\n{body}\n</svg>\n'
    )


def main(source: str, simulated: str) -> None:
    decisions = Decisions.read(source)
    model = ChoiceModel()
    published = {row["elo"]: row for row in facts("regan2011")["periods"]["2006-2009"]}
    rows = milepost_table(model, decisions)
    parts = split_by_milepost(model, decisions)
    elos = [row.elo for row in rows]
    ours = np.corrcoef(elos, [row.s_fit for row in rows])[0, 1]
    theirs = np.corrcoef(list(published), [row["s_fit"] for row in published.values()])[0, 1]
    ratios = {
        "mm": [row.projections.mm.ratio for row in rows],
        "ad": [row.projections.ad.ratio for row in rows],
        "M_1": [row.projections.ranks[1].ratio for row in rows],
        "Q_fit": [row.projections.q_fit.ratio for row in rows],
    }
    left_out = ChoiceModel(scaling=Scaling(unlisted="left out"))
    settings = {
        "as by default": model,
        "unlisted moves left out": left_out,
        "no logarithmic scaling": ChoiceModel(scaling=Scaling(logarithmic=False)),
        "no correction of ties": ChoiceModel(scaling=Scaling(tie=0)),
        "no cap at 4 pawns": ChoiceModel(scaling=Scaling(cap=None)),
        "plain normalisation": ChoiceModel(conversion="share"),
        **{f"curve {curve}": ChoiceModel(curve=curve) for curve in CURVES[1:]},
    }
    variants = [quality_row(name, _tried(one, parts)) for name, one in settings.items()]
    methods = [quality_row(name, quality(model, parts, name)) for name in METHODS]
    errors = {
        name: halves_error(lambda one=one: one, decisions)
        for name, one in (("tail", model), ("left out", left_out))
    }
    outside = np.mean(
        np.concatenate([p.played_index >= p.numbers("n_lines").astype(int) for p in parts.values()])
    )
    chance = np.mean([row.projections.q_fit.projected for row in rows])
    page = f"""# `choice` on real games

Made by `python scripts/make_choice_page.py DECISIONS SIMULATION`; simulations by `scripts/simulate_choice.py`.

Games: {sum(row.games for row in rows)} of players within 20 points of 1600, 1700, ..., 2700, 18 per milepost;
{sum(row.decisions for row in rows):,} turns pass the rules. Stockfish 15.1, 150,000 nodes, ten lines; the played
move was outside the lines in {100 * outside:.1f}% of the turns and was then searched alone. The paper: Rybka 3 to
depth 13, up to 50 lines, 5,000 to 25,000 turns per milepost.

## Mileposts

Ours, and the paper's of 2006-2009 in brackets. As in the paper: s and c are fitted together, c_fit is the straight
line through the c by Elo, s_fit is s with c held on it; projections are those of (s_fit, c_fit).

{mileposts(rows, published)}

![s_fit and first-move agreement by Elo](../images/choice_mileposts.svg)

The correlation of s_fit with Elo is {ours:.3f} (the paper's table: {theirs:.3f}). Our c does not rise with Elo as
the paper's does: with about 1,000 turns per milepost c is known to some 8% (see the simulation below), as much as
the paper's whole range. First-move agreement runs from {rows[-1].as_row()["mm_actual"]:.1f}% to {rows[0].as_row()["mm_actual"]:.1f}% where the paper
has 42.9% to 56.3%. Q_fit averages over as many ranks as the widest turn has options; by chance alone it would be
{chance:.3f} on average with so few turns, so most of what is seen above the paper's values is not misfit.

## Legal moves that the engine did not list

With ten lines about two thirds of the legal moves have no value. Leaving them out, while a played one among them
enters as one more option, makes the option lists depend on the move played. The default, `tail`, lets their
differences go on behind the last line with the mean step of the lower half of the lines.

{table(QUALITY, variants)}

Percentile misfit: mean of (R_q - q)^2 over q, in squared percent, as Q_fit is. 'Size' is the mean size of the error
over the mileposts, 'mean' its mean with sign. With unlisted moves left out the agents project a loss that is
too large, and c runs down. On the Elo scale, each half of the games rated through the mileposts of
the other half, a milepost of nine games is off by {errors["tail"][1]:.0f} points on average with `tail` (mean
{errors["tail"][0]:+.0f}) and by {errors["left out"][1]:.0f} with `left out` (mean {errors["left out"][0]:+.0f}).

## Methods of fitting

{table(QUALITY, methods)}

As the paper found, maximum likelihood projects first-move agreement too low and the average difference too high, while
matching those two leaves the percentiles (and so the frequencies of the other ranks) less well fitted.

## Are turns independent?

Variance over resampled games by the variance under the model, mean over the mileposts (range):

{table(("", "ratio"), [(k, f"{np.mean(v):.2f} ({min(v):.2f} to {max(v):.2f})") for k, v in ratios.items()])}

Principle (a), independence of turns, understates the variance of agreement and difference: games differ by more than
their turns explain. Intervals come from resampled games for that reason; where there are fewer than five games, the
variance of independent turns is multiplied by 1.7.

## Simulation

Agents of known s and c on the real positions: whole player-games are drawn, the agent chooses, and everything is
fitted as for real players. 'Off' is the median error, with the standard deviation of the logarithm in brackets.

{simulation(json.loads(Path(simulated).read_text(encoding="utf-8")))}
"""
    (DOCS / "reproduction").mkdir(parents=True, exist_ok=True)
    (DOCS / "images").mkdir(exist_ok=True)
    (DOCS / "reproduction" / "choice.md").write_text(page, encoding="utf-8")
    (DOCS / "images" / "choice_mileposts.svg").write_text(svg(rows, published), encoding="utf-8")


def _tried(model: ChoiceModel, parts: dict[int, Decisions]) -> tuple[float, ...]:
    return quality(model, parts)


if __name__ == "__main__":
    main(*sys.argv[1:])
