"""One chunk of the runs of a study."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from zwang import assemble, engine
from zwang.engine.model import load
from zwang.kernel.build import compiler_version
from zwang.provenance import module_digest
from zwang.stages.reading import arguments, attributes, study_with
from zwang.store import variable, write
from zwang.study import chunks


def simulate(
    study: str | Path,
    variant: str | None,
    case: str,
    chunk: int,
    model: str | Path,
    reference: str | Path,
    library: str | Path | None,
    out: str | Path,
) -> None:
    """Write the summaries of the chunk's runs, along the dimension `run`."""
    known = load(Path(model), Path(reference))
    found = study_with(known, study, variant, case)
    start, stop = chunks(found.samples.size)[chunk]
    result = engine.run(
        known,
        None if library is None else Path(library),
        **arguments(found, known, found.samples.columns(start, stop)),
        end=found.end,
        mu=np.array(found.mu),
        times=np.zeros(0),
        tolerance=found.tolerance,
    )
    table = assemble.without_contacts(assemble.run_table(known, *result), known)
    number = variable("run", np.arange(start, stop), "1", "number of the run", "i")
    compiler = "" if library is None else compiler_version()
    attrs = attributes(found, known, module_digest(__name__), compiler=compiler)
    write(table.assign_coords(run=number).assign_attrs(attrs), out)
