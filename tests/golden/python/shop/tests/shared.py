def test_every_version_is_documented(version):
    pass
