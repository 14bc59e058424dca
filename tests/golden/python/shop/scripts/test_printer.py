def test_print_page():
    raise SystemExit("prints a page; lies outside testpaths")
