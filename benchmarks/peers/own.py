"""zwang: the kernel generated from the declared car."""

from __future__ import annotations

import ctypes
import json
import shutil
import time
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from peers.car import (
    DAMPING,
    DRIVE,
    END,
    FREQUENCY,
    MU,
    PARAMETERS,
    RESISTANCE,
    STIFFNESS,
    Array,
    Found,
    Solve,
)
from zwang.engine import compiled
from zwang.engine.ensemble import Ensemble, Outcome
from zwang.engine.model import Model, from_text
from zwang.engine.model import load as load_model
from zwang.engine.start import consistent_start
from zwang.kernel.build import cached_library

if TYPE_CHECKING:
    from zwang.codegen import Generated

NAME = "zwang"
INPUTS = {
    "F1": f"{DRIVE}",
    "F2": f"{RESISTANCE}*v",
    "L1": f"A*sin({FREQUENCY}*t)",
    "L2": f"{DAMPING}*theta_dot + {STIFFNESS}*theta",
}
INITIAL = dict.fromkeys(("phi", "theta", "x", "y", "theta_dot"), 0.0)


@cache
def generated(wanted: str = "reactions") -> Generated:
    """Return the texts made from the declared car and the task's inputs."""
    from zwang import systems
    from zwang.codegen import generate

    words = {"A": {"units": "N*m", "symbol": "A", "long_name": "amplitude of the torque"}}
    return generate(systems.car(), INPUTS, words, wanted=wanted)


@cache
def prepared(wanted: str = "reactions") -> tuple[Model, Path]:
    """Return the model and the compiled library of the car."""
    made = generated(wanted)
    return from_text(made.model, made.reference), cached_library(made.kernel)


def keep(folder: Path) -> None:
    """Store model and library in a folder, from which a process can start without symbols."""
    made = generated()
    (folder / "kernel.json").write_text(json.dumps(made.model), encoding="utf-8")
    (folder / "reference.py").write_text(made.reference, encoding="utf-8")
    (folder / "kernel.c").write_text(made.kernel, encoding="utf-8")
    shutil.copy(cached_library(made.kernel), folder / "kernel.so")


def kept(folder: Path) -> tuple[Model, Path]:
    """Return the model and the library stored in a folder."""
    return load_model(folder / "kernel.json", folder / "reference.py"), folder / "kernel.so"


def question(model: Model, u: Array, A: Array, tolerance: float, mu: tuple[float, ...]) -> Ensemble:
    """Return the ensemble of these runs with consistent starts."""
    values = {**PARAMETERS, "A": A}
    p = np.array(
        [np.broadcast_to(values.get(n, np.nan), u.size) for n in model.names("parameters")]
    )
    initial = {name: np.full(u.size, value) for name, value in INITIAL.items()}
    start = consistent_start(model, initial | {"u": u}, p, 0.0)
    asked = {
        "parameters": p,
        "q": start.q,
        "v": start.v,
        "t0": 0.0,
        "end": END,
        "mu": np.array(mu),
        "times": np.zeros(0),
        "tolerance": tolerance,
    }
    return Ensemble(**asked)


def answer(outcome: Outcome) -> Found:
    """Return what the task asks for."""
    if outcome.status.any():
        raise RuntimeError(f"{np.count_nonzero(outcome.status)} runs did not reach their end")
    (phi, theta, x, y), (_, spin, dx, dy) = outcome.end.q, outcome.end.v
    state = np.array([phi, theta, x, y, dx * np.cos(phi) + dy * np.sin(phi), spin]).T
    return Found(state, outcome.maximum, outcome.time_of_maximum, outcome.onset)


def full(tolerance: float) -> Solve:
    """Return the solver of the full task."""
    return _solver(tolerance, MU, "reactions")


def state(tolerance: float) -> Solve:
    """Return the solver for the final state, by a kernel that computes nothing else."""
    return _solver(tolerance, (), "states")


def _solver(tolerance: float, mu: tuple[float, ...], wanted: str) -> Solve:
    model, library = prepared(wanted)

    def solve(u: Array, A: Array) -> Found:
        return answer(compiled.run(model, library, question(model, u, A, tolerance, mu)))

    return solve


def call(
    u: Array,
    A: Array,
    tolerance: float,
    *,
    mu: tuple[float, ...] = MU,
    wanted: str = "reactions",
) -> Callable[[], Outcome]:
    """Return the engine's call for runs whose starts are already consistent: what is timed."""
    model, library = prepared(wanted)
    ensemble = question(model, u, A, tolerance, mu)
    return lambda: compiled.run(model, library, ensemble)


class Stopwatch:
    """The library with the CPU time of its last call of the kernel, without numpy in and out."""

    def __init__(self, library: ctypes.CDLL) -> None:
        self.library, self.seconds = library, 0.0

    def zwang_run(self, question: object) -> int:
        """Return what the kernel returns."""
        start = time.process_time()
        code = self.library.zwang_run(question)
        self.seconds = time.process_time() - start
        return int(code)


def kernel_seconds(timed: Callable[[], Outcome]) -> float:
    """Return the CPU time of the kernel alone in one call."""
    load = compiled.load
    watch: list[Stopwatch] = []

    def watched(path: Path) -> Stopwatch:
        watch.append(Stopwatch(load(path)))
        return watch[-1]

    compiled.load = watched  # type: ignore[assignment]
    try:
        timed()
    finally:
        compiled.load = load
    return watch[-1].seconds


def sweep(u: Array, A: Array, tolerance: float, **options: object) -> Callable[[], object]:
    """Return the public call for the same runs, on one thread."""
    import zwang

    car = zwang.systems.car()
    fixed: dict[str, Any] = dict(options)
    fixed["parameters"] = PARAMETERS | fixed.get("parameters", {})
    return lambda: zwang.sweep(
        car,
        points={"u_0": u, "A": A},
        inputs=INPUTS,
        initial=INITIAL,
        end=END,
        tolerance=tolerance,
        threads=1,
        **fixed,
    )


def sliding(u: Array, A: Array, tolerance: float, mu: float) -> Callable[[], object]:
    """Return the public call with Coulomb friction at both axles."""
    rough = {"mu_rear": mu, "mu_front": mu}
    return sweep(u, A, tolerance, contacts="coulomb", parameters=rough)
