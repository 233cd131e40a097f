"""What the numbers know of a system: names from kernel.json, functions from reference.py."""

from __future__ import annotations

import importlib.util
import json
from collections.abc import Mapping
from dataclasses import dataclass
from importlib.abc import InspectLoader
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]


@dataclass(frozen=True)
class Motion:
    """Times (…), coordinates, rates, accelerations (n, …) and reactions (k, …)."""

    t: Array
    q: Array
    v: Array
    a: Array
    reactions: Array


def times(matrix: Array, vector: Array) -> Array:
    """Return matrix (…, i, j) times vector (j, …) as (…, i), its terms added in one order.

    einsum adds in an order that depends on the shapes, so that the last bit would depend on how
    many runs are computed together.
    """
    out = np.zeros(np.broadcast_shapes(matrix.shape[:-1], (*vector.shape[1:], 1)))
    for j in range(matrix.shape[-1]):
        out = out + matrix[..., j] * vector[j][..., None]
    return out


class ModelError(ValueError):
    """Files of a model that do not belong together or cannot be read."""


@dataclass(frozen=True)
class Model:
    """One system with its inputs, ready to compute: names by kind and Lagrange's equations."""

    facts: Mapping[str, Any]
    reference: ModuleType

    def names(self, kind: str) -> tuple[str, ...]:
        """Return the names of one kind: coordinates, rates, rows, moving, contacts, …"""
        return tuple(self.facts[kind])

    def words(self, name: str) -> dict[str, str]:
        """Return units, long_name and symbol of a named quantity."""
        return dict(self.facts["quantities"][name])

    def columns(self, kind: str, wanted: tuple[str, ...]) -> list[int]:
        """Return the places of the wanted names among those of a kind."""
        known = self.names(kind)
        return [known.index(name) for name in wanted]

    # Functions of time, coordinates q, rates v, parameters p; the first axis says which one,
    # further axes (runs, times) broadcast. ------------------------------------------------------

    def matrix(self, name: str, t: Array, q: Array, v: Array, p: Array) -> Array:
        """Return a function of reference.py as matrices (…, rows, n)."""
        flat = getattr(self.reference, name)(t, q, v, p)
        n = len(self.names("coordinates"))
        return np.moveaxis(flat.reshape(len(flat) // n, n, *flat.shape[1:]), (0, 1), (-2, -1))

    def vector(self, name: str, t: Array, q: Array, v: Array, p: Array) -> Array:
        """Return a function of reference.py as vectors (…, entries)."""
        return np.moveaxis(getattr(self.reference, name)(t, q, v, p), 0, -1)

    def velocities(self, t: Array, q: Array, v: Array, p: Array) -> Array:
        """Return every named velocity (…, velocities) at the rates v."""
        rows = self.matrix("velocity_rows", t, q, v, p)
        offsets = self.vector("velocity_offsets", t, q, v, p)
        return times(rows, v) + offsets

    def loads(self, motion: Motion, p: Array) -> Array:
        """Return the normal load of each contact (…, contacts) along a motion."""
        given = (motion.t, motion.q, motion.v, p)
        n, k = len(self.names("coordinates")), len(self.names("constraints"))
        count = len(self.names("contacts"))
        load = self.vector("loads", *given)[..., :count]
        on_a = self.vector("load_accelerations", *given)[..., : count * n]
        on_r = self.vector("load_reactions", *given)[..., : count * k]
        on_a = on_a.reshape(*on_a.shape[:-1], count, n)
        on_r = on_r.reshape(*on_r.shape[:-1], count, k)
        return load + times(on_a, motion.a) + times(on_r, motion.reactions)

    def accelerations(self, t: Array, q: Array, v: Array, p: Array) -> tuple[Array, Array]:
        """Return q̈ and Λ (…, n), (…, k) from Lagrange's equations of the first kind.

        M q̈ − AᵀΛ = h, A q̈ = γ [Juschkov (22)].
        """
        M = self.matrix("mass", t, q, v, p)
        A = self.matrix("constraint_matrix", t, q, v, p)
        h = self.vector("force", t, q, v, p)
        gamma = self.vector("constraint_bias", t, q, v, p)
        n, k = M.shape[-1], A.shape[-2]
        system = np.zeros((*M.shape[:-2], n + k, n + k))
        system[..., :n, :n] = M
        system[..., :n, n:] = -np.swapaxes(A, -1, -2)
        system[..., n:, :n] = A
        right = np.concatenate([h, gamma], axis=-1)
        found = np.linalg.solve(system, right[..., None])[..., 0]
        return found[..., :n], found[..., n:]


class _Text(InspectLoader):
    """Loads a module from text, as an import would from a file."""

    def __init__(self, text: str) -> None:
        self.text = text

    def get_source(self, fullname: str) -> str:
        return self.text


def from_text(facts: Mapping[str, Any], reference: str) -> Model:
    """Return the model of the content of kernel.json and the text of reference.py."""
    spec = importlib.util.spec_from_loader("zwang_reference", _Text(reference))
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return Model(facts, module)


def load(facts: Path, reference: Path) -> Model:
    """Return the model stored in the files kernel.json and reference.py."""
    try:
        content = json.loads(facts.read_text(encoding="utf-8"))
        return from_text(content, reference.read_text(encoding="utf-8"))
    except (OSError, ValueError, SyntaxError) as error:
        raise ModelError(
            f"{facts.parent}: kernel.json and reference.py cannot be read ({error}); derive again"
        ) from error
