"""The world championships of Table 5, as the paper prints them."""

from assay.rating.forecasts import Match
from assay.reproduction.published import facts


def championships() -> list[Match]:
    """The 17 championships of Table 5, with the Elo printed there."""
    return [
        Match(
            first=row["winner"],
            second=row["loser"],
            year=row["year"],
            actual=row["actual"] / 100,
            first_elo=row["winner_elo"],
            second_elo=row["loser_elo"],
        )
        for row in facts("alliot2017")["world_championships"]
    ]
