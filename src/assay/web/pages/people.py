"""Players: the table of all, and one of them with everything that is known."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from assay.errors import InputError
from assay.web import render
from assay.web.cache import Cached
from assay.web.pages.insights import NONE, parts_of
from assay.web.paging import Paged, paged

if TYPE_CHECKING:
    from assay.answers.ratings import PlayerRating, Ratings
    from assay.decisions.decisions import Decisions
    from assay.figures.figure import Figure
    from assay.report.cards import Card
    from assay.report.ratings import BigLoss
    from assay.web.reading import Reading

ROWS = 50
MOST_LOSSES = 6
"""Moves that cost most, on a player's page."""

SORTS: dict[str, Callable[[PlayerRating], Any]] = {
    "rating": lambda one: one.combined.elo if one.combined else math.nan,
    "player": lambda one: one.player.casefold(),
    "games": lambda one: one.games,
    "decisions": lambda one: one.decisions,
    "published": lambda one: one.reference,
    "width": lambda one: one.combined.high - one.combined.low if one.combined else math.nan,
}
"""What the table can be sorted by."""


def routes() -> list[Route]:
    """The table, and one player."""
    return [
        Route("/players", players),
        Route("/players/{name:path}", player),
        Route("/report.html", report),
    ]


def ratings_of(reading: Reading) -> Ratings:
    """What `assay rate` answers of what is analysed."""
    # Without the way back to the decisions: they are read again where they are needed, and not all held.
    return replace(reading.study().rate(), read=None)


def players(request: Request) -> Response:
    """All players with their ratings, a page of them at a time."""
    from_games = render.ask(request, ("games of players",), _games_of_players)
    found = render.ask(request, ("ratings",), ratings_of, slow=True)
    if render.wanted(request) != "html":
        return render.answer(request, found, "", name="ratings", figure=_figure)
    shown: dict[str, Any] = {}
    if found.ok:
        chosen = chosen_players(found.value, request.query_params)
        shown = {"rows": chosen, "plot": _plot(found.value, chosen), "about": found.value}
    return render.page(
        request,
        "players.html",
        title="Players",
        found=found,
        from_games=from_games,
        query=request.query_params.get("q", ""),
        sort=_sort_of(request.query_params),
        down=_is_down(request.query_params),
        **shown,
    )


def chosen_players(ratings: Ratings, asked: Any) -> Paged[PlayerRating]:
    """The players that are asked for, in the order that is asked for; unknown numbers last."""
    wanted = asked.get("q", "").casefold().split()
    some = [one for one in ratings.players if all(word in one.player.casefold() for word in wanted)]
    sort, down = _sort_of(asked), _is_down(asked)
    if sort == "rating" and not ratings.calibrated:
        return paged(some if down else some[::-1], asked.get("page", "1"), ROWS)
    value = SORTS[sort]
    known = [one for one in some if value(one) == value(one)]
    known.sort(key=value, reverse=down)
    return paged(known + [one for one in some if value(one) != value(one)], asked.get("page", "1"), ROWS)


def _sort_of(asked: Any) -> str:
    sort = asked.get("sort", "rating")
    return sort if sort in SORTS else "rating"


def _is_down(asked: Any) -> bool:
    usual = "up" if _sort_of(asked) in ("player", "width") else "down"
    return bool(asked.get("order", usual) == "down")


def _plot(ratings: Ratings, chosen: Paged[PlayerRating]) -> Any:
    from assay.report.ratings import interval_plot

    return interval_plot(replace(ratings, players=tuple(chosen.rows)), ROWS)


def _figure(ratings: Ratings) -> Figure:
    from assay.report.ratings import ratings_figure

    return ratings_figure(ratings)


def _games_of_players(reading: Reading) -> list[tuple[str, int]]:
    counts = ((name, len(places)) for name, places in reading.places_of_games.items())
    return sorted(counts, key=lambda item: (-item[1], item[0]))


def report(request: Request) -> Response:
    """The report of `assay rate --report`, to be kept."""
    found = render.site_of(request).ask(("report",), _report, patience=None, slow=True)
    if found.error:
        return render.refusal(request, found.error)
    return render.download(found.value, "text/html", "report.html")


def _report(reading: Reading) -> str:
    study = reading.study()
    return study.report(study.rate(history=True))


# One player ----------------------------------------------------------------------------------------------


def player(request: Request) -> Response:
    """One player: rating, figures of the methods, years and games."""
    name = request.path_params["name"]
    found = render.ask(request, ("ratings",), ratings_of, slow=True)
    if render.wanted(request) != "html":
        return render.answer(
            request,
            found,
            "",
            name=name,
            of=lambda all_: _only(all_, name),
            figure=lambda all_: _figure(_only(all_, name)),
        )
    own_games = render.ask(request, ("games",), lambda reading: (reading.games, reading.places_of_games))
    if own_games.ok and name not in own_games.value[1]:
        raise InputError(f"there is no player '{name}' here: the page Players lists all")
    rated = _find(found.value, name) if found.ok else None
    card = None
    if rated is not None:
        card = render.ask(request, ("card", name), lambda reading: card_of(reading, rated))
    parts = NONE
    if rated is not None and rated.combined is not None:
        parts = parts_of(request, name)
    rows = None
    if own_games.ok:
        from assay.web.pages.games import rows_of

        games, places = own_games.value
        chosen = paged(places[name], request.query_params.get("page", "1"), ROWS)
        rows = chosen.with_rows(rows_of(games.take(chosen.rows)))
    return render.page(
        request,
        "player.html",
        title=name,
        name=name,
        found=found,
        rated=rated,
        few=found.ok and found.value.too_few.get(name),
        card=card,
        dear=_not_in_lesson(card.value[2], parts["lesson"]) if card is not None and card.ok else [],
        games=own_games,
        rows=rows,
        **parts,
    )


def _find(ratings: Ratings, name: str) -> PlayerRating | None:
    return next((one for one in ratings.players if one.player == name), None)


def _not_in_lesson(losses: list[BigLoss], lesson: Cached | None) -> list[BigLoss]:
    """The moves that cost most, without those that the lesson shows already."""
    moments = lesson.value[0].moments if lesson is not None and lesson.ok else ()
    shown = {(one.game, one.turn, one.colour == "black") for one in moments}
    return [
        one
        for one in losses
        if one.ply is None or (one.game, one.ply // 2 + 1, one.ply % 2 == 1) not in shown
    ]


def _only(ratings: Ratings, name: str) -> Ratings:
    """What `assay rate --player NAME` answers."""
    own = tuple(one for one in ratings.players if one.player == name)
    few = {title: n for title, n in ratings.too_few.items() if title == name}
    if not own and not few:
        raise InputError(f"there is no player '{name}' here: the page Players lists all")
    return replace(ratings, players=own, too_few=few)


def card_of(reading: Reading, rated: PlayerRating) -> tuple[Card, tuple[PlayerRating, ...], list[BigLoss]]:
    """The figures of the methods, as on the report's card, the player's years, and what cost most."""
    from assay.report.cards import single_card
    from assay.report.ratings import biggest_losses

    own = reading.decisions.select(player=rated.player)
    years = years_of(reading, own)
    losses = biggest_losses(own, MOST_LOSSES)
    history = tuple((one.group, one.combined) for one in years if one.combined is not None)
    return single_card(replace(rated, history=history), own, reading.everybody), years, losses


def years_of(reading: Reading, own: Decisions) -> tuple[PlayerRating, ...]:
    """A player's years, rated apart as `assay rate --by year` does; none where there is but one."""
    from assay.errors import AssayError
    from assay.rating.calibration import find_calibration
    from assay.rating.rate import rate_decisions

    if len(set(own.text("year"))) < 2:
        return ()
    try:
        found, _ = rate_decisions(own, find_calibration(reading.recipe_id), by="year")
    except AssayError:  # no year has moves enough
        return ()
    return tuple(sorted(found, key=lambda one: one.group))
