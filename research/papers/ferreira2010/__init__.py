"""Ferreira 2010, Predicting the outcome of chess games based on historical data."""
