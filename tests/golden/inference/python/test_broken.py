def test_before_the_break():
    assert total() == 3


def test_broken(
    assert total( == 3


def test_after_the_break():
    with pytest.raises(ValueError
        total(-1)
