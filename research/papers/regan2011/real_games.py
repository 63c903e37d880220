"""What the method finds on milepost games: the paper's table, other settings, ways of fitting, variances."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from assay.decisions.decisions import Decisions
from assay.models.choice.fit import METHODS
from assay.models.choice.model import ChoiceModel
from assay.models.choice.probabilities import CURVES
from assay.models.choice.spreads import Scaling
from assay.models.choice.sums import AGREEMENT, DIFFERENCE, PERCENTILES
from assay.models.choice.tables import Milepost, mileposts_of
from assay.models.mileposts import mapping_from
from research.markdown import table

QUALITY = (
    "",
    "percentile misfit",
    "mm off, %: size, mean",
    "ad off: size, mean",
    "s at 1600, 2700",
    "c at 1600, 2700",
)


def mileposts(rows: Sequence[Milepost], published: dict[int, dict[str, Any]]) -> str:
    """The paper's table of mileposts: ours, and the printed numbers in brackets."""
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


def variants(model: ChoiceModel, left_out: ChoiceModel, parts: dict[int, Decisions]) -> str:
    """How well other settings than the default fit the same mileposts."""
    settings = {
        "as by default": model,
        "unlisted moves left out": left_out,
        "no logarithmic scaling": ChoiceModel(scaling=Scaling(logarithmic=False)),
        "no correction of ties": ChoiceModel(scaling=Scaling(tie=0)),
        "no cap at 4 pawns": ChoiceModel(scaling=Scaling(cap=None)),
        "plain normalisation": ChoiceModel(conversion="share"),
        **{f"curve {curve}": ChoiceModel(curve=curve) for curve in CURVES[1:]},
    }
    return table(QUALITY, [quality_row(name, quality(one, parts)) for name, one in settings.items()])


def methods(model: ChoiceModel, parts: dict[int, Decisions]) -> str:
    """How well the three ways of fitting do (section 6)."""
    return table(QUALITY, [quality_row(name, quality(model, parts, name)) for name in METHODS])


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


def quality_row(name: str, found: tuple[float, ...]) -> tuple[str, ...]:
    """One row of a table under the heads QUALITY."""
    misfit, mm_size, mm_mean, ad_size, ad_mean, s_low, s_high, c_low, c_high = found
    return (
        name,
        f"{misfit:.2f}",
        f"{mm_size:.2f}, {mm_mean:+.2f}",
        f"{ad_size:.4f}, {ad_mean:+.4f}",
        f"{s_low:.3f}, {s_high:.3f}",
        f"{c_low:.3f}, {c_high:.3f}",
    )


def halves_error(model: ChoiceModel, decisions: Decisions) -> tuple[float, float]:
    """Mean error and mean size of error of milepost ratings, each half of the games rated by the other."""
    half = np.isin(np.array(decisions.text("game_id")), decisions.games[::2])
    errors = []
    for mask in (half, ~half):
        model.mapping = mapping_from(model, decisions.take(np.flatnonzero(mask)))
        others = mileposts_of(model, decisions.take(np.flatnonzero(~mask)))
        errors += [model.rate(model.profile(part)).elo - elo for elo, part in others.items()]
    return float(np.mean(errors)), float(np.abs(errors).mean())


def variance_ratios(rows: Sequence[Milepost]) -> str:
    """Variance over resampled games by the variance of independent turns, over the mileposts."""
    ratios = {
        "mm": [row.projections.mm.ratio for row in rows],
        "ad": [row.projections.ad.ratio for row in rows],
        "M_1": [row.projections.ranks[1].ratio for row in rows],
        "Q_fit": [row.projections.q_fit.ratio for row in rows],
    }
    cells = [(k, f"{np.mean(v):.2f} ({min(v):.2f} to {max(v):.2f})") for k, v in ratios.items()]
    return table(("", "ratio"), cells)


def outside_lines(parts: dict[int, Decisions]) -> float:
    """Share of the turns in which the played move was outside the engine's lines."""
    outside = [part.played_index >= part.numbers("n_lines").astype(int) for part in parts.values()]
    return float(np.mean(np.concatenate(outside)))
