"""Games of accounts, from a server on this machine that speaks both protocols, with every fault."""

import gzip
import io
import json
import re
import socket
from collections.abc import Iterator
from contextlib import suppress
from datetime import UTC, datetime
from pathlib import Path
from random import Random
from typing import Any

import pytest

from assay import Study, Workspace
from assay.decisions.exclusions import Choice
from assay.errors import InputError, NetworkError, PgnError
from assay.pgn import accounts, server
from assay.pgn.accounts import NOTES, Account, WantedGames
from assay.source import AccountSource, Valuation, open_source
from examples.commands import document, exit_code, run, sentence
from examples.game_server import GameServer, Served, games, serving
from examples.server_games import evaluated_game, evaluated_games

LICHESS, CHESSCOM = "lichess:Ann_1", "chesscom:Ann_1"
SITES = pytest.mark.parametrize("account", [LICHESS, CHESSCOM])


@pytest.fixture
def waits(monkeypatch: pytest.MonkeyPatch) -> list[float]:
    """The pauses that were made, which take no time."""
    made: list[float] = []
    monkeypatch.setattr(server, "sleep", made.append)
    return made


@pytest.fixture
def served(monkeypatch: pytest.MonkeyPatch, tmp_path: Path, waits: list[float]) -> Iterator[GameServer]:
    """A hundred games, four a day, from January 2024 on."""
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "data"))
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    monkeypatch.setenv("ASSAY_SETTINGS", str(tmp_path / "settings.toml"))
    monkeypatch.setenv("ASSAY_SPELLING", "")
    with serving(games(150)) as state:
        monkeypatch.setattr(accounts, "LICHESS", state.address)
        monkeypatch.setattr(accounts, "CHESSCOM", state.address)
        yield state


def fetch(account: str, wanted: WantedGames | None = None, said: list[str] | None = None) -> int:
    """Fetch into the account's workspace; how many games are there then, none of them twice."""
    parsed = Account.parse(account)
    assert parsed is not None
    workspace = Workspace(parsed.folder)
    note = (said if said is not None else []).append
    workspace.import_games(account, wanted=wanted, say=note)
    return count(account)


def count(account: str) -> int:
    parsed = Account.parse(account)
    assert parsed is not None
    stored = Workspace(parsed.folder).table_games.read(["link", "exclusion"])
    assert "duplicate" not in stored["exclusion"].to_pylist()
    assert len(set(stored["link"].to_pylist())) == stored.num_rows
    return int(stored.num_rows)


def test_how_accounts_are_named() -> None:
    assert Account.parse("lichess:Ann_1") == Account("lichess", "Ann_1")
    assert Account.parse(Path("ChessCom:ann-1")) == Account("chesscom", "ann-1")
    assert Account.parse("https://lichess.org/@/Ann_1") == Account("lichess", "Ann_1")
    assert Account.parse(Path("https://www.chess.com/member/Ann")) == Account("chesscom", "Ann")
    assert Account.parse("games.pgn") is None
    for wrong in (
        "lichess:",
        "lichess:../../etc",
        "lichess:a/b",
        "lichess:a?b=c",
        "lichess:a\nb",
        "lichess:" + 51 * "a",
    ):
        with pytest.raises(InputError, match="is not an account"):
            Account.parse(wrong)


@SITES
def test_all_games_then_only_what_is_new(served: GameServer, account: str) -> None:
    said: list[str] = []
    assert fetch(account, said=said) == 150
    host = served.address.removeprefix("http://")
    assert said[0] == f"asking {host} for games of Ann_1"
    first = len(served.requests)
    assert fetch(account) == 150
    served.games += games(5, first=datetime(2024, 2, 7, 14, tzinfo=UTC))[1:]
    served.games[-4:] = [Served(game.created, 200 + game.number, game.perf) for game in served.games[-4:]]
    if account == LICHESS:
        assert fetch(account) == 154
    assert served.at_once == 1
    assert all(
        "@" in headers["User-Agent"] and "assay" in headers["User-Agent"] for _, headers in served.requests
    )
    if account == LICHESS:
        assert first == 1
        newest = max(game.created for game in games(150))
        since = int(served.asked(1)["since"])
        assert 0 < 1000 * newest.timestamp() - since <= 24 * 3600 * 1000  # what was under way then comes too
        assert served.asked()["sort"] == "dateAsc"
    else:
        months = [path.partition("/games/")[2] for path in served.paths]
        assert months[:3] == ["archives", "2024/02/pgn", "2024/01/pgn"]
        assert months[3:] == ["archives"]  # both are over, and were fetched after their ends


def test_a_month_that_goes_on_is_asked_for_by_its_tag(served: GameServer) -> None:
    now = datetime.now(UTC).replace(day=1, hour=0, minute=0, second=0, microsecond=0)
    served.games = games(3, first=now, every=0)
    assert fetch(CHESSCOM) == 3
    assert fetch(CHESSCOM) == 3
    assert served.requests[-1][1]["If-None-Match"] == f'"{len("".join(g.text for g in served.games))}"'
    served.games.append(Served(now, 9))
    assert fetch(CHESSCOM) == 4


def test_what_of_an_account_is_wanted(served: GameServer) -> None:
    assert fetch(LICHESS, WantedGames.parse(since="2024-01-03", until="2024-01-04")) == 8
    assert fetch(LICHESS, WantedGames.parse(since="2024-01-03", until="2024-01-04", time="rapid")) == 8
    assert served.asked()["perfType"] == "blitz,rapid,classical"
    assert fetch(LICHESS, WantedGames.parse(since="2024-02")) == 8 + 26
    assert fetch(LICHESS) == 150  # older ones were not there


def test_what_is_not_wanted_is_not_rated(served: GameServer) -> None:
    """Also where it is there from an earlier call."""
    assert fetch(LICHESS) == 150

    def rated(**asked: Any) -> int:
        source = open_source(LICHESS, wanted=WantedGames.parse(**asked))
        valuation = Valuation.of(evaluations="file", choice=Choice.parse("all", 1))
        source.import_games()
        return source.workspace.reasons(source.choice(valuation)).get(None, 0)  # type: ignore[union-attr]

    assert rated() == 150
    assert rated(since="2024-01-03", until="2024-01-04") == 8
    assert rated(since="2024-02") == 26
    assert rated(most=30) == 30  # four a day
    assert rated(most=10, until="2024-01") == 12
    assert open_source(LICHESS).workspace.reasons(Choice(since="2024.02.01"))["other_date"] == 124  # type: ignore[union-attr]


def test_the_newest_so_many(served: GameServer) -> None:
    for account in (LICHESS, CHESSCOM):
        assert fetch(account, WantedGames.parse(most=30)) == 30
        parsed = Account.parse(account)
        assert parsed is not None
        dates = Workspace(parsed.folder).table_games.read(["date"])["date"].to_pylist()
        assert min(dates) == "2024.01.31"
        assert fetch(account, WantedGames.parse(most=30)) == 30
        assert fetch(account) == 150


@pytest.mark.parametrize(
    ("since", "until", "most"),
    [("x", None, None), ("2024-13", None, None), ("2025", "2024", None), (None, None, 0)],
)
def test_what_cannot_be_wanted(since: str | None, until: str | None, most: int | None) -> None:
    with pytest.raises(InputError):
        WantedGames.parse(since, until, most)


# Faults: each of them ends with all games, or with one sentence and what came.


@SITES
@pytest.mark.parametrize(
    "fault",
    ["gzip", "length", "cut 0", "cut 5000", "cut 20123", "cutlength 20123", "cutgzip 1000", "slow 0.001"],
)
def test_whatever_happens_on_the_way_all_games_come_once(
    served: GameServer, account: str, fault: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(accounts, "_SEGMENT_GAMES", 7)
    first = [None] if account == CHESSCOM else []
    served.faults.extend([*first, fault, fault])
    said: list[str] = []
    assert fetch(account, said=said) == 150
    assert any("was cut: going on" in sentence for sentence in said) == fault.startswith("cut")
    if account == LICHESS and fault == "cut 20123":
        assert int(served.asked(1)["since"]) > 0  # what came was not asked for again


def test_the_newest_so_many_after_a_cut(served: GameServer) -> None:
    served.faults.extend(["cut 5000", "cut 5000"])
    assert fetch(LICHESS, WantedGames.parse(most=60)) == 60
    assert fetch(LICHESS) == 150


@SITES
def test_a_server_that_is_asked_too_often_is_waited_for(
    served: GameServer, account: str, waits: list[float]
) -> None:
    served.faults.extend(["429", "429 7", "500", "503 3", None])
    said: list[str] = []
    assert fetch(account, said=said) == 150
    assert waits == [60, 7, 8, 3]
    assert "is asked too often: waiting 60 seconds" in " ".join(said)
    date = datetime.now(UTC).replace(year=2100).strftime("%a, %d %b %Y %H:%M:%S GMT")
    served.faults.append(f"429 {date}")
    with pytest.raises(NetworkError, match=r"wants a pause of [0-9,]+ minutes"):
        fetch(account)
    served.faults.extend(["500"] * server.TRIES)
    with pytest.raises(NetworkError, match="does not answer as it should, 5 times in a row"):
        fetch(account)


@SITES
@pytest.mark.parametrize(
    ("fault", "error", "match"),
    [
        ("404", InputError, "there is no account 'Ann_1'"),
        ("410", InputError, "the account 'Ann_1' .* is closed"),
        ("403", NetworkError, r"refuses to answer \(403\): put contact = "),
        ("400", NetworkError, "answers 400"),
        ("304", NetworkError, "answers 304"),
        (
            "redirect http://elsewhere.example/x",
            NetworkError,
            "sends this request on to elsewhere.example, which is not",
        ),
        ("redirect file:///etc/passwd", NetworkError, "which is not followed"),
        ("type text/html", NetworkError, "answers with text/html, which is not games"),
    ],
)
def test_refusals_are_one_sentence(
    served: GameServer, account: str, fault: str, error: type[Exception], match: str
) -> None:
    served.faults.append(fault)
    with pytest.raises(error, match=match) as raised:
        fetch(account)
    assert "\n" not in str(raised.value)
    assert len(served.requests) == 1
    parsed = Account.parse(account)
    assert parsed is not None
    assert not parsed.folder.exists()


def test_a_redirect_on_the_same_host_is_followed(served: GameServer) -> None:
    served.faults.append(
        f"redirect {served.address}/api/games/user/ann_1?perfType=blitz&evals=true&clocks=true"
    )
    assert fetch(LICHESS) == 76


def test_a_connection_that_is_always_cut(served: GameServer) -> None:
    served.faults.extend(["cut 5000"] + ["cut 0"] * 10)
    with pytest.raises(NetworkError, match="was cut 5 times in a row"):
        fetch(LICHESS)
    came = count(LICHESS)
    assert 0 < came < 20
    served.faults.clear()
    assert fetch(LICHESS) == 150


def test_nothing_without_end(served: GameServer, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(accounts, "MOST_GAMES", 300)
    served.faults.append("endless games")
    with pytest.raises(NetworkError, match="sends more than 300 games"):
        fetch(LICHESS)
    assert count(LICHESS) >= 300
    monkeypatch.setattr("assay.pgn.sources.MOST_WITHOUT_GAME", 1 << 20)
    served.faults.append("endless x")
    with pytest.raises(PgnError, match="in which no game begins"):
        fetch(LICHESS)
    monkeypatch.setattr(accounts, "_PATIENCE", 0.0)
    served.faults.extend(["endless x"] * 10)
    with pytest.raises(NetworkError, match="was cut 5 times"):
        fetch(CHESSCOM if not served.faults else LICHESS)


@pytest.mark.parametrize(
    "text", ["no chess here", "\0" * 1000, '[Event "x"]\n\n1. Zz9 {', "<html>", "{" * 5000]
)
def test_hostile_games(served: GameServer, text: str) -> None:
    served.faults.append(f"hostile {text}")
    with suppress(PgnError):
        fetch(LICHESS)
    served.games[1] = Served(served.games[1].created, 2, name='"]\n[White "x')
    assert fetch(LICHESS) >= 149


def test_a_list_of_months_is_untrusted(served: GameServer) -> None:
    for text in ("[]", "{", '{"archives": 5}', '{"archives": [5]}', "[" * 50_000):
        served.faults.append(f"hostile {text}")
        with pytest.raises(NetworkError, match="does not answer with a list"):
            fetch(CHESSCOM)
    served.faults.append('hostile {"archives": ["x/games/2024/01", "/games/2024/99", "/games/../..", "x"]}')
    assert fetch(CHESSCOM) == 124
    assert {path.partition("/games/")[2] for path in served.paths} == {"archives", "2024/01/pgn"}


def test_a_name_in_other_capitals_is_the_same_account(served: GameServer) -> None:
    assert fetch(LICHESS) == 150
    site, _, name = LICHESS.partition(":")
    fetch(f"{site}:{name.swapcase()}")
    parsed = Account.parse(LICHESS)
    assert parsed is not None
    assert set(Workspace(parsed.folder).games()["source"].to_pylist()) == {LICHESS}


@pytest.mark.parametrize(
    "note", ["{", "[]", '{"lichess:ann_1": 5}', '{"lichess:ann_1": {"covered": {"x": [1]}}}']
)
def test_a_damaged_note_fetches_everything_again(served: GameServer, note: str) -> None:
    assert fetch(LICHESS) == 150
    parsed = Account.parse(LICHESS)
    assert parsed is not None
    (parsed.folder / NOTES).write_text(note)
    assert fetch(LICHESS) == 150
    assert "since" not in served.asked()


@SITES
def test_ctrl_c_keeps_what_came(served: GameServer, account: str, monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupt(name: str, size: int, position: int, number: int) -> None:
        if number == 40:
            raise KeyboardInterrupt

    parsed = Account.parse(account)
    assert parsed is not None
    monkeypatch.setattr(accounts, "_SEGMENT_GAMES", 15)
    with pytest.raises(KeyboardInterrupt):
        Workspace(parsed.folder).import_games(account, progress=interrupt)
    assert count(account) == 40
    assert fetch(account) == 150
    if account == LICHESS:
        assert int(served.asked()["since"]) > 0


def test_a_token_and_a_contact(served: GameServer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "settings.toml").write_text('contact = "me@club.example"\nlichess_token = "lip_secret"\n')
    fetch(LICHESS)
    fetch(CHESSCOM)
    first, *others = (headers for _, headers in served.requests)
    assert first["Authorization"] == "Bearer lip_secret"
    assert not any("Authorization" in headers for headers in others)  # it is lichess's
    assert all("me@club.example" in headers["User-Agent"] for _, headers in served.requests)
    monkeypatch.setenv("ASSAY_LICHESS_TOKEN", "lip_other")
    fetch(LICHESS)
    assert served.requests[-1][1]["Authorization"] == "Bearer lip_other"
    monkeypatch.setenv("ASSAY_LICHESS_TOKEN", "a\r\nX-Evil: b")
    with pytest.raises(InputError, match="cannot be sent"):
        fetch(LICHESS)
    assert not any(
        "secret" in path.read_text("latin-1") for path in (tmp_path / "data").rglob("*") if path.is_file()
    )


# Commands -----------------------------------------------------------------------------------------------


def test_commands_with_an_account(served: GameServer, capsys: pytest.CaptureFixture[str]) -> None:
    code, out, err = run(capsys, "import", LICHESS, "--max", 20)
    assert (code, out.splitlines()[0]) == (0, "20 games added")
    assert err.startswith("asking 127.0.0.1")
    assert document(capsys, "status", LICHESS, "--max", 30)["games"] == 30
    assert "for accounts" in sentence(capsys, "import", "x.pgn", "--max", 20)
    code, _, err = run(capsys, "status", "lichess:nobody")
    assert (code, err.splitlines()[-1][:35]) == (2, "assay: there is no account 'nobody'")
    code, out, _ = run(capsys, "remove", LICHESS, "--yes")
    assert (code, out[:30]) == (0, "removed 30 games of lichess:An")
    parsed = Account.parse(LICHESS)
    assert parsed is not None
    assert not parsed.folder.exists()
    assert "there is no workspace" in sentence(capsys, "remove", LICHESS, "--yes")


def test_without_a_network_the_games_that_were_kept(
    served: GameServer, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(accounts, "LICHESS", "http://127.0.0.1:1")
    code, _, err = run(capsys, "status", LICHESS)
    assert code == 3
    assert "assay: 127.0.0.1:1 cannot be reached" in err
    monkeypatch.setattr(accounts, "LICHESS", served.address)
    fetch(LICHESS)
    monkeypatch.setattr(accounts, "LICHESS", "http://127.0.0.1:1")
    code, out, err = run(capsys, "status", LICHESS, "--json")
    assert (code, json.loads(out)["games"]) == (0, 150)
    assert f"using the games fetched until {datetime.now(UTC):%Y-%m-%d}" in err


def test_the_network_is_used_only_where_a_name_says_so(
    served: GameServer, tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Neither connections nor names of hosts are asked for, until a command names an account."""
    asked: list[object] = []

    def refused(*given: object, **_: object) -> None:
        asked.append(given)
        raise OSError("no network")

    monkeypatch.setattr(socket.socket, "connect", refused)
    monkeypatch.setattr(socket, "getaddrinfo", refused)
    path = tmp_path / "games.pgn"
    path.write_text(evaluated_games(6))
    for command in (
        ("import", path, "-w", tmp_path / "games.assay"),
        ("status", tmp_path / "games.assay"),
        ("rate", path, "--evaluations", "file", "--time", "all"),
        ("export", "pgn", tmp_path / "games.assay", "--out", tmp_path / "out.pgn"),
        ("doctor",),
    ):
        run(capsys, *command)
        assert not asked, command
    code, _, err = run(capsys, "status", LICHESS)
    assert asked
    assert code == 3
    assert err.startswith("asking 127.0.0.1")


def test_two_accounts_in_one_workspace_and_their_removal(
    served: GameServer, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    place = tmp_path / "me.assay"
    code, _, _ = run(capsys, "import", LICHESS, CHESSCOM, "-w", place)
    assert code == 0
    assert set(json.loads((place / NOTES).read_text())) == {"lichess:ann_1", "chesscom:ann_1"}
    assert document(capsys, "status", place)["excluded"]["duplicate"] == 150
    assert run(capsys, "remove", place, "--player", "Ann_1", "--yes")[0] == 0
    assert not any("nn_1" in path.read_text("latin-1") for path in place.rglob("*") if path.is_file())


def test_an_account_in_the_browser(served: GameServer, monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("starlette")
    sites: list[Any] = []
    monkeypatch.setattr("assay.web.server.serve", lambda site, **_: sites.append(site))
    assert exit_code("serve", LICHESS, "--no-browser") == 0
    account = Account.parse(LICHESS)
    assert account is not None
    assert sites[0].folder.workspace == account.folder
    assert count(LICHESS) == 150


def test_an_account_without_classical_games_is_rated_in_its_usual_time_class(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Never an empty answer: most accounts are blitz. The account's player is whom it is about."""
    pgn, place = tmp_path / "games.pgn", tmp_path / "games.assay"
    texts = [evaluated_game(number, "Ann_1", f"other{number}", Random(1)) for number in range(3)]
    pgn.write_text(re.sub(r"\[%eval [^]]*\]", "", "".join(texts)))
    Workspace(place).import_games(pgn)
    monkeypatch.setattr(AccountSource, "import_games", lambda source: source.workspace)
    source = open_source(LICHESS, place)
    chosen = source.choice(Valuation.of("engine"))
    assert chosen is not None
    assert chosen.times == {"blitz"}
    assert Study(source).subject() == "Ann_1"
    assert document(capsys, "status", LICHESS, "-w", place)["excluded"] == {}


def test_a_study_of_an_account(served: GameServer) -> None:
    study = Study(LICHESS)
    assert isinstance(study.source, AccountSource)
    assert study.source.games().num_rows == 150
    with pytest.raises(InputError, match="is an account: only PGN is streamed"):
        study.check_streamed()


# Addresses and standard input ---------------------------------------------------------------------------


def test_games_at_an_address(served: GameServer, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    address = f"{served.address}/files/games.pgn?x=1"
    served.faults.append("cut 5000")
    assert document(capsys, "status", address)["games"] == 150
    assert served.paths == ["/files/games.pgn?x=1"] * 2
    [kept] = (tmp_path / "cache" / "assay" / "input").iterdir()
    assert sorted(path.name for path in kept.iterdir()) == ["games.pgn", "games.pgn.assay"]
    served.faults.append("500")
    served.faults.extend(["500"] * 4)
    code, _, err = run(capsys, "status", address)
    assert code == 0
    assert "using what was fetched before" in err
    for fault, words in (
        ("404", "there is nothing at"),
        ("redirect http://elsewhere.example/", "not followed"),
        ("type text/html", "that of a web page"),
    ):
        served.faults.append(fault)
        code, _, err = run(capsys, "status", f"{served.address}/other/{fault[:3]}.pgn")
        assert code in (2, 3)
        assert words in err
    assert "without a password" in sentence(capsys, "status", "https://me:secret@host.example/x.pgn")


def test_pages_of_lichess_stand_for_their_games(served: GameServer, monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[tuple[str, str]] = []

    class Asked(server.Server):
        def stream(self, path: str, accept: str, **_: Any) -> Iterator[bytes]:
            asked.append((self.base, path))
            yield b"1. e4 *"

    monkeypatch.setattr("assay.pgn.server.Server", Asked)
    for page in (
        "abcdefgh",
        "abcdefghijkl",
        "abcdefgh/black",
        "study/abcdefgh/12345678",
        "broadcast/a-b/round-1/abcdefgh",
    ):
        open_source(f"https://lichess.org/{page}")
    game = ("https://lichess.org", "/game/export/abcdefgh?evals=true&clocks=true")
    assert asked == [
        game,
        game,
        game,
        ("https://lichess.org", "/api/study/abcdefgh.pgn?clocks=true&comments=true"),
        ("https://lichess.org", "/api/broadcast/round/abcdefgh.pgn"),
    ]


def test_standard_input_is_kept_by_its_content(
    served: GameServer, tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    text = "".join(game.text for game in served.games[:10]).encode()

    def status(content: bytes, *arguments: object) -> Any:
        buffer = io.BufferedReader(io.BytesIO(content))  # type: ignore[arg-type]
        monkeypatch.setattr("sys.stdin", io.TextIOWrapper(buffer))
        return document(capsys, "status", "-", *arguments)

    assert status(text)["games"] == 10
    assert status(gzip.compress(text))["games"] == 10
    assert status(text)["games"] == 10
    kept = tmp_path / "cache" / "assay" / "input"
    assert len(list(kept.iterdir())) == 2
    assert {path.name for path in kept.glob("*/*")} == {"standard input", "standard input.assay"}
    assert status(text, "-w", tmp_path / "own.assay")["games"] == 10
    assert not served.requests
