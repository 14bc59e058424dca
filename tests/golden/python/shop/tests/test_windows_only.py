import winreg


def test_registry():
    assert winreg
