"""The trajectories a case keeps in full."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import xarray as xr
from numpy.typing import NDArray

from zwang import assemble, engine
from zwang.engine.ensemble import Outcome
from zwang.engine.model import Array, Model, load
from zwang.kernel.build import compiler_version
from zwang.provenance import module_digest
from zwang.stages.reading import arguments, attributes, study_with
from zwang.store import variable, write
from zwang.study import Study

EVENTS_KEPT = 1000  # of one trajectory
COMPARED = 2  # trajectories of a family that the reference engine repeats; of others all


def trace(
    study: str | Path,
    variant: str | None,
    case: str,
    model: str | Path,
    reference: str | Path,
    library: str | Path | None,
    out: str | Path,
) -> None:
    """Write motion, reactions, loads and energy of the study's trajectories on its time grid."""
    known = load(Path(model), Path(reference))
    found = study_with(known, study, variant, case)
    times = np.append(np.arange(0.0, found.end - 1e-9 * found.output, found.output), found.end)
    asked = found.trajectories
    axes = {n: np.array([one[n] for one in asked]) for n in found.samples.axes} if asked else {}
    if asked:
        result = engine.run(
            known,
            None if library is None else Path(library),
            **_question(found, known, axes, times),
        )
        paths = assemble.without_contacts(assemble.trajectories(known, *result), known)
        if library is not None:
            which = _compared(found, axes, len(asked))
            few = {name: values[which] for name, values in axes.items()}
            slow = engine.run(known, None, **_question(found, known, few, times))[1]
            paths = paths.assign(_differences(known, result[1], slow, which))
    else:
        paths = xr.Dataset(coords={"t": variable("t", times, "s", "time", "t")})
    values = {**axes, **found.resolve(axes)}
    named = {}
    for name in dict.fromkeys((*axes, *found.formulas, *found.kernel_words)):
        if np.ndim(values[name]):
            words = found.constant_words.get(name) or assemble.axis_words(known, name)
            named[name] = xr.Variable("trajectory", values[name], words)
    compiler = "" if library is None else compiler_version()
    attrs = attributes(found, known, module_digest(__name__), compiler=compiler)
    write(paths.assign_coords(named).assign_attrs(attrs), out)


def _question(found: Study, known: Model, axes: dict[str, Array], times: Array) -> dict[str, Any]:
    return {
        **arguments(found, known, axes),
        "end": found.end,
        "mu": np.array(found.mu),
        "times": times,
        "tolerance": found.tolerance,
        "event_room": EVENTS_KEPT if known.names("switching") else 0,
    }


def _compared(found: Study, axes: dict[str, Array], count: int) -> NDArray[np.intp]:
    """Return which trajectories the reference engine repeats; of a family the least stiff ones."""
    if not found.limit:
        return np.arange(count)
    far = np.argsort(-np.abs(axes[found.limit["axis"]]), kind="stable")
    return np.sort(far[:COMPARED])


def _differences(
    model: Model, fast: Outcome, slow: Outcome, which: NDArray[np.intp]
) -> dict[str, xr.Variable]:
    """Return how far the two engines are apart on each trajectory, NaN where only one ran."""
    size = np.nanmax(np.abs(slow.path.reactions), axis=(0, 2), initial=0.0)
    gap = np.abs(fast.path.reactions[:, which] - slow.path.reactions)
    apart = np.nanmax(gap, axis=(0, 2), initial=0.0)
    out = {
        "reference_difference": variable(
            "trajectory",
            _spread(apart / np.where(size > 0.0, size, 1.0), which, fast.status.size),
            "1",
            "reactions of the compiled and of the reference engine, largest difference, relative",
            r"\Delta\Lambda",
        )
    }
    if model.names("switching"):
        out["reference_event_difference"] = variable(
            "trajectory",
            _spread(_event_differences(fast, slow, which), which, fast.status.size),
            "s",
            "changes of mode in the two engines, largest difference in time; infinite where they "
            "are not the same changes",
            r"\Delta t_e",
        )
    return out


def _event_differences(fast: Outcome, slow: Outcome, which: NDArray[np.intp]) -> Array:
    mine, other = fast.slip, slow.slip
    unlike = np.where(np.isnan(other.time), 0, mine.what[which] - other.what) != 0
    same = (mine.count[which] == other.count) & ~unlike.any(axis=-1)
    gap = np.nanmax(np.abs(mine.time[which] - other.time), axis=-1, initial=0.0)
    return np.where(same, gap, np.inf)


def _spread(values: Array, which: NDArray[np.intp], count: int) -> Array:
    out = np.full(count, np.nan)
    out[which] = values
    return out
