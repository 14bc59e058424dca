"""The only package that reads environment variables and personal settings files; everything else is passed values."""

from pactkeeper.settings.environment import Environment, environment

__all__ = ["Environment", "environment"]
