"""Whose rating is not to be trusted, by a rating list of FIDE: juniors, seniors, inactive and new players.

The list is FIDE's own (`players_list_xml.xml`), or a CSV file, plain or compressed, with the columns
`fideid`, `birth` (or `birthday`), and where known `std` (or `rating`), `inactive` (or `flag`) and `k` (or
`stdK`). Games name players by the tags WhiteFideId and BlackFideId. Measured on evaluated FIDE games: up to
17 years, and where a rating had not moved for a year, honest players are above their rating too often; from
65 years on, below it.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from statistics import median
from typing import Any
from xml.etree import ElementTree

import pyarrow as pa
import pyarrow.csv

from assay.errors import InputError

YOUNG, OLD = 17, 65
"""Years up to which, and from which on, a rating lags behind the strength."""

NEW = 40
"""FIDE's coefficient K of players with few rated games, and of juniors."""

OTHER_TIME = 30
"""A list is of another time than the games where half of the ratings differ by more points."""


def unsure_players(path: Path, games: pa.Table) -> tuple[list[str], str]:
    """Return the players of some games whose rating is not to be trusted, and a note how many there are.

    Of a list whose ratings are not those of the games, only years of birth are read.
    """
    players = _players(games)
    numbers = {number for number, _, _ in players.values()}
    listed = {row["fideid"]: row for row in _rows(path) if row.get("fideid") in numbers}
    matched = {name: listed[number] for name, (number, _, _) in players.items() if number in listed}
    moved = [
        abs(players[name][2] - int(rating))
        for name, row in matched.items()
        if players[name][2] and (rating := row.get("rating") or row.get("std") or "").isdigit()
    ]
    same_time = not moved or median(moved) <= OTHER_TIME
    unsure = [name for name, row in matched.items() if _unsure(row, players[name][1], same_time)]
    kinds = "juniors, seniors, inactive or new." if same_time else "juniors or seniors."
    note = (
        f"{len(matched):,} of {len(players):,} players are in the rating list; {len(unsure):,} of them are "
        f"{kinds}"
    )
    if not same_time:
        note += (
            " The list is of another time, as its ratings show, so who is inactive or new is not known: give "
            "the list of the month before the event."
        )
    return unsure, note


def _players(games: pa.Table) -> dict[str, tuple[str, int, int]]:
    """FIDE id, last year and rating of the players of some games; empty or 0 where not known."""
    players: dict[str, tuple[str, int, int]] = {}
    for side in ("white", "black"):
        columns = (games[name].to_pylist() for name in (side, f"{side}_fide", "year", f"{side}_elo"))
        for name, number, year, elo in zip(*columns, strict=True):
            before = players.get(name, ("", 0, 0))
            players[name] = (str(number or before[0]), max(before[1], year or 0), elo or before[2])
    return players


def _rows(path: Path) -> Iterator[Mapping[str, str]]:
    """The rows of a list; names and numbers as text."""
    try:
        if path.suffix.lower() == ".xml":
            for _, element in ElementTree.iterparse(path):
                if element.tag == "player":
                    yield {child.tag: child.text or "" for child in element}
                    element.clear()
            return
        with pa.input_stream(path, compression="detect") as stream:
            for batch in pa.csv.open_csv(stream):
                for row in batch.to_pylist():
                    yield {name: "" if value is None else str(value) for name, value in row.items()}
    except (OSError, pa.ArrowInvalid, ElementTree.ParseError) as error:
        raise InputError(
            f"the rating list {path} cannot be read ({error}): give FIDE's XML, or CSV"
        ) from error


def _unsure(row: Mapping[str, Any], year: int, same_time: bool) -> bool:
    born = (row.get("birth") or row.get("birthday") or "")[:4]
    age = year - int(born) if year and born.isdigit() and int(born) else None
    inactive = row.get("inactive") or row.get("flag") or ""
    coefficient = row.get("k") or row.get("stdK") or ""
    now = inactive.lower() in {"1", "true", "i", "wi"} or coefficient == str(NEW)
    return (age is not None and not YOUNG < age < OLD) or (same_time and now)
