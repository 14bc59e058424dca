def it_is_in_no_test_file():
    pass
