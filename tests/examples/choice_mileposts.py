"""Rows of the milepost table of `choice` with numbers that are easy to know again."""

from assay.models.choice.tables import Milepost, Projection, Projections


def milepost(elo: int, s: float = 0.1) -> Milepost:
    """A milepost whose fitted sensitivity is s; half of the moves agree, as projected or nearly so."""
    mm, ad = Projection("mm", 0.5, 0.55, 0.1, 0.1), Projection("ad", 0.07, 0.08, 0.1, 0.1)
    return Milepost(
        elo=elo,
        games=10,
        decisions=100,
        s=0.1,
        c=0.5,
        c_fit=0.51,
        s_fit=s,
        projections=Projections(mm, ad, (mm,), mm),
    )
