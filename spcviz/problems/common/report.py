"""The form of every reproduced result: {name, source, rows, baselines, settings, data, machine, seconds}."""

import os
import platform

from spcviz.store import digest_of_arrays


def describe(name, source, rows, *, baselines, settings, data, seconds, **more):
    """Assemble a result for the JSON file.

    Parameters
    ----------
    name : str
        As on the command line.
    source : str
        Paper and table or figure.
    rows, baselines : list of dict
        Measured figures; a row may hold a ``paper`` object with the paper's.
    settings : dict
    data : dict of str to (dict of str to ndarray)
        Data sets used; their digests are written.
    seconds : float
    **more
        Further top-level entries.

    Returns
    -------
    dict
    """
    return {
        "name": name,
        "source": source,
        "rows": rows,
        "baselines": baselines,
        "settings": settings,
        "data_digests": {key: digest_of_arrays(arrays) for key, arrays in data.items()},
        "machine": machine(),
        "seconds": round(seconds, 1),
        **more,
    }


def machine():
    """What the times were measured on."""
    model = platform.processor() or platform.machine()
    try:
        with open("/proc/cpuinfo", encoding="utf-8") as file:
            model = next(line.split(":", 1)[1].strip() for line in file if line.startswith("model name"))
    except (OSError, StopIteration):
        pass  # not Linux
    return {
        "cpu": model,
        "cores": os.cpu_count(),
        "python": platform.python_version(),
        "system": platform.system(),
    }
