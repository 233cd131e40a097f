"""Run an ensemble: one call, the compiled kernel or scipy behind it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

import numpy as np

from zwang.engine import compiled, reference
from zwang.engine.ensemble import SINGULAR_CHART, Ensemble, Outcome
from zwang.engine.model import Array, Model
from zwang.engine.start import consistent_start

__all__ = ["run"]


def run(
    model: Model,
    library: Path | None,
    *,
    parameters: Mapping[str, Array],
    initial: Mapping[str, Array],
    end: float,
    mu: Array,
    times: Array,
    tolerance: float,
    t0: float = 0.0,
) -> tuple[Ensemble, Outcome]:
    """Return the ensemble and its outcome; without a library scipy integrates.

    `parameters` and `initial` hold one value or one per run by name; optional parameters that are
    not given do not enter an ideal run and are NaN.
    """
    runs = max(np.size(v) for v in [*parameters.values(), *initial.values(), 0.0])
    p = np.array(
        [
            np.broadcast_to(np.asarray(parameters.get(n, np.nan), dtype=float), runs)
            for n in model.names("parameters")
        ]
    ).reshape(len(model.names("parameters")), runs)
    begin = consistent_start(model, initial, p, t0)
    ensemble = Ensemble(
        p, begin.q, begin.v, t0, end, np.sort(np.asarray(mu, dtype=float)), times, tolerance
    )
    good = np.flatnonzero(~begin.singular)
    part = replace(ensemble, parameters=p[:, good], q=begin.q[:, good], v=begin.v[:, good])
    if library is None:
        outcome = reference.run(model, part)
    else:
        outcome = compiled.run(model, library, part)
    return ensemble, outcome if good.size == runs else _spread(outcome, good, ensemble)


def _spread(outcome: Outcome, good: np.ndarray, ensemble: Ensemble) -> Outcome:
    """Return the outcome of all runs where some had no start: those are status, not a gap."""

    def fill(values: np.ndarray, axis: int = 0) -> np.ndarray:
        shape = list(values.shape)
        shape[axis] = ensemble.runs
        empty = np.nan if values.dtype.kind == "f" else 0
        out = np.full(shape, empty, dtype=values.dtype)
        np.moveaxis(out, axis, 0)[good] = np.moveaxis(values, axis, 0)
        return out

    summaries = {
        name: fill(getattr(outcome, name))
        for name in (
            "steps", "time_reached", "pivot", "defect", "maximum", "time_of_maximum", "onset",
        )
    }
    status = np.full(ensemble.runs, SINGULAR_CHART, dtype=np.intc)
    status[good] = outcome.status
    motions = {}
    for name in ("end", "path"):
        m = getattr(outcome, name)
        parts = {k: fill(getattr(m, k), axis=1) for k in ("q", "v", "a", "reactions")}
        motions[name] = replace(m, t=fill(m.t), **parts)
    summaries["time_reached"][status == SINGULAR_CHART] = np.where(
        np.isnan(summaries["time_reached"][status == SINGULAR_CHART]),
        ensemble.t0,
        summaries["time_reached"][status == SINGULAR_CHART],
    )
    return Outcome(status=status, **summaries, **motions)
