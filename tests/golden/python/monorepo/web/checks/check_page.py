def it_shows_the_title():
    pass


def test_is_not_configured():
    pass


class DescribePage:
    def should_have_a_footer(self):
        pass

    def test_is_no_test_here(self):
        pass


class MenuSpec:
    def it_opens(self):
        pass


class TestMenu:
    def it_is_in_no_test_class(self):
        pass
