"""Figures of limits: ways to a corner, verdicts, friction in a bounce, least constraint."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import xarray as xr

from ink import digests, texts
from synthetic import meaning
from test_verdicts import COMPARED, GOES, family
from zwang import figures, store
from zwang.figures import Results, least_constraint, style

WAYS = [{"q": 0.5, "J_1": 0.2}, {"q": 1, "J_1": "0.05 kg*m^2"}, {"q": 2, "J_1": 0.5}]
A, B, M, G = 0.3, 0.1, 2.0, 9.81


def plane(count: int = 9) -> Results:
    """A heading that depends on J/|ρ| alone, larger on the other side."""
    side, r = np.array([-1.0, 1.0]), np.geomspace(1e-3, 1.0, count)
    J = np.geomspace(1e-7, 1.0, count + 1)
    heading = J / (J + 0.1 * r[:, None]) * np.array([20.0, 0.5])[:, None, None]
    dims = ("side", "r", "inertia")
    coords = {
        "side": ("side", side, meaning("1", "side", r"\mathrm{sign}\,\rho")),
        "r": ("r", r, meaning("1", "distance", r"|\rho|")),
        "inertia": ("inertia", J, meaning("kg*m^2", "inertia", "J")),
        "rho": (("side", "r"), side[:, None] * r, meaning("m", "distance", r"\rho")),
        "J": ("inertia", J, meaning("kg*m^2", "inertia", "J")),
    }
    status = (dims, np.zeros(heading.shape, dtype=np.int8), store.status_attrs())
    distance = (dims, heading / 10, meaning("m", "distance", "d"))
    end = (dims, heading, meaning("rad", "heading", r"\theta"))
    return Results.of(
        thresholds=xr.Dataset({"distance": distance, "status": status}, coords),
        runs=xr.Dataset({"theta_end": end}, coords),
    )


def friction() -> Results:
    """Two families, with and without inertia of disk and drum, in a bounce."""
    r, t = np.geomspace(1e-3, 0.1, 5), np.linspace(0.0, 1.0, 101)
    family, share, heavy = np.array(["q20", "none"]), np.array([0.0, 0.5]), np.array([0.0, 0.5])
    need = np.full((2, 2, 2, 5), B / A) * (1 + 0.9 * share[:, None, None])
    need[0] += 0.03 * r**-0.5
    need[:, :, 1] += 0.05 * r**-0.5
    rows = [("none", 0.0, 0.0), ("q20", 0.0, 0.0), ("none", 0.5, 0.0), ("none", 0.0, 0.5)]
    bump = np.exp(-(((t - 0.5) / 0.05) ** 2))
    X = np.stack([B / A + 0.1 * (s > 0) * bump + 0 * t for _, s, _ in rows])
    Y = np.stack([(f == "q20") * bump - 0.5 * (h > 0) * bump for f, _, h in rows])
    N = np.stack([9.0 + 10.0 * bump] * 4)
    words = meaning("1", "share", "C/(m b^2)"), meaning("1", "heavy", "M/m")
    along = ("trajectory", "t")
    attrs = {"values": json.dumps({"a": A, "b": B, "m": 1.0})}
    by_contact = ("trajectory", "contact", "t")
    paths = xr.Dataset(
        {
            "reaction_longitudinal": (along, X * N, meaning("N", "", "X")),
            "reaction_lateral": (along, Y * N, meaning("N", "", "Y")),
            "normal_load": (by_contact, N[:, None], meaning("N", "normal load", "N")),
            "utilisation": (by_contact, np.hypot(X, Y)[:, None], meaning("1", "", "u")),
        },
        coords={
            "t": ("t", t, meaning("s", "time", "t")),
            "contact": np.array(["disk"]),
            "family": ("trajectory", np.array([f for f, _, _ in rows])),
            "share": ("trajectory", [s for _, s, _ in rows], words[0]),
            "heavy": ("trajectory", [h for _, _, h in rows], words[1]),
            "rho": ("trajectory", [-0.02] * 4, meaning("m", "", r"\rho")),
        },
        attrs=attrs,
    )
    symbol = meaning("1", "critical friction", r"\mu_{\mathrm{c}}")
    thresholds = xr.Dataset(
        {"critical_mu": (("family", "share", "heavy", "r", "contact"), need[..., None], symbol)},
        coords={
            "family": family,
            "family_title": ("family", np.array(["$q = 2$", "$J = 0$"])),
            "J_1": ("family", [0.5, 0.0]),
            "share": ("share", share, words[0]),
            "heavy": ("heavy", heavy, words[1]),
            "r": r,
            "rho": ("r", -r, meaning("m", "", r"\rho")),
            "contact": np.array(["disk"]),
        },
        attrs=attrs,
    )
    return Results.of(thresholds=thresholds, trajectories=paths)


def ball(rises: bool, sign: float = 1.0) -> xr.Dataset:
    """The degenerate motion in closed form; `sign` falsifies the multiplier."""
    t, h, s = np.linspace(0.0, 0.5, 251), B / A, 1.0 if rises else -1.0
    w = 0.6 - s * G * h / (1 + h**2) * t
    w = np.where(w > 0.0, w, np.nan)
    z = s * h * w
    multiplier = -sign * M * G * h**2 / (2 * z * (1 + h**2))
    data = xr.Dataset(attrs={"values": json.dumps({"m": M, "a": A, "b": B, "g": G})})
    for name, values in {"x_dot": 0.6 * w, "y_dot": 0.8 * w, "z_dot": z}.items():
        data[name] = (("trajectory", "t"), values[None], meaning("m/s", "", name))
    data["reaction_cone"] = (("trajectory", "t"), multiplier[None], meaning("kg/s", "", r"\Lambda"))
    status = np.array([6 if rises else 0], dtype=np.int8)
    data["status"] = ("trajectory", status, store.status_attrs())
    reached = 0.6 * (1 + h**2) / (G * h) if rises else 0.5
    data["time_reached"] = ("trajectory", [reached], meaning("s", "", "t"))
    return data.assign_coords(t=("t", t, meaning("s", "time", "t")))


def balls() -> Results:
    kind = "trajectories"
    return Results({("falls", kind): ball(False), ("rises", kind): ball(True)})


def table() -> Results:
    found = {("one", "limits"): family(GOES)}
    found["two", "limits"] = family(COMPARED, predicted=True)
    return Results(found, {"one": "First case", "two": "Second case"})


FIGURES: dict[str, tuple[Callable[[], Results], dict[str, Any], tuple[str, ...]]] = {
    "limit_plane": (
        plane,
        {"families": WAYS},
        (r"\rho < 0", r"\rho > 0", "$q = 1/2$", "$q = 1$", "$q = 2$", "J", "kg"),
    ),
    "verdict_table": (table, {}, ("First case", "Second case", "yes", "no", "$q = 1/2$")),
    "friction_cone": (
        friction,
        {},
        ("$X/N$", "$Y/N$", "$b/a$", r"|\rho|^{-1/2}", "$J = 0$", "= 0.5", r"\mu"),
    ),
    "least_constraint": (
        balls,
        {"time": "0.1 s"},
        ("force along", "force against", "smallest $Z$", "run ends at the apex", "m/s²"),
    ),
}


@pytest.mark.parametrize("name", FIGURES)
def test_a_figure_says_what_it_shows_and_is_the_same_twice(name: str, tmp_path: Path) -> None:
    data, options, labels = FIGURES[name]
    first, second = (figures.render(name, data(), options) for _ in range(2))
    words = " | ".join(texts(first))
    for label in labels:
        assert label in words, label
    for index, figure in enumerate((first, second)):
        (tmp_path / str(index)).mkdir()
        assert figure.get_size_inches()[0] == pytest.approx(style.PAGE / style.INCH)
    assert digests(first, tmp_path / "0") == digests(second, tmp_path / "1")


@pytest.mark.parametrize("name", FIGURES)
def test_no_text_is_small_or_off_the_page(name: str) -> None:
    data, options, _ = FIGURES[name]
    figure = figures.render(name, data(), options)
    figure.draw_without_rendering()
    for ax in figure.axes:
        for text in ax.texts:
            if text.get_text():
                assert text.get_fontsize() >= 6.5
                box = text.get_window_extent()
                inside = figure.bbox.contains(box.x0, box.y0) and figure.bbox.contains(
                    box.x1, box.y1
                )
                assert inside, text.get_text()


def test_each_way_to_the_corner_tells_its_own_value() -> None:
    figure = figures.render("limit_plane", plane(), {"families": WAYS})
    labels = [text.get_text() for text in figure.axes[1].texts]
    values = [float(text.split("→ ")[1].rstrip("°")) for text in labels]
    assert len(set(values)) == len(values) == 3
    assert values[0] > values[1] > values[2]  # the more inertia is left, the farther it turns


@pytest.mark.parametrize("rises", [False, True])
def test_the_constraint_is_least_at_the_computed_acceleration(rises: bool) -> None:
    state = least_constraint._state(ball(rises), {"time": 0.1})
    assert least_constraint.least(state) == pytest.approx((0.0, 0.0), abs=1e-12)
    for offset in (0.3, -0.3):
        off = state.constraint(np.array([offset, 0.0, 0.0]), np.array([0.0, offset, 0.0]))
        assert off[2] < min(off[:2])
        r = state.deviation(np.array([offset]), np.array([2 * offset]))[0]
        assert r @ state.gradient == pytest.approx(state.required)
    power = state.computed[:2] @ state.velocity[:2]
    assert (power < 0.0) == rises


@pytest.mark.parametrize("sign", [-1.0, 1.01])
def test_a_wrong_multiplier_is_not_admissible(sign: float) -> None:
    with pytest.raises(style.FigureError, match="violates the constraint"):
        least_constraint._state(ball(True, sign), {"time": 0.1})


@pytest.mark.parametrize(
    ("name", "data", "options", "words"),
    [
        ("limit_plane", plane, {"families": [{"q": 1}]}, "expected a list of"),
        ("limit_plane", plane, {"families": [{"q": 1, "J_1": 0}]}, "has no logarithm"),
        ("limit_plane", plane, {"families": [{"q": "x", "J_1": 1}]}, "families: "),
        ("friction_cone", friction, {"contact": "wheel"}, "contact"),
        ("least_constraint", balls, {"time": 0.3}, "give an earlier time"),
        ("least_constraint", balls, {"time": "3 m"}, "time: "),
    ],
)
def test_a_wrong_option_is_answered_with_a_sentence(
    name: str, data: Callable[[], Results], options: dict[str, Any], words: str
) -> None:
    with pytest.raises(style.FigureError, match=words):
        figures.render(name, data(), options)


def test_data_that_lack_something_are_answered_with_a_sentence() -> None:
    bare = Results({("one", "limits"): family(GOES).drop_vars("goes_to")})
    with pytest.raises(style.FigureError, match="is compared with a degenerate motion"):
        figures.render("verdict_table", bare)
    fixed = ball(False).assign_attrs(values="{}")
    with pytest.raises(style.FigureError, match="do not hold the fixed values"):
        figures.render("least_constraint", Results.of(trajectories=fixed))
    known = friction()
    poor = {k: v.assign_attrs(values="{}") for k, v in known.datasets.items()}
    with pytest.raises(style.FigureError, match="do not hold the fixed value b"):
        figures.render("friction_cone", Results(poor))
