from .card import pay
