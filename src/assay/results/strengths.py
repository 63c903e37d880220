"""Everyone's strength after the last game, by the models that have one number for each player."""

from __future__ import annotations

from typing import Any

import numpy as np

from assay.decisions.elo import POINTS_PER_LOGIT
from assay.errors import InputError
from assay.results.company import ALONE, CompanyModel
from assay.results.fit import Beta, ResultsModel
from assay.results.table import ResultGames, month_text


def strengths(games: ResultGames, model: str, beta: Beta) -> tuple[list[dict[str, Any]], dict[str, Any]]:
    """One row per player, strongest first, and what the fit learned besides."""
    played = games.games_per_player()
    about: dict[str, Any] = {
        "model": model,
        "games": len(games),
        "last_month": month_text(int(games.month.max())),
    }
    if model == "ferreira2010":
        fitted = ResultsModel(beta).fit(games)
        about |= {"white_mean": round(fitted.white_mean_, 6), "iterations": fitted.iterations_}
        column, strength = "strength", fitted.strength_
    elif model == "company":
        known = CompanyModel(ALONE).rate(games)
        about |= {"white": known.white}
        column, strength = "rating", known.rating * POINTS_PER_LOGIT
    else:
        raise InputError(f"fit shows the models ferreira2010 and company, not {model!r}")
    order = [index for index in np.argsort(-strength, kind="stable").tolist() if played[index]]
    rows = [
        {
            "rank": rank,
            "player": games.players[index],
            "games": int(played[index]),
            column: float(strength[index]),
        }
        for rank, index in enumerate(order, start=1)
    ]
    return rows, about
