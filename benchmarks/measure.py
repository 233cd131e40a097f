"""What the benchmarks share: turns, quartiles, fresh processes, tables in README.md."""

from __future__ import annotations

import os
import statistics
import subprocess
import sys
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path

HERE = Path(__file__).parent


def cpu_seconds(work: Callable[[], object]) -> float:
    """Return the CPU time of one call."""
    start = time.process_time()
    work()
    return time.process_time() - start


def in_turns(
    works: Mapping[str, Callable[[], float]], rounds: int, settle: int = 0
) -> dict[str, list[float]]:
    """Return what every work measured, by round; the order turns by one place each round.

    The first `settle` rounds are not kept.
    """
    names = list(works)
    measured: dict[str, list[float]] = {name: [] for name in names}
    for k in range(-settle, rounds):
        turn = k % len(names)
        for name in names[turn:] + names[:turn]:
            value = works[name]()
            if k >= 0:
                measured[name].append(value)
    return measured


def fresh(module: str, function: str, *arguments: object, imports: Sequence[str] = ()) -> str:
    """Return what a fresh process prints: `print(module.function(*arguments))`, given as texts.

    `imports` are loaded before, so that the function can time itself without them.
    """
    first = "".join(f"import {name}; " for name in imports)
    code = (
        f"import sys; sys.path.insert(0, sys.argv[1]); {first}import {module}; "
        f"print({module}.{function}(*sys.argv[2:]))"
    )
    done = subprocess.run(
        [sys.executable, "-c", code, str(HERE), *map(str, arguments)],
        capture_output=True,
        text=True,
        check=False,
        env={**os.environ, "OPENBLAS_NUM_THREADS": "1"},  # idle threads of BLAS burn CPU time
    )
    if done.returncode != 0:
        raise RuntimeError(f"{module}.{function} failed in a fresh process:\n{done.stderr[-2000:]}")
    return done.stdout.strip()


def middle(values: Sequence[float]) -> tuple[float, float, float]:
    """Return the median and the quartiles around it."""
    if len(values) < 2:
        return values[0], values[0], values[0]
    low, half, high = statistics.quantiles(values, n=4, method="inclusive")
    return half, low, high


def table(head: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """Return a Markdown table."""
    lines = [head, ["---"] * len(head), *rows]
    return "\n".join("| " + " | ".join(line) + " |" for line in lines)


def write_section(name: str, text: str) -> None:
    """Put the text between the markers of this name in README.md."""
    path = HERE / "README.md"
    start, stop = f"<!-- {name} -->\n", f"<!-- end {name} -->"
    content = path.read_text(encoding="utf-8")
    if start not in content or stop not in content:
        raise ValueError(f"README.md has no {start.strip()} ... {stop}; put the markers there")
    before, rest = content.split(start, 1)
    after = rest.split(stop, 1)[1]
    path.write_text(before + start + text.rstrip("\n") + "\n" + stop + after, encoding="utf-8")
