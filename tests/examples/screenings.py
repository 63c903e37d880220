"""A screening, made up: one player whose play is unusual, with one game and one decision."""

from assay.answers.screening import Screened, ScreenedGame, ScreenedTurn, Screening

STATISTICS = ("first", "sound", "error", "hard", "critical", "all")
GAME = ScreenedGame(
    game="g1",
    about="against Bob, Open, 2020",
    turns=30,
    z=2.5,
)
TURN = ScreenedTurn(
    game="against Bob, Open, 2020",
    move=21,
    position="8/5pk1/6p1/1R5p/P6P/5PPK/r7/8 w - -",
    played="a4a5",
    best="b5b7",
    loss=3.0,
    share=0.4,
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
    observed={"first": 0.8, "sound": 0.85, "error": 0.01},
    expected={"first": 0.5, "sound": 0.55, "error": 0.06},
    p=0.0004,
    q=0.01,
    flag="above",
    each_game=(GAME,),
    turns=(TURN,),
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
        "naming": 5,
        "rates": RATES,
        "opens": {"by_games": [{"opens": 200, "players": 120, "games": 9, "named": 7}]},
        "norms": {"games": 560, "players": 773, "made_by": "a command"},
        "left_out": {"Bob": "3 moves, fewer than 20"},
    }
    return Screening(**(given | changes))  # type: ignore[arg-type]
