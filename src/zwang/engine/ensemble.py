"""The question and the answer of an engine: an ensemble of runs, and what became of them."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from zwang.engine.model import Array, Model, Motion, times

SINGULAR_CHART = 6
ENDED = 9  # the mode of a contact after the time reached
EVENT_LIMIT = 10_000


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
    event_room: int = 0  # changes of mode kept of each run
    event_limit: int = EVENT_LIMIT  # changes of mode after which a run ends

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
class Slip:
    """What contacts that may slide did; the second axis counts the model's `switching` ones."""

    first: Array  # (runs, switching), time of the first release; NaN where it never comes
    duration: Array  # (runs, switching)
    distance: Array  # (runs, switching)
    mode_end: NDArray[np.intc]  # (runs, switching): 0 held, otherwise the sign of the slip
    mode: NDArray[np.intc]  # (runs, times, switching); ENDED after the time reached
    count: NDArray[np.int_]  # (runs,)
    time: Array  # (runs, event_room), NaN where there are fewer changes
    what: NDArray[np.intc]  # (runs, event_room): 9 contact + 3 (before + 1) + after + 1


def changes(slip: Slip) -> tuple[NDArray[np.intc], NDArray[np.intc], NDArray[np.intc]]:
    """Return contact, mode before and mode after of the recorded changes."""
    return slip.what // 9, slip.what // 3 % 3 - 1, slip.what % 3 - 1


@dataclass(frozen=True)
class Outcome:
    """What became of each run: summaries, the state at its end, and the path if wanted."""

    status: NDArray[np.intc]
    steps: NDArray[np.int_]
    time_reached: Array
    pivot: Array  # smallest pivot of M* or measure of the chart; NaN where not watched
    defect: Array  # largest gap of slopes between steps; NaN where not measured
    maximum: Array  # (runs, contacts); NaN where a contact may slide
    time_of_maximum: Array
    onset: Array  # (runs, contacts, mu)
    slip: Slip
    end: Motion
    path: Motion
    logs: Array  # (runs, times, relative): ln|Ω| of velocities with a relative scale


def residual(model: Model, motion: Motion, parameters: Array, duration: float) -> Array:
    """Return ‖M q̈ − h − AᵀΛ‖∞ over the largest of its terms, of momentum / `duration` at least."""
    t, q, v = motion.t, motion.q, motion.v
    p = parameters.reshape(len(parameters), -1, *[1] * (q.ndim - 2))
    M = model.matrix("mass", t, q, v, p)
    A = model.matrix("constraint_matrix", t, q, v, p)
    h = model.vector("force", t, q, v, p)
    inertia = times(M, motion.a)
    reaction = times(_turned(A), motion.reactions)
    error = np.abs(inertia - h - reaction).max(-1)
    parts = [
        times(np.abs(M), np.abs(motion.a)),
        np.abs(h),
        times(_turned(np.abs(A)), np.abs(motion.reactions)),
    ]
    scale = np.max([part.max(-1) for part in parts], axis=0)
    momentum = times(np.abs(M), np.abs(v)).max(-1)
    scale = np.maximum(scale, momentum / duration)  # where nothing acts, the motion is the measure
    with np.errstate(invalid="ignore"):
        return np.where(error == 0.0, 0.0, error / scale)


def power_balance(model: Model, motion: Motion, parameters: Array) -> Array:
    """Return dE/dt + ∂T/∂t − Q·q̇ − Λᵀ A q̇: zero if energy goes where forces say.

    E = q̇·∂T/∂q̇ − T, the kinetic energy unless the places of the bodies depend on time.
    """
    t, q, v = motion.t, motion.q, motion.v
    p = parameters.reshape(len(parameters), -1, *[1] * (q.ndim - 2))
    slopes = model.vector("energy_slopes", t, q, v, p)
    change = model.vector("energy_rate", t, q, v, p)[..., 0]
    change = change + times(slopes[..., None, :], motion.a)[..., 0]
    applied = model.vector("power", t, q, v, p)[..., 0]
    A = model.matrix("constraint_matrix", t, q, v, p)
    constraint = times(times(A, v)[..., None, :], motion.reactions)[..., 0]
    return change - applied - constraint


def _turned(matrix: Array) -> Array:
    return np.swapaxes(matrix, -1, -2)
