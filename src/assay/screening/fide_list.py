"""Whose rating is not to be trusted, by a rating list of FIDE: juniors, seniors, inactive and new players.

The list is FIDE's own (`players_list_xml.xml`), or a CSV file, plain or compressed, with the columns
`fideid`, `birth` (or `birthday`), and where known `inactive` (or `flag`) and `k` (or `stdK`). Games name
players by the tags WhiteFideId and BlackFideId. Measured on evaluated FIDE games: up to
17 years, and where a rating had not moved for a year, honest players are above their rating too often; from
65 years on, below it.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pyarrow as pa
import pyarrow.csv

from assay.errors import InputError

YOUNG, OLD = 17, 65
"""Years up to which, and from which on, a rating lags behind the strength."""

NEW = 40
"""FIDE's coefficient K of players with few rated games, and of juniors."""


def unsure_players(path: Path, games: pa.Table) -> tuple[list[str], str]:
    """Return the players of some games whose rating is not to be trusted, and a note how many were found."""
    ids, last_year = _players(games)
    listed = {row["fideid"]: row for row in _rows(path) if row.get("fideid") in ids.values()}
    unsure = [
        name
        for name, number in ids.items()
        if number in listed and _unsure(listed[number], last_year.get(name))
    ]
    found = sum(number in listed for number in ids.values())
    return unsure, (
        f"{found:,} of {len(last_year):,} players are in the rating list; {len(unsure):,} of them are "
        "juniors, seniors, inactive or new."
    )


def _players(games: pa.Table) -> tuple[dict[str, str], dict[str, int]]:
    """FIDE ids and the last year of the players of some games."""
    ids: dict[str, str] = {}
    years: dict[str, int] = {}
    for side in ("white", "black"):
        columns = (games[name].to_pylist() for name in (side, f"{side}_fide", "year"))
        for name, number, year in zip(*columns, strict=True):
            years[name] = max(years.get(name, 0), year or 0)
            if number:
                ids[name] = str(number)
    return ids, years


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


def _unsure(row: Mapping[str, Any], year: int | None) -> bool:
    born = (row.get("birth") or row.get("birthday") or "")[:4]
    age = year - int(born) if year and born.isdigit() and int(born) else None
    inactive = row.get("inactive") or row.get("flag") or ""
    coefficient = row.get("k") or row.get("stdK") or ""
    return (
        (age is not None and not YOUNG < age < OLD)
        or inactive.lower() in {"1", "true", "i", "wi"}
        or coefficient == str(NEW)
    )
