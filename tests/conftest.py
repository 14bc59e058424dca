from hypothesis import settings

# A deadline measures the machine, and tests say what holds on every machine.
settings.register_profile("any machine", deadline=None)
settings.load_profile("any machine")
