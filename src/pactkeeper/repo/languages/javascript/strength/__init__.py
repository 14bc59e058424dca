"""JavaScript and TypeScript tests as programs whose strength can be compared."""
