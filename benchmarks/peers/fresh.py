"""What is measured in a process of its own: memory and cost of many runs, loading a kernel.

Nothing here imports sympy, as in a job that only simulates.
"""

from __future__ import annotations

import json
import resource
import sys
import time
from itertools import pairwise
from pathlib import Path

RUNS_PER_CALL = 4096  # as zwang.sweep takes them


def peak_memory() -> float:
    """Return the peak of this process's memory in MB.

    getrusage alone is no use under Linux: a child inherits the peak of the process that made it.
    """
    status = Path("/proc/self/status")
    if status.exists():
        line = next(line for line in status.read_text().splitlines() if line.startswith("VmHWM"))
        return float(line.split()[1]) / 1024
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024**2  # macOS counts bytes


def scaling(folder: str, runs: str, per_call: str, tolerance: str) -> str:
    """Return µs per run of the full task and the peak of memory in MB, as JSON."""
    import numpy as np

    from peers import own
    from peers.car import MU, scattered
    from zwang.engine import compiled

    model, library = own.kept(Path(folder))

    def work(u: np.ndarray, A: np.ndarray) -> list[np.ndarray]:
        asked = own.question(model, u, A, float(tolerance), MU)
        found = own.answer(compiled.run(model, library, asked))
        return [found.state, found.maximum, found.t_maximum, found.onset]

    u, A = scattered(int(runs))
    work(u[:64], A[:64])
    size = int(per_call)
    start = time.process_time()
    results = [work(u[i : i + size], A[i : i + size]) for i in range(0, len(u), size)]
    seconds = time.process_time() - start
    assert sum(len(part[0]) for part in results) == len(u)
    return json.dumps(
        {"us": 1e6 * seconds / len(u), "MB": peak_memory(), "sympy": "sympy" in sys.modules}
    )


def sweeping(runs: str, tolerance: str) -> str:
    """Return the same for `zwang.sweep` on one thread, the car already declared, as JSON."""
    from peers import own
    from peers.car import MU, scattered

    u, A = scattered(int(runs))
    own.sweep(u[:64], A[:64], float(tolerance), mu=MU)()
    call = own.sweep(u, A, float(tolerance), mu=MU)
    start = time.process_time()
    found = call()
    seconds = time.process_time() - start
    assert found.sizes["run"] == len(u)
    return json.dumps({"us": 1e6 * seconds / len(u), "MB": peak_memory()})


def loading(folder: str, tolerance: str) -> str:
    """Return the time in s by the clock from nothing to the first run's result, by part, as JSON.

    Not CPU time, because a part of it is spent in the compiler, which is asked for its version.
    """
    marks = {"start": time.perf_counter()}

    def mark(name: str) -> None:
        marks[name] = time.perf_counter()

    import numpy as np

    mark("numpy")
    from zwang.kernel import build

    mark("zwang.kernel.build")
    library = build.cached_library((Path(folder) / "kernel.c").read_text(encoding="utf-8"))
    mark("search in the cache")
    build.load(library)
    mark("library")
    from peers import own
    from peers.car import MU
    from zwang.engine import compiled

    mark("zwang.engine")
    model, _ = own.kept(Path(folder))
    mark("model")
    asked = own.question(model, np.array([10.0]), np.array([50.0]), float(tolerance), MU)
    compiled.run(model, library, asked)
    mark("first run")
    names = list(marks)
    parts = {b: marks[b] - marks[a] for a, b in pairwise(names)}
    return json.dumps({**parts, "sympy": "sympy" in sys.modules})
