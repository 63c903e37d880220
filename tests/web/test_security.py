from collections.abc import Callable
from typing import Any

import pytest

from assay.web.security import POLICY, is_loopback


@pytest.mark.parametrize(
    ("host", "only_here"),
    [
        ("127.0.0.1", True),
        ("localhost", True),
        ("::1", True),
        ("127.9.9.9", True),
        ("0.0.0.0", False),
        ("::", False),
        ("192.168.1.2", False),
        ("example.org", False),
    ],
)
def test_what_is_reached_from_this_machine_alone(host: str, only_here: bool) -> None:
    assert is_loopback(host) is only_here


@pytest.mark.parametrize("host", ["evil.example", "127.0.0.1.evil.example", "evil.example:80", "[::2]", ""])
def test_another_name_that_leads_here_is_refused(served: Callable[..., Any], host: str) -> None:
    answer = served().get("/live", headers={"host": host})
    assert answer.status_code == 403
    assert "open the address" in answer.text


def test_the_own_name_is_answered_whatever_the_port(served: Callable[..., Any]) -> None:
    client = served(hosts=("127.0.0.1", "[::1]"))
    for host in ("127.0.0.1", "127.0.0.1:8765", "[::1]:8765"):
        assert client.get("/live", headers={"host": host}).status_code == 200


@pytest.mark.parametrize(
    "headers",
    [
        {"origin": "http://evil.example"},
        {"origin": "null"},
        {"origin": "http://127.0.0.1:9"},
        {"origin": "http://["},
        {"origin": ""},
        {"sec-fetch-site": "cross-site"},
        {"sec-fetch-site": "same-site"},
    ],
)
def test_other_sites_change_nothing(served: Callable[..., Any], headers: dict[str, str]) -> None:
    client = served()
    for address in ("/import", "/analyse", "/work/stop", "/upload", "/live/stop"):
        assert client.post(address, headers=headers, content=b"path=x").status_code == 403
    assert client.site.jobs.snapshot() == []


def test_own_pages_and_programs_of_this_machine_may(served: Callable[..., Any]) -> None:
    client = served()
    for headers in ({"origin": "http://127.0.0.1"}, {"sec-fetch-site": "same-origin"}, {}):
        assert client.post("/work/stop", headers=headers).status_code == 303


def test_every_answer_is_sealed(served: Callable[..., Any]) -> None:
    client = served()
    for address in ("/live", "/static/style.css", "/static/pages.js", "/nowhere", "/work"):
        headers = client.get(address).headers
        assert headers["content-security-policy"] == POLICY
        assert headers["x-content-type-options"] == "nosniff"
        assert headers["referrer-policy"] == "same-origin"
    assert "unsafe" not in POLICY


def test_with_a_token_nobody_gets_in_without(served: Callable[..., Any]) -> None:
    client = served(hosts=None, token="a-long-token")
    for address in ("/", "/?token=another", "/static/style.css", "/events", "/?token="):
        assert client.get(address).status_code == 403
    assert client.post("/work/stop?token=a-long-token").status_code == 403


def test_the_token_becomes_a_cookie(served: Callable[..., Any]) -> None:
    client = served(hosts=None, token="a-long-token")
    browser = {"accept": "text/html,*/*"}
    answer = client.get('/live?token=a-long-token&x="1', headers=browser)
    assert answer.status_code == 200
    assert '<meta http-equiv="refresh" content="0; url=/live?x=%221">' in answer.text
    assert "a-long-token" not in answer.text
    cookie = answer.headers["set-cookie"]
    assert "HttpOnly" in cookie
    assert "SameSite=Strict" in cookie
    assert client.get("/live").status_code == 200
    client.cookies.clear()
    assert client.get("/live", headers={"cookie": "assay-80=wrong"}).status_code == 403
    led = client.get("http://127.0.0.1//evil.example/?token=a-long-token", headers=browser).text
    assert "url=/evil.example/" in led


def test_a_program_gives_the_token_with_every_address(served: Callable[..., Any]) -> None:
    client = served(hosts=None, token="a-long-token")
    asked = {"accept": "application/json"}
    assert client.get("/work?token=a-long-token", headers=asked).json() == {"jobs": []}
    assert client.get("/work", headers=asked).status_code == 403
    assert client.post("/work/stop?token=a-long-token", headers=asked).status_code == 403


def test_other_sites_take_nothing_but_may_lead_here(served: Callable[..., Any]) -> None:
    client = served()
    for site in ("cross-site", "same-site"):
        taken = {"sec-fetch-site": site, "sec-fetch-mode": "no-cors"}
        assert client.get("/work", headers=taken).status_code == 403
        assert client.get("/live", headers={**taken, "sec-fetch-mode": "navigate"}).status_code == 200
