"""`python -m bench.hostile`: fuzz every reader; see `bench.hostile.fuzzing` for the options."""

import sys

from bench.hostile.fuzzing import main

sys.exit(main(sys.argv[1:]))
