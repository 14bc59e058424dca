import redis
from redis import Redis


def client() -> Redis:
    return redis.Redis()
