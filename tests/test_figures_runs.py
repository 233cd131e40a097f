"""Figures of runs: the car to scale, its reactions, paths and modes, laws and limits compared."""

import hashlib
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import xarray as xr
from matplotlib.figure import Figure
from matplotlib.patches import FancyArrowPatch, Polygon, Rectangle

from synthetic import attributes, meaning
from synthetic import trajectories as ideal
from zwang import figures, store
from zwang.figures import Results, _car, _formulas, _runs, style

END, T = 3.0, np.linspace(0.0, 3.0, 301)
L1, L2 = 1.2, 1.4
MODES = {"flag_values": np.array([-1, 0, 1, 9], dtype=np.int8)}
MODES |= {"flag_meanings": "sliding_to_minus held sliding_to_plus ended"}
STUDY = (
    "grid: {vehicle: {values: all}, u_0: {count: 2}}\n"
    "sets: {vehicle: {mini: {title: Mini Car}, maxi: {title: Maxi Car}}}\n"
)
FRONT_SLIDES = [(0.5, 1, 0, -1), (1.5, 1, -1, 0)]  # time, contact, mode before, mode after
SPIN = [(0.4, 1, 0, -1), (0.7, 0, 0, 1), (0.71, 0, 1, 0), (2.0, 0, 0, 1)]
LAWS = ("dry", "wet")


def sliding(*events: list[tuple[float, int, int, int]], reached: float = END) -> xr.Dataset:
    """Trajectories of a car on a circle whose contacts change their modes at these times."""
    count, room = len(events), max(map(len, events))
    table = np.full((count, room, 4), 9.0)
    table[..., 0] = np.nan
    mode = np.zeros((count, 2, T.size), dtype=np.int8)
    for i, changes in enumerate(events):
        for j, change in enumerate(changes):
            table[i, j] = change
            mode[i, change[1], change[0] < T] = change[3]
    gone = reached < T
    mode[..., gone] = 9
    phi = 0.5 * T + 0.2 * np.arange(count)[:, None] * T**2
    motion = {
        "x": 20 * np.sin(phi),
        "y": 20 * (1 - np.cos(phi)),
        "phi": phi,
        "theta": 0 * phi + 0.1,
    }
    load = np.array([5000.0, 6200.0])
    words = {"x": ("m", "x_C"), "y": ("m", "y_C"), "phi": ("rad", r"\varphi")}
    words["theta"] = ("rad", r"\theta")
    data = xr.Dataset(attrs={**attributes("made from formulas"), "study": STUDY})
    for name, values in motion.items():
        units, symbol = words[name]
        path = np.where(gone, np.nan, values)
        data[name] = (("trajectory", "t"), path, meaning(units, name, symbol))
    for k, (contact, symbol) in enumerate((("rear", r"\Lambda_1"), ("front", r"\Lambda_2"))):
        held = 0.6 * load[k] * np.tanh(2 * T) * 0.9
        reaction = np.where(mode[:, k] == 0, held, -mode[:, k] * 0.6 * load[k])
        reaction = np.where(gone, np.nan, reaction)
        data[f"reaction_{contact}"] = (("trajectory", "t"), reaction, meaning("N", "", symbol))
    by_contact = ("trajectory", "contact", "t")
    normal = np.where(gone, np.nan, np.broadcast_to(load[:, None], mode.shape))
    data["normal_load"] = (by_contact, normal, meaning("N", "load", "N"))
    data["mode"] = (by_contact, mode, {**meaning("1", "mode", r"\sigma"), **MODES})
    data["event_time"] = (("trajectory", "event"), table[..., 0], meaning("s", "", "t_e"))
    flags = {"flag_values": np.array([0, 1], dtype=np.int8), "flag_meanings": "rear front"}
    for j, name in enumerate(("event_contact", "event_from", "event_to"), start=1):
        column = table[..., j].astype(np.int8)
        data[name] = (("trajectory", "event"), column, flags if j == 1 else MODES)
    status = np.full(count, 5 if reached < END else 0, dtype=np.int8)
    data["status"] = ("trajectory", status, store.status_attrs())
    data["time_reached"] = ("trajectory", np.full(count, reached), meaning("s", "", "t"))
    along = {
        "vehicle": (np.array(["mini", "maxi"])[:count], {"long_name": "vehicle"}),
        "u_0": (np.full(count, 15.0), meaning("m/s", "speed", "u_0")),
        "grip": (np.full(count, 0.6), meaning("1", "friction", r"\mu")),
        "l1": (np.full(count, L1), meaning("m", "", "l_1")),
        "l2": (np.full(count, L2), meaning("m", "", "l_2")),
    }
    coords: dict[str, Any] = {n: ("trajectory", v, a) for n, (v, a) in along.items()}
    coords["t"] = ("t", T, meaning("s", "time", "t"))
    coords["contact"] = ("contact", np.array(["rear", "front"]), {})
    return data.assign_coords(coords)


def compared(ended: bool) -> xr.Dataset:
    """First slip over the speed under one law; where runs ended, all of them did at 1.6 s."""
    u = np.linspace(5.0, 40.0, 36)
    first = np.stack([np.where(u > 20, 1.5, np.nan), np.where(u > 10, 10 / u, np.nan)], axis=-1)
    status = np.full(u.size, 5 if ended else 0, dtype=np.int8)
    return xr.Dataset(
        {
            "first_slip": (("u_0", "sliding"), first, meaning("s", "first release", "t_1")),
            "status": ("u_0", status, store.status_attrs()),
            "time_reached": ("u_0", np.full(u.size, 1.6 if ended else 3.0), meaning("s", "", "t")),
        },
        coords={
            "u_0": ("u_0", u, meaning("m/s", "speed", "u_0")),
            "sliding": ("sliding", np.array(["rear", "front"])),
        },
    )


def laws() -> Results:
    """Two laws: the first runs through, under the second every run is cut."""
    return Results(
        {
            ("dry", "runs"): compared(False),
            ("dry", "trajectories"): sliding(FRONT_SLIDES),
            ("wet", "runs"): compared(True),
            ("wet", "trajectories"): sliding([*FRONT_SLIDES[:1], (1.2, 0, 0, 1)], reached=1.6),
        },
        {"dry": "dry road", "wet": r"wet, $\mu$ = 0.3"},
    )


def limits(sign: float = 1.0) -> xr.Dataset:
    """Distances that fall like r, and like r ln(1/r); of a length and of an angle."""
    r = np.geomspace(1e-4, 1e-1, 7)
    far = {"z": ("m", 3.0 * r, 2.0), "psi": ("rad", 0.2 * r * np.log(1 / r), 0.5)}
    data = xr.Dataset(attrs={"limit_axis": "rho"})
    for name, (units, values, size) in far.items():
        words = {**meaning(units, "", rf"\Delta {name[0]}"), "size": size}
        data[f"distance_{name}"] = (("target", "rho"), values[None], words)
        data[f"mean_distance_{name}"] = (("target", "rho"), 0.3 * values[None], words)
        slope = np.polyfit(np.log(r), np.log(values), 1)[0]
        data[f"order_{name}"] = ("target", np.array([slope]), meaning("1", "", "p"))
    places = {"target": ("target", np.array(["wall"]))}
    return data.assign_coords(
        {**places, "rho": ("rho", sign * r, meaning("m", "distance", r"\rho"))}
    )


def vehicles() -> xr.Dataset:
    """The lengths of two vehicles as the runs of a case hold them."""
    along = {"l1": np.array([L1, 1.0]), "l2": np.array([L2, 1.5])}
    coords: dict[str, Any] = {"vehicle": ("vehicle", np.array(["mini", "maxi"]))}
    coords["vehicle_title"] = ("vehicle", np.array(["Mini Car", "Maxi Car"]))
    for name, values in along.items():
        coords[name] = ("vehicle", values, meaning("m", "length", f"l_{name[1]}"))
    return xr.Dataset({"status": ("vehicle", np.zeros(2))}, coords=coords)


def drawn(name: str, data: Results, **options: Any) -> Figure:  # noqa: ANN401 - as a study says
    return figures.render(name, data, options)


def texts(figure: Figure) -> list[str]:
    """Every text in the figure that is not a tick label."""
    found = [text.get_text() for ax in figure.axes for text in ax.texts]
    found += [ax.get_title(loc="left") for ax in figure.axes]
    found += [part for ax in figure.axes for part in (ax.get_xlabel(), ax.get_ylabel())]
    legends = [ax.get_legend() for ax in figure.axes] + list(figure.legends)
    return found + [t.get_text() for legend in legends if legend for t in legend.get_texts()]


def overlaps(figure: Figure) -> list[tuple[str, str]]:
    """Pairs of labels in one panel whose boxes overlap, and texts that leave the page."""
    page = figure.bbox
    bad = []
    for ax in figure.axes:
        boxes = [(t.get_text(), t.get_window_extent()) for t in ax.texts if t.get_text()]
        around = [ax._left_title, ax.xaxis.label, ax.yaxis.label]
        boxes += [(t.get_text(), t.get_window_extent()) for t in around if t.get_text()]
        bad += [
            (name, "page")
            for name, box in boxes
            if not (page.contains(box.x0, box.y0) and page.contains(box.x1, box.y1))
        ]
        bad += [
            (name, other)
            for k, (name, box) in enumerate(boxes)
            for other, second in boxes[:k]
            if box.shrunk(0.98, 0.8).overlaps(second.shrunk(0.98, 0.8))
        ]
    return bad


def small_texts(figure: Figure) -> list[str]:
    """Texts smaller than a journal prints them."""
    every = [text for ax in figure.axes for text in ax.texts]
    return [text.get_text() for text in every if text.get_fontsize() < 6.5]


EVERY: dict[str, tuple[str, Results, dict[str, Any]]] = {
    "car_drawing": ("car_drawing", Results.of(runs=vehicles()), {"at": {"vehicle": "mini"}}),
    "reactions": ("reactions", Results.of(trajectories=sliding(FRONT_SLIDES, SPIN)), {}),
    "spin": (
        "reactions",
        Results.of(trajectories=sliding(FRONT_SLIDES, SPIN)),
        {"trajectory": 1, "directions": ["left", "right"]},
    ),
    "timeline": ("mode_timeline", Results.of(trajectories=sliding(FRONT_SLIDES, SPIN)), {}),
    "path": ("paths", Results.of(trajectories=sliding(SPIN)), {"interval": "0.5 s"}),
    "laws": ("law_comparison", laws(), {}),
    "families": ("convergence", Results.of(limits=limits()), {"slopes": "rho"}),
    "normalised": ("convergence", Results.of(limits=limits()), {"normalise": True}),
}


@pytest.mark.parametrize("name", list(EVERY))
def test_nothing_overlaps_or_is_too_small(name: str) -> None:
    module, data, options = EVERY[name]
    figure = drawn(module, data, **options)
    assert overlaps(figure) == []
    assert small_texts(figure) == []


@pytest.mark.parametrize("name", list(EVERY))
def test_same_bytes_twice(name: str, tmp_path: Path) -> None:
    module, data, options = EVERY[name]
    digests = set()
    for run in ("1", "2"):
        paths = [tmp_path / f"{run}.{kind}" for kind in ("pdf", "png")]
        style.save(drawn(module, data, **options), *paths)
        digests.add(tuple(hashlib.sha256(path.read_bytes()).hexdigest() for path in paths))
    assert len(digests) == 1


def test_wheel_base_and_points_of_the_car() -> None:
    pose = _car.Pose(3.0, -1.0, 0.4, 0.2, L1, L2)
    assert np.hypot(*(pose.A - pose.B)) == pytest.approx(L1 + L2)
    np.testing.assert_allclose(pose.A - pose.C, L1 * np.array([np.cos(0.4), np.sin(0.4)]))
    rear, front = (np.diff(axle, axis=0)[0] for axle in pose.axles())
    assert rear @ _car.along(0.4) == pytest.approx(0.0, abs=1e-12)
    assert front @ _car.along(0.6) == pytest.approx(0.0, abs=1e-12)
    wheels = [wheel.mean(axis=0) for wheel in pose.wheels()]
    np.testing.assert_allclose(0.5 * (wheels[0] + wheels[1]), pose.B)
    np.testing.assert_allclose(0.5 * (wheels[2] + wheels[3]), pose.A)
    along_body = (pose.body() - pose.C) @ _car.along(0.4)
    assert along_body.max() > L1
    assert along_body.min() < -L2


def test_drawing_is_to_scale_and_names_everything() -> None:
    figure = drawn("car_drawing", *EVERY["car_drawing"][1:2], at={"vehicle": "mini"})
    found = texts(figure)
    symbols = ["$u$", "$w$", r"$\theta$", r"$\varphi$", "$l_1$", "$l_2$", "$F_1$", "$F_2$"]
    symbols += ["$L_1 - L_2$", r"$\Lambda_1$ (rear)", r"$\Lambda_2$ (front)", "$N_1$", "$N_2$"]
    for text in (*symbols, "$A$", "$B$", "$C$", "$x$", "$y$", "(a) Mini Car"):
        assert text in found
    for ax in figure.axes:
        dots = [line.get_xydata()[0] for line in ax.lines if line.get_markersize() == 3.4]
        front, rear, mass = (np.asarray(dot) for dot in dots)
        assert np.hypot(*(front - rear)) == pytest.approx(L1 + L2)
        assert np.hypot(*(front - mass)) == pytest.approx(L1)
        assert ax.get_aspect() == 1.0


def test_positive_reactions_point_to_the_left() -> None:
    ax = drawn("car_drawing", *EVERY["car_drawing"][1:2], at={"vehicle": "mini"}).axes[1]
    arrows = [a for a in ax.patches if isinstance(a, FancyArrowPatch) and a.get_linewidth() == 1.8]
    from zwang.figures.car_drawing import PHI, THETA

    for arrow, angle in zip(arrows, (PHI, PHI + THETA), strict=True):
        (x0, y0), (x1, y1) = arrow._posA_posB
        way = np.array([x1 - x0, y1 - y0])
        np.testing.assert_allclose(way / np.hypot(*way), [-np.sin(angle), np.cos(angle)])


def test_drawing_asks_which_vehicle() -> None:
    data = Results.of(runs=vehicles())
    with pytest.raises(figures.FigureError, match="differ along vehicle; say with `at`"):
        drawn("car_drawing", data)
    bare = Results.of(runs=vehicles().drop_vars(["l1", "l2"]))
    with pytest.raises(figures.FigureError, match="do not say how long the car is"):
        drawn("car_drawing", bare)
    with pytest.raises(figures.FigureError, match=r"lengths: came 3; expected l1 and l2"):
        drawn("car_drawing", bare, lengths=3)
    figure = drawn("car_drawing", bare, lengths={"l1": "120 cm", "l2": "1.4 m"})
    assert "$l_1$" in texts(figure)


def test_phases_meet_at_the_events_and_end_with_the_run() -> None:
    run = sliding(SPIN, reached=2.5).isel(trajectory=0)
    phases = _runs.phases(run)
    assert [p.mode for p in phases["rear"]] == [0, 1, 0, 1]
    assert [p.end for p in phases["rear"]] == [0.7, 0.71, 2.0, 2.5]
    assert [(p.start, p.mode) for p in phases["front"]] == [(0.0, 0), (0.4, -1)]


def test_run_that_starts_sliding() -> None:
    data = sliding([(1.0, 0, 1, 0)])
    assert [p.mode for p in _runs.phases(data.isel(trajectory=0))["rear"]] == [1, 0]


def test_titles_name_the_axes_of_the_study_only() -> None:
    run = sliding(FRONT_SLIDES).isel(trajectory=0)
    assert _runs.words(run) == ["Mini Car", "$u_0$ = 15\N{NO-BREAK SPACE}m/s"]
    bare = run.assign_attrs(study="")
    assert "$l_1$ = 1.2\N{NO-BREAK SPACE}m" in _runs.words(bare)


def test_reactions_stay_within_their_bounds() -> None:
    figure = drawn("reactions", Results.of(trajectories=sliding(FRONT_SLIDES)))
    front = figure.axes[1]
    bound = 0.6 * 6.2
    curves = [line for line in front.lines if line.get_color() != style.BLACK]
    highest = max(float(np.nanmax(np.abs(line.get_ydata()))) for line in curves)
    assert highest == pytest.approx(bound)
    slid = [line for line in front.lines if line.get_color() == style.VERMILLION]
    assert [line.get_xdata()[[0, -1]].tolist() for line in slid] == [[0.5, 1.5]]
    np.testing.assert_allclose(slid[0].get_ydata(), bound)
    found = texts(figure)
    assert "slides from $t$ = 0.5 s" in found
    assert r"$\mu$ = 0.6" in figure.axes[0].get_title(loc="left")
    assert "slides to minus" in found


def test_reactions_with_friction_by_number_or_by_name() -> None:
    data = Results.of(trajectories=sliding(FRONT_SLIDES).drop_vars("grip"))
    with pytest.raises(figures.FigureError, match="friction: grip is no coordinate"):
        drawn("reactions", data)
    figure = drawn("reactions", data, friction=0.6, directions=["left", "right"])
    assert "slides right" in texts(figure)
    with pytest.raises(figures.FigureError, match="directions: came 'left'; expected two words"):
        drawn("reactions", data, friction=0.6, directions="left")
    with pytest.raises(figures.FigureError, match="trajectory: came 4; expected a number from 0"):
        drawn("reactions", data, trajectory=4)


def test_reactions_of_an_early_end_and_of_ideal_contacts() -> None:
    cut = drawn("reactions", Results.of(trajectories=sliding(FRONT_SLIDES, reached=1.2)))
    assert "ended: drive exceeds grip" in cut.axes[0].get_title(loc="left")
    held = drawn("reactions", Results.of(trajectories=ideal()), mu=0.3)
    assert "ideal motion, bound exceeded" in texts(held)


def test_timeline_has_a_bar_for_every_phase() -> None:
    figure = drawn("mode_timeline", Results.of(trajectories=sliding(FRONT_SLIDES, SPIN)))
    first, second = ([p for p in ax.patches if isinstance(p, Rectangle)] for ax in figure.axes)
    assert [(p.get_x(), p.get_x() + p.get_width()) for p in first] == [
        (0.0, 3.0),
        (0.0, 0.5),
        (0.5, 1.5),
        (1.5, 3.0),
    ]
    assert len(second) == 6
    found = texts(figure)
    assert {"0.50", "1.50", "0.40", "2.00"} <= set(found)
    assert "0.70 (10\N{NO-BREAK SPACE}ms)" in found
    assert any("Maxi Car" in text for text in found)
    ticks = [t.get_text() for t in figure.axes[0].get_yticklabels()]
    assert ticks == ["rear", "front"]


def test_timeline_wants_contacts_that_may_slide() -> None:
    with pytest.raises(figures.FigureError, match="lack mode, event_time"):
        drawn("mode_timeline", Results.of(trajectories=ideal()))


def both() -> Results:
    """An ideal case beside one that slides, of the same vehicle."""
    held = sliding(FRONT_SLIDES).drop_vars("grip")
    held["mode"][:] = 0
    held["event_time"][:] = np.nan
    slid = sliding(SPIN, FRONT_SLIDES)
    slid = slid.assign_coords(vehicle=("trajectory", np.array(["maxi", "mini"])))
    cases = {("ideal", "trajectories"): held, ("slid", "trajectories"): slid}
    return Results(cases, {"ideal": "ideal motion"})


def test_paths_of_matched_runs_to_scale() -> None:
    figure = drawn("paths", both(), interval="1 s")
    ax = figure.axes[0]
    assert ax.get_aspect() == 1.0
    cars = [p for p in ax.patches if isinstance(p, Polygon) and len(p.get_xy()) > 60]
    assert len(cars) == 8
    length = (1 + _car.AHEAD + _car.BEHIND) * (L1 + L2)
    assert np.ptp(cars[0].get_xy()[:, 0]) == pytest.approx(length, rel=1e-6)
    found = texts(figure)
    assert {"ideal motion", "slid", "0\N{NO-BREAK SPACE}s", "3\N{NO-BREAK SPACE}s"} <= set(found)
    assert "front slides" in found
    assert "rear slides" not in found
    assert overlaps(figure) == []


def test_band_lies_on_the_path_where_the_contact_slides() -> None:
    ax = drawn("paths", both(), interval="1 s").axes[0]
    band = next(line for line in ax.lines if line.get_color() == style.ORANGE)
    x, y = band.get_data()
    when = np.array([0.5, 1.5])
    phi = 0.5 * when + 0.2 * when**2
    np.testing.assert_allclose([x[0], x[-1]], 20 * np.sin(phi), rtol=1e-3)
    np.testing.assert_allclose([y[0], y[-1]], 20 * (1 - np.cos(phi)), rtol=1e-3)


def test_paths_that_do_not_match_are_a_sentence() -> None:
    data = both()
    other = data.datasets["slid", "trajectories"].isel(trajectory=[0])
    lone = Results({**data.datasets, ("slid", "trajectories"): other})
    with pytest.raises(figures.FigureError, match="slid keeps no trajectory with vehicle = mini"):
        drawn("paths", lone)
    with pytest.raises(figures.FigureError, match="interval: came '-1 s'; expected a time > 0"):
        drawn("paths", data, interval="-1 s")


def test_several_trajectories_have_a_panel_each() -> None:
    data = Results.of(trajectories=sliding(FRONT_SLIDES, SPIN))
    figure = drawn("paths", data, trajectory=[1, 0])
    assert [ax.get_title(loc="left").split(",")[0] for ax in figure.axes] == [
        "Maxi Car",
        "Mini Car",
    ]
    assert np.ptp(figure.axes[0].get_xlim()) == pytest.approx(np.ptp(figure.axes[1].get_xlim()))


def test_laws_show_onsets_runs_and_how_they_ended() -> None:
    figure = drawn("law_comparison", laws(), directions=["left", "right"])
    found = texts(figure)
    titles = [ax.get_title(loc="left") for ax in figure.axes]
    assert titles[:2] == ["(a) rear: first slip", "(b) front: first slip"]
    assert titles[3] == "(d) what slides when"
    assert found.count("run ends: drive exceeds grip") == 2
    assert r"wet, $\mu$ = 0.3 (ended: drive exceeds grip)" in found
    assert {"dry road", "run ended", "slides right", "slides left", "held"} <= set(found)
    assert r"$\varphi$ [°]" in found
    crosses = [line for line in figure.axes[2].lines if line.get_marker() == "X"]
    assert [line.get_xdata()[0] for line in crosses] == [pytest.approx(1.6)]


def test_laws_want_one_axis_and_a_quantity_they_have() -> None:
    with pytest.raises(figures.FigureError, match=r"quantity: psi.*phi"):
        drawn("law_comparison", laws(), quantity="psi")
    with pytest.raises(figures.FigureError, match="asked for over speed and has u_0"):
        drawn("law_comparison", laws(), axis="speed")


def test_jumps_are_not_joined_by_a_line() -> None:
    from zwang.figures.law_comparison import _broken

    x, y = np.arange(6.0), np.array([1.0, 0.99, 0.98, 0.4, 0.39, 0.38])
    broken = _broken(x, y)[1]
    assert np.flatnonzero(np.isnan(broken)).tolist() == [3]


@pytest.mark.parametrize("sign", [1.0, -1.0])
def test_predicted_slope_passes_through_the_smallest_parameter(sign: float) -> None:
    form = "abs(rho)*log(1/abs(rho))"
    slopes = {"": {"z": "abs(rho)", "psi": form}}
    figure = drawn("convergence", Results.of(limits=limits(sign)), slopes=slopes)
    for ax, fits in zip(figure.axes, ("z", "psi"), strict=True):
        curve, line = ax.lines[:2]
        x, y = (np.asarray(v) for v in line.get_data())
        there = np.interp(np.log(curve.get_xdata()), np.log(x), np.log(y))
        np.testing.assert_allclose(there, np.log(curve.get_ydata()), atol=2e-3, err_msg=fits)
        assert x[0] == pytest.approx(1e-4)
    found = texts(figure)
    assert {"largest distance [m]", "largest distance [rad]"} <= set(found)
    assert r"$\Delta z$, $p$ = 1.00" in found
    assert any(r"dashed ∝ $|\rho|\,\mathrm{ln}(1/|\rho|)$" in text for text in found)
    assert ("|$\\rho$| [m]" if sign < 0 else "distance $\\rho$ [m]") in found


def test_normalised_distances_and_means_share_a_panel() -> None:
    data = Results.of(limits=limits())
    figure = drawn("convergence", data, normalise=True, measure="mean", quantities=["z"])
    (ax,) = figure.axes
    assert ax.get_ylabel() == "mean distance / largest value"
    np.testing.assert_allclose(ax.lines[0].get_ydata(), 0.3 * 3.0 * ax.lines[0].get_xdata() / 2.0)


def test_stored_rates_are_drawn_where_no_form_is_given() -> None:
    data = limits()
    data["rate_z"] = (("target", "rho"), np.sqrt(data["rho"].values)[None])
    figure = drawn("convergence", Results.of(limits=data), quantities=["z"])
    curve, line = figure.axes[0].lines[:2]
    slope = np.polyfit(np.log(line.get_xdata()), np.log(line.get_ydata()), 1)[0]
    assert slope == pytest.approx(0.5)
    assert line.get_ydata()[0] == pytest.approx(curve.get_ydata()[0])


def test_families_at_several_values_have_a_column_each() -> None:
    one = limits().expand_dims(side=[-1.0, 1.0])
    one["side"].attrs.update(meaning("1", "side", "s"))
    data = Results.of(limits=one.transpose("target", "side", "rho"))
    with pytest.raises(figures.FigureError, match="say with `at` which values"):
        drawn("convergence", data)
    figure = drawn("convergence", data, at={"side": [-1, 1]}, normalise=True)
    assert len(figure.axes) == 2
    assert "$s = -1$" in figure.axes[0].get_title(loc="left")


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"quantities": ["zz"]}, r"no distance of zz in every family"),
        ({"target": "floor"}, r"not compared with floor; .*wall"),
        ({"slopes": "eps"}, r"slopes: came the name eps"),
        ({"measure": "least"}, r"measure: least"),
    ],
)
def test_wrong_options_of_convergence_are_sentences(options: dict[str, Any], words: str) -> None:
    with pytest.raises(figures.FigureError, match=words):
        drawn("convergence", Results.of(limits=limits()), **options)


@pytest.mark.parametrize(
    ("text", "printed"),
    [
        ("eps", r"$\varepsilon$"),
        ("eps*log(1/eps)", r"$\varepsilon\,\mathrm{ln}(1/\varepsilon)$"),
        ("sqrt(abs(eps))", r"$\sqrt{|\varepsilon|}$"),
        ("2*(1 + eps)**2", r"$2\,\left(1 + \varepsilon\right)^{2}$"),
        ("eps**(1 - q)", r"$\varepsilon^{1 - \mathrm{q}}$"),
        ("-1/(2*eps)", r"$\left(-1\right)/\left(2\,\varepsilon\right)$"),
    ],
)
def test_formulas_as_printed(text: str, printed: str) -> None:
    assert _formulas.typeset(text, {"eps": r"\varepsilon"}) == printed
