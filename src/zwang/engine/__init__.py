"""Run an ensemble: one call, the compiled kernel or scipy behind it."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import numpy as np

from zwang.engine import compiled
from zwang.engine.ensemble import EVENT_LIMIT, SINGULAR_CHART, Ensemble, Outcome
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
    event_room: int = 0,
    event_limit: int = EVENT_LIMIT,
) -> tuple[Ensemble, Outcome]:
    """Return the ensemble and its outcome; without a library scipy integrates.

    `parameters` and `initial` hold one value or one per run by name; optional parameters that are
    not given do not enter an ideal run and are NaN.
    """
    _require_tables(model, t0, end)
    runs = max(np.size(v) for v in [*parameters.values(), *initial.values(), np.zeros(1)])
    values = {**model.facts["defaults"], **parameters}
    p = np.array(
        [
            np.broadcast_to(np.asarray(values.get(n, np.nan), dtype=float), runs)
            for n in model.names("parameters")
        ]
    ).reshape(len(model.names("parameters")), runs)
    begin = consistent_start(model, initial, p, t0)
    ensemble = Ensemble(
        p,
        begin.q,
        begin.v,
        t0,
        end,
        np.sort(np.asarray(mu, dtype=float)),
        times,
        tolerance,
        event_room,
        event_limit,
    )
    if library is None:
        from zwang.engine import reference  # brings scipy, which the kernel does not need

        outcome = reference.run(model, ensemble)
    else:
        outcome = compiled.run(model, library, ensemble)
    outcome.status[begin.singular] = SINGULAR_CHART  # their velocities are not known: no motion
    return ensemble, outcome


def _require_tables(model: Model, t0: float, end: float) -> None:
    """Raise ValueError where a run goes beyond a table: what was not measured is not known."""
    for name, table in model.facts["tables"].items():
        if not table["from"] <= t0 < end <= table["to"]:
            raise ValueError(
                f"table {name} reaches from {table['from']:g} s to {table['to']:g} s, the run from "
                f"{t0:g} s to {end:g} s; a table is not continued beyond its rows: shorten the run "
                "or give a longer table"
            )
