"""Pactkeeper keeps what a team declared and what is really there in agreement."""
