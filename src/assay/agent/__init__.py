"""A sparring partner that plays like a person of a given Elo, as a UCI engine."""
