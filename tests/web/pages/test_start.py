from collections.abc import Callable
from pathlib import Path
from typing import Any

from examples.gain_examples import annotated_pgn
from examples.served import until, whole


def test_drop_estimate_analyse_rate(served: Callable[..., Any]) -> None:
    client = served()
    answer = client.post("/upload?name=../../games.pgn", content=annotated_pgn().encode())
    assert answer.status_code == 202
    done = until(client, "import", "done")
    assert (done["answer"]["added"], done["title"]) == (1, "games.pgn")
    text = whole(client, "/")
    assert "1 games added" in text
    assert "positions are not analysed yet" in text
    assert client.post("/analyse").status_code == 303
    done = until(client, "analyse", "done")
    assert done["answer"]["analysed"] > 70
    assert "Everything that may be rated is analysed" in whole(client, "/")
    players = client.get("/players", headers={"accept": "application/json"}).json()["players"]
    assert {one["player"].split(",")[0].split()[-1] for one in players} == {"Byrne", "Fischer"}
    assert sorted(path.name for path in client.site.place.folder.iterdir()) == ["games.assay"]


def test_pasted_games_and_named_files(served: Callable[..., Any], pgn: Path) -> None:
    client = served()
    assert client.post("/import", data={"pgn": annotated_pgn()}).status_code == 303
    assert until(client, "import", "done")["title"] == "pasted games"
    assert client.post("/import", data={"path": str(pgn)}).status_code == 303
    assert client.site.jobs.wait(lambda jobs: [job.state for job in jobs] == ["done", "done"], 60)
    assert client.site.jobs.snapshot()[0]["answer"]["rated"] == 0  # the same game once more
    assert pgn.exists()  # what is named stays where it is


def test_what_cannot_be_imported_is_one_sentence(served: Callable[..., Any]) -> None:
    client = served(most_bytes=1000, anywhere=False)
    client.post("/upload?name=a.pgn", content=b"\0\1\2 no chess here")
    assert "not PGN" in until(client, "import", "failed")["error"]
    assert 'role="alert"' in whole(client, "/")
    too_much = client.post("/upload?name=a.pgn", content=b"1" * 1001)
    assert too_much.status_code == 422
    assert "more than the 0 MB" in too_much.text
    assert client.post("/upload?name=a.pgn", content=b"").status_code == 422
    assert "only files in the folder" in client.post("/import", data={"path": "/etc/passwd"}).text
    assert "does not exist" in client.post("/import", data={"path": ""}).text
    assert client.site.place.left_uploads() == []


def test_only_recipes_that_are_offered(served: Callable[..., Any], analysed: Path) -> None:
    client = served(analysed)
    answer = client.post("/analyse", data={"recipe": "/etc/passwd"})
    assert (answer.status_code, "is not offered" in answer.text) == (422, True)
    assert client.post("/work/explode").status_code == 422
    assert client.post("/work/pause", headers={"accept": "application/json"}).json() == {"jobs": []}


def test_without_an_engine_it_is_said_and_comments_are_offered(served: Callable[..., Any], pgn: Path) -> None:
    client = served(engine="/no/such/engine")
    client.post("/import", data={"path": str(pgn)})
    until(client, "import", "done")
    text = whole(client, "/")
    assert "there is no engine" in text
    assert "The games bring evaluations in their comments" in text
    client.post("/analyse")
    assert "there is no engine" in until(client, "analyse", "failed")["error"]
    assert client.get("/players?as=json").json()["engine"] == "the games' own comments"


def test_a_workspace_of_a_newer_assay_is_one_sentence(served: Callable[..., Any], analysed: Path) -> None:
    client = served(analysed)
    (client.site.place.workspace / "workspace.json").write_text('{"schema_version": 999}')
    for address in ("/", "/players", "/workspace"):
        assert "was written by a newer assay" in whole(client, address)
    client.post("/import", data={"pgn": annotated_pgn()})
    assert "newer assay" in until(client, "import", "failed")["error"]
