"""Thresholds on both sides of each statement, and roots against closed forms."""

import numpy as np
import pytest
import xarray as xr

from synthetic import CONTACTS, END, G, L, runs, steady
from zwang import thresholds


def test_steady_circle_front_is_critical() -> None:
    data = thresholds.analyse(runs(failing=False))
    u, theta = data["u_0"], data["theta_0"]
    expected = u**2 * np.tan(theta) / (L * G * np.cos(theta))
    np.testing.assert_allclose(data["critical_mu_common"], expected, rtol=1e-14)


def test_no_contact_slides_exactly_where_mu_is_above_the_critical_one() -> None:
    data = thresholds.analyse(runs(failing=False))
    holds = (data["critical_mu_common"] <= data["mu"]).transpose(*data["first_contact"].dims)
    np.testing.assert_array_equal(data["first_contact"] == 0, holds)
    assert {0, 1, 2} <= set(np.unique(data["first_contact"]).tolist())


def test_first_contact_has_the_earliest_onset() -> None:
    data = thresholds.analyse(runs(failing=False))
    onset = data["onset"]
    rear, front = onset.sel(contact="rear"), onset.sel(contact="front")
    np.testing.assert_array_equal(data["first_contact"] == 1, rear.fillna(np.inf) < front)
    np.testing.assert_array_equal(data["first_onset"], np.fmin(rear, front))


def one(onsets: list[float], status: int = 0, critical: float = 0.5) -> xr.Dataset:
    """Thresholds of one run with these onsets at one mu, the largest utilisation at 4 s."""
    names = [f"c{k}" for k in range(len(onsets))]
    data = xr.Dataset(
        {
            "critical_mu": (("run", "contact"), [[critical] * len(onsets)]),
            "time_of_maximum": (("run", "contact"), [[4.0] * len(onsets)]),
            "onset": (("run", "contact", "mu"), [[[t] for t in onsets]]),
            "status": ("run", np.array([status], dtype=np.int8)),
        },
        coords={"contact": names, "mu": [0.3]},
    )
    return thresholds.analyse(data)


@pytest.mark.parametrize(
    ("onsets", "status", "flag"),
    [
        ([1.0, 2.0], 0, 1),
        ([2.0, 1.0], 0, 2),
        ([1.0, 1.0 + 0.9e-9], 0, 3),
        ([1.0, 1.0 + 1.1e-9], 0, 1),
        ([np.nan, np.nan], 0, 0),
        ([np.nan, np.nan], 1, 0),  # at rest: nothing can slide any more
        ([np.nan, np.nan], 7, -1),
        ([np.nan, 1.0], 7, 2),  # what happened before the failure stays
        ([np.nan], 0, 0),
        ([2.0], 0, 1),
        ([3.0, 2.0, 2.0], 0, 4),
        ([3.0, 3.0, 2.0], 0, 3),
    ],
)
def test_flag_of_the_first_contact(onsets: list[float], status: int, flag: int) -> None:
    data = one(onsets, status)
    assert data["first_contact"].dims == ("run", "mu")
    assert data["first_contact"].dtype == np.int8
    assert int(data["first_contact"].squeeze()) == flag
    meanings = data["first_contact"].attrs["flag_meanings"].split()
    values = data["first_contact"].attrs["flag_values"].tolist()
    assert len(values) == len(meanings) == len(onsets) + 3
    assert meanings[values.index(len(onsets) + 1)] == "together"


@pytest.mark.parametrize(
    ("critical", "onset", "touch", "when"),
    [
        (0.3 * (1 - 0.9e-9), np.nan, 1, 4.0),
        (0.3 * (1 + 0.9e-9), 3.9999, 1, 3.9999),
        (0.3 * (1 - 1.1e-9), np.nan, 0, np.nan),
        (0.3 * (1 + 1.1e-9), 3.9999, 0, 3.9999),
    ],
)
def test_a_bound_that_is_only_touched(
    critical: float, onset: float, touch: int, when: float
) -> None:
    data = one([onset], critical=critical)
    assert int(data["touch"].squeeze()) == touch
    np.testing.assert_equal(float(data["onset"].squeeze()), when)
    assert int(data["first_contact"].squeeze()) == (0 if np.isnan(when) else 1)


def test_failed_run_keeps_its_values() -> None:
    data = thresholds.analyse(runs())
    failed = data["status"] == 6
    assert failed.any()
    assert (data["first_contact"].where(failed, -1) == -1).all()
    assert np.isfinite(data["critical_mu_common"]).all()


def test_missing_variable_is_a_sentence() -> None:
    with pytest.raises(ValueError, match="lack onset"):
        thresholds.analyse(runs().drop_vars("onset"))


def test_boundary_of_the_steady_circle() -> None:
    data = thresholds.analyse(runs(failing=False))
    theta, mu = data["theta_0"].values, data["mu"].values
    values = data["critical_mu_common"].transpose("theta_0", "u_0").values
    low, high = thresholds.brackets(values[:, None, :], data["u_0"].values, mu[None, :])
    asked: list[int] = []

    def evaluate(x: np.ndarray, index: np.ndarray) -> np.ndarray:
        asked.append(index.size)
        return steady(x, theta[index // mu.size])[..., 1]

    found = thresholds.boundary(evaluate, low, high, mu[None, :])
    closed = np.sqrt(mu * L * G * np.cos(theta[:, None]) / np.tan(theta[:, None]))
    inside = (closed >= data["u_0"].values[0]) & (closed <= data["u_0"].values[-1])
    assert inside.any()
    assert not inside.all()
    np.testing.assert_array_equal(np.isfinite(found), inside)
    np.testing.assert_allclose(found[inside], closed[inside], rtol=0, atol=1e-9)
    assert len(asked) <= 14  # superlinear: bisection would need 33


@pytest.mark.parametrize(
    "f",
    [
        lambda x: np.maximum(x - 0.4, 20 * (x - 0.4)),  # kink at the root, as of a largest value
        lambda x: np.where(x < 0.4, -1.0, 1e6),  # a jump
        lambda x: (x - 0.4) ** 9,  # flat
        lambda x: np.expm1(40 * (x - 0.4)),  # steep
        lambda x: 0.4 - x,  # falling
    ],
)
def test_boundary_is_never_much_slower_than_bisection(f: object) -> None:
    count = 0

    def evaluate(x: np.ndarray, index: np.ndarray) -> np.ndarray:
        nonlocal count
        count += 1
        return f(x)  # type: ignore[operator]

    found = thresholds.boundary(evaluate, np.zeros(3), np.array([1.0, 2.0, 0.9]), 0.0)
    np.testing.assert_allclose(found, 0.4, rtol=0, atol=2e-10)
    assert count <= 2 + 37


def test_boundary_is_nan_where_there_is_none() -> None:
    low, high = np.array([0.0, 2.0, np.nan, 0.0, 0.0]), np.array([1.0, 3.0, 1.0, 1.0, 0.5])

    def evaluate(x: np.ndarray, index: np.ndarray) -> np.ndarray:
        assert not np.isin(index, 2).any()
        return np.where((index == 3) & (x > 0.1) & (x < 0.9), np.nan, x)

    found = thresholds.boundary(evaluate, low, high, 0.5)
    np.testing.assert_allclose(found, [0.5, np.nan, np.nan, np.nan, 0.5], atol=1e-10)


def test_brackets_take_the_first_crossing_along_any_axis() -> None:
    grid = np.array([0.0, 1.0, 2.0, 3.0, 4.0])
    values = np.array([[0.0, 2.0, 0.0, 2.0, 4.0], [5.0, np.nan, 0.0, 0.5, 9.0], [0, 0, 0, 0, 0.5]])
    low, high = thresholds.brackets(values.T, grid, 1.0, axis=0)
    np.testing.assert_array_equal(low, [0.0, 3.0, np.nan])
    np.testing.assert_array_equal(high, [1.0, 4.0, np.nan])
    with pytest.raises(ValueError, match="one grid value for each"):
        thresholds.brackets(values, grid[:3], 1.0)


def test_synthetic_runs_are_what_they_say() -> None:
    data = runs(failing=False)
    assert data["contact"].values.tolist() == CONTACTS.tolist()
    assert float(data["onset"].max()) <= END


def slid(first: list[list[float]], time: list[list[float]]) -> xr.Dataset:
    """Runs of two contacts that may slide: first release and time of sliding."""
    count = len(first)
    zero = np.zeros((count, 2))
    return xr.Dataset(
        {
            "first_slip": (("run", "sliding"), np.array(first, dtype=float)),
            "slip_time": (("run", "sliding"), np.array(time, dtype=float)),
            "slip_distance": (("run", "sliding"), zero),
            "mode_end": (("run", "sliding"), zero),
            "mode_changes": ("run", np.zeros(count)),
            "status": ("run", np.zeros(count, dtype=np.int8)),
            "time_reached": ("run", np.full(count, 5.0)),
        },
        coords={"sliding": ["rear", "front"]},
    )


def test_which_contacts_slide_and_which_first() -> None:
    never = np.nan
    runs = slid(
        [[never, never], [1.0, 2.0], [3.0, 2.0], [never, 1.0], [never, 0.5]],
        [[0, 0], [1, 1], [1, 1], [0, 2], [2, 2]],
    )
    found = thresholds.sliding(runs)
    assert found["motion_type"].values.tolist() == [0, 3, 3, 2, 3]
    assert found["first_contact"].values.tolist() == [0, 1, 2, 2, 1]  # the last slid at once
    np.testing.assert_array_equal(found["first_onset"], [np.nan, 1.0, 2.0, 1.0, 0.0])
    assert found["motion_type"].attrs["flag_meanings"].split()[3] == "rear_and_front"


def test_deviation_from_the_ideal_runs() -> None:
    def ends(x: float, y: float, u: float, reached: float = 5.0) -> xr.Dataset:
        words = {"units": "m", "long_name": "place", "symbol": "x(t)"}
        speed = {"units": "m/s", "long_name": "speed", "symbol": "u(t)"}
        data = {"x_end": ("a", [x], words), "y_end": ("a", [y], words)}
        data |= {"u_end": ("a", [u], speed), "time_reached": ("a", [reached])}
        return xr.Dataset(data, coords={"a": [1.0]})

    found = thresholds.deviations(ends(3.0, 4.0, -1.0), ends(0.0, 0.0, 2.0), "u")
    assert found["distance"].item() == pytest.approx(5.0)
    assert found["x_deviation"].item() == pytest.approx(3.0)
    assert found["spins"].item() == 1
    assert thresholds.deviations(ends(0, 0, 1.0), ends(0, 0, 2.0), "u")["spins"].item() == 0
    early = thresholds.deviations(ends(3.0, 4.0, 1.0, reached=2.0), ends(0, 0, 2.0), None)
    assert np.isnan(early["distance"]).all()


def test_margin_is_what_friction_leaves() -> None:
    """Positive where no contact slides, negative where one does."""
    found = xr.Dataset({"critical_mu_common": ("run", [0.2, 0.5])}, coords={"mu": ("mu", [0.3])})
    np.testing.assert_allclose(thresholds.margin(found).transpose("run", "mu"), [[0.1], [-0.2]])
