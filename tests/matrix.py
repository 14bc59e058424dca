"""Rows of a matrix of which a few stay in `make test`; the others are slow."""

import pytest


def some_stay(rows, *, each=0, these=()):
    """The rows for `parametrize`, all slow but those named in `these` and every one after `each` others."""
    return [_row(row, stays=row in these or (each and not number % each)) for number, row in enumerate(rows)]


def _row(row, *, stays):
    values = row if isinstance(row, tuple) else (row,)
    return pytest.param(*values, marks=() if stays else pytest.mark.slow)
