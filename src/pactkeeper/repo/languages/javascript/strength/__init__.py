"""JavaScript's and TypeScript's tests as programs whose strength can be compared."""
