"""What a message changes in a draft by what it marks; what it does not mark is kept and changes nothing."""
