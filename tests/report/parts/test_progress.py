from assay.answers.insights import Period, Progress, Trend
from assay.answers.ratings import Rating
from assay.report.parts.progress import progress_figure


def period(time: float, elo: float, games: int) -> Period:
    rating = Rating("combined", elo, low=elo - 90, high=elo + 90, decisions=30 * games, games=games)
    return Period(name=f"{time:.1f}", time=time, rating=rating)


def test_true_distances_and_few_games_marked() -> None:
    trend = Trend(a_year=40, low=-30, high=110, time=2012.0, elo=1750.0)
    periods = (period(2011.0, 1700, 9), period(2011.5, 1750, 1), period(2014.0, 1800, 9))
    found = progress_figure(
        Progress(player="Pat", by="month", periods=periods, trend=trend, left_out=0)
    ).svg()
    assert "+40 a year (-30 to +110)" in found
    assert "2011.5: 1750 (1660 to 1840), 1 game" in found
    assert "(hollow: few games)" in found
    assert ">trend<" in found
    drawn = progress_figure(
        Progress(player="Pat", by="month", periods=periods[:1], trend=None, left_out=0)
    ).svg()
    assert "few games" not in drawn
    assert ">trend<" not in drawn
