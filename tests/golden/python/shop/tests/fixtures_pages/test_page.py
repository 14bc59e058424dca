def test_sample_page():
    pass
