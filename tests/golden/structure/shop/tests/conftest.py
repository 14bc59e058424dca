pytest_plugins = ["fixtures"]
