"""Panel Rate: `assay serve`, the same in a browser."""

from __future__ import annotations

import os
from pathlib import Path

import typer

from assay.cli.options import command, open_games
from assay.cli.output import say
from assay.errors import InputError
from assay.settings import names_server


@command(prints=False)
def serve(
    folder: Path | None = typer.Argument(
        None,
        metavar="FOLDER",
        help="Folder that keeps games and analyses: a workspace, or one that has or gets one, "
        "games.assay; or a PGN file, or an account: lichess:NAME. If not given: this folder.",
        show_default=False,
    ),
    port: int | None = None,
    no_browser: bool = False,
    host: str = "127.0.0.1",
    most: float = 500.0,
    export: Path | None = None,
    recipe: str | None = None,
    engine: str | None = None,
    jobs: int | None = None,
    time: str | None = None,
    min_turns: int | None = None,
) -> None:
    """The same in a browser: drop games, watch them being analysed, look at players and games.

    $ assay serve

    Server:
    --port N (0..65535)  Port to listen at. If not given: 8765, or the next that is free.
    --no-browser  Only print the address.
    --host ADDRESS  Listen there too, such as 0.0.0.0 for other machines: the address then has a token.
    --most MB (0.001..)  The largest upload.
    --export FOLDER  Write the pages of tournaments, players and games as files for a site, and end.
    """
    try:
        from assay.web.server import serve as run
        from assay.web.site import Options, Site
    except ModuleNotFoundError as error:
        raise InputError(
            f"assay serve needs the package {error.name}: pip install starlette uvicorn"
        ) from None
    from assay.web.security import is_loopback

    options = Options(
        recipe=recipe,
        engine=engine,
        jobs=jobs,
        time=time,
        min_turns=min_turns,
        most_bytes=round(most * 1e6),
        anywhere=is_loopback(host),
    )
    place = folder or Path(os.environ.get("ASSAY_WORKSPACE") or ".")
    if names_server(place) or place.is_file():
        place = open_games(place).import_games().path
    site = Site(place, options)
    site.choice  # noqa: B018 - refuses what is no choice
    if export is not None:
        from assay.web.publish import publish

        say(f"{publish(site, export, say):,} pages written: open {export / 'index.html'}")
        return
    run(site, host=host, port=port, browser=not no_browser, say=say)
