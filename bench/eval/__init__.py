"""How well answerers word tests, and how well links are found: the harness behind the tables in this folder."""
