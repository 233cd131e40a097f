"""The trajectories a study keeps in full."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import xarray as xr

from zwang import assemble, engine
from zwang.engine.model import Motion, load
from zwang.kernel.build import compiler_version
from zwang.provenance import module_digest
from zwang.stages.reading import arguments, attributes, study_with
from zwang.store import variable, write


def trace(
    study: str | Path,
    variant: str | None,
    model: str | Path,
    reference: str | Path,
    library: str | Path | None,
    out: str | Path,
) -> None:
    """Write motion, reactions, loads and energy of the study's trajectories on its time grid."""
    known = load(Path(model), Path(reference))
    found = study_with(known, study, variant)
    times = np.append(np.arange(0.0, found.end - 1e-9 * found.output, found.output), found.end)
    asked = found.trajectories
    axes = {n: np.array([one[n] for one in asked]) for n in found.samples.axes} if asked else {}
    if asked:
        question = {
            **arguments(found, known, axes),
            "end": found.end,
            "mu": np.array(found.mu),
            "times": times,
            "tolerance": found.tolerance,
        }
        result = engine.run(known, None if library is None else Path(library), **question)
        paths = assemble.trajectories(known, *result)
        if library is not None:
            slow = engine.run(known, None, **question)[1]
            paths["reference_difference"] = _difference(result[1].path, slow.path)
    else:
        paths = xr.Dataset(coords={"t": variable("t", times, "s", "time", "t")})
    named = {
        n: xr.Variable("trajectory", v, assemble.axis_words(known, n)) for n, v in axes.items()
    }
    compiler = "" if library is None else compiler_version()
    attrs = attributes(found, known, module_digest(__name__), compiler=compiler)
    write(paths.assign_coords(named).assign_attrs(attrs), out)


def _difference(fast: Motion, slow: Motion) -> xr.Variable:
    """Return how far the reactions of the two engines are apart on each trajectory."""
    size = np.nanmax(np.abs(slow.reactions), axis=(0, 2), initial=0.0)
    apart = np.nanmax(np.abs(fast.reactions - slow.reactions), axis=(0, 2), initial=0.0)
    return variable(
        "trajectory",
        apart / np.where(size > 0.0, size, 1.0),
        "1",
        "reactions of the compiled and of the reference engine, largest difference, relative",
        r"\Delta\Lambda",
    )
