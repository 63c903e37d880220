"""Evaluations, clocks and ratings that are not as they should be: streamed as they are imported, and said."""

import re
from collections import Counter
from itertools import count

import numpy as np
import pytest

from assay.decisions.evaluation import LICHESS
from assay.models.appearances import Appearances
from assay.pgn.reader import Batch, games_table, read_texts
from assay.pgn.sources import GameText
from assay.pgn.wrong_evaluations import ABSURD, MOVERS_VIEW, UNSIGNED_MATES
from assay.store.annotated import assemble_annotated
from assay.store.comments import wrong_clocks
from assay.stream.blocks import Block
from assay.stream.gather import Asked, Gathered, gather
from assay.stream.parts import models_for
from assay.stream.sums import COUNTS
from examples.server_games import evaluated_games

SOURCE = LICHESS["blitz"]
GAMES = evaluated_games(7).replace("Rated Rapid", "Rated Blitz")
VALUE = re.compile(r"\[%eval (-?[\d.]+)\]")


def by_ply(change, text: str = GAMES) -> str:  # type: ignore[no-untyped-def]
    """The games with each value changed by its ply."""
    lines = []
    for line in text.split("\n"):
        ply = count()
        lines.append(VALUE.sub(lambda value, ply=ply: change(next(ply), float(value[1])), line))
    return "\n".join(lines)


def with_mates(sign: str) -> str:
    lost = by_ply(lambda ply, value: f"[%eval {-3 - abs(value):.2f}]")
    return re.sub(r"\[%eval [-\d.]+\]( \[%clk [\d:]+\] \} 0-1)", rf"[%eval #{sign}3]\1", lost)


BAD = {
    "as they should be": GAMES,
    "mover's view": by_ply(lambda ply, value: f"[%eval {-value if ply % 2 == 0 else value:.2f}]"),
    "unsigned mates": with_mates(""),
    "signed mates": with_mates("-"),
    "some values": by_ply(lambda ply, value: "" if ply % 5 == 2 else f"[%eval {value:.2f}]"),
    "values to the middle": by_ply(lambda ply, value: f"[%eval {value:.2f}]" if ply < 40 else ""),
    "a single absurd value": by_ply(
        lambda ply, value: "[%eval 900.00]" if ply == 21 else f"[%eval {value:.2f}]"
    ),
    "values beyond all numbers": by_ply(
        lambda ply, value: "[%eval 99999999.1]" if ply % 9 == 3 else f"[%eval {value:.2f}]"
    ),
    "no numbers": by_ply(lambda ply, value: "[%eval nan]" if ply % 9 == 3 else f"[%eval {value:.2f}]"),
    "clocks backwards": GAMES.replace("0:02:4", "0:09:4"),
    "absurd clocks": GAMES.replace("0:02:4", "999:02:4"),
    "no clocks": re.sub(r" \[%clk [\d:]+\]", "", GAMES),
    "ratings of 0": re.sub(r'Elo "\d+"', 'Elo "0"', GAMES),
    "ratings with ?": re.sub(r'Elo "(\d+)"', r'Elo "\1?"', GAMES),
    "one name on both sides": re.sub(r'(White|Black) "[^"]+"', r'\1 "?"', GAMES),
    "cut in the middle": GAMES[: len(GAMES) * 2 // 3],
    "comments of engines": GAMES.replace("{ [%eval", "{+0.31/22 2.0s} { [%eval", 12),
}


def block(text: str) -> Block:
    texts = ["[Event " + game for game in text.split("[Event ")[1:]]
    return Block(0, [GameText(one) for one in texts], "bad.pgn")


def imported(batch: Batch):  # type: ignore[no-untyped-def]
    """Decisions and appearances as an import makes them, of the games that a stream rates."""
    games = games_table(batch.games)
    for side in ("white", "black"):
        games = games.append_column(side, games[f"{side}_name"])
    decisions = assemble_annotated(games, batch.annotations_table(batch.games), SOURCE)
    return decisions, Appearances.of(decisions)


@pytest.mark.parametrize("name", BAD)
def test_a_stream_adds_up_what_an_import_would(name: str) -> None:
    given = block(BAD[name])
    found = gather(given, Asked())
    batch = read_texts(given.texts, given.source)
    decisions, appearances = imported(batch)
    part = found.parts[SOURCE]
    sums = np.asarray(part.matrix.sum(axis=0)).reshape(-1)
    counts = dict(zip(COUNTS, sums[: len(COUNTS)].tolist(), strict=True))
    assert counts["games"] == (appearances.size > 0).sum()
    assert counts["decisions"] == appearances.size.sum()
    assert counts["squares"] == np.square(appearances.size).sum()
    assert counts["rated"] == np.isfinite(appearances.elo[appearances.size > 0]).sum()
    assert counts["elo"] == pytest.approx(np.nansum(appearances.elo[appearances.size > 0]))
    assert counts["losses"] == (appearances.numbers("result")[appearances.size > 0] == 0).sum()
    for method, start in part.layout.places().items():
        expected = models_for(SOURCE)[method].profile(decisions)
        own = sums[start : start + 2 + expected.evidence.size]
        assert own[0] == expected.decisions
        np.testing.assert_allclose(own[2:], expected.evidence.ravel(), rtol=1e-5, atol=1e-3)
    assert found.clocks == wrong_clocks(games_table(batch.games), batch.annotations_table(batch.games))
    assert found.doubts == Counter(batch.doubts.values())


def gathered(name: str) -> Gathered:
    return gather(block(BAD[name]), Asked())


def total(found: Gathered) -> np.ndarray:
    return np.asarray(found.parts[SOURCE].matrix.sum(axis=0)).reshape(-1)


def test_what_is_put_right_is_as_it_should_be() -> None:
    turned = gathered("mover's view")
    assert turned.doubts == {MOVERS_VIEW: 7}
    np.testing.assert_allclose(total(turned), total(gathered("as they should be")))
    signed, unsigned = gathered("signed mates"), gathered("unsigned mates")
    assert (signed.doubts, unsigned.doubts) == ({}, {UNSIGNED_MATES: 7})
    np.testing.assert_allclose(total(unsigned), total(signed))


def test_what_is_not_known_is_counted() -> None:
    assert gathered("some values").partly == gathered("values to the middle").partly == 7
    assert gathered("clocks backwards").clocks["backwards"] > 0
    assert gathered("absurd clocks").clocks["absurd"] > 0
    assert not gathered("no clocks").clocks
    assert total(gathered("ratings of 0"))[COUNTS.index("rated")] == 0
    assert total(gathered("ratings with ?"))[COUNTS.index("rated")] == 14


def test_absurd_values_are_not_read() -> None:
    found = gather(block(by_ply(lambda ply, value: f"[%eval {1000 * (1 + abs(value)):.0f}]")), Asked())
    assert (found.parts, found.without, found.doubts) == ({}, 7, {ABSURD: 7})
