"""Lets `python -m pactkeeper` be the same program as `pk`."""

from pactkeeper.doors.cli.main import run

if __name__ == "__main__":
    run()
