"""The game of the century by every distribution."""

from assay.decisions.decisions import Decisions
from assay.models.gain import distribution
from assay.models.gain.model import LIMIT
from assay.reproduce import facts
from assay.reproduce.ferreira2012 import game_gains
from examples.gain_examples import printed_decisions, with_column
from research.papers.ferreira2012 import century


def test_the_printed_game_in_three_ways() -> None:
    """113 points directly and 142 through the peak, as the paper says; the gap is that between them."""
    gains = game_gains(facts("ferreira2012")["game_of_the_century"])
    white, black = (distribution.histogram(side, LIMIT) for side in gains)
    [row] = century.three_ways("printed", white, black, {"peak": distribution.peak(LIMIT)})
    assert row == ("printed", "peak", "113", "142", "29")


def test_the_game_of_the_century_by_every_distribution(tournament: Decisions) -> None:
    """The printed evaluations in place of an analysis: our rows then repeat the printed ones."""
    game = printed_decisions()
    game = with_column(game, "colour", ["white", "black"] * (len(game) // 2))
    text = century.game_of_the_century({"standard": game, "ferreira2012": game}, [tournament])
    rows = [row.strip("| ").split(" | ") for row in text.splitlines()[2:]]
    assert [row[0] for row in rows] == ["printed (Houdini, depth 20)"] * 2 + ["`standard`"] * 3 + [
        "`ferreira2012`"
    ] * 2
    assert rows[0][1:] == rows[2][1:] == rows[5][1:] == ["peak", "113", "142", "29"]
    assert rows[1][1] == "82 moves of this game"
    assert rows[4][1].endswith("moves of both events")
