"""Strength from results alone: the games as a table, the models, the baselines, tuning, forecasts."""
