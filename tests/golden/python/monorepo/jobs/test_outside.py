def test_lies_outside_the_given_path():
    pass
