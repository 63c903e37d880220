import socket

import pytest

from assay.errors import AssayError
from assay.web.serving import address_of, listen


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
