from collections.abc import Callable
from pathlib import Path
from typing import Any

from assay.web.pages.workspace import size_of
from assay.workspace import Workspace
from examples.served import whole


def test_what_is_there(served: Callable[..., Any], analysed: Path) -> None:
    client = served(analysed)
    found = client.get("/workspace", headers={"accept": "application/json"}).json()
    assert found == Workspace(client.site.folder.workspace).status()
    text = whole(client, "/workspace")
    assert "This machine" in text
    assert "few" in text
    assert size_of(client.site.folder.workspace) > 1000
