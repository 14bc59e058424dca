import unittest.mock
