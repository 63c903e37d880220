from assay.screening.answers import ABOVE, Screened, Screening


def one(name: str, flag: str | None, part: str = "") -> Screened:
    return Screened(
        player=name,
        group=part,
        about="",
        games=1,
        decisions=30,
        reference=2000.0,
        rating_error=60.0,
        z={"all": 1.0},
        observed={},
        expected={},
        p=0.3,
        q=0.5,
        bonferroni=1.0,
        alike=0.3,
        evidence=1.0,
        flag=flag,
    )


def test_the_named_are_those_with_a_flag() -> None:
    found = Screening(
        engine="e",
        recipe="r",
        recipe_id="",
        by="player",
        players=(one("Ann", ABOVE), one("Bob", None)),
        field=2,
    )
    assert [who.player for who in found.named] == ["Ann"]
    assert len(found) == 2


def test_a_title_has_the_part() -> None:
    assert one("Ann", None).title == "Ann"
    assert one("Ann", None, "London").title == "Ann, London"
