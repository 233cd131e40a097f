"""Families that go to a limit: distances, observed and predicted orders, verdicts, bounces."""

import numpy as np
import pytest
import xarray as xr

from zwang import limits

R = np.geomspace(1e-4, 1.0, 9)
T = np.linspace(0.0, 1.0, 201)


def family(power: float, away: float = 0.0) -> xr.Dataset:
    """x differs from sin t by r^power cos t and by `away`."""
    x = np.sin(T) + R[:, None] ** power * np.cos(T) + away
    return xr.Dataset(
        {"x": (("trajectory", "t"), x, {"units": "m", "long_name": "place", "symbol": "x"})},
        coords={"t": T, "r": ("trajectory", R)},
    )


def target() -> dict[str, dict[str, xr.DataArray]]:
    wanted = np.broadcast_to(np.sin(T), (R.size, T.size))
    return {"sine": {"x": xr.DataArray(wanted, dims=("trajectory", "t"))}}


def found(power: float, away: float = 0.0, rate: float | None = None) -> xr.Dataset:
    out = limits.distances(family(power, away), target(), ["x"])
    if rate is not None:
        out["rate_x"] = (("target", "trajectory"), R[None, :] ** rate)
    return limits.with_orders(out.swap_dims(trajectory="r"), "r")


@pytest.mark.parametrize("power", [0.5, 1.0, 2.0])
def test_the_order_of_a_power_is_its_exponent(power: float) -> None:
    out = found(power, rate=power)
    assert float(out["order_x"][0]) == pytest.approx(power, abs=1e-9)
    assert float(out["predicted_order_x"][0]) == pytest.approx(power, abs=1e-9)
    np.testing.assert_allclose(out["local_order_x"].values[0, :-1], power, rtol=1e-9)
    np.testing.assert_allclose(out["distance_x"].values[0], R**power)
    assert out["distance_x"].attrs["units"] == "m"


def test_order_does_not_depend_on_the_order_of_the_runs() -> None:
    mixed = family(1.0).isel(trajectory=[3, 0, 8, 1, 5, 2, 7, 4, 6])
    out = limits.distances(mixed, target(), ["x"]).swap_dims(trajectory="r")
    assert float(limits.with_orders(out, "r")["order_x"][0]) == pytest.approx(1.0, abs=1e-9)


@pytest.mark.parametrize(
    ("power", "away", "verdict"), [(1.0, 0.0, 1), (0.5, 0.0, 1), (1.0, 0.3, 0), (0.0, 0.0, 0)]
)
def test_verdict(power: float, away: float, verdict: int) -> None:
    assert int(limits.verdict(found(power, away), "r")[0]) == verdict


def test_a_run_that_ended_is_compared_as_far_as_it_went() -> None:
    short = family(1.0)
    short["x"][:, 100:] = np.nan
    out = limits.distances(short, target(), ["x"])
    np.testing.assert_allclose(out["compared_until"], T[99])
    np.testing.assert_allclose(out["distance_x"].values[0], R)


def test_rounding_is_not_taken_for_an_order() -> None:
    out = limits.distances(family(1.0), target(), ["x"])
    out["distance_x"] = out["distance_x"] * 0.0 + 1e-14
    out["distance_x"].attrs["size"] = 1.0
    assert np.isnan(limits.with_orders(out.swap_dims(trajectory="r"), "r")["order_x"]).all()


def test_reference_is_matched_by_axis_values() -> None:
    paths = family(1.0)
    back = limits.matched(paths.isel(trajectory=slice(None, None, -1)), paths, {})
    np.testing.assert_array_equal(back["r"], paths["r"])
    one = limits.matched(paths, paths, {"r": R[2]})
    np.testing.assert_array_equal(one["r"], np.full(R.size, R[2]))
    with pytest.raises(ValueError, match="0 trajectories of the reference match"):
        limits.matched(paths.isel(trajectory=[0, 1]), paths, {})


def test_bounces_are_counted_in_the_direction_of_their_side() -> None:
    p = np.array([np.cos(4 * np.pi * (T + 0.35))])  # rises through zero at 0.025 and 0.525
    heading = np.array([2.0 * (T > 0.025) + 2.0 * (T > 0.525)])
    number, first, turn = limits.bounces(T, heading, p, np.array([1.0]))
    assert number[0] == 2
    assert first[0] == pytest.approx(0.025, abs=1e-6)
    assert turn[0] == 2.0
    number, first, _ = limits.bounces(T, heading, p, np.array([-1.0]))  # falls at 0.275 and 0.775
    assert first[0] == pytest.approx(0.275, abs=1e-6)
