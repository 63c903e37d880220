"""Di Fatta, Haworth, Regan 2009, Skill rating by Bayesian inference."""
