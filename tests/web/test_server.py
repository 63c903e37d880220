import asyncio
import json
import re
import signal
import socket
import subprocess
import sys
import threading
from collections import Counter
from collections.abc import Callable
from itertools import pairwise
from pathlib import Path
from typing import Any
from urllib.error import HTTPError
from urllib.parse import quote
from urllib.request import Request, urlopen

import pytest

from assay.errors import AssayError, InputError
from assay.web.server import address_of, events, listen
from assay.web.site import Options, Site
from examples.served import EVALUATED, HOSTILE, until, whole

PAGES = (
    "/",
    "/players",
    "/games",
    "/compare",
    "/everyone",
    "/champions",
    "/champions?first=Fischer@1971&second=Carlsen@2014",
    "/champions/Tal",
    "/tournament",
    "/screen",
    "/results",
    "/live",
    "/workspace",
)


def test_pages_of_an_empty_folder_say_what_to_do(served: Callable[..., Any]) -> None:
    client = served()
    for address in PAGES:
        assert client.get(address).status_code == 200
        text = whole(client, address)
        assert "Traceback" not in text, address
        assert "went wrong" not in text, address


def test_a_hostile_name_is_text_and_no_page_has_a_script_or_a_style_of_its_own(
    served: Callable[..., Any], analysed: Path
) -> None:
    client = served(analysed)
    for address in PAGES:
        text = whole(client, address)
        for bad in ("<script>alert", "\u202e", " style=", "<style"):
            assert bad not in text, (address, bad)
        assert text.count("<script") == text.count("<script src=")
    assert "&lt;script&gt;alert(1)&lt;/script&gt;" in whole(client, "/games")


def test_a_hostile_player_and_event_have_pages(served: Callable[..., Any], analysed: Path) -> None:
    from urllib.parse import quote

    client = served(analysed)
    name = client.get("/games?as=json&q=script").json()[0]["white"]
    assert name.startswith("<script>")
    text = whole(client, f"/players/{quote(name, safe='')}")
    assert "<h1><bdi>&lt;script&gt;" in text
    assert "<script>alert" not in whole(client, "/tournament", event=HOSTILE)
    assert "<script>alert" not in whole(
        client, "/players", q=HOSTILE, sort=HOSTILE, order=HOSTILE, page=HOSTILE
    )


def test_what_is_not_there(served: Callable[..., Any]) -> None:
    client = served()
    for address in (
        "/nothing",
        "/static/../app.py",
        "/static/pages.css",
        "/static/piece/xK.svg",
        "/games/no/board",
    ):
        assert client.get(address).status_code in (404, 422)
    assert client.get("/nothing", headers={"accept": "application/json"}).json() == {
        "error": "there is no such page here"
    }
    assert client.get("/upload").status_code == 405


def test_styles_scripts_and_pieces(served: Callable[..., Any]) -> None:
    client = served()
    assert "--mark-0" in client.get("/static/style.css").text
    assert "EventSource" in client.get("/static/pages.js").text
    assert client.get("/static/piece/wK.svg").headers["content-type"] == "image/svg+xml"
    assert "<svg" in client.get("/static/piece/bN.svg").text


def test_styles_and_scripts_are_kept_by_the_hash_of_their_content_and_pages_are_packed(
    served: Callable[..., Any],
) -> None:
    client = served()
    page = client.get("/")
    assert page.headers["content-encoding"] == "gzip"
    assert page.headers["cache-control"] == "no-store"
    addresses = re.findall(r'"(/static/\S+?)"', page.text)
    assert {address.partition("?")[0] for address in addresses} >= {"/static/style.css", "/static/pages.js"}
    for address in addresses:
        assert "immutable" in client.get(address).headers["cache-control"], address
    assert client.get("/static/style.css").headers["cache-control"] == "no-cache"
    assert client.get("/static/style.css?v=old").headers["cache-control"] == "no-cache"


def test_events_tell_how_far_the_work_is(served: Callable[..., Any]) -> None:
    client = served()

    class Asked:
        app = client.app._app

    async def first() -> list[str]:
        stream = (await events(Asked())).body_iterator  # type: ignore[arg-type]
        return [await anext(stream), await anext(stream)]

    beginning, told = asyncio.run(first())
    assert beginning == "retry: 1000\n\n"
    assert json.loads(told.removeprefix("data: "))["jobs"] == []


def test_what_is_computed_while_a_page_is_put_together_is_news_to_it(
    served: Callable[..., Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Else the page awaits an answer of which it is told nothing any more."""
    client = served()
    version = client.site.version

    def late(_: Path) -> int:  # after the page has asked for its answers
        client.site.cache.version += 1
        return 0

    monkeypatch.setattr("assay.web.pages.start.size_of", late)
    page = client.get("/workspace").text
    assert f'data-version="{version}"' in page
    assert client.site.version != version


@pytest.mark.parametrize("inherited", [signal.SIG_DFL, signal.SIG_IGN], ids=["terminal", "background"])
def test_ctrl_c_while_a_page_is_computed_ends_without_a_traceback(analysed: Path, inherited: Any) -> None:
    """Nobody awaits what takes ten minutes. A shell starts what follows `&` with SIGINT ignored."""
    code = (
        "import sys, time\nfrom pathlib import Path\nimport assay.study\n"
        "from assay.web.server import serve\nfrom assay.web.site import Site\n"
        "say = lambda line: print(line, file=sys.stderr, flush=True)\n"
        "def rate(*_, **__):\n    say('rating')\n    time.sleep(600)\n"
        "assay.study.Study.rate = rate\n"
        "try:\n    serve(Site(Path(sys.argv[1])), port=0, browser=False, say=say)\n"
        "except KeyboardInterrupt:\n    say('interrupted')\n"
    )
    process = subprocess.Popen(
        [sys.executable, "-c", code, str(analysed)],
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
        preexec_fn=lambda: signal.signal(signal.SIGINT, inherited),
    )
    try:
        assert process.stderr is not None
        found = re.search(r"http://\S+/", process.stderr.readline())
        assert found
        answers: list[int] = []
        request = Request(f"{found[0]}players", headers={"accept": "application/json"})

        def ask() -> None:
            try:
                urlopen(request, timeout=300)
            except HTTPError as refused:
                answers.append(refused.code)

        asking = threading.Thread(target=ask)
        asking.start()
        assert process.stderr.readline() == "rating\n"
        process.send_signal(signal.SIGINT)
        _, said = process.communicate(timeout=300)
        asking.join(60)
    finally:
        process.kill()
    assert said == "interrupted\n"
    assert answers == [422]


def test_the_first_page_does_not_wait_for_numba(tmp_path: Path) -> None:
    code = (
        "import sys\nfrom pathlib import Path\nfrom assay.web.server import make_app\n"
        "from assay.web.site import Site\n"
        "from assay.web.render import templates, static_file\n"
        "make_app(Site(Path(sys.argv[1])))\ntemplates().get_template('start.html')\nstatic_file('style.css')\n"
        "print([name for name in ('numba', 'scipy', 'numpy', 'pyarrow') if name in sys.modules])"
    )
    done = subprocess.run(
        [sys.executable, "-c", code, str(tmp_path)], capture_output=True, text=True, check=True
    )
    assert done.stdout.strip() == "[]"


def test_a_port_that_is_in_use_is_one_sentence() -> None:
    with socket.socket() as other:
        other.bind(("127.0.0.1", 0))
        other.listen()
        with pytest.raises(AssayError, match="in use already: choose another with --port"):
            listen("127.0.0.1", other.getsockname()[1])


def test_without_a_port_the_next_free_one_is_taken() -> None:
    with listen("127.0.0.1", None) as first, listen("127.0.0.1", None) as second:
        assert first.getsockname()[1] != second.getsockname()[1]


def test_an_address_that_is_not_of_this_machine() -> None:
    with pytest.raises(AssayError, match=r"cannot listen at 203\.0\.113\.7"):
        listen("203.0.113.7", 8765)


@pytest.mark.parametrize(
    ("host", "token", "address"),
    [
        ("127.0.0.1", None, "http://127.0.0.1:80/"),
        ("::1", None, "http://[::1]:80/"),
        ("192.0.2.1", "secret", "http://192.0.2.1:80/?token=secret"),
        ("0.0.0.0", "secret", f"http://{socket.gethostname()}:80/?token=secret"),
    ],
)
def test_the_address_that_is_printed(host: str, token: str | None, address: str) -> None:
    assert address_of(host, 80, token) == address


def test_recipes_with_a_scale_are_offered_and_the_usual_one_first(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("ASSAY_SETTINGS", str(tmp_path / "none.toml"))
    assert Site(tmp_path).recipe == "standard"
    scales = {"thrifty": 1, "standard": 1, "deep": None}
    monkeypatch.setattr("assay.doctor.calibrations", lambda _: (scales, "engine"))
    assert Site(tmp_path).recipes() == ["standard", "thrifty"]
    assert Site(tmp_path, Options(recipe="my.toml")).recipes() == ["my.toml", "thrifty", "standard"]
    (tmp_path / "workspace.json").write_text('{"schema_version": 1}')
    (tmp_path / "settings.toml").write_text('recipe = "deep"\njobs = 3\n')
    site = Site(tmp_path)
    assert (site.recipe, site.engines, Site(tmp_path, Options(jobs=1)).engines) == ("deep", 3, 1)
    with pytest.raises(InputError):
        Site(tmp_path, Options(time="often")).choice  # noqa: B018


def test_a_reading_is_of_one_state(tmp_path: Path) -> None:
    site = Site(tmp_path)
    before = site.reading()
    assert site.reading() is before
    (tmp_path / "games.assay" / "games").mkdir(parents=True)
    (tmp_path / "games.assay" / "games" / "part-1.parquet").write_text("")
    assert site.reading() is not before
    site.close()


def test_the_version_tells_of_every_change(tmp_path: Path) -> None:
    site = Site(tmp_path)
    before = site.version
    site.jobs.add_import(tmp_path / "a.pgn", "a.pgn")
    between = site.version
    assert site.ask("key", lambda reading: reading.empty, patience=None).value is True
    assert len({before, between, site.version}) == 3
    site.close()


@pytest.mark.parametrize("example", ["analysed", "evaluated"])
def test_pages_tell_of_no_options_and_their_headings_are_in_order(
    served: Callable[..., Any],
    analysed: Path,
    calibrations: Path,
    monkeypatch: pytest.MonkeyPatch,
    example: str,
) -> None:
    monkeypatch.setenv("ASSAY_CALIBRATIONS", str(calibrations))
    client = served(analysed if example == "analysed" else None)
    if example == "evaluated":
        client.post("/import", data={"pgn": EVALUATED})
        until(client, "import", "done")
    games = client.get("/games?as=json").json()
    addresses = [*PAGES, "/spar", "/nowhere", "/compare?first=Byrne&second=Fischer", "/everyone?moves=10"]
    for game in games:
        addresses += [f"/games/{game['game_id']}", f"/players/{quote(game['black'])}"]
    wrong = []
    for address in addresses:
        page = whole(client, address)
        text = re.sub(r"<(script|style|title)\b.*?</\1>|<[^>]*>", " ", page)
        wrong += [(address, each) for each in re.findall(r".{0,60}(?:--[a-z]|docs/).{0,30}", text)]
        levels = [int(level) for level in re.findall(r"<h([1-6])\b", page)]
        wrong += [(address, pair) for pair in pairwise(levels) if pair[1] > pair[0] + 1]
        names = Counter(re.findall(r' id="([^"]*)"', page))
        wrong += [(address, name) for name, number in names.items() if number > 1]
    assert wrong == []
