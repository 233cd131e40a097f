"""Symbols become numbers: one system with its inputs as kernel.c, reference.py, kernel.json."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from zwang.codegen.kernel import kernel_parameters, write_kernel
from zwang.codegen.laws import Laws, read_laws
from zwang.codegen.reference import write_reference
from zwang.constraints import require_regular
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
    switchable: frozenset[str] = frozenset(),
) -> Generated:
    """Return kernel.c, reference.py and kernel.json; `constants` gives words by name."""
    require_regular(system)
    laws = read_laws(system, inputs, constants)
    parameters = kernel_parameters(system, laws, switchable)
    return Generated(
        kernel=write_kernel(system, laws, switchable),
        reference=write_reference(system, laws, parameters),
        model=describe(system, laws, inputs, switchable),
    )


def describe(
    system: System, laws: Laws, inputs: Mapping[str, str], switchable: frozenset[str]
) -> dict[str, Any]:
    """Return what the numbers need to know of the system, as plain values."""
    held = {c.velocity.name for c in system.constraints if c.name not in switchable}
    parameters = kernel_parameters(system, laws, switchable)
    named: list[Quantity] = [t, *system.symbols, *laws.constants]
    quantities = {s.name: _words(s) for s in named}
    quantities |= {c.reaction.name: _words(c.reaction) for c in system.constraints}
    return {
        "system": system.name,
        "title": system.title,
        "references": [system.source],
        "coordinates": [q.name for q in system.coordinates],
        "rates": [r.name for r in system.rates],
        "rows": [r.name for r in system.rows],
        "moving": [r.name for r in system.rows if r.name not in held],
        "velocities": list(system.velocities),
        "constraints": [c.name for c in system.constraints],
        "holonomic": [c.name for c in system.constraints if c.position is not None],
        "contacts": [c.name for c in system.contacts],
        "outputs": list(system.outputs),
        "parameters": [p.name for p in parameters],
        "constants": [c.name for c in laws.constants],
        "optional_parameters": sorted(system.optional_parameters),
        "inputs": {i.name: inputs.get(i.name, "0") for i in system.inputs},
        "input_names": laws.names(),
        "expression_names": sorted(system.expression_names()),
        "breaks": len(laws.switches),
        "dry": [v.name for v in laws.dry],
        "quantities": quantities,
    }


def _words(s: Quantity) -> dict[str, str]:
    return {"units": s.unit, "long_name": s.meaning, "symbol": s.symbol}
