"""The answer of `assay remove`: what went, and where else a name may stand."""

from pathlib import Path

from assay.cli.answers.base import Answer, sentence
from assay.settings import NAME as SETTINGS
from assay.workspace.removal import Removal, RemovalReport
from assay.workspace.repair import DAMAGED

_MOST_NAMES = 8


def planned_sentence(planned: Removal) -> str:
    """What would go, in a few words."""
    names = sorted(planned.players.to_pylist())
    more = f" and {len(names) - _MOST_NAMES:,} more" if len(names) > _MOST_NAMES else ""
    whom = f", and all that is known of {'; '.join(names[:_MOST_NAMES])}{more}" if names else ""
    games = "1 game" if len(planned) == 1 else f"{len(planned):,} games"
    files = "the file" if planned.set_aside == 1 else f"the {planned.set_aside:,} files"
    aside = f", and {files} set aside in its folder {DAMAGED}" if planned.set_aside else ""
    return f"{games}, {len(planned.positions):,} positions that no other game has{whom}{aside}"


def removal_answer(place: Path, planned: Removal, report: RemovalReport) -> Answer:
    """How much went."""
    text = (
        f"removed from {place}: {report.games:,} games, {report.players:,} players, {report.analyses:,} "
        f"analysed positions; a file that they came from would bring them back if it is imported again"
    )
    if _is_named_in(place / SETTINGS, planned):
        text += f"; {place / SETTINGS} still names them: edit it"
    return sentence(text, report.as_dict())


def _is_named_in(path: Path, planned: Removal) -> bool:
    """Whether a name that went stands in the settings, which are the user's own."""
    try:
        written = path.read_text(encoding="utf-8", errors="replace")
    except OSError:
        return False
    return any(name in written for name in [*planned.names.to_pylist(), *planned.players.to_pylist()])
