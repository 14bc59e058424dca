"""What grimp, the graph builder behind import-linter, says of the imports inside one installed or importable package.

    python grimp_imports.py FOLDER PACKAGE

FOLDER goes on `sys.path`. Prints a JSON list of [importing module, imported module].
"""

from __future__ import annotations

import json
import sys

import grimp


def main() -> int:
    sys.path.insert(0, sys.argv[1])
    graph = grimp.build_graph(sys.argv[2], include_external_packages=False, cache_dir=None)
    modules = sorted(graph.modules)
    edges = [[one, other] for one in modules for other in sorted(graph.find_modules_directly_imported_by(one))]
    json.dump(edges, sys.stdout)
    return 0


if __name__ == "__main__":
    sys.exit(main())
