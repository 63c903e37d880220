"""Where a rating lies beyond all that it was made from, the output says why, in one line.

One method alone, or one game alone, is unsure and therefore drawn to the prior; all together are surer, and
drawn less. So a combined rating may lie beyond those of its methods, and games together may lie beyond each
of them, without any contradiction. No method has a negative weight (assay.rating.posterior), so without a
prior all together would lie among them.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from assay.answers.ratings import PlayerRating, Rating

SURER = "each method alone is unsure and drawn to the prior, all together are surer and drawn less"

_SHOWN = 2
"""How many are named."""


def why_beyond(combined: Rating, single: Iterable[Rating]) -> str:
    """Why a combined rating is beyond those of its methods as they are printed; empty where it is not."""
    return SURER if beyond(combined.elo, [one.elo for one in single]) else ""


def beyond(one: float, others: Sequence[float]) -> bool:
    """Whether a rating is printed as less than the least of some, or more than the most."""
    whole = [round(other) for other in others]
    return len(whole) > 1 and not min(whole) <= round(one) <= max(whole)


def method_notes(players: Iterable[PlayerRating]) -> tuple[str, ...]:
    """Who is rated beyond all methods, and why: one line."""
    found: dict[str, list[str]] = {}
    for one in players:
        if one.combined is not None and one.combined.note:
            found.setdefault(one.combined.note, []).append(one.title)
    said = "; ".join(f"{_named(titles)} ({why})" for why, titles in found.items())
    return (f"Rated beyond every single method: {said}.",) if said else ()


def game_notes(games: Sequence[PlayerRating], together: Mapping[str, Rating]) -> tuple[str, ...]:
    """Whose games together make a rating beyond each of them: one line."""
    elos: dict[str, list[float]] = {}
    for one in games:
        if one.combined is not None:
            elos.setdefault(one.player, []).append(one.combined.elo)
    found = []
    for player, whole in together.items():
        single = elos.get(player, [])
        if beyond(whole.elo, single):
            low, high = min(single), max(single)
            found.append(f"{player} ({whole.elo:.0f}, single games {low:.0f} to {high:.0f})")
    if not found:
        return ()
    return (
        f"Together beyond each of their games: {_named(found)}. Why: one game is unsure and drawn to the "
        "prior, all together are surer and drawn less.",
    )


def _named(titles: Sequence[str]) -> str:
    more = f" and {len(titles) - _SHOWN:,} more" if len(titles) > _SHOWN else ""
    return "; ".join(titles[:_SHOWN]) + more
