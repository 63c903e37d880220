"""How often intervals hold the truth, by players who choose among all legal moves of real positions."""
