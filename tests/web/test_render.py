from types import SimpleNamespace
from typing import Any

import pytest
from starlette.datastructures import Headers, QueryParams

from assay.answers.screening import EXPLANATIONS
from assay.decisions.exclusions import MEANINGS
from assay.web import render
from assay.web.render import address, document, download, for_pages, paged, templates, wanted


def request(query: str = "", accept: str = "", path: str = "/players") -> Any:
    headers = Headers({"accept": accept} if accept else {})
    return SimpleNamespace(query_params=QueryParams(query), headers=headers, url=SimpleNamespace(path=path))


@pytest.mark.parametrize(
    ("query", "accept", "kind"),
    [
        ("", "", "html"),
        ("", "*/*", "html"),
        ("", "text/html,application/xhtml+xml,*/*;q=0.8", "html"),
        ("", "application/json", "json"),
        ("", "application/json, text/html", "json"),
        ("", "text/csv", "csv"),
        ("", "image/svg+xml", "svg"),
        ("as=json", "text/html", "json"),
    ],
)
def test_what_is_asked_for(query: str, accept: str, kind: str) -> None:
    assert wanted(request(query, accept)) == kind


def test_addresses_keep_what_is_not_changed() -> None:
    asked = request("q=a%26b&page=3&as=json")
    assert address(asked, page=4) == "/players?q=a%26b&page=4"
    assert address(asked, page=None, sort="games") == "/players?q=a%26b&sort=games"
    assert address(request()) == "/players"


def test_documents_have_no_nan_and_names_of_files_lead_nowhere() -> None:
    assert document({"a": "ü"}).body == '{\n  "a": "ü"\n}\n'.encode()
    with pytest.raises(ValueError, match="Out of range"):
        document({"a": float("nan")})
    sent = download("x", "text/csv", 'a/b"\r\nx.csv')
    assert sent.headers["content-disposition"] == 'attachment; filename="a_b_x.csv"'


def test_templates_escape_and_take_commands_to_the_reader_out() -> None:
    shown = templates().from_string("{{ name }}|{{ name|segment }}").render(name="<b>\u202e/")
    assert shown.startswith("&lt;b&gt;")
    assert "\u202e" not in shown.split("|")[0]
    assert shown.split("|")[1] == "%3Cb%3E%E2%80%AE%2F"


def test_names_of_any_script_are_names_of_files() -> None:
    said = download("x", "text/csv", "Иванов, Ü.csv").headers["content-disposition"]
    assert said == 'attachment; filename="_.csv"'


def test_pages_do_not_speak_of_options_of_the_command_line() -> None:
    assert for_pages("536 more players: see --csv or --json.") == "536 more players: see the downloads."
    assert for_pages("ask for fewer (--min-moves), or give more") == "ask for fewer, or give more"
    assert for_pages("as it is") == "as it is"
    assert for_pages(
        "12 blitz; --time a,b includes them. Also 3 under 20 moves; --min-turns 1 includes them"
    ) == ("12 blitz. Also 3 under 20 moves")
    assert for_pages("Few games come out too strong (by 200 points): --prior rating starts elsewhere.") == (
        "Few games come out too strong (by 200 points)."
    )
    assert "A rating that lags behind, a good week, preparation or chance can explain it." in for_pages(
        EXPLANATIONS
    )
    for meaning in MEANINGS.values():
        assert "--" not in for_pages(meaning)
        assert len(for_pages(meaning)) > 5


def test_all_that_a_page_asks_for_shares_its_patience(monkeypatch: pytest.MonkeyPatch) -> None:
    clock, given = [100.0], []

    def asked(*_: Any, patience: float | None, slow: bool) -> None:
        given.append(patience)
        clock[0] += 0.15

    monkeypatch.setattr(render, "time", SimpleNamespace(monotonic=lambda: clock[0]))
    page = request()
    page.app = SimpleNamespace(state=SimpleNamespace(site=SimpleNamespace(ask=asked)))
    page.state = SimpleNamespace()
    for key in ("games", "strength", "more"):
        render.ask(page, key, lambda _: None)
    assert given == pytest.approx([0.2, 0.05, 0.0])
    page.query_params = QueryParams("as=json")
    render.ask(page, "games", lambda _: None)
    assert given[-1] is None  # a program waits


@pytest.mark.parametrize(
    ("page", "rows", "number"),
    [
        ("1", [0, 1, 2], 1),
        ("2", [3, 4, 5], 2),
        ("3", [6], 3),
        ("9", [6], 3),
        ("0", [0, 1, 2], 1),
        ("-1", [0, 1, 2], 1),
        ("x", [0, 1, 2], 1),
        ("²", [0, 1, 2], 1),
        ("9" * 5000, [0, 1, 2], 1),
    ],
)
def test_a_page_of_rows(page: str, rows: list[int], number: int) -> None:
    found = paged(range(7), page, 3)
    assert (list(found.rows), found.page, found.pages, found.of_all) == (rows, number, 3, 7)
    assert found.first == rows[0] + 1


def test_no_rows_are_one_empty_page() -> None:
    found = paged([], "1", 50)
    assert (found.pages, found.first, found.with_rows(["a"]).rows) == (1, 0, ["a"])


def test_a_chart_in_letters_is_left_to_the_terminal() -> None:
    assert render.for_pages("best in 1978\n\u2581\u2583 \u2588") == "best in 1978"
