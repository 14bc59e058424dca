"""The only room that reads environment variables and a person's settings files; all else gets values handed in."""

from pactkeeper.settings.environment import Environment, environment

__all__ = ["Environment", "environment"]
