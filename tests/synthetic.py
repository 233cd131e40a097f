"""Ensembles of runs made from formulas: a car whose contacts slide at known times."""

import numpy as np
import xarray as xr

from zwang import store

L, G, END = 2.5, 9.81, 5.0
CONTACTS = np.array(["rear", "front"])


def meaning(units: str, long_name: str, symbol: str) -> dict[str, str]:
    return {"units": units, "long_name": long_name, "symbol": symbol}


def attributes(title: str) -> dict[str, str]:
    return store.provenance(title, ["Juschkov"], "title: made from formulas\n", "0" * 16, "1" * 16)


def steady(u: np.ndarray, theta: np.ndarray) -> np.ndarray:
    """Utilisation (..., contact) of a car on a steady circle: rear, front."""
    rear = u**2 * np.tan(theta) / (L * G)
    return np.stack([rear, rear / np.cos(theta)], axis=-1)


def coordinates(
    u: np.ndarray, theta: np.ndarray, mu: np.ndarray
) -> dict[str, tuple[str, np.ndarray, dict[str, str]]]:
    return {
        "u_0": ("u_0", u, meaning("m/s", "initial speed", "u_0")),
        "theta_0": ("theta_0", theta, meaning("rad", "initial steering angle", r"\theta_0")),
        "contact": ("contact", CONTACTS, {"long_name": "contact"}),
        "mu": ("mu", mu, meaning("1", "friction coefficient", r"\mu")),
    }


def ramp(final: np.ndarray, delay: np.ndarray, mu: np.ndarray) -> np.ndarray:
    """Onset (..., contact, mu) where the utilisation grows like final (t - delay)/(END - delay)."""
    with np.errstate(divide="ignore"):
        share = mu / final[..., None]
    start = delay[..., None]
    return np.where(share < 1.0, start + share * (END - start), np.nan)


def runs(n: int = 25, failing: bool = True) -> xr.Dataset:
    """A grid over speed and steering angle: rear first when fast, front first when turned far."""
    u, theta = np.linspace(4.0, 20.0, n), np.linspace(0.02, 0.9, n + 4)
    mu = np.array([0.1, 0.3, 0.6])
    uu, tt = np.meshgrid(u, theta, indexing="ij")
    final = steady(uu, tt)
    # slow cars load the rear contact late, fast ones the front contact
    late = (13.0 - uu) / 4.0
    delay = np.stack([late, -late], axis=-1).clip(0.0)
    onset = ramp(final, delay, mu)
    status = np.zeros(uu.shape, dtype=np.int8)
    if failing:
        status[(uu < 9.0) & (tt > 0.72)] = 6
        onset[status == 6] = np.nan
    dims = ("u_0", "theta_0")
    return xr.Dataset(
        {
            "critical_mu": (
                (*dims, "contact"),
                final,
                meaning("1", "critical friction coefficient", r"\mu_{\mathrm{c}}"),
            ),
            "time_of_maximum": (
                (*dims, "contact"),
                np.full(final.shape, END),
                meaning("s", "time of the largest utilisation", "t_m"),
            ),
            "onset": ((*dims, "contact", "mu"), onset, meaning("s", "onset of sliding", "t_s")),
            "status": (dims, status, store.status_attrs()),
        },
        coords=coordinates(u, theta, mu),
        attrs=attributes("made from formulas"),
    )


def trajectories(speed: float = 12.0, ticks: int = 501) -> xr.Dataset:
    """One run that swings the wheel from side to side while it speeds up."""
    t, mu = np.linspace(0.0, END, ticks), np.array([0.1, 0.3, 0.6])
    theta = 0.22 * np.sin(2.0 * t) * t / END
    use = steady(speed * (1 + 0.15 * t), theta) * np.array([0.8, 1.1])
    load = np.array([5000.0, 6200.0])
    onset = np.full((2, mu.size), np.nan)
    for k in range(2):
        for j, bound in enumerate(mu):
            above = np.flatnonzero(np.abs(use[:, k]) >= bound)
            if above.size:
                onset[k, j] = t[above[0]]
    trajectory = ("trajectory", "t")
    return xr.Dataset(
        {
            "reaction_rear": (
                trajectory,
                (use[:, 0] * load[0])[None],
                meaning("N", "reaction of the rear contact", r"\Lambda_1"),
            ),
            "reaction_front": (
                trajectory,
                (use[:, 1] * load[1])[None],
                meaning("N", "reaction of the front contact", r"\Lambda_2"),
            ),
            "normal_load": (
                ("trajectory", "contact", "t"),
                np.repeat(load[None, :, None], ticks, axis=2),
                meaning("N", "normal load", "N"),
            ),
            "utilisation": (
                ("trajectory", "contact", "t"),
                np.abs(use.T)[None],
                meaning("1", "utilisation", r"|\Lambda|/N"),
            ),
            "onset": (
                ("trajectory", "contact", "mu"),
                onset[None],
                meaning("s", "onset of sliding", "t_s"),
            ),
            "status": ("trajectory", np.zeros(1, dtype=np.int8), store.status_attrs()),
        },
        coords={
            "t": ("t", t, meaning("s", "time", "t")),
            "contact": ("contact", CONTACTS, {"long_name": "contact"}),
            "mu": ("mu", mu, meaning("1", "friction coefficient", r"\mu")),
            "u_0": ("trajectory", np.array([speed]), meaning("m/s", "initial speed", "u_0")),
            "A": ("trajectory", np.array([60.0]), meaning("N*m", "steering torque", "A")),
        },
        attrs=attributes("made from formulas"),
    )
