"""Evaluations as plain integers: centipawns, with mates beyond all centipawns, from the mover's view.

One integer per evaluation keeps arrays flat, ordered and negatable: a mate in n moves is `MATE - n`, being
mated in n is `-MATE + n`, delivered mate is `MATE`. The tables on disk hold `cp` and `mate` apart, exactly
one of them null; `encode` and `decode` go between the two.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable
from typing import Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from assay.decisions.time_control import CLASSICAL

MATE = 32_000
"""The value of delivered mate."""

MATE_BOUND = 31_000
"""Values beyond this, either way, are mates; centipawns stay within."""


def from_mate(moves_to_mate: int) -> int:
    """Value of a mate in `moves_to_mate` moves; zero or negative when the mover is mated."""
    return MATE - moves_to_mate if moves_to_mate > 0 else -MATE - moves_to_mate


def from_cp(centipawns: int) -> int:
    """Value of `centipawns`, kept apart from the mates."""
    return max(-MATE_BOUND + 1, min(MATE_BOUND - 1, centipawns))


def from_columns(cp: npt.NDArray[Any], mate: npt.NDArray[Any]) -> npt.NDArray[np.float64]:
    """Values from centipawns and moves to mate as floats, NaN for null; NaN where both are."""
    mates = np.where(mate > 0, MATE - mate, -MATE - mate)
    return np.where(np.isnan(mate), clip(cp, MATE_BOUND - 1), mates)


def encode(cp: pa.Array, mate: pa.Array) -> pa.Array:
    """Values from the two columns of a table; null where both are null."""
    bounded = pc.min_element_wise(
        pc.max_element_wise(pc.cast(cp, pa.int32()), 1 - MATE_BOUND, skip_nulls=False),
        MATE_BOUND - 1,
        skip_nulls=False,
    )
    if mate.null_count == len(mate):
        return bounded
    distance = pc.cast(mate, pa.int32())
    mates = pc.if_else(
        pc.greater(distance, 0),
        pc.subtract(pa.scalar(MATE, pa.int32()), distance),
        pc.subtract(pa.scalar(-MATE, pa.int32()), distance),
    )
    return pc.coalesce(mates, bounded)


def decode(values: npt.ArrayLike) -> tuple[pa.Array, pa.Array]:
    """The columns `cp` and `mate` from values: in each place exactly one of them is null."""
    value = np.asarray(values, dtype=np.int32)
    mated = is_mate(value)
    distance = np.where(value > 0, MATE - value, -MATE - value).astype(np.int16)
    return pa.array(value, mask=mated), pa.array(distance, mask=~mated)


def is_mate(values: npt.NDArray[Any]) -> npt.NDArray[np.bool_]:
    """Which values are mates, either way."""
    mates: npt.NDArray[np.bool_] = np.abs(values) >= MATE_BOUND
    return mates


def clip(values: npt.NDArray[Any], limit: int) -> npt.NDArray[Any]:
    """Centipawns within plus and minus `limit`; mates take the limit (Ferreira 2012 uses 3900)."""
    clipped: npt.NDArray[Any] = np.clip(values, -limit, limit)
    return clipped


# Whose values a game brings along, by what it says of itself: what a calibration is for.

ANNOTATED = "annotations"
"""Stands in the column recipe_id for evaluations from the games' own comments, whoever made them."""

OURSELVES = "assay"
"""The evaluator of games that this program wrote with its analyses: from White's view, and nobody's scale."""

FIDE_CLASSICAL = "evaluated-fide-classical"
FIDE_OTHER = "evaluated-fide-other"
"""FIDE games whose evaluator names its version: the scale was made from games that do not."""
FICS_BLITZ = "evaluated-fics-blitz"
LICHESS = {name: f"evaluated-lichess-{name}" for name in ("bullet", "blitz", "rapid", "classical")}

EVALUATED = (FIDE_CLASSICAL, FIDE_OTHER, *LICHESS.values(), FICS_BLITZ)
"""Sources of values that are known: each is found in the games, and may have a calibration."""

OF_SERVERS = frozenset({*LICHESS.values(), FICS_BLITZ})
"""Of those, the ones whose ratings are a server's own, for one time class each."""

DEPTHS = range(14, 21)
"""Depths of Stockfish that go together (docs/evidence/evaluated.md says how much they differ)."""

NETWORKS = 12
"""The version from which on Stockfish evaluates by a neural network, on another scale."""

_SPEED = re.compile(r"\b(bullet|blitz|rapid|classical)\b", re.I)
_DEPTH = re.compile(r"\bdepth (\d{1,3})\b")
_VERSION = re.compile(r"^Stockfish (\d+)")
_SERVER = re.compile(r"://|\b(lichess|fics|freechess|chess\.com|chess24|icc)\b", re.I)


def evaluated_by(site: str, event: str, evaluator: str, time_class: str) -> str:
    """The source of a game's values by its tags; ANNOTATED where it is not one that is known."""
    if evaluator == OURSELVES:
        return ANNOTATED
    if "/broadcast" in site:  # relayed by lichess: the ratings are FIDE's, the values another engine's
        return ANNOTATED
    if "lichess.org" in site:
        named = _SPEED.search(event)  # names the rating, whose limits of time are not FIDE's
        return LICHESS.get(named[1].lower() if named else time_class, ANNOTATED)
    depth = _DEPTH.search(evaluator)
    if depth is None or not evaluator.startswith(("Stockfish", "depth")) or int(depth[1]) not in DEPTHS:
        return ANNOTATED
    if re.search(r"\b(fics|freechess)\b", site, re.I):
        return FICS_BLITZ if time_class == "blitz" else ANNOTATED
    if time_class not in CLASSICAL or _SERVER.search(site):
        return ANNOTATED
    version = _VERSION.match(evaluator)
    if version is None:
        return FIDE_CLASSICAL
    return FIDE_OTHER if int(version[1]) < NETWORKS else ANNOTATED


_SERVERS = {"lichess": "lichess", "chess.com": "Chess.com", "freechess": "FICS", "fics": "FICS"}


def published_by(sites: Iterable[str | None]) -> str:
    """The server whose ratings most games have, by their tags Site; empty for FIDE's, or unknown ones."""
    servers = Counter(
        next((server for name, server in _SERVERS.items() if name in site), "")
        if "/broadcast" not in (site := (text or "").lower())
        else ""
        for text in sites
    )
    return max(servers, key=lambda server: servers[server], default="")


def is_on_scale(server: str, scale: str | None) -> bool:
    """Whether ratings published by a server (`published_by`) are on a scale: a server's are not on FIDE's."""
    return not server or scale is None or server.lower() in scale.lower()


def source_in_words(source: str) -> str:
    """A source of values as people read it: lichess blitz."""
    return (
        "by an unknown engine" if source == ANNOTATED else source.removeprefix("evaluated-").replace("-", " ")
    )
