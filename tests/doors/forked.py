"""A program that asks the server of `tests.doors.forking` for a process with our arguments, folder, environment and
streams, and ends as that process does: in a twentieth of the time in which an interpreter has imported what `pk` needs.

It is started as a file, without `site`, and therefore imports nothing of ours.
"""

import json
import os
import signal
import socket
import sys


def main(place, arguments):
    with socket.socket(socket.AF_UNIX) as connection:
        connection.connect(place)
        socket.send_fds(connection, [b"."], [0, 1, 2])
        asked = {"arguments": arguments, "cwd": os.getcwd(), "env": dict(os.environ)}  # noqa: PTH109 - pathlib takes long to import
        connection.sendall(json.dumps(asked).encode() + b"\n")
        with connection.makefile() as answers:
            (code,) = json.loads(answers.readline())
    if code is None or code < 0:
        os.kill(os.getpid(), -code if code else signal.SIGKILL)
    sys.exit(code)


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2:])
