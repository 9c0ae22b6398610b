"""Works that the tests run in confined processes, some of which take more than they may."""

import os
import signal
import sys
import time

from spcviz.engine.errors import ArgumentError


def double(about, data):
    return {"n": about["n"] * 2}, [data, data]


def refuse(about, data):
    raise ArgumentError(f"file: is of {len(data)} bytes")


def stumble(about, data):
    return {"n": about["missing"]}, []


def spin(about, data):
    while True:
        pass


def sleep(about, data):
    time.sleep(600)


def nap(about, data):
    time.sleep(about["seconds"])
    return {"parent": os.getppid()}, []


def descriptors(about, data):
    return {"n": len(os.listdir("/proc/self/fd"))}, []


def grow(about, data):
    return {}, [bytes(2 << 30)]


def talk(about, data):
    return {}, [bytes(1 << 20)] * 1000


def die(about, data):
    os.kill(os.getpid(), signal.SIGKILL)


def write(about, data):
    with open("/tmp/spcviz-confined-test", "wb") as file:
        file.write(bytes(10))
    return {}, []


def open_many(about, data):
    return {}, [b"%d" % len([open("/dev/null", "rb") for _ in range(200)])]


def nothing(about, data):
    sys.stdout.buffer.write(b"no JSON\n")
    return {}, []


SLOWLY = 4.0


def load_slowly(*who):
    """Ready at once without arguments."""
    time.sleep(SLOWLY if who else 0)
