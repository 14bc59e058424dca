"""What people say and how it is marked: layout, labels, amounts, dates, negation, and clashing statements."""
