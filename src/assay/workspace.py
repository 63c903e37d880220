"""The one place that knows where files live."""


class Workspace:
    """A folder that holds the tables of one study."""
