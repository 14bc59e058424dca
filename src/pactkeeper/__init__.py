"""Pactkeeper keeps what a team declared and what is really there in agreement."""

__version__ = "0.1.0"
