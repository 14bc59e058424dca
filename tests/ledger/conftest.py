from hypothesis import HealthCheck, settings

# The same examples in every run, and no verdict that depends on how busy the machine is.
settings.register_profile(
    "spine", deadline=None, derandomize=True, max_examples=60, suppress_health_check=[HealthCheck.too_slow]
)
settings.load_profile("spine")
