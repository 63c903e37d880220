from assay.validation.reproduce import reproduce


def test_every_published_number_is_reproduced() -> None:
    rows = reproduce("gain")
    assert [row.item for row in rows if not row.ok] == []
    assert len(rows) == len({row.item for row in rows}) == 75


def test_the_numbers_that_the_paper_is_known_for() -> None:
    computed = {row.item: row.computed for row in reproduce("gain")}
    assert round(computed["Section 4: expectation of Byrne"], 3) == 0.345
    assert round(computed["Section 4: rating difference"]) == 113
    assert round(computed["Section 7: difference of Byrne to the engine"]) == -185
    assert round(computed["Section 7: difference of Fischer to the engine"]) == -43
    assert round(computed["Table 4: engine strength by elo"]) == 2860
