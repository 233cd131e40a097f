"""The friction laws of a run in symbols: what each contact carries, held or moving."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

import sympy as sp

from zwang import laws
from zwang.laws import Law, LawError
from zwang.system import Constraint, System

Read = Callable[[laws.Value], sp.Expr]


@dataclass(frozen=True)
class Friction:
    """One contact with its law; coefficients that the law does not use are zero."""

    name: str
    law: Law
    rows: tuple[Constraint, ...]
    load: sp.Expr  # N, affine in accelerations and reactions
    mu: sp.Expr = sp.S.Zero
    mu_kinetic: sp.Expr = sp.S.Zero
    drive: sp.Expr = sp.S.Zero
    rate: sp.Expr = sp.S.Zero  # k of a viscous, ε of a smoothed law

    @property
    def ideal(self) -> bool:
        """Return whether the contact holds throughout."""
        return isinstance(self.law, laws.Ideal)

    @property
    def switches(self) -> bool:
        """Return whether the contact is held at times and moves at others."""
        return isinstance(self.law, laws.Coulomb | laws.FrictionCircle | laws.OneSided)


def read_friction(system: System, given: Mapping[str, Law], read: Read) -> tuple[Friction, ...]:
    """Return every contact with its law, then the other constraints that may go slack."""
    found = [
        _contact(group.name, group.rows, group, given.get(group.name, laws.Ideal()), read)
        for group in system.contacts
    ]
    contacts = {row.name for group in system.contacts for row in group.rows}
    for c in system.constraints:
        if c.name not in contacts and isinstance(given.get(c.name), laws.OneSided):
            found.append(Friction(c.name, given[c.name], (c,), sp.S.Zero))
    return tuple(found)


def _contact(
    name: str, rows: tuple[Constraint, ...], group: object, law: Law, read: Read
) -> Friction:
    load = group.load  # type: ignore[attr-defined]
    if getattr(law, "load", "static") == "transfer":
        load = load + group.transfer  # type: ignore[attr-defined]
    if isinstance(law, laws.Ideal):
        return Friction(name, law, rows, load)
    if isinstance(law, laws.Viscous):
        return Friction(name, law, rows, load, rate=read(law.k))
    if isinstance(law, laws.OneSided):
        raise LawError(f"contact {name!r} is kept by friction; one_sided is for other rows")
    mu = _coefficient(name, law.mu, group.mu, read)  # type: ignore[attr-defined]
    if isinstance(law, laws.Smoothed):
        return Friction(name, law, rows, load, mu, mu, rate=read(law.eps))
    kinetic = mu if law.mu_kinetic is None else read(law.mu_kinetic)
    drive = read(law.drive) if isinstance(law, laws.FrictionCircle) else sp.S.Zero
    if isinstance(law, laws.FrictionCircle) and len(rows) > 1:
        raise LawError(
            f"contact {name!r} has two rows, so that its bound is a circle already; use coulomb"
        )
    return Friction(name, law, rows, load, mu, kinetic, drive)


def _coefficient(
    name: str, given: laws.Value | None, declared: sp.Symbol | None, read: Read
) -> sp.Expr:
    if given is not None:
        return read(given)
    if declared is None:
        raise LawError(f"contact {name!r} declares no friction coefficient; give mu with its law")
    return declared
