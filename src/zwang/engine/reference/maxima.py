"""Largest |Λ|/N of contacts that hold throughout, and the first times |Λ| = μN."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from scipy.optimize import brentq, minimize_scalar

from zwang.engine.model import Array
from zwang.engine.reference.events import SAMPLES
from zwang.engine.reference.modes import Mechanics, Mode

FLAT = 1e-13  # of the largest value


class Maxima:
    """The summaries of all contacts of one run; NaN for those that may slide."""

    def __init__(self, mechanics: Mechanics, mu: Array) -> None:
        model = mechanics.model
        contacts = len(model.names("contacts"))
        self.mechanics, self.mu = mechanics, mu
        self.maximum = np.full(contacts, np.nan)
        self.time = np.full(contacts, np.nan)
        self.onset = np.full((contacts, len(mu)), np.nan)
        self.ideal = model.columns("contacts", model.names("ideal"))
        self.rows = [
            model.columns("constraints", tuple(model.facts["contact_rows"][c])) for c in self.ideal
        ]

    def utilisation(self, t: Array, y: Array, mode: Mode) -> Array:
        """Return |Λ|/N (…, ideal contacts)."""
        a, reactions = self.mechanics.solve(t, y, mode)
        load, on = self.mechanics.loads(t, y)
        load = load + np.einsum("...gi,...i->...g", on, np.concatenate([a, reactions], -1))
        carried = [np.linalg.norm(reactions[..., rows], axis=-1) for rows in self.rows]
        return np.stack(carried, -1) / load[..., self.ideal]

    def search(
        self, steps: Array, dense: Callable[[Array | float], Array], before: float, mode: Mode
    ) -> None:
        """Locate maxima and crossings between samples of the steps of one phase."""
        if not self.ideal:
            return
        part = np.linspace(0.0, 1.0, SAMPLES)[:-1]
        t = np.append((steps[:-1, None] + np.diff(steps)[:, None] * part).ravel(), steps[-1])
        values = self.utilisation(np.minimum(t, before), dense(t), mode)
        for i, c in enumerate(self.ideal):

            def value(time: float, i: int = i) -> float:
                at = np.asarray(min(time, before))
                return float(self.utilisation(at, dense(time), mode)[i])

            self._contact(c, t, values[:, i], value)

    def _contact(self, c: int, t: Array, values: Array, value: Callable[[float], float]) -> None:
        for when, top, left, right in _peaks(t, values, value):
            if not top <= self.maximum[c]:
                self.maximum[c], self.time[c] = top, when
            for m, mu in enumerate(self.mu):
                if not np.isnan(self.onset[c, m]):
                    continue
                early = (t >= left) & (t <= right) & (values >= mu)
                low = high = left
                if early.any():
                    first = int(np.argmax(early))
                    low, high = (t[first - 1], t[first]) if t[first] != left else (left, left)
                elif top >= mu:
                    low, high = t[np.searchsorted(t, when, side="left") - 1], when
                else:
                    continue
                self.onset[c, m] = left
                if high > low:
                    self.onset[c, m] = brentq(lambda x, mu=mu: value(x) - mu, low, high, xtol=1e-14)


def _peaks(
    t: Array, values: Array, value: Callable[[float], float]
) -> list[tuple[float, float, float, float]]:
    """Return (time, value, from, to) of the local maxima in order; intervals cover all of t."""
    rise = np.diff(values)
    flat = FLAT * np.abs(values).max()  # rounding is no peak
    inner = np.flatnonzero((rise[:-1] > flat) & (rise[1:] <= 0.0)) + 1
    found = [(float(t[0]), float(values[0]), float(t[0]), float(t[0]))]
    last = float(t[0])
    for i in inner:
        best = minimize_scalar(
            lambda x: -value(x),
            bounds=(t[i - 1], t[i + 1]),
            method="bounded",
            options={"xatol": 1e-10},
        )
        when, top = float(best.x), -float(best.fun)
        if top < values[i]:
            when, top = float(t[i]), float(values[i])
        found.append((when, top, last, float(t[i + 1])))
        last = float(t[i + 1])
    return [*found, (float(t[-1]), float(values[-1]), last, float(t[-1]))]
