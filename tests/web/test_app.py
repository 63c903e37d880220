import asyncio
import json
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from assay.web.app import events
from examples.served import HOSTILE, whole

PAGES = (
    "/",
    "/players",
    "/games",
    "/compare",
    "/everyone",
    "/tournament",
    "/screen",
    "/results",
    "/live",
    "/workspace",
)


@pytest.mark.parametrize("address", PAGES)
def test_pages_of_an_empty_folder_say_what_to_do(served: Callable[..., Any], address: str) -> None:
    client = served()
    assert client.get(address).status_code == 200
    text = whole(client, address)
    assert "Traceback" not in text
    assert "went wrong" not in text


@pytest.mark.parametrize("address", PAGES)
def test_a_hostile_name_is_text(served: Callable[..., Any], analysed: Path, address: str) -> None:
    text = whole(served(analysed), address)
    assert "<script>alert" not in text
    assert "\u202e" not in text
    if address == "/games":
        assert "&lt;script&gt;alert(1)&lt;/script&gt;" in text


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


def test_no_page_has_a_script_or_a_style_of_its_own(served: Callable[..., Any], analysed: Path) -> None:
    client = served(analysed)
    for address in PAGES:
        text = whole(client, address)
        assert " style=" not in text
        assert "<style" not in text
        assert text.count("<script") == text.count("<script src=")


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


def test_the_first_page_does_not_wait_for_numba(tmp_path: Path) -> None:
    code = (
        "import sys\nfrom pathlib import Path\nfrom assay.web.app import make_app\n"
        "from assay.web.place import Place\nfrom assay.web.site import Site\n"
        "from assay.web.render import templates, style_sheet\n"
        "make_app(Site(Place(Path(sys.argv[1]))))\ntemplates().get_template('start.html')\nstyle_sheet()\n"
        "print([name for name in ('numba', 'scipy', 'numpy', 'pyarrow', 'duckdb') if name in sys.modules])"
    )
    done = subprocess.run(
        [sys.executable, "-c", code, str(tmp_path)], capture_output=True, text=True, check=True
    )
    assert done.stdout.strip() == "[]"
