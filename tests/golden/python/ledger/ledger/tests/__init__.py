from ..testing import AccountContract as Contract, LedgerTestCase
from .cases import *
