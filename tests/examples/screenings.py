"""A screening, made up: one player who is named, with one game."""

from assay.answers.screening import Screened, ScreenedGame, Screening

STATISTICS = ("first", "equal", "three", "hard", "critical", "error", "elo", "all")
GAME = ScreenedGame(
    game="g1",
    about="against Bob, Open, 2020",
    turns=30,
    z=2.5,
    evidence=2e6,
    named=True,
    first_turn=(9, 12, 15),
)
ONE = Screened(
    player="Ann",
    group="",
    about="",
    games=1,
    decisions=30,
    reference=2000.0,
    rating_error=60.0,
    z=dict.fromkeys(STATISTICS, 3.2),
    observed={"first": 0.8, "equal": 0.85, "three": 0.95, "error": 0.01},
    expected={"first": 0.5, "equal": 0.55, "three": 0.8, "error": 0.06},
    p=0.0004,
    q=0.01,
    bonferroni=0.01,
    alike=0.02,
    evidence=2e6,
    flag="above",
    each_game=(GAME,),
)
RATES = tuple(
    {
        "games": n,
        "band": "all",
        "threshold": 2.326,
        "nominal": 0.01,
        "above": 0.012,
        "below": 0.009,
        "groups": 199,
    }
    for n in (1, 5)
)


def made(**changes: object) -> Screening:
    given = {
        "engine": "engine",
        "recipe": "standard",
        "recipe_id": "id",
        "by": "player",
        "players": (ONE,),
        "field": 30,
        "rates": RATES,
        "left_out": {"Bob": "3 turns, fewer than 20"},
    }
    return Screening(**(given | changes))  # type: ignore[arg-type]
