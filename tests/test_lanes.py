"""The kernel's own functions: right to the last bit or two, the same bits from every compiler."""

import ctypes
import subprocess
from collections.abc import Callable
from functools import cache
from pathlib import Path

import mpmath
import numpy as np
import pytest

from zwang.kernel.build import FLAGS, RUNTIME, compile_library, compiler, machine_flags

ODD = ["sin", "tan", "asin", "atan", "sinh", "tanh"]
OWN = [*ODD, "cos", "acos", "cosh", "exp", "log"]
ONE = [*OWN, "sqrt"]
SOURCE = """
#include "lanes.h"
#define EACH(name, expression)                                          \\
    void name(long count, const double *u, const double *r, double *y)  \\
    {                                                                   \\
        (void)r;                                                        \\
        for (long i = 0; i < count; i += LANES) {                       \\
            V a, b, x;                                                  \\
            __builtin_memcpy(&a, u + i, sizeof a);                      \\
            __builtin_memcpy(&b, r + i, sizeof b);                      \\
            (void)b;                                                    \\
            x = expression;                                             \\
            __builtin_memcpy(y + i, &x, sizeof x);                      \\
        }                                                               \\
    }
""" + "".join(
    [f"EACH(all_{name}, lanes_{name}(a))\n" for name in ONE]
    + [f"EACH(all_{name}, lanes_{name}(a, b))\n" for name in ("pow", "root")]
    + [f"double one_{name}(double u) {{ return own_{name}(u); }}\n" for name in OWN]
    + ["double one_pow(double u, double r) { return own_pow(u, r); }\n"]
)
TINY = 5e-324
# fmt: off
SPECIAL = np.array([
    0.0, TINY, 1e-310, 2.3e-308, 1e-200, 1e-20, 1e-8, 0.2, 0.21, 0.4, 0.5, 0.66, 0.5**0.5, 0.785,
    1 - 2**-53, 1.0, 1 + 2**-52, 2**0.5, 1.5, 2.0, 4.9, 5.0, 19.99, 40.0, 708.4, 709.78, 710.47,
    745.1, 1e6, 1e15, 1e200, 1.7e308,
])
# fmt: on


def compiled(out: Path, *flags: str) -> ctypes.CDLL:
    """Return SOURCE built with flags of our own instead of the kernel's."""
    source = out.with_suffix(".c")
    source.write_text(SOURCE, encoding="utf-8")
    options = ["-std=gnu11", "-fPIC", "-shared", "-Wno-psabi", f"-I{RUNTIME}", *flags]
    command = [compiler(), *options, str(source), "-o", str(out)]
    subprocess.run(command, check=True, capture_output=True, text=True)
    return ctypes.CDLL(str(out))


@pytest.fixture(scope="module")
def library(tmp_path_factory: pytest.TempPathFactory) -> ctypes.CDLL:
    out = tmp_path_factory.mktemp("lanes") / "lanes.so"
    compile_library(SOURCE, out)
    return ctypes.CDLL(str(out))


def values(
    library: ctypes.CDLL, name: str, u: np.ndarray, r: np.ndarray | None = None
) -> np.ndarray:
    """Return the function of all u, padded to whole lanes meanwhile."""
    padded = [np.append(a, np.ones(-len(u) % 4)) for a in (u, u if r is None else r)]
    y = np.empty_like(padded[0])
    pointers = (ctypes.c_void_p(a.ctypes.data) for a in (*padded, y))
    getattr(library, f"all_{name}")(ctypes.c_long(len(y)), *pointers)
    return y[: len(u)]


@cache
def near_quarter_turns() -> np.ndarray:
    """Return the doubles closest to multiples of π/2: p/2^j with p/q a convergent of 2^j π/2."""
    found = []
    with mpmath.workprec(300):
        for j in range(53):
            x, p, before = mpmath.ldexp(mpmath.pi, j - 1), 1, 0
            while p < 2**53:
                found.append(p / 2**j)
                p, before = int(x) * p + before, p
                x = 1 / (x - int(x))
    return np.array([u for u in found if u <= 2**45])


def arguments(name: str, count: int = 2000) -> np.ndarray:
    """Return numbers of all sizes where the function is defined, and those where it is delicate."""
    rng = np.random.default_rng(3)
    sizes = [rng.uniform(0, 3, count // 2), 2.0 ** rng.uniform(-60, 10, count // 2)]
    u = np.concatenate([*sizes, SPECIAL, 1 - 2.0 ** -np.arange(1, 53)])
    if name in ("log", "sqrt"):
        return np.concatenate([u, 2.0 ** rng.uniform(-1074, 1024, count // 2)])
    if name in ("asin", "acos"):
        u = u[u <= 1]
    if name in ("sin", "cos", "tan"):
        far = 2.0 ** rng.uniform(10, 45, count // 2)
        u = np.concatenate([u[u <= 2**45], far, near_quarter_turns(), np.arange(40) * np.pi / 4])
    return np.concatenate([u, -u])


def units(got: np.ndarray, exact: list[mpmath.mpf]) -> np.ndarray:
    """Return the errors in units of the last place of the exact value."""
    largest = mpmath.mpf(np.finfo(float).max)
    errors = []
    for y, e in zip(got, exact, strict=True):
        if abs(e) > largest:
            errors.append(0.0 if y == np.copysign(np.inf, float(mpmath.sign(e))) else np.inf)
            continue
        place = max(mpmath.frexp(e)[1] if e else -1021, -1021) - 53
        errors.append(float(abs(mpmath.mpf(float(y)) - e) * mpmath.mpf(2) ** -place))
    return np.array(errors)


BOUNDS = {"sqrt": 0.5, "log": 0.6, "asin": 0.7, "acos": 0.7, "atan": 0.7}
BOUNDS |= {"exp": 1.0, "sin": 1.0, "cos": 1.0, "tan": 1.5, "tanh": 1.5, "cosh": 1.5, "sinh": 2.0}


@pytest.mark.parametrize("name", ONE)
def test_functions_are_right_to_the_last_places(library: ctypes.CDLL, name: str) -> None:
    u = arguments(name)
    if name == "log":
        u = u[u > 0]
    exact: Callable = getattr(mpmath, name)
    with mpmath.workprec(200):
        errors = units(values(library, name, u), [exact(mpmath.mpf(float(x))) for x in u])
    worst = int(np.argmax(errors))
    assert errors[worst] <= BOUNDS[name], f"{name}({u[worst].hex()}) is off by {errors[worst]:.2f}"


def test_powers_are_right_to_the_last_places_up_to_the_largest_numbers(
    library: ctypes.CDLL,
) -> None:
    rng = np.random.default_rng(5)
    bases = [
        1 + rng.uniform(-1, 1, 400) * 2.0 ** rng.uniform(-40, -1, 400),
        rng.uniform(0.7, 1.42, 400),  # here the logarithm has no whole part
        2.0 ** rng.uniform(-1074, 1024, 400),
    ]
    u = np.concatenate([*bases, rng.uniform(0, 9, 400)])
    r = np.append(rng.uniform(-750, 750, 1200) / np.log(u[:1200]), rng.uniform(-5, 5, 400))
    with mpmath.workprec(300):
        pairs = zip(u, r, strict=True)
        exact = [mpmath.power(mpmath.mpf(float(a)), mpmath.mpf(float(b))) for a, b in pairs]
        assert units(values(library, "pow", u, r), exact).max() <= 1.5


def test_powers_of_zero_one_negative_and_infinite_numbers_are_those_of_c(
    library: ctypes.CDLL,
) -> None:
    special = [0.0, TINY, 0.5, 1.0, 1.5, 2.0, 3.0, 2.0**52 + 1, 2.0**53, 1e300, np.inf]
    special = np.array([*special, *(-x for x in special), np.nan])
    u, r = (a.ravel() for a in np.meshgrid(special, special))
    with np.errstate(all="ignore"):
        expected = np.power(u, r)
    got = values(library, "pow", u, r)
    np.testing.assert_allclose(got, expected, rtol=1e-15)
    assert (np.signbit(got) == np.signbit(expected))[~np.isnan(expected)].all()


def test_a_cube_of_a_negative_number_is_negative_and_exact(library: ctypes.CDLL) -> None:
    u = np.array([-3.0, -2.0, -10.0, -0.5])
    assert (values(library, "pow", u, np.full(4, 3.0)) == u**3).all()


@pytest.mark.parametrize(
    ("name", "argument", "expected"),
    [("exp", -1000.0, 0.0), ("exp", 710.0, np.inf), ("exp", -np.inf, 0.0), ("exp", np.inf, np.inf)]
    + [("exp", 0.0, 1.0), ("log", 0.0, -np.inf), ("log", -0.0, -np.inf), ("log", 1.0, 0.0)]
    + [("log", np.inf, np.inf), ("log", -1.0, np.nan), ("log", -np.inf, np.nan)]
    + [("log", -TINY, np.nan), ("asin", 1 + 2**-52, np.nan), ("asin", -2.0, np.nan)]
    + [("asin", np.inf, np.nan), ("asin", 1.0, np.pi / 2), ("acos", 1.0, 0.0)]
    + [("acos", -1.0, np.pi), ("acos", -0.0, np.pi / 2), ("acos", 1.5, np.nan)]
    + [("atan", np.inf, np.pi / 2), ("atan", -np.inf, -np.pi / 2), ("tanh", np.inf, 1.0)]
    + [("tanh", 25.0, 1.0), ("sinh", -np.inf, -np.inf), ("cosh", -np.inf, np.inf)]
    + [("cosh", 0.0, 1.0), ("cos", 0.0, 1.0), ("sin", np.inf, np.nan), ("cos", -np.inf, np.nan)]
    + [("tan", np.inf, np.nan), ("sin", 2.0**46, np.nan), ("sqrt", -1.0, np.nan)]
    + [(name, np.nan, np.nan) for name in ONE],
)
def test_limits(library: ctypes.CDLL, name: str, argument: float, expected: float) -> None:
    np.testing.assert_array_equal(values(library, name, np.array([argument])), [expected])


@pytest.mark.parametrize("name", ODD)
def test_odd_functions_are_odd_to_the_last_bit_and_keep_the_sign_of_zero(
    library: ctypes.CDLL, name: str
) -> None:
    u = np.abs(arguments(name))
    plus, minus = values(library, name, u), values(library, name, -u)
    assert (plus.view(np.int64) == (-minus).view(np.int64)).all()
    assert (plus[u < 1e-300] == u[u < 1e-300]).all()


@pytest.mark.parametrize("name", [*ONE, "pow"])
def test_what_is_not_a_number_in_one_lane_leaves_the_others_alone(
    library: ctypes.CDLL, name: str
) -> None:
    u, r = np.array([0.3, 0.7, 0.11, 0.9]), np.array([1.5, -2.5, 3.0, 7.1])
    clean = values(library, name, u, r)
    for strange in (np.nan, np.inf, -np.inf, -1e300, 0.0):
        for lane in range(4):
            spoiled = u.copy()
            spoiled[lane] = strange
            others = np.arange(4) != lane
            assert (values(library, name, spoiled, r)[others] == clean[others]).all()


def test_one_number_alone_has_the_bits_of_a_lane(library: ctypes.CDLL) -> None:
    for name in (*OWN, "pow"):
        one = getattr(library, f"one_{name}")
        one.restype, one.argtypes = ctypes.c_double, [ctypes.c_double] * (2 if name == "pow" else 1)
        u, r = np.array([0.3, 0.7, 0.11, 0.9]), np.array([1.5, -2.5, 3.0, 7.1])
        alone = [one(a, b) if name == "pow" else one(a) for a, b in zip(u, r, strict=True)]
        assert (values(library, name, u, r) == alone).all()


def test_roots_for_the_step_size_are_good_to_twelve_digits(library: ctypes.CDLL) -> None:
    x = 10.0 ** np.random.default_rng(7).uniform(-300, 300, 2000)
    for order in (15, 16):
        root = values(library, "root", x, np.full(len(x), 1 / order))
        np.testing.assert_allclose(root, x ** (1 / order), rtol=1e-12)


@pytest.mark.parametrize(
    "flags",
    [
        ("-O0", "-ffp-contract=fast", *machine_flags()),
        ("-O2", "-ffp-contract=off", *machine_flags()),
        ("-O1", "-ffp-contract=off"),  # and for any processor of this kind
    ],
    ids=["unoptimised", "not contracted", "any processor"],
)
def test_bits_do_not_depend_on_the_compiler(
    library: ctypes.CDLL, tmp_path: Path, flags: tuple[str, ...]
) -> None:
    other = compiled(tmp_path / "other.so", *flags, "-lm")
    rng = np.random.default_rng(11)
    for name in (*ONE, "pow", "root"):
        u = arguments(name if name in ONE else "log", 2000)
        r = rng.uniform(-20, 20, len(u)) if name == "pow" else np.full(len(u), 1 / 15)
        here, there = (values(built, name, u, r) for built in (library, other))
        same = (here.view(np.int64) == there.view(np.int64)) | (np.isnan(here) & np.isnan(there))
        assert same.all(), f"{name} of {u[~same][:3]}"


@pytest.mark.skipif(not machine_flags(), reason="without the unit fma is a call")
def test_no_function_of_the_c_library_is_called(tmp_path: Path) -> None:
    kernel = [f for f in FLAGS if f not in ("-fPIC", "-shared")]
    compiled(tmp_path / "alone.so", *kernel, *machine_flags(), "-nostdlib", "-Wl,--no-undefined")
