"""Cost and accuracy of zwang's engine beside scipy, heyoka and numba on one task.

Run: python benchmarks/engines.py [--quick] [--write]; with --write the tables in README.md are
replaced. The task: the car that does not slip for 5 s, its final state, the maxima of |Λ|/N with
their times, and the first times |Λ| = μN for two μ, on a grid of speeds and steering torques.

Every engine gets the largest tolerance that meets the rule of accuracy on a 10 by 10 grid; 300
random points, which the choice never saw, check it. Engines take turns in one process; ratios are
formed within a round.
"""

from __future__ import annotations

import argparse
import importlib
import json
import tempfile
from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from types import ModuleType

import measure
import numpy as np
from peers import car, fresh, own
from peers.car import Array, Found, Solve

ROUNDS = 15
STATE_RULE, TIME_RULE = 1e-10, 1e-9  # relative to max(1, |state|); s
TOLERANCES = tuple(10.0 ** (-k / 2) for k in range(14, 27))  # 1e-7 … 1e-13
BOUND = 2.4  # µs: flops of a Taylor method of order 12 without events at the peak of one core
STANDARD = 1e-12  # zwang's own default
SIZES = (10_000, 100_000, 1_000_000)
FLAT, MEMORY, LOAD = 0.10, 600.0, 0.05  # share, MB, s
SLIDING_MU, SLIDING_BAR = 0.6, 2.5
HELD, SLIDING = "sweep, full", f"sweep, stick-slip (Coulomb, μ = {SLIDING_MU})"
ENGINE, SWEEP = f"engine, calls of {fresh.RUNS_PER_CALL}", "zwang.sweep, one thread"
TRIES = 5


@dataclass(frozen=True)
class Errors:
    """Worst errors against the reference; onset and maximum times in s, counts of onsets."""

    state: float
    onset: float = np.nan
    maximum: float = np.nan
    missed: int = 0
    spurious: int = 0

    @property
    def within(self) -> bool:
        """Return whether the rule of accuracy is met."""
        times = [e for e in (self.onset, self.maximum) if not np.isnan(e)]
        exact = self.missed == self.spurious == 0
        return self.state <= STATE_RULE and all(e <= TIME_RULE for e in times) and exact


@dataclass(frozen=True)
class Row:
    """One engine on one task: how to make it, how many runs a round times, the bar it faces."""

    name: str
    task: str
    make: Callable[[float], Solve]
    runs: tuple[Array, Array]
    bar: float | None = None
    against: str = "zwang full"
    tolerances: tuple[float, ...] = TOLERANCES
    tolerance: float = np.nan
    grid: Errors | None = None
    random: Errors | None = None

    @property
    def key(self) -> str:
        """Return the row's name within a run of the benchmark."""
        return f"{self.name} {self.task}"


def errors(found: Found, reference: Found) -> Errors:
    """Return the worst differences between what an engine found and the reference."""
    R = reference.state
    state = float((np.abs(found.state - R) / np.maximum(1.0, np.abs(R))).max())
    if found.onset is None or found.onset.size == 0:
        return Errors(state)
    lost, never = np.isnan(found.onset), np.isnan(reference.onset)
    return Errors(
        state,
        float(np.abs(found.onset - reference.onset)[~lost & ~never].max()),
        float(np.abs(found.t_maximum - reference.t_maximum).max()),
        int((lost & ~never).sum()),
        int((never & ~lost).sum()),
    )


def state_only(found: Found) -> Found:
    """Return the final state without the events an engine may have found beside it."""
    return Found(found.state)


def peers() -> tuple[dict[str, ModuleType], list[str]]:
    """Return the peers that can be imported, and a line for each that cannot."""
    found, lines = {}, []
    for name in ("scipy_dop853", "heyoka_taylor", "numba_dop853"):
        try:
            found[name] = importlib.import_module(f"peers.{name}")
        except ImportError as error:
            lines.append(f"- Left out: {name.split('_')[0]} cannot be imported ({error}).")
    return found, lines


def rows(modules: dict[str, ModuleType]) -> list[Row]:
    """Return the rows of the table, not yet tuned."""
    many, some = car.grid(60), car.grid(40)
    ten = np.arange(10)
    speeds, torques = (np.unique(axis) for axis in car.grid(10))
    few = speeds, torques[3 * ten % 10]  # every speed and every torque once
    out = [
        Row("zwang", "full", own.full, many),
        Row("zwang, default tolerance", "full", own.full, many, tolerances=(STANDARD,)),
        Row("zwang", "state", own.state, many),
    ]
    if "numba_dop853" in modules:
        peer = modules["numba_dop853"]
        out.append(Row(peer.NAME, "full", peer.full, some, 4.0))
    if "heyoka_taylor" in modules:
        peer = modules["heyoka_taylor"]
        out.append(Row(peer.NAME, "full", peer.full, some, 12.0))
        out.append(Row(peer.NAME, "state", peer.state, many, 1.0, "zwang state"))
    if "scipy_dop853" in modules:
        peer = modules["scipy_dop853"]
        out.append(Row(peer.NAME, "full", peer.full, few, 2000.0))
        out.append(Row(f"{peer.NAME} to math", "full", peer.full_with_math, few))
    return out


def reference(modules: dict[str, ModuleType]) -> tuple[Solve, str]:
    """Return the solver behind the errors and a line about it."""
    tight = 1e-13
    strict = modules["scipy_dop853"].full(tight)
    if "heyoka_taylor" not in modules:
        return strict, f"scipy's DOP853 at tolerance {tight:g}"
    wide = modules["heyoka_taylor"].extended()
    u, A = car.scattered(20, seed=7)
    e = errors(strict(u, A), wide(u, A))
    line = (
        "heyoka in 80-bit numbers at tolerance 1e-18 (heyoka's own errors are against that); "
        f"scipy's DOP853 at {tight:g} differs from it on 20 other points by {e.state:.0e} (state), "
        f"{e.onset:.0e} s (onsets), {e.maximum:.0e} s (maxima)"
    )
    return wide, line


def tuned(row: Row, truth: dict[str, Found]) -> Row:
    """Return the row with the largest tolerance that meets the rule on the grid, and its errors.

    If none does, it has the last one, and the table says so.
    """
    keep = state_only if row.task == "state" else lambda found: found
    for tolerance in row.tolerances:
        solve = row.make(tolerance)
        on_grid = errors(keep(solve(*car.grid(10))), truth["grid"])
        if on_grid.within:
            break
    at_random = errors(keep(solve(*car.scattered(300))), truth["random"])
    return replace(row, tolerance=tolerance, grid=on_grid, random=at_random)


def work(row: Row) -> Callable[[], float]:
    """Return what measures one round of a row, in µs of CPU time per run."""
    u, A = row.runs
    if row.name.startswith("zwang"):
        options = {"mu": (), "wanted": "states"} if row.task == "state" else {}
        call: Callable[[], object] = own.call(u, A, row.tolerance, **options)
        call()
    else:
        # Where an integrator's arrays lie in memory changes its speed by up to half.
        made = [partial(row.make(row.tolerance), u, A) for _ in range(TRIES)]
        call = min(made, key=lambda one: min(measure.cpu_seconds(one) for _ in range(3)))
    return lambda: 1e6 * measure.cpu_seconds(call) / u.size


def cell(values: list[float], digits: int = 3) -> str:
    """Return median and quartiles for the table."""
    half, low, high = (
        f"{v:.{digits}g}" if v < 1000 else f"{v:.0f}" for v in measure.middle(values)
    )
    return f"{half} ({low} to {high})"


def ratios(times: dict[str, list[float]], of: str, to: str) -> list[float]:
    """Return the ratios of two rows, round by round."""
    return [a / b for a, b in zip(times[of], times[to], strict=True)]


def verdict(good: bool) -> str:
    """Return the word for a bar."""
    return "met" if good else "not met"


def main_table(tuned_rows: list[Row], times: dict[str, list[float]]) -> str:
    """Return the table of all engines."""
    lines = []
    for row in tuned_rows:
        assert row.grid is not None
        assert row.random is not None
        g, r = row.grid, row.random
        values = ratios(times, row.key, "zwang full")
        bar = ""
        if row.bar is not None:
            own_ratio = measure.middle(ratios(times, row.key, row.against))[0]
            what = "" if row.against == "zwang full" else f" of {row.against}: {own_ratio:.2g}"
            bar = f"≥ {row.bar:g}{what}: {verdict(own_ratio >= row.bar)}"
        pairs = [f"{g.state:.0e} / {r.state:.0e}"]
        for a, b in ((g.onset, r.onset), (g.maximum, r.maximum)):
            pairs.append("" if np.isnan(a) else f"{a:.0e} / {b:.0e}")
        wrong = "" if np.isnan(g.onset) else f"{g.missed + r.missed} / {g.spurious + r.spurious}"
        lines.append(
            [
                row.name,
                row.task,
                f"{row.tolerance:.1e}",
                cell(times[row.key]),
                cell(values),
                bar,
                f"{measure.middle(times[row.key])[0] / BOUND:.1f}",
                *pairs,
                wrong,
                verdict(g.within and r.within),
            ]
        )
    head = [
        *("engine", "task", "tolerance", "CPU [µs] per run", "ratio to zwang full", "bar"),
        *("× 2.4 µs", "state error, grid / random", "onset error [s]", "maximum's time error [s]"),
        *("onsets missed / spurious", "accuracy"),
    ]
    return measure.table(head, lines)


def parts(row: Row, rounds: int) -> tuple[str, str]:
    """Return where zwang's time goes, as a table, and the line about stick and slip.

    Whole calls and the kernel alone; with and without events; the public call; with friction.
    """
    u, A = row.runs
    calls: dict[str, Callable[[], object]] = {}
    for tolerance in (row.tolerance, STANDARD):
        made = {
            "engine, full": own.call(u, A, tolerance),
            "engine, no thresholds": own.call(u, A, tolerance, mu=()),
            HELD: own.sweep(u, A, tolerance, mu=car.MU),
        }
        made["engine, states only"] = own.call(u, A, tolerance, mu=(), wanted="states")
        made[SLIDING] = own.sliding(u, A, tolerance, SLIDING_MU)
        calls |= {f"{name}|{tolerance:.1e}": call for name, call in made.items()}
    works = {f"{key}|whole": partial(measure.cpu_seconds, call) for key, call in calls.items()}
    works |= {f"{key}|kernel": partial(own.kernel_seconds, call) for key, call in calls.items()}
    times = {
        key: [1e6 * seconds / u.size for seconds in values]
        for key, values in measure.in_turns(works, rounds, settle=1).items()
    }
    lines = [
        [*key.split("|"), cell(times[f"{key}|whole"]), cell(times[f"{key}|kernel"])]
        for key in calls
    ]
    head = ["zwang", "tolerance", "whole call [µs] per run", "kernel alone [µs] per run"]
    slip = ratios(times, *(f"{name}|{STANDARD:.1e}|kernel" for name in (SLIDING, HELD)))
    line = (
        f"- {SLIDING}: {cell(slip)} times the kernel's time without slip at tolerance "
        f"{STANDARD:g}, ≤ {SLIDING_BAR}: {verdict(measure.middle(slip)[0] <= SLIDING_BAR)}."
    )
    return measure.table(head, lines), line


def scaling_table(folder: Path, tolerance: float, quick: bool) -> str:
    """Return cost per run and memory against the number of runs, each in a fresh process."""
    sizes = SIZES[:2] if quick else SIZES
    works: dict[str, Callable[[], dict]] = {}
    for runs in sizes:
        arguments = (folder, runs, fresh.RUNS_PER_CALL, tolerance)
        works[f"{ENGINE}|{runs}"] = partial(_fresh, "scaling", *arguments)
        works[f"{SWEEP}|{runs}"] = partial(_fresh, "sweeping", runs, tolerance)
    measured = _turns(works, 1 if quick else 3)
    lines = []
    for name in (ENGINE, SWEEP):
        mine = [measured[f"{name}|{runs}"] for runs in sizes]
        costs = [measure.middle([m["us"] for m in ms])[0] for ms in mine]
        flat = max(costs) / min(costs) - 1.0
        for runs, cost, ms in zip(sizes, costs, mine, strict=True):
            peak = max(m["MB"] for m in ms)
            small = f"{peak:.0f}, ≤ {MEMORY:.0f}: {verdict(peak <= MEMORY)}"
            lines.append([name, f"{runs}", f"{cost:.3g}", small])
        spread = f"{100 * flat:.0f} %, ≤ {100 * FLAT:.0f} %: {verdict(flat <= FLAT)}"
        lines.append([name, "largest difference", spread, ""])
    return measure.table(["zwang full", "runs", "CPU [µs] per run", "peak memory [MB]"], lines)


def loading_line(folder: Path, rounds: int) -> str:
    """Return the sentence about a kernel that is already compiled, loaded by a fresh process."""
    measured = [_fresh("loading", folder, STANDARD) for _ in range(rounds)]
    symbols = "sympy was loaded" if any(m.pop("sympy") for m in measured) else "without sympy"
    parts = {name: measure.middle([m[name] for m in measured])[0] for name in measured[0]}
    load = parts["search in the cache"] + parts["library"] + parts["model"]
    listed = ", ".join(f"{name} {1e3 * seconds:.1f}" for name, seconds in parts.items())
    return (
        f"- A fresh process ({symbols}) needs, in ms by the clock: {listed}. Search, "
        f"library and model, the load itself: {load:.4f} s, ≤ {LOAD} s: {verdict(load <= LOAD)}."
    )


def _fresh(function: str, *arguments: object) -> dict:
    return json.loads(measure.fresh("peers.fresh", function, *arguments))


def _turns(works: dict[str, Callable[[], dict]], rounds: int) -> dict[str, list[dict]]:
    measured: dict[str, list[dict]] = {key: [] for key in works}
    for _ in range(rounds):
        for key, one in works.items():
            measured[key].append(one())
    return measured


def report(quick: bool) -> str:
    """Return everything measured as Markdown."""
    rounds = 3 if quick else ROUNDS
    modules, notes = peers()
    if "scipy_dop853" not in modules:
        raise RuntimeError("scipy and sympy are needed for the reference; install zwang first")
    solve, about = reference(modules)
    truth = {"grid": solve(*car.grid(10)), "random": solve(*car.scattered(300))}
    all_rows = [tuned(row, truth) for row in rows(modules)]
    works = {row.key: work(row) for row in all_rows}
    times = measure.in_turns(works, rounds, settle=1)
    base = all_rows[0]
    onsets = sum(int(np.isfinite(found.onset).sum()) for found in truth.values())
    notes.append(
        f"- Reference: {about}. It has {onsets} onsets in {100 + 300} runs. Accuracy is met if "
        f"|z − R| ≤ {STATE_RULE:.0e} max(1, |R|), times are within {TIME_RULE:.0e} s, and no onset "
        "is missed or spurious, on the grid and on the random points."
    )
    if any(r.name.startswith("scipy") and (r.grid.missed or r.random.missed) for r in all_rows):
        notes.append(
            "- scipy compares signs at the ends of its steps: it misses an onset where |Λ| passes "
            "μN and comes back within one step."
        )
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        own.keep(folder)
        scaling = scaling_table(folder, base.tolerance, quick)
        notes.append(loading_line(folder, 3 if quick else 9))
    inside, slip = parts(base, rounds)
    notes.append(slip)
    return "\n\n".join([main_table(all_rows, times), inside, scaling, "\n".join(notes)])


def main() -> None:
    """Print the tables; with --write put them into README.md."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--write", action="store_true", help="replace the tables in README.md")
    parser.add_argument("--quick", action="store_true", help="few rounds, no million of runs")
    chosen = parser.parse_args()
    measured = report(chosen.quick)
    print(measured)
    if chosen.write:
        measure.write_section("engines", measured)


if __name__ == "__main__":
    main()
