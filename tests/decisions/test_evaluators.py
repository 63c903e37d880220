"""Whose values games bring along, by what they say of themselves."""

import pytest

from assay.decisions.evaluation import (
    ANNOTATED,
    EVALUATED,
    FICS_BLITZ,
    FIDE_CLASSICAL,
    LICHESS,
    OURSELVES,
    evaluated_by,
)

LICHESS_SITE = "https://lichess.org/abcdEFGH"


@pytest.mark.parametrize(
    ("site", "event", "evaluator", "time_class", "source"),
    [
        ("Springfield", "Open", "depth 14", "unknown", FIDE_CLASSICAL),
        ("Springfield", "Open", "Stockfish 8, depth 20", "classical", FIDE_CLASSICAL),
        ("Springfield", "Open", "depth 30", "classical", ANNOTATED),
        ("Springfield", "Open", "Somebody, depth 18", "classical", ANNOTATED),
        ("Springfield", "Open", "", "classical", ANNOTATED),
        ("Springfield", "Blitz", "depth 16", "blitz", ANNOTATED),
        ("https://example.org/1", "Open", "depth 16", "classical", ANNOTATED),
        (LICHESS_SITE, "Rated Blitz game", "", "rapid", LICHESS["blitz"]),
        (LICHESS_SITE, "rated rapid game", "", "rapid", LICHESS["rapid"]),
        (LICHESS_SITE, "Team League (45+45)", "", "classical", LICHESS["classical"]),
        (LICHESS_SITE, "Rated UltraBullet game", "", "correspondence", ANNOTATED),
        ("https://lichess.org/broadcast/x", "Open", "", "classical", ANNOTATED),
        ("FICS", "FICS rated blitz game", "Stockfish depth 15 (somebody)", "blitz", FICS_BLITZ),
        ("FICS", "FICS rated blitz game", "", "blitz", ANNOTATED),
    ],
)
def test_the_source_of_values(site: str, event: str, evaluator: str, time_class: str, source: str) -> None:
    assert evaluated_by(site, event, evaluator, time_class) == source


def test_a_source_can_be_the_name_of_a_file() -> None:
    assert len(set(EVALUATED)) == 6
    assert all(name.replace("-", "").isalnum() for name in EVALUATED)


def test_games_that_we_wrote_ourselves_are_on_nobodys_scale() -> None:
    assert evaluated_by("https://lichess.org/abc", "Rated blitz game", OURSELVES, "blitz") == ANNOTATED
