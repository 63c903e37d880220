"""Reading games: PGN, comments, players, exclusions."""
