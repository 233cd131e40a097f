"""All runs of a study in one dataset."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np

from zwang import assemble
from zwang.engine.model import load
from zwang.provenance import module_digest
from zwang.stages.reading import attributes, derived, study_with
from zwang.store import StoreError, read, write


def gather(
    study: str | Path,
    variant: str | None,
    case: str,
    model: str | Path,
    reference: str | Path,
    chunks: Sequence[str | Path],
    out: str | Path,
) -> None:
    """Write runs.nc: the chunks one after the other, on the dimensions of the samples."""
    known = load(Path(model), Path(reference))
    found = study_with(known, study, variant, case)
    parts = [read(path) for path in chunks]
    for path, part in zip(chunks, parts, strict=True):
        if part.attrs["study_digest"] != found.digest:
            raise StoreError(f"{path} belongs to another text of this study; simulate it again")
    numbers = np.concatenate([part["run"].values for part in parts])
    if not np.array_equal(numbers, np.arange(found.samples.size)):
        raise StoreError(
            f"the chunks hold {numbers.size} of {found.samples.size} runs, or in another "
            "order; simulate the missing ones again"
        )
    flat = assemble.joined(parts, found.samples.size)
    compiler = parts[0].attrs["compiler"]
    attrs = attributes(found, known, module_digest(__name__), compiler=compiler)
    runs = assemble.shaped(flat, found.samples, known, found.constant_words)
    runs = runs.assign_coords(derived(found, known))
    write(runs.assign_attrs(attrs), out)
