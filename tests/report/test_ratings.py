"""The page of ratings: what is in it, and that nothing from a file becomes markup."""

import math
from collections import Counter
from dataclasses import replace
from html.parser import HTMLParser
from pathlib import Path

import pyarrow as pa
import pytest

from assay.answers.ratings import Ratings
from assay.decisions.decisions import Decisions
from assay.report.ratings import ratings_page
from assay.study import Study
from assay.testing import make_decisions
from examples.pupil_games import pupil_games
from examples.report_examples import MADE, chess_decisions, make_ratings

HOSTILE = (
    "<script>alert(1)</script>",
    '"><img src=x onerror=alert(1)>',
    "</script></style></title><b>",
    "{{ 7 * 7 }} {% raw %}",
    "javascript:alert(1)",
    "' onmouseover='alert(1)",
    "a\u202eb\x1b[31m\u0000\u2028c",
    "Very long " + "name" * 80,
    "نيكولا تسلا",
)


VOID = {"meta", "img", "br", "hr", "input", "link"}


class Page(HTMLParser):
    """Elements with their attributes and texts, as a browser would see them."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.elements: list[tuple[str, dict[str, str | None]]] = []
        self.texts: list[tuple[str, str]] = []
        self._open: list[str] = []
        self.unbalanced: list[str] = []
        self.feed(text)
        self.close()

    def handle_starttag(self, tag: str, attributes: list[tuple[str, str | None]]) -> None:
        self.elements.append((tag, dict(attributes)))
        if tag not in VOID:
            self._open.append(tag)

    def handle_startendtag(self, tag: str, attributes: list[tuple[str, str | None]]) -> None:
        self.elements.append((tag, dict(attributes)))

    def handle_endtag(self, tag: str) -> None:
        if not self._open or self._open.pop() != tag:
            self.unbalanced.append(tag)

    def handle_data(self, text: str) -> None:
        self.texts.append((self._open[-1] if self._open else "", text))

    def count(self, tag: str, kind: str | None = None) -> int:
        """Elements of this name, of one class where it is given."""
        return sum(
            one == tag and (kind is None or kind in (attributes.get("class") or "").split())
            for one, attributes in self.elements
        )

    @property
    def words(self) -> str:
        return " ".join("".join(text for tag, text in self.texts if tag not in ("script", "style")).split())


def shape(page: Page) -> Counter[tuple[str, tuple[str, ...]]]:
    """How often each element with each set of attributes occurs."""
    return Counter((tag, tuple(sorted(attributes))) for tag, attributes in page.elements)


@pytest.fixture(scope="module")
def decisions() -> Decisions:
    return chess_decisions()


@pytest.fixture(scope="module")
def text(decisions: Decisions) -> str:
    return ratings_page(make_ratings(decisions), decisions, source="games.pgn", provenance=MADE)


@pytest.fixture(scope="module")
def page(text: str) -> Page:
    return Page(text)


def test_the_page_is_well_formed(page: Page, text: str) -> None:
    assert text.startswith("<!doctype html>")
    assert not page.unbalanced
    assert dict(page.elements)["html"]["lang"] == "en"
    assert any(attributes.get("name") == "viewport" for _, attributes in page.elements)
    names = [attributes["id"] for _, attributes in page.elements if "id" in attributes]
    assert len(names) == len(set(names))
    targets = {str(attributes["href"])[1:] for tag, attributes in page.elements if tag in ("a", "use")}
    assert targets <= set(names)


def test_every_part_is_there(page: Page) -> None:
    parts = {attributes.get("id") for tag, attributes in page.elements if tag == "section"}
    assert parts == {
        "summary", "ratings", "players", "results", "expectations", "losses", "reading", "made"
    }  # fmt: skip
    assert page.count("circle", "combined") == 3 + 1  # one more in the legend
    assert page.count("use", "mark-reference") == 3 + 1
    assert page.count("details", "card") == 3
    assert page.count("svg", "panel") == 3 * 6
    assert page.count("figure", "loss") == 12
    assert "cheating" in page.words


def test_drawings_and_pictures_have_words(page: Page) -> None:
    for tag, attributes in page.elements:
        if tag == "img":
            assert attributes["alt"]
        if tag == "svg":
            assert attributes.get("aria-label") or attributes.get("aria-hidden")


def test_nothing_comes_from_a_network(page: Page, text: str) -> None:
    for _, attributes in page.elements:
        for name in ("src", "href", "xlink:href", "action"):
            address = attributes.get(name)
            assert address is None or address.startswith(("#", "data:image/svg+xml,"))
    assert "@import" not in text
    assert "url(" not in text


def test_only_our_script_may_run(page: Page) -> None:
    [policy] = [
        str(attributes["content"])
        for tag, attributes in page.elements
        if tag == "meta" and attributes.get("http-equiv") == "Content-Security-Policy"
    ]
    assert "default-src 'none'" in policy
    assert "script-src 'sha256-" in policy
    assert page.count("script") == 1


def test_the_provenance_is_told(page: Page) -> None:
    for expected in ("Stockfish 17, Threads 1, Hash 32", "0123456789ab", "nodes", "opening: 90", "numpy 2.0"):
        assert expected in page.words
    assert "assay rate games.pgn --report out.html" in page.words


def test_the_same_ratings_give_the_same_file(decisions: Decisions, text: str) -> None:
    assert ratings_page(make_ratings(decisions), decisions, source="games.pgn", provenance=MADE) == text


@pytest.mark.parametrize("name", HOSTILE, ids=range(len(HOSTILE)))
def test_names_never_become_markup(name: str) -> None:
    """The page with a hostile name has the same elements and attributes as with a harmless one."""
    harmless, hostile = (_pages(player) for player in ("Zoe", name))
    assert shape(hostile) == shape(harmless)
    assert not hostile.unbalanced
    visible = " ".join("".join(letter for letter in name if letter.isprintable() or letter == " ").split())
    assert visible[:20].split("[31m")[0] in hostile.words
    for control in "\x00\x1b\u202e\u2028":
        assert control not in "".join(found for _, found in hostile.texts)


def _pages(name: str) -> Page:
    """The page with one name in every place that comes from a file."""
    table = chess_decisions(("Ann", "Bob"), plies=44).table()
    for column in ("player", "opponent"):
        named = [name if known == "Ann" else known for known in table[column].to_pylist()]
        table = table.set_column(table.column_names.index(column), column, pa.array(named))
    table = table.set_column(table.column_names.index("event"), "event", pa.array([name] * len(table)))
    decisions = Decisions.from_table(table)
    ratings = replace(
        make_ratings(decisions, by="event"), notes=(name,), too_few={name: 2}, engine=name, recipe=name
    )
    made = replace(
        MADE, engine=name, recipe={name: name}, settings={name: name}, left_out={name: 1}, command=name
    )
    return Page(ratings_page(ratings, decisions, source=name, provenance=made))


@pytest.mark.parametrize("by", ["year", "game"])
def test_cards_of_groups(by: str, decisions: Decisions) -> None:
    ratings = make_ratings(decisions, by=by)
    page = Page(ratings_page(ratings, decisions, source="x", provenance=MADE))
    assert page.count("details", "card") == len(ratings)
    assert page.count("path", "bar") == len(ratings)  # a histogram of gain each: its decisions were found


def test_decisions_that_are_not_about_chess() -> None:
    decisions = make_decisions(games=4, plies=60)
    page = Page(ratings_page(make_ratings(decisions), decisions, source="x", provenance=MADE))
    assert page.count("img") == 0
    assert page.count("figure", "loss") == 12


def test_only_the_required_columns() -> None:
    table = make_decisions(games=4, plies=60).table().select(["player", "moves", "cp", "played"])
    decisions = Decisions.from_table(table)
    page = Page(ratings_page(make_ratings(decisions), decisions, source="x", provenance=MADE))
    assert "results-title" not in str(page.elements)
    assert page.count("details", "card") == 2


def test_nobody_rated(decisions: Decisions) -> None:
    nobody = Ratings(
        engine="e", recipe="r", recipe_id="i", by="player", scale="Elo", players=(), too_few={"Ann": 3}
    )
    page = Page(ratings_page(nobody, decisions, source="x", provenance=MADE))
    assert "Nobody made enough decisions" in page.words


def test_ratings_without_a_scale_say_so(decisions: Decisions) -> None:
    ratings = make_ratings(decisions, calibrated=False)
    page = Page(ratings_page(ratings, decisions, source="x", provenance=MADE))
    assert "no Elo scale" in page.words
    assert f"Order: by {ratings.order}" in page.words
    assert "mean loss, centipawns (less is better)" in page.words
    assert page.count("circle", "combined") == 0  # no axis with ratings
    assert "expectations-title" not in str(page.elements)


def test_decisions_are_those_of_the_players_rated(decisions: Decisions) -> None:
    ratings = make_ratings(decisions)
    some = replace(ratings, players=tuple(replace(one, decisions=160) for one in ratings.players[:1]))
    page = Page(ratings_page(some, decisions, source="x", provenance=replace(MADE, decisions=208)))
    assert "decisions 160" in page.words.replace("decisions160", "decisions 160")
    assert "208 decisions" not in page.words


def test_numbers_that_are_not_known(decisions: Decisions) -> None:
    ratings = make_ratings(decisions)
    first, *others = ratings.players
    endless = replace(first.combined, low=-math.inf, high=math.inf)
    unknown = {**first.ratings, "gain": replace(endless, elo=math.nan)}
    strange = replace(first, combined=endless, ratings=unknown, reference=math.nan)
    text = ratings_page(replace(ratings, players=(strange, *others)), decisions, source="x", provenance=MADE)
    words = Page(text).words
    assert "nan" not in words.split()
    assert "inf" not in words.split()
    assert 'x="nan' not in text


def test_many_players() -> None:
    names = tuple(f"Player {number:02}" for number in range(24))
    parts = [
        chess_decisions(pair, plies=24, seed=place)
        for place, pair in enumerate(zip(names[::2], names[1::2], strict=True))
    ]
    decisions = Decisions.concat(parts)
    ratings = make_ratings(decisions)
    page = Page(ratings_page(ratings, decisions, source="x", provenance=MADE))
    assert page.count("circle", "combined") == 24 + 1
    assert page.count("table", "dense") == 2
    assert sum("open" in attributes for tag, attributes in page.elements if tag == "details") == 3


def test_a_report_on_one_player_reads_as_one(tmp_path: Path) -> None:
    path = tmp_path / "pupil.parquet"
    pupil_games(6).write(path)
    study = Study(path)
    page = Page(study.report(study.rate(players=["pupil"], history=True)))
    parts = {attributes.get("id") for tag, attributes in page.elements if tag == "section"}
    assert parts == {"summary", "ratings", "players", "insights", "lesson", "reading", "made"}
    assert "Played like " in page.words
    assert "played best" not in page.words
    assert "1 players" not in page.words
    assert "(– to –)" not in page.words
    assert not page.unbalanced
    assert "by phase" in page.words
    assert page.count("figure", "loss") > 0


def test_a_rating_without_an_interval_has_no_empty_brackets(decisions: Decisions) -> None:
    ratings = make_ratings(decisions)
    [one, *_] = ratings.players
    assert one.combined is not None
    bare = replace(one, combined=replace(one.combined, low=float("nan"), high=float("nan")))
    page = Page(ratings_page(replace(ratings, players=(bare,)), decisions, source="x", provenance=MADE))
    assert "(– to –)" not in page.words
    assert f"Played like {10 * round(one.combined.elo / 10)}." in page.words
