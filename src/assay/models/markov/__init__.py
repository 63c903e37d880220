"""A game as a Markov chain of values (Alliot 2017, section 3.4)."""
