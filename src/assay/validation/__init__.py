"""Splits, metrics, baselines, backtests, the reproduction of published numbers."""
