def test_lies_outside_testpaths():
    pass
