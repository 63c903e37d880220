"""How the agent plays beside people, and whether it is rated as it is set."""
