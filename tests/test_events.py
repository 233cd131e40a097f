"""No root and no maximum of a step's polynomial is lost, wherever in the step it lies."""

import ctypes
from pathlib import Path

import numpy as np
import pytest
import xarray as xr
from numpy.polynomial import polynomial as poly

import zwang
from zwang.kernel.build import compile_library

ORDER = 16
NONE = 2.0
SOURCE = """
#include "lanes.h"
#include "events.h"
double crossing(const double *c, double level) { return first_crossing(c, level); }
double fall(const double *c, double slack) { return first_fall(c, slack); }
int maximum(const double *c, double *best, double *at) { return larger_maximum(c, best, at); }
"""


@pytest.fixture(scope="module")
def events(tmp_path_factory: pytest.TempPathFactory) -> ctypes.CDLL:
    out: Path = tmp_path_factory.mktemp("events") / "events.so"
    compile_library(SOURCE, out)
    library = ctypes.CDLL(str(out))
    library.crossing.restype = library.fall.restype = ctypes.c_double
    return library


def padded(c: np.ndarray) -> np.ndarray:
    return np.ascontiguousarray(np.pad(np.asarray(c, dtype=float), (0, ORDER + 1 - len(c))))


def crossing(events: ctypes.CDLL, c: np.ndarray, level: float = 0.0) -> float:
    c = padded(c)
    return events.crossing(ctypes.c_void_p(c.ctypes.data), ctypes.c_double(level))


def fall(events: ctypes.CDLL, c: list[float], slack: float = 0.0) -> float:
    values = padded(np.array(c))
    return events.fall(ctypes.c_void_p(values.ctypes.data), ctypes.c_double(slack))


def maximum(events: ctypes.CDLL, c: np.ndarray, best: float = -1.0) -> tuple[int, float, float]:
    c = padded(c)
    top, where = ctypes.c_double(best), ctypes.c_double(np.nan)
    found = events.maximum(ctypes.c_void_p(c.ctypes.data), ctypes.byref(top), ctypes.byref(where))
    return found, top.value, where.value


def uncertainty(c: np.ndarray, root: float) -> float:
    """Return how far rounding of the coefficients may move a simple root."""
    return 64 * np.finfo(float).eps * np.abs(c).sum() / abs(poly.polyval(root, poly.polyder(c)))


def random_polynomial(rng: np.random.Generator, inside: np.ndarray) -> np.ndarray:
    """Return a polynomial of degree 16 with these roots in [0, 1], the others well outside."""
    others = ORDER - len(inside)
    outside = rng.choice([-1.0, 1.0], others) * rng.uniform(1.5, 6.0, others) + 0.5
    factors = [np.array([-r, 1.0]) for r in inside] + [np.array([1.0, -1.0 / r]) for r in outside]
    c = np.array([1.0])
    for factor in factors:
        c = poly.polymul(c, factor)
    return c


@pytest.mark.parametrize("count", [1, 2, 3, 4])
def test_first_of_several_roots(events: ctypes.CDLL, count: int) -> None:
    rng = np.random.default_rng(count)
    for _ in range(300):
        roots = np.sort(rng.uniform(0.0, 1.0, count))
        if np.diff(roots, append=2.0).min() < 1e-3:
            continue
        c = random_polynomial(rng, roots)
        assert crossing(events, c) == pytest.approx(roots[0], rel=0, abs=uncertainty(c, roots[0]))


@pytest.mark.parametrize("gap", [1e-1, 1e-3, 1e-6])
def test_two_crossings_in_one_step_that_the_ends_do_not_show(
    events: ctypes.CDLL, gap: float
) -> None:
    rng = np.random.default_rng(7)
    for _ in range(100):
        first = rng.uniform(0.05, 0.85)
        c = random_polynomial(rng, np.array([first, first + gap]))
        assert c[0] * poly.polyval(1.0, c) > 0.0  # looking at the ends alone misses both
        assert crossing(events, c) == pytest.approx(first, rel=0, abs=uncertainty(c, first))


def test_a_touch_is_found_and_a_near_miss_is_not(events: ctypes.CDLL) -> None:
    square = poly.polymul([-0.375, 1.0], [-0.375, 1.0])  # exact in binary
    assert crossing(events, square) == pytest.approx(0.375, abs=1e-7)
    assert crossing(events, square + np.array([1e-9, 0.0, 0.0])) == NONE
    below = crossing(events, square - np.array([1e-9, 0.0, 0.0]))
    assert below == pytest.approx(0.375 - np.sqrt(1e-9), abs=1e-11)


def test_roots_on_the_borders_belong_to_the_step(events: ctypes.CDLL) -> None:
    assert crossing(events, np.array([0.0, 1.0])) == 0.0
    assert crossing(events, np.array([-1.0, 1.0])) == 1.0
    assert crossing(events, np.array([-1.0, 1.0 - 1e-9])) == NONE
    assert crossing(events, np.array([1e-9, 1.0])) == NONE


def test_level_is_where_the_value_is_met(events: ctypes.CDLL) -> None:
    c = np.array([0.0, 0.0, 1.0])
    assert crossing(events, c, 0.25) == pytest.approx(0.5, abs=1e-15)
    assert crossing(events, c, -0.25) == NONE
    assert crossing(events, c, 1.25) == NONE


def test_no_root_where_all_lie_outside(events: ctypes.CDLL) -> None:
    rng = np.random.default_rng(3)
    for _ in range(300):
        assert crossing(events, random_polynomial(rng, np.zeros(0))) == NONE


def largest(c: np.ndarray) -> float:
    """Return the largest |value| on [0, 1] from the roots of the derivative and dense samples."""
    critical = poly.polyroots(poly.polyder(c))
    real = critical[np.abs(critical.imag) < 1e-6].real
    s = np.concatenate([np.linspace(0.0, 1.0, 2001), real[(real > 0.0) & (real < 1.0)]])
    return float(np.abs(poly.polyval(s, c)).max())


def test_largest_value_inside_or_at_the_ends(events: ctypes.CDLL) -> None:
    rng = np.random.default_rng(5)
    inner = 0
    for _ in range(300):
        c = rng.normal(size=ORDER + 1) * rng.choice([0.3, 1.0]) ** np.arange(ORDER + 1)
        found, top, where = maximum(events, c)
        rounding = 1e-14 * np.abs(c).sum()
        assert found == 1
        assert top == pytest.approx(largest(c), rel=0, abs=rounding)
        assert abs(poly.polyval(where, c)) == pytest.approx(top, rel=0, abs=rounding)
        inner += 0.0 < where < 1.0
    assert 30 < inner < 300


def test_a_narrow_peak_between_low_ends_is_found(events: ctypes.CDLL) -> None:
    bump = poly.polypow([0.0, 4.0, -4.0], 8)  # (4 s (1 - s))**8, 0 at both ends, 1 at s = 1/2
    found, top, where = maximum(events, -bump)
    assert found == 1
    assert top == pytest.approx(1.0, abs=1e-9)
    assert where == pytest.approx(0.5, abs=1e-4)


def test_a_smaller_maximum_changes_nothing(events: ctypes.CDLL) -> None:
    c = np.array([0.0, 4.0, -4.0])
    assert maximum(events, c, best=1.5)[:2] == (0, 1.5)
    assert maximum(events, c, best=0.5)[:2] == (1, 1.0)


@pytest.mark.parametrize(
    ("c", "slack", "first"),
    [
        ([1.0, -2.0], 0.0, 0.5),
        ([1.0, 2.0], 0.0, NONE),
        ([0.0, -1.0], 0.0, 0.0),  # at zero and falling: at once
        ([0.0, 1.0, -2.0], 0.0, 0.5),  # at zero, rising, falling later
        ([0.0, 0.0, 1.0, -4.0], 0.0, 0.25),
        ([0.0, 0.0, -1.0], 0.0, 0.0),
        ([1e-12, -1.0, 4.0], 1e-11, 0.0),  # within the slack: what follows decides
        ([-1e-12, 1.0, -2.0], 1e-11, 0.5),
        ([-1e-10, 1.0], 1e-11, 0.0),  # below zero from the start
        ([0.25, -1.0, 1.0], 0.0, NONE),  # a touch is no fall
        ([0.25 - 1e-9, -1.0, 1.0], 0.0, NONE),  # nor is one a billionth deep
        ([0.25 - 1e-8, -1.0, 1.0], 0.0, 0.5 - 1e-4),
        ([0.046875, -0.4375, 1.25, -1.0], 0.0, 0.75),  # touches at 1/4, falls at 3/4
        ([0.0], 0.0, NONE),
    ],
)
def test_first_fall_below_zero(
    events: ctypes.CDLL, c: list[float], slack: float, first: float
) -> None:
    assert fall(events, c, slack) == pytest.approx(first, abs=1e-9)


@pytest.mark.parametrize("count", [1, 2, 3, 4])
def test_the_first_fall_is_the_first_root_of_a_polynomial_that_starts_above(
    events: ctypes.CDLL, count: int
) -> None:
    rng = np.random.default_rng(count + 20)
    for _ in range(300):
        roots = np.sort(rng.uniform(0.01, 1.0, count))
        if np.diff(roots, append=2.0).min() < 1e-3:
            continue
        c = random_polynomial(rng, roots)
        c = c if c[0] > 0.0 else -c
        assert fall(events, c) == pytest.approx(roots[0], rel=0, abs=uncertainty(c, roots[0]))


# Whole runs: a block on level ground, held against a push whose series is its only step ----------

WEIGHT = 2.0 * 9.81  # N
HUMP = f"{WEIGHT}*(0.5 - 4*(t - 0.4)**2)"  # 0.5 of the weight at 0.4 s, 0.14 of it at 0.1 and 0.7


def pushed(push: str, mu: list[float], t0: float = 0.1, end: float = 0.7) -> xr.Dataset:
    return zwang.simulate(
        zwang.systems.block(),
        parameters={"m": 2.0, "g": 9.81, "alpha": 0.0, "mu": mu[0]},
        initial={"x": 0.0, "y": 0.0},
        inputs={"push_x": push},
        times=np.array([t0, end]),
        mu=mu,
    )


@pytest.mark.parametrize("way", ["", "-"])
def test_a_bound_passed_and_regained_within_one_step_is_found(way: str) -> None:
    """Both ends of the step lie below the bound."""
    run = pushed(way + HUMP, [0.2, 0.49, 0.51])
    wanted = [0.4 - np.sqrt(0.3) / 2, 0.35, np.nan]
    np.testing.assert_allclose(run.onset[0], wanted, rtol=0, atol=1e-12)
    assert float(run.critical_mu[0]) == pytest.approx(0.5, rel=1e-14)
    assert float(run.time_of_maximum[0]) == pytest.approx(0.4, abs=1e-8)  # flat there


@pytest.mark.parametrize(
    ("excess", "touch", "onsets"), [(1e-10, 1, 1), (-1e-10, 1, 1), (1e-8, 0, 1), (-1e-8, 0, 0)]
)
def test_a_bound_met_within_a_billionth_is_a_touch(excess: float, touch: int, onsets: int) -> None:
    table = zwang.sweep(
        zwang.systems.block(),
        parameters={"m": 2.0, "g": 9.81, "alpha": 0.0},
        initial={"x": 0.0, "y": 0.0},
        inputs={"push_x": f"rise*{WEIGHT}*(1 - 8*(t - 0.4)**2)"},
        points={"rise": [0.5 * (1 + excess)]},
        end=0.7,
        mu=[0.5],
    )
    assert int(table.touch.squeeze()) == touch
    onset = float(table.onset.squeeze())
    assert np.isfinite(onset) == onsets
    assert not onsets or onset == pytest.approx(0.4, abs=1e-4)


def test_a_bound_exceeded_from_the_start_or_met_at_the_end_has_that_time() -> None:
    run = pushed(f"{WEIGHT}*(0.25 + 0.25*t)", [0.125, 0.25, 0.375, 0.5, 0.625], 0.0, 1.0)
    wanted = [0.0, 0.0, 0.5, 1.0, np.nan]
    np.testing.assert_allclose(run.onset[0], wanted, rtol=0, atol=1e-12)
