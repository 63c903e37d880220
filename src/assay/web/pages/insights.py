"""What is known of one player beside the rating: slices, progress, positions worth an hour with a coach.

They are parts of the player's page; programs get each at an address of its own, as the command prints it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any
from urllib.parse import quote

from starlette.requests import Request
from starlette.responses import RedirectResponse, Response
from starlette.routing import Route

from assay.web import render
from assay.web.cache import Cached

if TYPE_CHECKING:
    from assay.answers.insights import Lesson, Progress, Slices
    from assay.figures.figure import Figure
    from assay.report.insights import ShownMoment
    from assay.web.reading import Reading

CUTS = ("phase", "colour", "month", "opening", "clock", "opponent", "pieces")
"""What a player's decisions can be cut by."""

WINDOWS = (5, 10, 20)
"""So many games in a row may be one period of the progress, in place of a month."""


def routes() -> list[Route]:
    """Addresses for programs; a browser is led to the player's page."""
    return [Route("/slices", slices), Route("/progress", progress), Route("/lesson", lesson)]


NONE: dict[str, Any] = {"cut": None, "progress": None, "lesson": None, "why_none": ""}
"""For a player without a rating."""


def parts_of(request: Request, name: str) -> dict[str, Any]:
    """What the player's page shows of them; each is there when it is worked out.

    Where these evaluations allow none of them, it is said once.
    """
    by, window = cut_of(request.query_params), window_of(request.query_params)
    cut = _slices(request, name, by)
    over_time, worth = _progress(request, name, window), _lesson(request, name)
    if cut.error and cut.error == over_time.error == worth.error:
        return {**NONE, "why_none": cut.error}
    return {
        "cut": cut,
        "by": by,
        "cuts": [(one, one) for one in CUTS],
        "progress": over_time,
        "window": window,
        "windows": [(None, "by month"), *((n, f"{n} games at a time") for n in WINDOWS)],
        "lesson": worth,
        "why_none": "",
    }


def cut_of(asked: Any) -> str:
    """What slices are by; the first of all where nothing that is known is asked for."""
    by = asked.get("by", CUTS[0])
    return by if by in CUTS else CUTS[0]


def window_of(asked: Any) -> int | None:
    """How many games are a period; None: a month."""
    window = asked.get("window", "")
    return int(window) if window in map(str, WINDOWS) else None


# Slices --------------------------------------------------------------------------------------------------


def slices(request: Request) -> Response:
    """What `assay rate --by phase --player NAME` answers, or by another cut."""
    name, by = request.query_params.get("player", ""), cut_of(request.query_params)
    if render.wanted(request) == "html":
        return _to_page(name, f"?by={by}#slices")
    return render.answer(request, _slices(request, name, by), "", name="slices")


def _slices(request: Request, name: str, by: str) -> Cached:
    return render.ask(request, ("slices", name, by), lambda reading: slices_of(reading, name, by), slow=True)


def slices_of(reading: Reading, name: str, by: str) -> Slices:
    """The same call as the command's."""
    return reading.study().slices(by, players=[name])


# Progress ------------------------------------------------------------------------------------------------


def progress(request: Request) -> Response:
    """What `assay progress --player NAME` answers, by month or by so many games."""
    name, window = request.query_params.get("player", ""), window_of(request.query_params)
    if render.wanted(request) == "html":
        return _to_page(name, (f"?window={window}" if window else "") + "#progress")
    found = _progress(request, name, window)
    return render.answer(
        request, found, "", name="progress", of=lambda two: two[0], figure=lambda two: two[1]
    )


def _progress(request: Request, name: str, window: int | None) -> Cached:
    key = ("progress", name, window)
    return render.ask(request, key, lambda reading: progress_of(reading, name, window), slow=True)


def progress_of(reading: Reading, name: str, window: int | None) -> tuple[Progress, Figure]:
    """The same call as the command's, and its figure."""
    from assay.report.insights import progress_figure

    found = reading.study_of(name).progress(name, window=window)
    return found, progress_figure(found)


# Lesson --------------------------------------------------------------------------------------------------


def lesson(request: Request) -> Response:
    """What `assay lesson --player NAME` answers; `?as=pgn` as its option --pgn writes it."""
    name = request.query_params.get("player", "")
    if render.wanted(request) == "html":
        return _to_page(name, "#lesson")
    found = _lesson(request, name)
    if render.wanted(request) == "pgn" and found.ok:
        from assay.insights.lesson import lesson_pgn

        return render.download(lesson_pgn(found.value[0]), "application/x-chess-pgn", "lesson.pgn")
    return render.answer(request, found, "", name="lesson", of=lambda two: two[0])


def _lesson(request: Request, name: str) -> Cached:
    return render.ask(request, ("lesson", name), lambda reading: lesson_of(reading, name), slow=True)


def lesson_of(reading: Reading, name: str) -> tuple[Lesson, list[ShownMoment]]:
    """The same calls as the command's, and the positions drawn."""
    from assay.report.insights import shown

    found = reading.study_of(name).lesson(name)
    return found, [shown(found, moment) for moment in found.moments]


def _to_page(name: str, rest: str) -> Response:
    return RedirectResponse(f"/players/{quote(name, safe='')}{rest}", 303)
