"""Python tests as programs whose strength can be compared."""
