"""Friction laws as values: what a contact does when its reaction would exceed what it can carry.

A coefficient is a number, or a text in parameters, constants, time and coordinates, so that it can
be an axis of a grid. Where none is given, it is the parameter the contact declares.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import MISSING, asdict, dataclass, fields
from typing import Any, Literal, TypeGuard

from zwang.nearest import nearest

Value = float | str
Load = Literal["static", "transfer"]


@dataclass(frozen=True)
class Ideal:
    """The constraint holds, whatever force that takes."""

    load: Load = "static"


@dataclass(frozen=True)
class Coulomb:
    """Held while |Λ| ≤ μ N; sliding, Λ = −μ_kinetic N against the slip [Moreau]."""

    mu: Value | None = None
    mu_kinetic: Value | None = None
    load: Load = "static"


@dataclass(frozen=True)
class FrictionCircle:
    """Coulomb's law with a driving force F in the same contact: √(Λ² + F²) ≤ μ N."""

    drive: Value = 0.0
    mu: Value | None = None
    mu_kinetic: Value | None = None
    load: Load = "static"


@dataclass(frozen=True)
class OneSided:
    """A rope or string: held while Λ ≥ 0, then slack with Λ = 0; the run ends when taut again."""


@dataclass(frozen=True)
class Viscous:
    """Never held: Λ = −k s, the realisation of a constraint for k → ∞ [Eldering]."""

    k: Value


@dataclass(frozen=True)
class Smoothed:
    """Never held: Λ = −μ N tanh(s/ε), which becomes Coulomb's law for ε → 0."""

    eps: Value
    mu: Value | None = None
    load: Load = "static"


Law = Ideal | Coulomb | FrictionCircle | OneSided | Viscous | Smoothed
LAWS: dict[str, type[Law]] = {
    "ideal": Ideal,
    "coulomb": Coulomb,
    "friction_circle": FrictionCircle,
    "one_sided": OneSided,
    "viscous": Viscous,
    "smoothed": Smoothed,
}
Contacts = str | Law | Mapping[str, "str | Law | Mapping[str, Any]"]


class LawError(ValueError):
    """A friction law that does not exist or does not fit its contact."""


def checked(law: Law) -> Law:
    """Return the law; LawError if a number in it makes no sense."""
    word = record(law)["law"]
    load = getattr(law, "load", "static")
    if load not in ("static", "transfer"):
        raise LawError(f"law {word}: load came as {load!r}; expected static or transfer")
    for name in ("mu", "mu_kinetic", "k"):
        value = getattr(law, name, None)
        if _number(value) and not 0.0 <= value < float("inf"):
            raise LawError(f"law {word}: {name} came as {value}; expected a number not negative")
    eps = getattr(law, "eps", 1.0)
    if _number(eps) and not 0.0 < eps < float("inf"):
        raise LawError(f"law {word}: eps came as {eps}; expected a number above zero")
    mu, kinetic = getattr(law, "mu", None), getattr(law, "mu_kinetic", None)
    if _number(mu) and _number(kinetic) and kinetic > mu:
        raise LawError(
            f"law {word}: mu_kinetic = {kinetic} exceeds mu = {mu}; a contact that slides cannot "
            "carry more than one that holds"
        )
    return law


def _number(value: object) -> TypeGuard[float]:
    return isinstance(value, int | float)


def named(law: str | Law | Mapping[str, Any]) -> Law:
    """Return the law of a name ("coulomb") or of a record ({law: coulomb, mu: 0.3})."""
    if isinstance(law, Law):
        return checked(law)
    given = {"law": law} if isinstance(law, str) else dict(law)
    name = str(given.pop("law", ""))
    if name not in LAWS:
        raise LawError(f"no friction law {name!r}; {nearest(name, LAWS)}")
    known = [f.name for f in fields(LAWS[name])]
    for key in given:
        if key not in known:
            raise LawError(f"law {name} has no {key!r}; {nearest(key, known or ['nothing'])}")
    try:
        made = LAWS[name](**given)
    except TypeError:
        needed = [f.name for f in fields(LAWS[name]) if f.default is MISSING]
        raise LawError(f"law {name} needs {', '.join(needed)}; give {{law: {name}, …}}") from None
    return checked(made)


def record(law: Law) -> dict[str, Any]:
    """Return the law as plain values; `named` makes it a law again."""
    word = next(n for n, kind in LAWS.items() if isinstance(law, kind))
    return {"law": word, **{k: v for k, v in asdict(law).items() if v is not None}}


def by_contact(
    contacts: Contacts, groups: Iterable[str], constraints: Iterable[str]
) -> dict[str, Law]:
    """Return the law of every contact, and of the other constraints that are given one.

    One law stands for all contacts; a mapping names contacts, or constraints that may go slack.
    """
    groups, others = list(groups), list(constraints)
    if isinstance(contacts, str | Law):
        law = named(contacts)
        if isinstance(law, OneSided):
            raise LawError(f"say which constraint is one-sided, {{name: one_sided}}: {others}")
        if not groups and not isinstance(law, Ideal):
            raise LawError("a friction law was given, but the system declares no contact")
        return {name: law for name in groups}
    found: dict[str, Law] = {name: Ideal() for name in groups}
    for name, law in contacts.items():
        if name not in [*groups, *others]:
            raise LawError(f"no contact {name!r}; {nearest(name, {*groups, *others})}")
        found[name] = named(law)
        if name not in groups and not isinstance(found[name], Ideal | OneSided):
            raise LawError(
                f"constraint {name!r} has no load and no friction; it may be ideal or one_sided"
            )
        if name in groups and isinstance(found[name], OneSided):
            raise LawError(f"contact {name!r} is kept by friction; one_sided is for other rows")
    return found
