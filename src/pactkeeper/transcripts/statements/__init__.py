"""What a sentence says so that another one can deny it: dates, amounts, owners, names, choices, what is given up."""
