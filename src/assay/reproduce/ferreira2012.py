"""What Ferreira 2012 prints, recomputed from what it prints."""

from collections.abc import Iterator
from typing import Any

import numpy as np

from assay.answers.results import Kind, Reproduction
from assay.decisions.arrays import Floats
from assay.models import gain
from assay.models.gain import GainModel, engine_strength, perceived_ratings, running_strength
from assay.reproduce import facts

PAPER = "ferreira2012"


_DIGIT = 0.5
"""Whole points are printed: exact at the printed digits is within half of one."""


def rows() -> list[Reproduction]:
    """All numbers that can be recomputed."""
    printed = facts("ferreira2012")
    return [
        *_game(printed["game_of_the_century"]),
        *_perceived("Table 1 (London 2011)", printed["table_1"], 1.0),
        *_comparison(printed["table_2"]),
        *_perceived("Table 3 (Candidates 2011)", printed["table_3"], 2.0),
        *_engine(printed["table_4"]),
        *_candidates_1971(printed["table_5"]),
    ]


def game_gains(game: dict[str, Any]) -> tuple[Floats, Floats]:
    """Gains of White and of Black, in centipawns, from the printed evaluations (Algorithm 1, step 2)."""
    evaluations = np.array([game["start_evaluation"], *game["evaluations"]], dtype=np.float64)
    changes = np.diff(np.clip(evaluations, -game["limit"], game["limit"]))
    return changes[0::2], -changes[1::2]


def _row(
    kind: Kind, item: str, published: float, computed: float, tolerance: float, note: str = ""
) -> Reproduction:
    return Reproduction(PAPER, item, published, float(computed), tolerance, note, kind=kind)


def _game(game: dict[str, Any]) -> Iterator[Reproduction]:
    white, black = game_gains(game)
    gains = np.empty(len(white) + len(black))
    gains[0::2], gains[1::2] = white, black
    wrong = float(np.count_nonzero(gains != game["gains"]))
    item = "Figure 1: printed gains that differ"
    yield Reproduction(PAPER, item, None, wrong, 0, kind="arithmetic", expected=0.0)
    means = game["mean_gain_pawns"]
    note = "printed as approximately 0.10; the printed gains give 0.094"
    yield _row(
        "arithmetic", "Figure 1: mean gain of Fischer", means["Fischer"], black.mean() / 100, 0.01, note
    )
    yield _row("arithmetic", "Figure 1: mean gain of Byrne", means["Byrne"], white.mean() / 100, 0.005)
    byrne, fischer = (gain.histogram(gains, game["limit"]) for gains in (white, black))
    expected = game["expected_score"]
    there, back = gain.expectation(byrne, fischer), gain.expectation(fischer, byrne)
    yield _row("inference", "Section 4: expected score of Byrne", expected["Byrne"], there, 0.0005)
    yield _row("inference", "Section 4: expected score of Fischer", expected["Fischer"], back, 0.0005)
    difference = float(gain.rating_difference(back))
    yield _row("inference", "Section 4: rating difference", game["rating_difference"], difference, _DIGIT)
    yield from _against_engine(game, {"Byrne": byrne, "Fischer": fischer})
    yield from _running(game, white, black)


def _against_engine(game: dict[str, Any], players: dict[str, Floats]) -> Iterator[Reproduction]:
    engine = gain.peak(game["limit"])
    for name, histogram in players.items():
        expectation = gain.expectation(histogram, engine)
        difference = float(gain.rating_difference(expectation))
        published = game["difference_to_engine"][name]
        yield _row(
            "inference", f"Section 7: difference of {name} to the engine", published, difference, _DIGIT
        )
        published = game["strength_with_engine_2860"][name]
        computed = 2860 + difference
        yield _row("inference", f"Section 7: strength of {name}", published, computed, _DIGIT)


def _running(game: dict[str, Any], white: Floats, black: Floats) -> Iterator[Reproduction]:
    """Figure 6: Algorithm 4 after every move of the game, as a live rating goes."""
    model = GainModel(limit=game["limit"], engine_strength=2860)
    byrne, fischer = (running_strength(gains, model) for gains in (white, black))
    lost = float(np.argmax(byrne.expectation > 0))
    yield _row("inference", "Figure 6: moves until Byrne's expected score leaves zero", 6, lost, 0)
    first = fischer.expectation[0]
    yield _row("inference", "Figure 6: expected score of Fischer after one move", 0.5, first, 1e-9)
    for name, running in (("Byrne", byrne), ("Fischer", fischer)):
        settled = running.strength[-1] - 2860
        published = game["difference_to_engine"][name]
        item = f"Figure 6: difference of {name} to the engine after the last move"
        yield _row("inference", item, published, settled, _DIGIT)


def _perceived(table: str, players: list[dict[str, Any]], tolerance: float) -> Iterator[Reproduction]:
    """Algorithm 2 from the printed differences, which are rounded to whole points."""
    names = [player["player"] for player in players]
    differences = np.full((len(names), len(names)), np.nan)
    for row, player in enumerate(players):
        for opponent, cell in player["opponents"].items():
            differences[row, names.index(opponent)] = cell["difference"]
    solved = perceived_ratings(differences, [player["elo"] for player in players])
    for player, rating in zip(players, solved.ratings, strict=True):
        yield _row(
            "inference", f"{table}: strength of {player['player']}", player["estimated"], rating, tolerance
        )


def _comparison(table: dict[str, dict[str, dict[str, float]]]) -> Iterator[Reproduction]:
    for london, cells in table.items():
        for tal, cell in cells.items():
            computed = float(gain.rating_difference(cell["expectation"]))
            item = f"Table 2: difference of {london} in London to {tal} at the Tal Memorial"
            yield _row("arithmetic", item, cell["difference"], computed, 1.0)


def _engine(table: dict[str, Any]) -> Iterator[Reproduction]:
    players = table["players"]
    expectations = np.array([player["expectation"] for player in players])
    differences = gain.rating_difference(expectations)
    for player, difference in zip(players, differences, strict=True):
        item = f"Table 4: difference of {player['player']} to the engine"
        yield _row("arithmetic", item, player["difference"], difference, 1.0)
    for by, ratings in (("elo", "elo"), ("estimate", "estimated")):
        average = engine_strength(expectations, [player[ratings] for player in players])
        yield _row(
            "arithmetic", f"Table 4: engine strength by {by}", table[f"engine_by_{by}"], average, _DIGIT
        )


def _candidates_1971(table: dict[str, Any]) -> Iterator[Reproduction]:
    players = table["players"]
    strengths = 2860 + gain.rating_difference([player["expectation"] for player in players])
    for player, computed in zip(players, strengths, strict=True):
        item = f"Table 5 (Candidates 1971): strength of {player['player']}"
        yield _row("arithmetic", item, player["estimated"], computed, 1.0)
    yield _row(
        "arithmetic",
        "Table 5: average of the strengths",
        table["average_estimated"],
        strengths.mean(),
        _DIGIT,
    )
    elos = np.mean([player["elo"] for player in players])
    yield _row("arithmetic", "Table 5: average of the ratings", table["average_elo"], float(elos), _DIGIT)
