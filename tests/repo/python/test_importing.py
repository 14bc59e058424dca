"""Which files of the repository Python's imports name."""

import pytest

from pactkeeper.repo.languages.python.adapter import PythonImporting
from tests.repo.imported import gaps, leads_to

IMPORTING = PythonImporting()
SHOP = {
    "src/shop/__init__.py": "",
    "src/shop/basket.py": "",
    "src/shop/orders/__init__.py": "",
    "src/shop/orders/paid.py": "",
    "src/plugins/card.py": "",
}


def imported(source, importer="tests/test_shop.py", more=()):
    return leads_to(IMPORTING, {**SHOP, **dict.fromkeys(more, ""), importer: source}, importer)


@pytest.mark.parametrize(
    ("source", "expected"),
    [
        ("import shop", ["src/shop/__init__.py"]),
        ("import shop.orders.paid", ["src/shop/orders/paid.py"]),
        ("from shop import basket", ["src/shop/basket.py"]),
        ("from shop import Basket", ["src/shop/__init__.py"]),
        ("from shop import basket, Basket", ["src/shop/basket.py", "src/shop/__init__.py"]),
        ("from shop.basket import Basket", ["src/shop/basket.py"]),
        ("from shop.orders import *", ["src/shop/orders/__init__.py"]),
        ("import os.path", ["<os"]),
        ("from httpx import get", ["<httpx"]),
    ],
)
def test_absolute_import_names_the_module_or_its_package(source, expected):
    assert imported(source) == expected


@pytest.mark.parametrize(
    ("source", "expected"),
    [
        ("from . import paid", ["src/shop/orders/paid.py"]),
        ("from . import Order", ["src/shop/orders/__init__.py"]),
        ("from .. import basket", ["src/shop/basket.py"]),
        ("from ..basket import Basket", ["src/shop/basket.py"]),
        ("from ...plugins import card", ["src/plugins/card.py"]),
    ],
)
def test_relative_import_starts_at_the_package_of_the_file(source, expected):
    assert imported(source, "src/shop/orders/open.py") == expected


def test_relative_import_in_a_package_itself_starts_inside_it():
    assert imported("from .paid import x", "src/shop/orders/__init__.py") == ["src/shop/orders/paid.py"]


def test_folder_without_init_is_a_package_whose_modules_count():
    assert imported("import plugins.card\nfrom plugins import card") == ["src/plugins/card.py"] * 2


def test_folder_inside_a_folder_is_no_file_and_not_lost():
    assert imported("from plugins import deep") == ["<plugins"]
    assert imported("from plugins import deep", more=["src/plugins/deep/x.py"]) == []


def test_folder_that_only_shares_the_name_of_a_foreign_package_is_not_it():
    files = {"celery/start.py": "", "app.py": "from celery import Celery\nimport celery\n"}
    assert leads_to(IMPORTING, files, "app.py") == ["<celery", "<celery"]


def test_file_that_wraps_a_package_of_its_own_name_imports_the_other():
    assert imported("import redis", "scripts/redis.py") == ["<redis"]


def test_helper_beside_a_test_is_found_without_a_package():
    files = {"tests/helpers.py": "", "tests/unit/test_a.py": "import helpers"}
    assert leads_to(IMPORTING, files, "tests/unit/test_a.py") == ["tests/helpers.py"]


@pytest.mark.parametrize(
    ("source", "lost"),
    [
        ("from . import gone", "?.gone"),
        ("from .gone import x", "?.gone"),
        ("import shop.gone", "?shop.gone"),
        ("from shop.gone import x", "?shop.gone"),
        ("from .....far import x", "?.....far"),
    ],
)
def test_name_of_the_repository_that_leads_nowhere_is_lost_and_not_foreign(source, lost):
    assert imported(source, "src/plugins/cash.py") == [lost]


def test_stub_or_extension_source_stands_for_its_module():
    files = {"a/__init__.py": "", "a/_fast.pyi": "", "a/_c.pyx": "", "a/b.py": "from ._fast import x\nfrom . import _c"}
    assert leads_to(IMPORTING, files, "a/b.py") == ["a/_fast.pyi", "a/_c.pyx"]


@pytest.mark.parametrize(
    ("name", "settings"),
    [
        ("pyproject.toml", '[tool.setuptools.package-dir]\n"" = "code"'),
        ("pyproject.toml", '[tool.setuptools.packages.find]\nwhere = ["code"]'),
        ("pyproject.toml", '[tool.hatch.build.targets.wheel]\npackages = ["code/mine"]'),
        ("pyproject.toml", '[tool.hatch.build.targets.wheel.sources]\n"code" = ""'),
        ("pyproject.toml", '[tool.poetry]\npackages = [{ include = "mine", from = "code" }]'),
        ("pyproject.toml", '[tool.pdm.build]\npackage-dir = "code"'),
        ("pyproject.toml", '[tool.uv.build-backend]\nmodule-root = "code"'),
        ("pyproject.toml", '[tool.maturin]\npython-source = "code"'),
        ("pyproject.toml", '[tool.pytest.ini_options]\npythonpath = ["code"]'),
        ("pytest.ini", "[pytest]\npythonpath = code"),
        ("setup.cfg", "[options]\npackage_dir =\n    = code"),
        ("setup.cfg", "[options.packages.find]\nwhere = code"),
        ("setup.py", 'from setuptools import setup\nsetup(package_dir={"": "code"})'),
        ("setup.py", 'import setuptools\nsetuptools.setup(packages=setuptools.find_packages("code"))'),
        ("setup.py", 'from setuptools import *\nsetup(packages=find_packages(where="code"))'),
    ],
)
def test_settings_name_the_folder_of_packages(name, settings):
    files = {"code/mine/__init__.py": "", "other/mine/__init__.py": "", "a.py": "import mine"}
    assert leads_to(IMPORTING, {**files, name: settings}, "a.py") == ["code/mine/__init__.py"]
    assert leads_to(IMPORTING, files, "a.py") == ["<mine"]


def test_settings_give_a_package_another_folder():
    settings = '[tool.setuptools.package-dir]\n"plug.inner" = "code/plug"'
    files = {"pyproject.toml": settings, "code/plug/__init__.py": "", "code/plug/x.py": ""}
    files["a.py"] = "import plug.inner.x\nfrom plug.inner import Y"
    assert leads_to(IMPORTING, files, "a.py") == ["code/plug/x.py", "code/plug/__init__.py"]


def test_of_two_folders_that_settings_name_the_nearer_one_counts():
    files = {"one/pyproject.toml": "", "two/pyproject.toml": '[tool.pdm.build]\npackage-dir = "code"'}
    files["one/pyproject.toml"] = files["two/pyproject.toml"]
    files |= {"one/code/mine.py": "", "two/code/mine.py": "", "one/a.py": "import mine", "two/a.py": "import mine"}
    assert leads_to(IMPORTING, files, "one/a.py") == ["one/code/mine.py"]
    assert leads_to(IMPORTING, files, "two/a.py") == ["two/code/mine.py"]


def test_settings_that_cannot_be_read_are_a_gap():
    (gap,) = gaps(IMPORTING, {"pyproject.toml": "[tool", "a.py": ""})
    assert gap.file == "pyproject.toml"
    assert gap.reason.startswith("the file cannot be read, so where its packages lie is unknown: ")


def test_installed_packages_are_no_part_of_the_structure():
    assert IMPORTING.sources(["a.py", "env/lib/site-packages/b.py", "node_modules/c/d.py", "e.pyi"]) == ["a.py"]
