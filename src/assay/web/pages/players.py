"""Players: the table of all, and one of them with everything that is known.

Slices, progress and the lesson are parts of the player's page; programs get each at an address of its own, as
the command prints it.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import replace
from typing import TYPE_CHECKING, Any
from urllib.parse import quote

from starlette.requests import Request
from starlette.responses import RedirectResponse, Response
from starlette.routing import Route

from assay.errors import InputError
from assay.web import render
from assay.web.cache import Cached
from assay.web.pages.games import games_of, rows_of
from assay.web.render import Paged, paged

if TYPE_CHECKING:
    from assay.answers.ratings import PlayerRating, Ratings
    from assay.report.cards import Card
    from assay.report.ratings import BigLoss
    from assay.web.reading import Reading

MOST_LOSSES = 6
"""Moves that cost most, on the page of a player without a lesson."""

SORTS: dict[str, Callable[[PlayerRating], Any]] = {
    "rating": lambda player: player.combined.elo if player.combined else math.nan,
    "player": lambda player: player.player.casefold(),
    "games": lambda player: player.games,
    "decisions": lambda player: player.decisions,
    "published": lambda player: player.reference,
    "low": lambda player: player.combined.low if player.combined else math.nan,
}
"""What the table can be sorted by."""

CUTS = ("phase", "colour", "month", "opening", "clock", "opponent", "pieces")
"""What a player's decisions can be cut by."""

POSITIONS = 40
"""Asked of one player at most: those of the command's lesson, and the next ones."""

WINDOWS = (5, 10, 20)
"""So many games in a row may be one period of the progress, in place of a month."""


def routes() -> list[Route]:
    """The table, one player, and addresses for programs; a browser is led from these to the player's page."""
    return [
        Route("/players", players),
        Route("/players/{name:path}", player),
        Route("/report.html", report),
        *(Route(f"/{part}", for_programs) for part in ("slices", "progress", "lesson")),
    ]


# All players ---------------------------------------------------------------------------------------------


def ask_ratings(request: Request) -> Cached:
    """Give what `assay rate` answers of what is analysed."""
    return render.ask(request, ("ratings",), lambda reading: reading.ratings, slow=True)


def players(request: Request) -> Response:
    """All players with their ratings, a page of them at a time."""
    from_games = render.ask(request, ("games of players",), games_of_players)
    answer = ask_ratings(request)
    if render.wanted(request) != "html":
        return render.respond(request, answer, name="ratings", figure=render.figure_of)
    asked, shown = request.query_params, {}
    if answer.ok:
        from assay.report.ratings import interval_plot

        rows = chosen_players(answer.value, asked)
        shown_players = tuple(replace(player, ratings={}) for player in rows.rows)  # methods: on their pages
        plot = interval_plot(replace(answer.value, players=shown_players), render.ROWS)
        shown = {"rows": rows, "plot": plot, "about": answer.value}
    return render.page(
        request,
        "players.html",
        title="Players",
        answer=answer,
        from_games=from_games,
        query=asked.get("q", ""),
        least=_least_of(asked),
        sort=_sort_of(asked),
        down=_is_down(asked),
        **shown,
    )


def chosen_players(ratings: Ratings, asked: Any) -> Paged[PlayerRating]:
    """Select the players that are asked for, in the order that is asked for; unknown numbers last."""
    words = asked.get("q", "").casefold().split()
    named = [
        player
        for player in ratings.players
        if player.games >= _least_of(asked) and all(word in player.player.casefold() for word in words)
    ]
    sort, down, page = _sort_of(asked), _is_down(asked), asked.get("page", "1")
    if sort == "rating" and not ratings.calibrated:
        return paged(named if down else named[::-1], page)
    value = SORTS[sort]
    finite = sorted((player for player in named if value(player) == value(player)), key=value, reverse=down)
    return paged(finite + [player for player in named if value(player) != value(player)], page)


def _sort_of(asked: Any) -> str:
    sort = asked.get("sort", "rating")
    return sort if sort in SORTS else "rating"


def _least_of(asked: Any) -> int:
    return render.whole_number(asked.get("least", ""), 1)


def _is_down(asked: Any) -> bool:
    usual = "up" if _sort_of(asked) == "player" else "down"
    return bool(asked.get("order", usual) == "down")


def games_of_players(reading: Reading) -> list[tuple[str, int]]:
    """List all players with the number of their games, those with most first."""
    counts = ((name, len(places)) for name, places in reading.places_of_games.items())
    return sorted(counts, key=lambda item: (-item[1], item[0]))


def report(request: Request) -> Response:
    """The report of `assay rate --report`, to be kept."""

    def make(reading: Reading) -> str:
        study = reading.study()
        return study.report(study.rate(history=True))

    return render.computed_download(request, ("report",), make, "text/html", "report.html")


# One player ----------------------------------------------------------------------------------------------


def player(request: Request) -> Response:
    """One player: rating, slices, progress, lesson, games, figures of the methods."""
    name = request.path_params["name"]
    answer = ask_ratings(request)
    if render.wanted(request) != "html":
        return render.respond(
            request,
            answer,
            name=name,
            of=lambda ratings: _only(ratings, name),
            figure=lambda ratings: render.figure_of(_only(ratings, name)),
        )
    games = games_of(request)
    if games.ok and name not in games.value[1]:
        raise InputError(f"there is no player '{name}' here: the page Players lists all")
    rated, card, parts = None, None, NONE
    if answer.ok:
        rated = next((each for each in answer.value.players if each.player == name), None)
    figures = "figures" in request.query_params
    if rated is not None:
        parts = NONE if rated.combined is None else parts_of(request, name)
        if figures or not has_lesson(parts):  # reads the moves of everybody
            card = render.ask(request, ("card", name), lambda reading: card_of(reading, rated))
    rows = None
    if games.ok:
        table, places = games.value
        chosen = paged(places[name], request.query_params.get("page", "1"))
        rows = chosen.with_rows(rows_of(table, chosen.rows))
    return render.page(
        request,
        "player.html",
        title=name,
        name=name,
        answer=answer,
        rated=rated,
        sentences=_only(answer.value, name).sentences() if rated is not None else [],
        few=answer.ok and answer.value.too_few.get(name),
        card=card,
        figures=figures,
        dear=card.value[1] if card is not None and card.ok and not has_lesson(parts) else [],
        games=games,
        rows=rows,
        **parts,
    )


def has_lesson(parts: dict[str, Any]) -> bool:
    """Whether a lesson is there, or will be: it shows moves that cost much with what others do there."""
    return parts["lesson"] is not None and not parts["lesson"].error


def _only(ratings: Ratings, name: str) -> Ratings:
    """Select what `assay rate --player NAME` answers."""
    rated = tuple(player for player in ratings.players if player.player == name)
    few = {title: n for title, n in ratings.too_few.items() if title == name}
    if not rated and not few:
        raise InputError(f"there is no player '{name}' here: the page Players lists all")
    return replace(ratings, players=rated, too_few=few)


def card_of(reading: Reading, player: PlayerRating) -> tuple[Card, list[BigLoss]]:
    """Draw the methods' figures as on the report's card; give the moves that cost most."""
    from assay.report.cards import single_card
    from assay.report.ratings import biggest_losses

    decisions = reading.decisions.select(player=player.player)
    return single_card(player, decisions, reading.everybody), biggest_losses(decisions, MOST_LOSSES)


# Slices, progress, lesson --------------------------------------------------------------------------------

NONE: dict[str, Any] = {"slices": None, "progress": None, "lesson": None, "why_none": ""}
"""For a player without a rating."""


def parts_of(request: Request, name: str) -> dict[str, Any]:
    """Ask for what the player's page shows beside the rating; each is there when it is computed.

    Where these evaluations allow none of them, it is said once.
    """
    asked = request.query_params
    by, window = cut_of(asked), window_of(asked)
    parts = {
        part: ask_part(request, part, name, chosen) for part, chosen in _chosen(asked, POSITIONS).items()
    }
    why_none = parts["lesson"].error
    return {
        **{part: None if why_none and answer.error == why_none else answer for part, answer in parts.items()},
        "by": by,
        "cuts": [(each, each) for each in CUTS],
        "window": window,
        "windows": [(None, "by month"), *((n, f"{n} games at a time") for n in WINDOWS)],
        "why_none": why_none,
    }


def ask_part(request: Request, part: str, name: str, chosen: Any) -> Cached:
    """Give a part of what is known of a player: what the command answers, and how it is shown."""

    def make(reading: Reading) -> tuple[Any, Any]:
        ratings, rated = _only(reading.ratings, name), reading.rating_with_prior(name)
        asked: dict[str, Any] = {"ratings": replace(ratings, players=(rated,)) if rated else ratings}
        if part == "slices":
            result: Any = reading.study().slices(chosen, **asked)
        elif part == "progress":
            result = reading.study().progress(name, window=chosen, **asked)
        else:
            from assay.report.insights import shown

            lesson = reading.study_of(name).lesson(name, positions=chosen, **asked)
            return lesson, [shown(lesson, moment) for moment in lesson.moments]
        return result, render.figure_of(result)

    return render.ask(request, (part, name, chosen), make, slow=True)


def _chosen(asked: Any, positions: int) -> dict[str, Any]:
    """Give what is chosen of each part: the cut, the games of a period, how many positions."""
    return {"slices": cut_of(asked), "progress": window_of(asked), "lesson": positions}


def cut_of(asked: Any) -> str:
    """Give what slices are by; the first of all where nothing that is known is asked for."""
    by = asked.get("by", CUTS[0])
    return by if by in CUTS else CUTS[0]


def window_of(asked: Any) -> int | None:
    """Give how many games are a period; None: a month."""
    window = asked.get("window", "")
    return int(window) if window in map(str, WINDOWS) else None


def for_programs(request: Request) -> Response:
    """What the command of a part answers, as `assay lesson --player NAME`; people see it on the page."""
    from assay.insights.lesson import POSITIONS as OF_COMMAND

    part, asked, kind = request.url.path[1:], request.query_params, render.wanted(request)
    name, chosen = asked.get("player", ""), _chosen(asked, OF_COMMAND)[part]
    if kind == "html":
        query = {"slices": f"?by={chosen}", "progress": f"?window={chosen}" if chosen else ""}.get(part, "")
        return RedirectResponse(f"/players/{quote(name, safe='')}{query}#{part}", 303)
    answer = ask_part(request, part, name, chosen)
    if part == "lesson" and kind == "pgn" and answer.ok:
        return as_pgn(answer, "lesson")
    figure = None if part == "lesson" else lambda pair: pair[1]
    return render.respond(request, answer, name=part, of=lambda pair: pair[0], figure=figure)


def as_pgn(lesson: Cached, name: str) -> Response:
    """Answer with the positions of a lesson as a study."""
    from assay.insights.lesson import lesson_pgn

    return render.download(lesson_pgn(lesson.value[0]), render.PGN, f"{name}.pgn")


def lesson_of(request: Request, name: str) -> Cached:
    """Give the lesson that a player is trained with, and its positions with their words."""
    return ask_part(request, "lesson", name, POSITIONS)
