"""The kernel of a case as C, JSON and numpy."""

from __future__ import annotations

import json
from pathlib import Path

from zwang import systems
from zwang.codegen import generate
from zwang.stages.cases import checked_case, contact_laws
from zwang.stages.reading import tables_of
from zwang.store import atomic_text


def derive(
    study: str | Path,
    variant: str | None,
    case: str,
    kernel: str | Path,
    model: str | Path,
    reference: str | Path,
) -> None:
    """Write kernel.c, kernel.json and reference.py."""
    found = checked_case(study, variant, case)
    system = systems.load(found.system)
    laws, tables = contact_laws(system, found), tables_of(found, Path(study))
    made = generate(system, found.inputs, found.kernel_words, laws, tables=tables)
    atomic_text(kernel, made.kernel)
    atomic_text(reference, made.reference)
    atomic_text(model, json.dumps(made.model, indent=1, ensure_ascii=False) + "\n")
