import pytest

from assay.errors import EngineError
from assay.web.sentences import sentence_of


@pytest.mark.parametrize(
    ("error", "said"),
    [
        (EngineError("the engine died"), "the engine died"),
        (OSError(28, "No space left on device"), "the disk is full"),
        (PermissionError(13, "Permission denied", "/somewhere"), "/somewhere may not be read or written"),
        (MemoryError(), "not enough memory"),
    ],
)
def test_what_is_said(error: BaseException, said: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert said in sentence_of(error)
    assert capsys.readouterr().err == ""


def test_a_fault_of_ours_is_told_to_the_terminal(capsys: pytest.CaptureFixture[str]) -> None:
    assert "(KeyError)" in sentence_of(KeyError("secret"))
    assert "KeyError: 'secret'" in capsys.readouterr().err
