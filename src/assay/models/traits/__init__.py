"""Traits of play: many features of moves and positions, weighed as the mileposts teach."""
