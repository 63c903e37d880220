"""Ferreira 2010: what can be checked without the competition's games, which are not ours to give away."""

from collections.abc import Iterator

from assay.answers.results import Reproduction

PAPER = "ferreira2010"

WHITE_MEAN = 0.5456473952
GAMES = 65_053


def rows() -> Iterator[Reproduction]:
    """Numbers that follow from others in the paper."""
    points = round(WHITE_MEAN * GAMES * 2) / 2  # results are whole and half points
    yield Reproduction(
        PAPER,
        "mean result of White, section 4",
        WHITE_MEAN,
        points / GAMES,
        5e-11,
        f"{points:g} points",
        kind="arithmetic",
    )
