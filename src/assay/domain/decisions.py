"""The decisions table in memory."""


class Decisions:
    """One row per move played, with the value of every option."""
