"""The tables that percentiles are read from."""

from assay.insights.standing import KINDS as MEASURES
from assay.rating import measures as percentiles
from assay.rating.measures import LEVEL
from examples.milepost_games import milepost_games
from research.calibration.populations import PLACE, document, mileposts

STANDARD = "672593ce2551e878"


def test_tables_of_milepost_games() -> None:
    made = mileposts(milepost_games(elos=(1700, 1800), games=20, plies=60, games_each=2), "recipe")
    assert [one.part[LEVEL] for one in made] == ["1700", "1800"]
    assert all(one.players >= 30 and set(one.quantiles) == set(MEASURES) for one in made)
    assert made[0].quantiles["accuracy"] == sorted(made[0].quantiles["accuracy"])


def test_the_table_is_written_as_it_ships() -> None:
    shipped = [table for table in percentiles.shipped_populations() if table.source == STANDARD]
    assert document(shipped) == (PLACE / "mileposts.json").read_text(encoding="utf-8")
