def changes():
    return []
