"""The certificate of a system: all forms of its equations of motion agree."""

from __future__ import annotations

from pathlib import Path

from zwang import certificate, systems
from zwang.certified import dataset
from zwang.provenance import module_digest
from zwang.store import provenance, write


def certify(system: str, out: str | Path) -> None:
    """Write certificate.nc; NotCertified with every pair that differs if two forms disagree."""
    declared = systems.load(system)
    found = certificate.certify(declared)
    different = [
        f"  {c.first} and {c.second}: {c.kind} differ by {c.residual:.3g} at the worst of "
        f"{c.states} states"
        for c in found.comparisons
        if not c.equal
    ]
    if different:
        raise certificate.NotCertified("\n".join([f"{system}: forms disagree", *different]))
    table = dataset(found)
    attrs = provenance(
        table.attrs["title"], declared.source, "", "", module_digest(__name__), system=system
    )
    write(table.assign_attrs({**attrs, **table.attrs}), out)
