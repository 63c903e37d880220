from collections.abc import Callable
from pathlib import Path
from typing import Any

from examples.served import whole


def test_without_a_scale_there_is_nothing_to_hold_moves_against(
    served: Callable[..., Any], analysed: Path
) -> None:
    client = served(analysed)
    assert "nothing to hold the moves against" in whole(client, "/screen")
    assert client.get("/screen?as=json").status_code == 422
