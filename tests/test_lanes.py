"""The kernel's own sine and cosine: four angles at once, exact to the last bit or its neighbour."""

import ctypes

import numpy as np
import pytest

from zwang.kernel.build import compile_library

SOURCE = """
#include "lanes.h"
void pairs(long count, const double *u, double *s, double *c)
{
    for (long i = 0; i + LANES <= count; i += LANES) {
        V x, a, b;
        for (int k = 0; k < LANES; ++k) x[k] = u[i + k];
        lanes_sincos(x, &a, &b);
        for (int k = 0; k < LANES; ++k) {
            s[i + k] = a[k];
            c[i + k] = b[k];
        }
    }
}
"""


@pytest.fixture(scope="module")
def library(tmp_path_factory: pytest.TempPathFactory) -> ctypes.CDLL:
    out = tmp_path_factory.mktemp("lanes") / "lanes.so"
    compile_library(SOURCE, out)
    return ctypes.CDLL(str(out))


def sincos(library: ctypes.CDLL, u: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    u = np.ascontiguousarray(u)
    s, c = np.empty_like(u), np.empty_like(u)
    pointers = (ctypes.c_void_p(a.ctypes.data) for a in (u, s, c))
    library.pairs(ctypes.c_long(len(u)), *pointers)
    return s, c


@pytest.mark.parametrize("reach", [1.0, 10.0, 1e3, 1e6, 1e9])
def test_sine_and_cosine_are_right_to_a_unit_in_the_last_place(
    library: ctypes.CDLL, reach: float
) -> None:
    rng = np.random.default_rng(3)
    special = np.arange(-40, 40) * np.pi / 4  # borders of the quadrants, and near zeros
    u = np.concatenate([rng.uniform(-reach, reach, 40_000), special])
    s, c = sincos(library, u)
    assert (np.abs(s - np.sin(u)) <= np.spacing(np.abs(np.sin(u)))).all()
    assert (np.abs(c - np.cos(u)) <= np.spacing(np.abs(np.cos(u)))).all()


def test_zero_and_what_is_not_a_number(library: ctypes.CDLL) -> None:
    s, c = sincos(library, np.array([0.0, np.nan, np.inf, -np.inf]))
    assert s[0] == 0.0
    assert c[0] == 1.0
    assert np.isnan(s[1:]).all()
    assert np.isnan(c[1:]).all()
