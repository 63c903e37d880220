"""Ferreira 2012, Determining the strength of chess players based on actual play."""
