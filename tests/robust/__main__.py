"""``python -m tests.robust NAME SEED CASES``: runs one check and prints a line of JSON."""

import json
import os
import sys

from tests.robust.checks import find


def _peak_mb():
    try:
        import resource
    except ImportError:  # not on Windows
        return None
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1000


if __name__ == "__main__":
    name, seed, cases = sys.argv[1:]
    findings = find(name, int(seed), int(cases))
    times = os.times()
    spent = times.user + times.system + times.children_user + times.children_system
    print(json.dumps(findings._asdict() | {"cpu_seconds": round(spent, 2), "peak_mb": _peak_mb()}))
