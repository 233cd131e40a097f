"""Symbols become numbers: one system with its inputs as kernel.c, reference.py, kernel.json."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import sympy as sp

from zwang.codegen.kernel import write_kernel
from zwang.codegen.laws import Laws, read_laws
from zwang.codegen.program import Wanted, always_held, kernel_parameters, relative_rows
from zwang.codegen.reference import write_reference
from zwang.codegen.samples import Given
from zwang.constraints import require_regular
from zwang.formulations.equations import is_linear, linear_in_rates
from zwang.laws import Law, OneSided, record
from zwang.quantities import Quantity, t
from zwang.system import System


@dataclass(frozen=True)
class Generated:
    """The texts of one system's numerical form."""

    kernel: str
    reference: str
    model: dict[str, Any]


def generate(
    system: System,
    inputs: Mapping[str, str],
    constants: Mapping[str, Mapping[str, str]],
    contacts: Mapping[str, Law] | None = None,
    wanted: Wanted = "reactions",
    tables: Given | None = None,
) -> Generated:
    """Return kernel.c, reference.py and kernel.json.

    `constants` gives words by name, `contacts` the law of each contact, ideal where none is given,
    `tables` the times, values (SI units) and unit of those that the inputs call table(name).
    A kernel for `states` alone finds neither reactions nor thresholds and costs less.
    """
    require_regular(system)
    laws = read_laws(system, inputs, constants, contacts, tables)
    return Generated(
        kernel=write_kernel(system, laws, wanted),
        reference=write_reference(system, laws, kernel_parameters(system, laws)),
        model=describe(system, laws, inputs, wanted),
    )


def describe(
    system: System, laws: Laws, inputs: Mapping[str, str], wanted: Wanted = "reactions"
) -> dict[str, Any]:
    """Return what the numbers need to know of the system, as plain values."""
    linear = is_linear(system)
    held = always_held(system, laws)
    whole = wanted == "reactions" or any(f.switches for f in laws.friction)
    named: list[Quantity] = [t, *system.symbols, *laws.constants]
    quantities = {s.name: _words(s) for s in named}
    quantities |= {c.reaction.name: _words(c.reaction) for c in system.constraints}
    for name, domain in system.domains.items():
        quantities[name]["domain"] = domain
    return {
        "system": system.name,
        "title": system.title,
        "references": [system.source],
        "coordinates": [q.name for q in system.coordinates],
        "rates": [r.name for r in system.rates],
        "rows": [r.name for r in system.rows],
        "moving": [r.name for r in system.rows if r.name not in held],
        "linear": linear,
        "linear_rows": [c.velocity.name for c in system.constraints if linear_in_rates(system, c)],
        "relative": list(relative_rows(system)) if linear else [],
        "velocities": list(system.velocities),
        "constraints": [c.name for c in system.constraints],
        "holonomic": [c.name for c in system.constraints if c.position is not None],
        "contacts": [g.name for g in system.contacts],
        "contact_rows": [[row.name for row in g.rows] for g in system.contacts],
        "reactions": [c.name for c in system.constraints if whole],
        "ideal": [f.name for f in laws.friction if f.ideal and whole],
        "switching": [f.name for f in laws.friction if f.switches],
        "switching_rows": [[row.name for row in f.rows] for f in laws.friction if f.switches],
        "one_sided": [f.name for f in laws.friction if isinstance(f.law, OneSided)],
        "laws": {f.name: record(f.law) for f in laws.friction},
        "sliding_rows": [r.name for f in laws.friction if not f.ideal for r in f.rows],
        "outputs": list(system.outputs),
        "parameters": [p.name for p in kernel_parameters(system, laws)],
        "constants": [c.name for c in laws.constants],
        "defaults": dict(system.defaults),
        "optional_parameters": _optional(system, laws),
        "inputs": {i.name: inputs.get(i.name, "0") for i in system.inputs},
        "input_names": laws.names(),
        "expression_names": sorted(system.expression_names()),
        "breaks": len(laws.switches),
        "tables": {
            s.name: {
                "units": s.table.unit,
                "long_name": s.value.meaning,
                "from": s.table.times[0],
                "to": s.table.times[-1],
            }
            for s in laws.tables
        },
        "dry": [v.name for v in laws.dry],
        "quantities": quantities,
    }


def _optional(system: System, laws: Laws) -> list[str]:
    """Return the parameters that these laws do not use, and those the engine itself fills in."""
    used = set().union(
        *(
            sp.S(e).free_symbols
            for f in laws.friction
            for e in (f.load, f.mu, f.mu_kinetic, f.drive, f.rate)
        )
    )
    unused = system.optional_parameters - {s.name for s in used}
    own = {f"start_{name}" for name in relative_rows(system)}
    return sorted(unused | own | set(system.defaults))


def _words(s: Quantity) -> dict[str, str]:
    return {"units": s.unit, "long_name": s.meaning, "symbol": s.symbol}
