"""The question and the answer of an engine: an ensemble of runs, and what became of them."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from zwang.engine.model import Array, Model

SINGULAR_CHART = 6


@dataclass(frozen=True)
class Ensemble:
    """Runs with consistent starts; arrays have the runs along their last axis."""

    parameters: Array  # (parameters, runs)
    q: Array  # (n, runs)
    v: Array  # (n, runs)
    t0: float
    end: float
    mu: Array  # ascending
    times: Array  # output grid, ascending; empty where no path is wanted
    tolerance: float

    @property
    def runs(self) -> int:
        """Return the number of runs."""
        return int(self.q.shape[1])

    def law_time(self, t: Array) -> Array:
        """Return times at which to evaluate the laws: a break at the very end does not count."""
        return np.minimum(t, np.nextafter(self.end, -np.inf))

    @property
    def duration(self) -> float:
        """Return the time every run is meant to last."""
        return self.end - self.t0


@dataclass(frozen=True)
class Motion:
    """Times (…), coordinates, rates, accelerations (n, …) and reactions (k, …)."""

    t: Array
    q: Array
    v: Array
    a: Array
    reactions: Array


@dataclass(frozen=True)
class Outcome:
    """What became of each run: summaries, the state at its end, and the path if wanted."""

    status: NDArray[np.intc]
    steps: NDArray[np.int_]
    time_reached: Array
    pivot: Array  # smallest pivot of M* or measure of the chart; NaN where not watched
    defect: Array  # largest gap of slopes between steps; NaN where not measured
    maximum: Array  # (runs, contacts)
    time_of_maximum: Array
    onset: Array  # (runs, contacts, mu)
    end: Motion
    path: Motion


def residual(model: Model, motion: Motion, parameters: Array, duration: float) -> Array:
    """Return ‖M q̈ − h − AᵀΛ‖∞ over the largest of its terms, of momentum / `duration` at least."""
    t, q, v = motion.t, motion.q, motion.v
    p = parameters.reshape(len(parameters), -1, *[1] * (q.ndim - 2))
    M = model.matrix("mass", t, q, v, p)
    A = model.matrix("constraint_matrix", t, q, v, p)
    h = model.vector("force", t, q, v, p)
    inertia = np.einsum("...ij,j...->...i", M, motion.a)
    reaction = np.einsum("...ki,k...->...i", A, motion.reactions)
    error = np.abs(inertia - h - reaction).max(-1)
    parts = [
        np.einsum("...ij,j...->...i", np.abs(M), np.abs(motion.a)),
        np.abs(h),
        np.einsum("...ki,k...->...i", np.abs(A), np.abs(motion.reactions)),
    ]
    scale = np.max([part.max(-1) for part in parts], axis=0)
    momentum = np.einsum("...ij,j...->...i", np.abs(M), np.abs(v)).max(-1)
    scale = np.maximum(scale, momentum / duration)  # where nothing acts, the motion is the measure
    with np.errstate(invalid="ignore"):
        return np.where(error == 0.0, 0.0, error / scale)


def power_balance(model: Model, motion: Motion, parameters: Array) -> Array:
    """Return dT/dt − Q·q̇ − Λᵀ A q̇: zero if energy goes where forces say."""
    t, q, v = motion.t, motion.q, motion.v
    p = parameters.reshape(len(parameters), -1, *[1] * (q.ndim - 2))
    momenta = model.vector("momenta", t, q, v, p)
    change = model.vector("energy_rate", t, q, v, p)[..., 0]
    change = change + np.einsum("...i,i...->...", momenta, motion.a)
    applied = model.vector("power", t, q, v, p)[..., 0]
    A = model.matrix("constraint_matrix", t, q, v, p)
    constraint = np.einsum("k...,...ki,i...->...", motion.reactions, A, v)
    return change - applied - constraint
