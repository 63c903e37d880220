"""Skill as a posterior over stochastic agents (Di Fatta, Haworth, Regan 2009)."""
