"""Starts `pk` on a host of a campaign: `launch.py SKEW FOLDER SEEN ARGUMENT…`, with FOLDER to be seen at SEEN.

`time.time` of this process is wrong by SKEW seconds; the processes of jobs have the machine's clock.
"""

from __future__ import annotations

import runpy
import subprocess
import sys
import time


def main() -> None:
    skew, folder, seen = float(sys.argv[1]), sys.argv[2], sys.argv[3]
    del sys.argv[1:4]
    if folder != "-":
        subprocess.run(["mount", "--bind", folder, seen], check=True)  # `ip netns exec` gave us mounts of our own
    right = time.time
    time.time = lambda: right() + skew
    runpy.run_module("pactkeeper", run_name="__main__", alter_sys=True)


if __name__ == "__main__":
    main()
