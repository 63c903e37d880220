"""The vocabulary: evaluations, decisions, profiles, ratings, forecasts, table schemas."""
