"""Evaluated games of a server: real moves, with values that differ by player, under made-up names."""

from random import Random

import chess

from examples.gain_examples import GAME


def _san() -> list[str]:
    board = chess.Board()
    found = []
    for uci in GAME["moves"]:
        move = chess.Move.from_uci(uci)
        found.append(board.san(move))
        board.push(move)
    return found


MOVES = _san()


def evaluated_game(
    number: int, white: str, black: str, chosen: Random, event: str = "Rated Blitz game"
) -> str:
    """One game with a value and a clock behind every move."""
    value, clocks = 20, [180.0, 180.0]
    words = []
    for ply, move in enumerate(MOVES):
        value += chosen.choice((-30, -10, 0, 10, 30)) - (ply % 2 * 2 - 1) * chosen.choice((0, 0, 0, -80))
        clocks[ply % 2] -= chosen.randint(0, 4)
        turn = f"{ply // 2 + 1}{'.' if ply % 2 == 0 else '...'}"
        clock = f"0:{clocks[ply % 2] // 60:02.0f}:{clocks[ply % 2] % 60:02.0f}"
        words.append(f"{turn} {move} {{ [%eval {value / 100:.2f}] [%clk {clock}] }}")
    elo = [1500 + 7 * (sum(name.encode()) % 40) for name in (white, black)]
    tags = {
        "Event": event,
        "Site": f"https://lichess.org/game{number}",
        "Date": f"{1100 + number}.01.01",  # so that none is a duplicate of another
        "White": white,
        "Black": black,
        "Result": "0-1",
        "WhiteElo": str(elo[0]),
        "BlackElo": str(elo[1]),
        "TimeControl": "180+0",
    }
    head = "\n".join(f'[{name} "{text}"]' for name, text in tags.items())
    return f"{head}\n\n{' '.join(words)} 0-1\n\n"


def evaluated_games(n_games: int, n_players: int = 5, seed: int = 1) -> str:
    """Games of some players among each other, a third of them rapid."""
    chosen = Random(seed)
    text = ""
    for number in range(n_games):
        white, black = chosen.sample([f"player{one}" for one in range(n_players)], 2)
        event = "Rated Rapid game" if number % 3 == 0 else "Rated Blitz game"
        text += evaluated_game(number, white, black, chosen, event)
    return text


def spelt_games() -> str:
    """Evaluated games of four players, two of whom are spelt in two ways, and copies of two of the games."""
    names = {"player1": ("Tal, Mikhail", "Tal, M"), "player2": ("Garry Kasparov", "Kasparov, Garry")}
    games = []
    for number, game in enumerate(evaluated_games(40, n_players=4).split("[Event ")[1:]):
        for player, spellings in names.items():
            game = game.replace(f'"{player}"', f'"{spellings[number % 2]}"')
        games.append(f"[Event {game}")
    other_spelling = games[8].replace("Tal, Mikhail", "Tal, M").replace("Garry Kasparov", "Kasparov, Garry")
    return "".join((*games, games[3], other_spelling))
