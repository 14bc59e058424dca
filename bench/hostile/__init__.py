"""A standing campaign against everything that one file, one kill or one clock could break."""
