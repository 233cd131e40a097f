"""Figures of Appell and Hamel's disk: the system to scale, families of paths, bounces, portrait."""

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import xarray as xr
from matplotlib.colors import same_color
from matplotlib.figure import Figure
from matplotlib.patches import Circle, Polygon

from ink import digests, overlaps, texts
from synthetic import attributes, meaning
from zwang import figures
from zwang.figures import Results, _appell, family_paths, heading_steps, phase_portrait, style
from zwang.figures._appell import Disk

M, A, B, G = 1.0, 0.3, 0.1, 9.81
T = np.linspace(0.0, 1.0, 251)
STUDY = """
grid: {family: {values: all}, r: {count: 3}}
sets: {family: {none: {title: $J = 0$}, q20: {title: $q = 2$}}}
limit:
  to:
    degenerate: {formulas: {gamma: g*b/(a**2 + b**2), phi: phi_dot_0*t + gamma*t**2/2, theta: 0*t}}
    predicted:
      formulas:
        gamma: g*b/(a**2 + b**2)
        phi: abs(phi_dot_0)*t + gamma*t**2/2
        theta: pi*sqrt(m*(a**2 + b**2)*(m*r**2 + J))/(m*a*r) + 0*t
        xi: integral(a*cos(theta))
"""
UNITS = {
    "xi": ("m", r"\xi"),
    "eta": ("m", r"\eta"),
    "theta": ("rad", r"\theta"),
    "phi": ("rad", r"\varphi"),
    "phi_dot": ("rad/s", r"\dot{\varphi}"),
    "theta_dot": ("rad/s", r"\dot{\theta}"),
    "log_theta_dot": ("1", r"\ln|\dot{\theta}|"),
}


def motion(rho: float, J: float, p: float, turning: float, t: np.ndarray) -> dict[str, np.ndarray]:
    """The motion by Runge and Kutta's method with small steps, ln of the turning rate carried."""
    k, inertia, rolling = M * A * rho, M * rho**2 + J, M * (A**2 + B**2)

    def rate(y: np.ndarray) -> np.ndarray:
        omega = np.exp(y[1])
        speed = A * y[0] * np.array([np.cos(y[3]), np.sin(y[3])])
        rates = (k * omega**2 + M * G * B) / rolling, -k * y[0] / inertia, y[0], omega
        return np.array([*rates[:2], rates[2], rates[3], *speed])

    y, rows, parts = np.array([p, np.log(turning), 0.0, 0.0, 0.0, 0.0]), [], 8
    h = float(t[1] - t[0]) / parts
    for _ in t:
        rows.append(y)
        for _ in range(parts):
            k1 = rate(y)
            k2 = rate(y + h / 2 * k1)
            k3 = rate(y + h / 2 * k2)
            y = y + h / 6 * (k1 + 2 * k2 + 2 * k3 + rate(y + h * k3))
    p_, log, phi, theta, xi, eta = np.transpose(rows)
    found = {"phi_dot": p_, "log_theta_dot": log, "phi": phi, "theta": theta, "xi": xi, "eta": eta}
    return {**found, "theta_dot": np.exp(log)}


def family(side: float = 1.0, p: float = -2.0) -> xr.Dataset:
    """Trajectories of two families at three distances."""
    places = [(name, r) for name in ("none", "q20") for r in (0.02, 0.05, 0.1)]
    inertia = {"none": 0.0, "q20": 0.5}
    rows = [motion(side * r, inertia[name] * r**2, p, 0.5, T) for name, r in places]
    r = np.array([r for _, r in places])
    fixed = {"m": M, "a": A, "b": B, "g": G, "C": 0.0, "M": 0.0, "phi_dot_0": p}
    fixed |= {"theta_dot_0": 0.5, "side": side}
    attrs = {**attributes("a family"), "study": STUDY, "values": json.dumps(fixed)}
    return _dataset(rows, T, attrs).assign_coords(
        family=("trajectory", np.array([name for name, _ in places]), {"long_name": "family"}),
        r=("trajectory", r, meaning("1", "distance", r"|\rho|")),
        rho=("trajectory", side * r, meaning("m", "distance", r"\rho")),
        J=("trajectory", np.array([inertia[n] for n, _ in places]) * r**2, meaning("1", "", "J")),
    )


def _dataset(rows: list[dict[str, np.ndarray]], t: np.ndarray, attrs: dict[str, Any]) -> xr.Dataset:
    found = xr.Dataset(attrs=attrs, coords={"t": ("t", t, meaning("s", "time", "t"))})
    for name, (units, symbol) in UNITS.items():
        values = np.stack([row[name] for row in rows])
        found[name] = (("trajectory", "t"), values, meaning(units, name, symbol))
    return found


def portrait() -> xr.Dataset:
    """Trajectories on both sides from three turning rates."""
    r, J, t = 0.05, 0.002, np.linspace(0.0, 0.8, 401)
    places = [(side, share) for side in (-1.0, 1.0) for share in (0.35, 0.8, 1.5)]
    steady = np.sqrt(G * B / (A * r))
    rows = [motion(side * r, J, 0.0, share * steady, t) for side, share in places]
    fixed = {"m": M, "a": A, "b": B, "g": G, "J": J, "r": r}
    attrs = {**attributes("a portrait"), "values": json.dumps(fixed)}
    rho = np.array([side * r for side, _ in places])
    return _dataset(rows, t, attrs).assign_coords(
        rho=("trajectory", rho, meaning("m", "distance", r"\rho"))
    )


@pytest.fixture(scope="module")
def back() -> xr.Dataset:
    return family()


@pytest.fixture(scope="module")
def minus() -> xr.Dataset:
    return family(side=-1.0)


@pytest.fixture(scope="module")
def states() -> xr.Dataset:
    return portrait()


@pytest.fixture(scope="module")
def two(back: xr.Dataset, minus: xr.Dataset) -> Results:
    kinds = {("back", "trajectories"): back, ("minus", "trajectories"): minus}
    return Results(kinds, {"back": "ahead", "minus": "behind"})


def drawing(a: float = A, b: float = B) -> Figure:
    values = json.dumps({"m": M, "a": a, "b": b, "g": G})
    return figures.render("appell_drawing", Results.of(runs=xr.Dataset(attrs={"values": values})))


# -- The system drawn ----------------------------------------------------------------------------


@pytest.mark.parametrize("b", [0.06, 0.1, 0.18])
def test_drum_and_disk_are_drawn_to_scale_in_both_views(b: float) -> None:
    side, above = drawing(b=b).axes
    disk, drum = sorted(
        (p for p in side.patches if isinstance(p, Circle)), key=lambda p: -p.radius
    )[:2]
    assert drum.radius / disk.radius == pytest.approx(b / A)
    shapes = {p.get_gid(): p for p in above.patches if isinstance(p, Polygon) and p.get_gid()}
    lengths = {n: np.hypot(*np.diff(p.get_xy()[:2], axis=0)[0]) for n, p in shapes.items()}
    assert lengths["drum"] / lengths["disk"] == pytest.approx(b / A)
    assert lengths["disk"] == pytest.approx(2 * disk.radius)  # one scale in both views


def test_rope_runs_from_the_top_of_the_drum_to_the_weight() -> None:
    side = drawing().axes[0]
    rope = next(line for line in side.lines if line.get_gid() == "rope")
    x, y = rope.get_data()
    assert (x[0], y[0]) == pytest.approx((0.0, 1.0 + B / A))
    assert x[-1] == x[-2] == max(x)  # it hangs straight down
    assert y[-1] < y[0]


def test_every_symbol_of_the_system_is_in_the_drawing() -> None:
    written = texts(drawing())
    for name in (
        "a",
        "b",
        r"\rho",
        "z",
        r"\varphi",
        r"\theta",
        r"\xi",
        r"\eta",
        "X",
        "Y",
        "N",
        "S",
    ):
        assert f"${name}$" in written, name
    assert "$B$" in written


def test_labels_of_the_drawing_do_not_overlap() -> None:
    assert not [pair for pair in overlaps(drawing()) if "" not in pair]


def test_drum_larger_than_the_disk_is_refused() -> None:
    with pytest.raises(style.FigureError, match="must fit into the disk"):
        drawing(a=0.1, b=0.2)


def test_data_without_numbers_are_refused() -> None:
    with pytest.raises(style.FigureError, match="do not say m, a, b, g"):
        figures.render("appell_drawing", Results.of(runs=xr.Dataset()))


# -- Portrait ------------------------------------------------------------------------------------


def _lines(figure: Figure, panel: int, gid: str) -> list[np.ndarray]:
    found = [line for line in figure.axes[panel].lines if line.get_gid() == gid]
    return [np.column_stack(line.get_data()) for line in found]


def test_centre_of_the_portrait_is_steady_pivoting(states: xr.Dataset) -> None:
    figure = figures.render("phase_portrait", Results.of(trajectories=states))
    assert len(figure.axes) == 2
    assert _lines(figure, 0, "centre")[0][0] == pytest.approx([0.0, np.sqrt(G * B / (A * 0.05))])
    assert not _lines(figure, 1, "centre")


def test_computed_points_lie_on_the_exact_curves(states: xr.Dataset) -> None:
    figure = figures.render("phase_portrait", Results.of(trajectories=states))
    for panel, sign in ((0, -1.0), (1, 1.0)):
        disk = Disk.of({"m": M, "a": A, "b": B, "g": G, "rho": sign * 0.05, "J": 0.002})
        curves = _lines(figure, panel, "exact")
        for k, points in enumerate(_lines(figure, panel, "computed")):
            p, omega = points.T
            here, other = curves[2 * k], curves[2 * k + 1]
            assert np.array_equal(here[:, 1], other[:, 1])  # both signs of p
            along = np.interp(omega, here[:, 1], here[:, 0])
            assert np.abs(np.abs(p) - along).max() < 2e-3 * np.abs(p).max()
            level = disk.A * p**2 + phase_portrait._height(disk, omega)
            assert np.ptp(level) < 1e-6 * np.abs(level).max()


def test_curves_close_behind_and_open_ahead(states: xr.Dataset) -> None:
    figure = figures.render("phase_portrait", Results.of(trajectories=states))
    for curve in _lines(figure, 0, "exact"):
        assert np.abs(curve[[0, -1], 0]).max() < 1e-6 * np.abs(curve[:, 0]).max()
    for curve in _lines(figure, 1, "exact"):
        assert curve[-1, 0] == pytest.approx(0.0, abs=1e-5)  # largest turning rate at p = 0
        assert np.abs(curve[0, 0]) > 1.0  # and slow turning while it rolls


def test_interval_of_the_portrait_is_checked(states: xr.Dataset) -> None:
    with pytest.raises(style.FigureError, match=r"interval: came 0.001 s; .* every 0.002 s"):
        figures.render("phase_portrait", Results.of(trajectories=states), {"interval": "1 ms"})


def test_weight_over_the_contact_point_has_no_portrait(states: xr.Dataset) -> None:
    centred = states.assign_coords(rho=("trajectory", np.zeros(6)))
    with pytest.raises(style.FigureError, match="needs ρΓ ≠ 0"):
        figures.render("phase_portrait", Results.of(trajectories=centred))


# -- Bounces -------------------------------------------------------------------------------------


def test_times_and_turns_of_bounces_are_those_predicted(
    back: xr.Dataset, minus: xr.Dataset
) -> None:
    gamma, turn = G * B / (A**2 + B**2), np.pi * np.sqrt(A**2 + B**2) / A
    times, angle = heading_steps.bounces(back.isel(trajectory=0))
    assert times.tolist() == [0.0]
    assert angle == pytest.approx(turn)
    times, angle = heading_steps.bounces(minus.isel(trajectory=0))
    assert times == pytest.approx(4.0 / gamma * np.array([1, 2]))
    assert angle == pytest.approx(turn)
    times, angle = heading_steps.bounces(minus.isel(trajectory=3))
    assert angle == pytest.approx(turn * np.sqrt(1.5))
    assert heading_steps.bounces(family(-1.0, 2.0).isel(trajectory=0))[0][0] == 0.0


def test_guides_stand_at_the_bounces(two: Results) -> None:
    figure = figures.render("heading_steps", two, {"at": {"family": "none"}})
    heading = figure.axes[3]  # second row, behind
    upright = [line.get_xdata()[0] for line in heading.lines if same_color(line.get_color(), "0.6")]
    expected = 4.0 * (A**2 + B**2) / (G * B) * np.array([1, 2])
    assert upright[:2] == pytest.approx(expected)
    step = np.rad2deg(np.pi * np.sqrt(A**2 + B**2) / A)
    assert [line.get_ydata()[0] for line in heading.lines[-3:]] == pytest.approx(
        [0.0, step, 2 * step]
    )
    written = texts(figure)
    assert r"$\varphi$ [°]" in written
    assert "$|\\rho|$ = 50\N{NO-BREAK SPACE}mm" in written
    assert not [pair for pair in overlaps(figure) if "" not in pair]


def test_one_family_must_be_chosen(two: Results) -> None:
    with pytest.raises(style.FigureError, match="say with `at` which family"):
        figures.render("heading_steps", two)


def test_unknown_axes_and_members_are_named(two: Results) -> None:
    with pytest.raises(style.FigureError, match="at: famly names no axis"):
        figures.render("heading_steps", two, {"at": {"famly": "none"}})
    with pytest.raises(style.FigureError, match="at: family"):
        figures.render("heading_steps", two, {"at": {"family": "nine"}})
    lone = two.get("trajectories", case="back").isel(trajectory=[0, 4])
    with pytest.raises(style.FigureError, match=r"no trajectory has family = none, r = 0\.05"):
        figures.render(
            "heading_steps", Results.of(trajectories=lone), {"at": {"family": "none", "r": 0.05}}
        )
    for wrong in ("0.1 m", [], [0.0], ["far"]):
        with pytest.raises(style.FigureError, match=r"^r: "):
            figures.render("heading_steps", two, {"at": {"family": "none"}, "r": wrong})


# -- Paths ---------------------------------------------------------------------------------------


def test_predicted_path_turns_on_the_spot_and_goes_straight(two: Results) -> None:
    figure = figures.render("family_paths", two, {"at": {"family": "none"}})
    path = _lines(figure, 0, "predicted")[0]
    turn = np.pi * np.sqrt(A**2 + B**2) / A
    length = A * (2.0 + 0.5 * G * B / (A**2 + B**2))
    assert path[-1] == pytest.approx(length * np.array([np.cos(turn), np.sin(turn)]))
    straight = _lines(figure, 0, "degenerate")[0]
    assert np.abs(straight[:, 1]).max() == 0.0
    assert straight[:, 0].min() == pytest.approx(-A * 2.0 / G * (A**2 + B**2) / B, rel=1e-4)


def test_path_follows_the_heading() -> None:
    angle = np.linspace(0.0, np.pi, 2001)
    run = family().isel(trajectory=0)
    xi, eta = _appell.path(run, {"phi": angle, "theta": angle})  # a half circle of radius a
    assert (xi[-1], eta[-1]) == pytest.approx((0.0, 2 * A), abs=1e-6)


def test_panels_choose_runs_and_name_them(two: Results) -> None:
    panels = [
        {"case": "back", "at": {"family": "none"}, "r": [0.02, 0.1]},
        {"case": "minus", "at": {"family": ["none", "q20"]}, "r": [0.05]},
    ]
    figure = figures.render("family_paths", two, {"panels": panels})
    written = texts(figure)
    assert {"$|\\rho|$ = 20\N{NO-BREAK SPACE}mm", "$J = 0$", "$q = 2$"} <= set(written)
    assert r"$\xi$ [m]" in written
    assert not [pair for pair in overlaps(figure) if "" not in pair]


@pytest.mark.parametrize(
    ("options", "sentence"),
    [
        ({"panels": "all"}, "panels: came 'all'; expected a list"),
        ({"panels": [{"at": {}}]}, "expected case, and perhaps at and r"),
        ({}, "6 paths in one panel"),
    ],
)
def test_wrong_panels_are_refused(two: Results, options: dict[str, Any], sentence: str) -> None:
    with pytest.raises(style.FigureError, match=sentence):
        figures.render("family_paths", two, options)


def test_case_without_distances_is_no_family(back: xr.Dataset) -> None:
    with pytest.raises(style.FigureError, match="no axis r"):
        figures.render("family_paths", Results.of(trajectories=back.drop_vars("r")))


def test_distances_are_short() -> None:
    said = [_appell.distance(r).replace("\xa0", " ") for r in (0.1, 0.0316, 1e-4, 4.64e-5, 1e-6)]
    assert said == ["0.1 m", "32 mm", "0.1 mm", "46 µm", "1 µm"]


def test_names_in_a_column_keep_their_distance() -> None:
    spread = family_paths._apart([1.0, 1.1, 5.0], 2.0, 0.0)
    assert np.diff(spread).min() > 1.99
    assert spread[0] >= -0.01


# -- All -----------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "name", ["appell_drawing", "phase_portrait", "heading_steps", "family_paths"]
)
def test_same_data_same_bytes(name: str, two: Results, states: xr.Dataset, tmp_path: Path) -> None:
    def once() -> list[str]:
        if name == "appell_drawing":
            return digests(drawing(), tmp_path)
        data = Results.of(trajectories=states) if name == "phase_portrait" else two
        options = {} if name == "phase_portrait" else {"at": {"family": "none"}}
        return digests(figures.render(name, data, options), tmp_path)

    assert once() == once()
