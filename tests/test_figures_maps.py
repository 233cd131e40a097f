"""Figures over two axes of a grid: maps, onsets, boundaries, what sliding does."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest
import xarray as xr
from matplotlib.colors import to_rgb
from matplotlib.figure import Figure

from ink import digests, overlaps, texts
from synthetic import G, L, meaning, runs
from zwang import figures, thresholds
from zwang.figures import Results, _levels, _regions

MAP = {"x": "u_0", "y": "theta_0", "mu": 0.3}
VEHICLES = ("small", "large", "long-one")
NAMES = {"ice": 0.1, "snow": "0.3", "wet": 0.6}


def boundaries(data: xr.Dataset) -> xr.Dataset:
    """The same with the boundary of the steady circle, for each contact and the first."""
    theta = data["theta_0"]
    rear = np.sqrt(data["mu"] * L * G / np.tan(theta))
    by = xr.concat([rear, rear * np.sqrt(np.cos(theta))], dim=data["contact"])
    by = by.where((by >= 4.0) & (by <= 20.0)).transpose("contact", "theta_0", "mu")
    words = meaning("m/s", "speed at the boundary", "u_0")
    return data.assign(
        boundary_by_contact=by.assign_attrs(**words, axis="u_0"),
        boundary=by.isel(contact=1, drop=True).assign_attrs(**words, axis="u_0"),
    )


def fleet(n: int = 25) -> xr.Dataset:
    """Three vehicles that differ in what their runs did."""
    one = boundaries(thresholds.analyse(runs(n)))
    axis = xr.IndexVariable("vehicle", np.array(VEHICLES), {"long_name": "vehicle"})
    data = xr.concat([one, one, one], dim=axis)
    titles = ("vehicle", np.array([f"The {name}" for name in VEHICLES]))
    return data.assign_coords(vehicle_title=titles, length=("vehicle", [L, L, L]))


def slides(n: int = 21) -> xr.Dataset:
    """A case whose contacts slide, with a friction of its own."""
    u, delta = np.linspace(4.0, 40.0, n), np.linspace(0.01, 0.2, n + 3)
    grip = np.array([0.3, 0.6])
    use = u[:, None, None] ** 2 * delta[:, None] / 40.0 / grip
    first = np.where(use > 1.0, np.where(u[:, None, None] > 30.0, 1, 2), 0).astype(np.int8)
    slip = np.stack([(use - 2.0).clip(0, 3), (use - 1.0).clip(0, 3)], axis=-1)
    kind = ((slip[..., 0] > 0) + 2 * (slip[..., 1] > 0)).astype(np.int8)
    dims = ("u_0", "delta", "grip")
    flags = {"flag_values": np.arange(-1, 4), "flag_meanings": "failed none rear front together"}
    kinds = {"flag_values": np.arange(4), "flag_meanings": "none rear front rear_and_front"}
    contacts = np.array(["rear", "front"])
    return xr.Dataset(
        {
            "first_contact": (dims, first, flags),
            "first_onset": (
                dims,
                np.where(use > 1.0, 2.0 / use, np.nan),
                meaning("s", "time", "t_1"),
            ),
            "motion_type": (dims, kind, kinds),
            "slip_time": ((*dims, "sliding"), slip, meaning("s", "how long", "T_s")),
            "distance": (dims, np.where(use > 1.0, use**2, 1e-15), meaning("m", "distance", "d")),
            "spins": (dims, (use > 6.0).astype(np.int8), {}),
            "status": (dims, np.zeros(use.shape, np.int8), {}),
        },
        coords={
            "u_0": ("u_0", u, meaning("m/s", "initial speed", "u_0")),
            "delta": ("delta", delta, meaning("rad", "steering angle", r"\delta")),
            "grip": ("grip", grip, meaning("1", "friction coefficient", r"\mu")),
            "contact": contacts,
            "sliding": contacts,
        },
    )


def drawn(name: str, data: xr.Dataset, options: dict[str, Any]) -> Figure:
    return figures.render(name, Results.of(thresholds=data), options)


def wrong(name: str, data: xr.Dataset, options: dict[str, Any], sentence: str) -> None:
    with pytest.raises(figures.FigureError, match=sentence):
        drawn(name, data, options)


SHOWN: list[tuple[str, xr.Dataset, dict[str, Any]]] = [
    ("threshold_map", fleet(), {**MAP, "panels": "vehicle"}),
    ("threshold_map", slides(), {"panels": "grip"}),
    ("onset_map", fleet(), {**MAP, "panels": "vehicle"}),
    ("onset_map", slides(), {"at": {"grip": 0.6}}),
    ("boundary_curves", fleet(), {"panels": "vehicle", "names": NAMES, "unit": "km/h"}),
    ("slide_statistics", slides(), {"at": {"grip": 0.3}}),
    ("first_axle", fleet(), {"at": {"vehicle": "large"}, "mu": 0.6}),
]


@pytest.mark.parametrize(("name", "data", "options"), SHOWN)
def test_nothing_overlaps_and_two_renders_are_equal(
    name: str, data: xr.Dataset, options: dict[str, Any], tmp_path: Path
) -> None:
    first, second = (digests(drawn(name, data, options), tmp_path) for _ in range(2))
    assert first == second
    assert overlaps(drawn(name, data, options)) == []


@pytest.mark.parametrize(("name", "data", "options"), SHOWN)
def test_no_text_is_smaller_than_print_allows(
    name: str, data: xr.Dataset, options: dict[str, Any]
) -> None:
    figure = drawn(name, data, options)
    written = [text for text in figure.findobj(lambda a: hasattr(a, "get_fontsize"))]
    assert min(text.get_fontsize() for text in written) >= 6.5


# -- threshold_map -------------------------------------------------------------------------------


def test_panels_carry_the_titles_of_the_vehicles() -> None:
    figure = drawn("threshold_map", fleet(), {**MAP, "panels": "vehicle"})
    titles = [ax.get_title(loc="left") for ax in figure.axes]
    assert titles == [rf"The {name}, $\mu$ = 0.3" for name in VEHICLES]
    assert [ax.get_ylabel() != "" for ax in figure.axes] == [True, False, False]
    assert all(ax.get_xlabel() == "initial speed $u_0$ [m/s]" for ax in figure.axes)
    assert len({ax.get_xlim() for ax in figure.axes}) == 1


def test_five_panels_leave_no_empty_one() -> None:
    data = fleet().isel(vehicle=[0, 1, 2, 0, 1]).assign_coords(vehicle=list("abcde"))
    figure = drawn("threshold_map", data, {**MAP, "panels": "vehicle"})
    assert len(figure.axes) == 5
    assert [ax.get_xlabel() != "" for ax in figure.axes] == [False, False, True, True, True]


def test_panels_of_friction_coefficients() -> None:
    figure = drawn("threshold_map", fleet(), {**MAP, "panels": "mu", "at": {"vehicle": "large"}})
    titles = [ax.get_title(loc="left") for ax in figure.axes]
    assert titles == [rf"$\mu$ = {mu}, The large" for mu in (0.1, 0.3, 0.6)]


def test_failed_runs_are_named_by_their_status_inside_or_in_the_legend() -> None:
    assert "failed:\nsingular chart" in texts(drawn("threshold_map", fleet(), MAP))
    assert "failed: singular chart" in texts(
        drawn("threshold_map", fleet(), {**MAP, "panels": "vehicle"})
    )


def test_sliding_contacts_have_regions_but_no_critical_friction() -> None:
    figure = drawn("threshold_map", slides(), {"at": {"grip": 0.6}})
    found = texts(figure)
    assert {"no sliding", "front first"} <= set(found)
    assert r"$\mu$ = 0.6" in found
    assert not any("critical" in text for text in found)


def test_levels_are_those_asked_for() -> None:
    figure = drawn("threshold_map", fleet(), {**MAP, "levels": [0.2, "0.5"]})
    assert {"0.2", "0.5"} <= set(texts(figure))
    wrong("threshold_map", fleet(), {**MAP, "levels": ["much"]}, "levels: came 'much'")


def test_options_that_make_no_panel_are_sentences() -> None:
    wrong("threshold_map", fleet(), {**MAP, "panels": "vehicles"}, "panels: .*mean vehicle")
    chosen = {**MAP, "panels": "vehicle", "at": {"vehicle": "small"}}
    wrong("threshold_map", fleet(), chosen, "panels: vehicle names no axis that is free")
    wrong("threshold_map", slides(), {"mu": 0.3}, "friction of their own law; choose its axis")
    wrong("threshold_map", fleet(), {**MAP, "at": {"vehicle": "smal"}}, "mean small")


def test_contacts_differ_in_grey_and_in_hatch() -> None:
    looks = [*_regions.CONTACTS[:2], _regions.SEVERAL, ("#FFFFFF", "")]
    grey = sorted(float(np.dot(to_rgb(colour), [0.299, 0.587, 0.114])) for colour, _ in looks)
    assert np.diff(grey).min() > 0.07
    assert len({hatch for _, hatch in looks}) == len(looks)


# -- onset_map -----------------------------------------------------------------------------------


def test_onset_has_a_colour_bar_with_its_unit() -> None:
    figure = drawn("onset_map", fleet(), {**MAP, "panels": "vehicle"})
    assert len(figure.axes) == 4
    assert figure.axes[-1].get_ylabel() == "first onset of sliding $t_1$ [s]"
    assert "no sliding" in texts(figure)


def test_onset_without_any_sliding_is_one_white_region() -> None:
    data = slides()
    data["first_contact"][:] = 0
    data["first_onset"][:] = np.nan
    assert "no sliding" in texts(drawn("onset_map", data, {"at": {"grip": 0.6}}))


def test_onset_needs_the_time() -> None:
    wrong("onset_map", fleet().drop_vars("first_onset"), MAP, "lack first_onset")


@pytest.mark.parametrize(
    ("ends", "levels"),
    [
        ((0.0, 2.0), [0.5, 1.0, 1.5]),
        ((0.1, 3.1), [0.2, 0.5, 1.0, 2.0]),
        ((0.02, 3.0), [0.03, 0.1, 0.3, 1.0]),
        ((0.002, 300.0), [0.01, 0.1, 1.0, 10.0, 100.0]),
        ((1.0, 1.0), []),
    ],
)
def test_levels_are_round(ends: tuple[float, float], levels: list[float]) -> None:
    assert _levels.round_levels(np.array(ends), 4) == levels


# -- boundary_curves -----------------------------------------------------------------------------


def test_curves_are_named_and_shown_in_the_unit_asked_for() -> None:
    figure = drawn("boundary_curves", fleet(), {"panels": "vehicle", "names": NAMES})
    fast = drawn("boundary_curves", fleet(), {"panels": "vehicle", "names": NAMES, "unit": "km/h"})
    assert figure.axes[0].get_ylabel() == "critical $u_0$ [m/s]"
    assert fast.axes[0].get_ylabel() == "critical $u_0$ [km/h]"
    ratio = fast.axes[0].lines[0].get_ydata() / figure.axes[0].lines[0].get_ydata()
    np.testing.assert_allclose(ratio[np.isfinite(ratio)], 3.6)
    for ax in figure.axes:
        assert {text.get_text() for text in ax.texts} == {"ice", "snow", "wet"}
    assert {"rear contact", "front contact"} <= set(texts(figure))


def test_contacts_differ_by_line_style() -> None:
    lines = drawn("boundary_curves", fleet(), {"at": {"vehicle": "small"}}).axes[0].lines
    assert len({(line.get_color(), str(line.get_linestyle())) for line in lines}) == 2


def test_formula_lies_on_its_curve() -> None:
    root = f"sqrt(mu*{G}*length/tan(theta_0)"
    formula = {"rear": f"{root})", "front": f"{root}*cos(theta_0))"}
    figure = drawn("boundary_curves", fleet(), {"at": {"vehicle": "small"}, "formula": formula})
    lines = figure.axes[0].lines
    curves = {tuple(p) for line in lines if line.get_marker() == "None" for p in line.get_xydata()}
    marks = [p for line in lines if line.get_marker() == "o" for p in line.get_xydata()]
    marks = [p for p in marks if np.isfinite(p).all()]
    known = np.array([p for p in curves if np.isfinite(p).all()])
    assert len(marks) > 20
    assert max(np.abs(known - mark).sum(axis=1).min() for mark in marks) < 1e-9
    assert "closed formula" in texts(figure)


def test_wrong_options_of_curves_are_sentences() -> None:
    wrong("boundary_curves", fleet(), {"names": {"slush": 0.2}}, "names: 0.2 is no friction")
    wrong("boundary_curves", fleet(), {"names": {"ice": "icy"}}, "names: came 'icy'")
    wrong("boundary_curves", fleet(), {"unit": "kg"}, "unit: came '1 m/s' in units of m/s")
    wrong("boundary_curves", fleet(), {"scale": "sqrt"}, "scale: came sqrt")
    wrong("boundary_curves", fleet(), {"formula": "sqrt(nu)"}, "formula: .*nu")
    wrong("boundary_curves", fleet(), {"formula": {"side": "1"}}, "side names no contact")
    wrong("boundary_curves", fleet(), {"panels": "mu"}, "panels: mu is what the curves show")
    wrong("boundary_curves", slides(), {}, "lack boundary_by_contact, mu")
    empty = fleet()
    empty["boundary_by_contact"][:] = np.nan
    wrong("boundary_curves", empty, {}, "no value inside the grid")


def test_curves_over_negative_values_are_linear() -> None:
    data = fleet().assign_coords(theta_0=-fleet()["theta_0"])
    data["theta_0"].attrs = fleet()["theta_0"].attrs
    figure = drawn("boundary_curves", data, {"at": {"vehicle": "small"}})
    assert figure.axes[0].get_xscale() == "linear"
    wrong("boundary_curves", data, {"scale": "log"}, "log needs positive values")


# -- first_axle ----------------------------------------------------------------------------------


def test_cases_side_by_side_have_their_own_axes_and_one_legend() -> None:
    cases = {("circle", "thresholds"): fleet(), ("slide", "thresholds"): slides()}
    data = Results(cases, {"circle": "steady circle", "slide": "axles may slide"})
    options = {"at": {"vehicle": "large", "grip": 0.6}, "mu": 0.6, "x": "u_0", "y": "theta_0"}
    figure = figures.render("first_axle", data, options)
    titles = [ax.get_title(loc="left") for ax in figure.axes]
    assert titles == ["(a) steady circle, The large", "(b) axles may slide"]
    assert figure.get_suptitle() == r"$\mu$ = 0.6"
    assert [ax.get_ylabel() for ax in figure.axes] == [
        r"initial steering angle $\theta_0$ [°]",
        r"steering angle $\delta$ [°]",
    ]
    found = [text.get_text() for legend in figure.legends for text in legend.get_texts()]
    assert found[:3] == ["no sliding", "rear first", "front first"]
    assert overlaps(figure) == []


def test_place_that_no_case_knows_is_a_sentence() -> None:
    wrong("first_axle", fleet(), {"at": {"vehicel": "large"}}, "mean vehicle")


# -- slide_statistics ----------------------------------------------------------------------------


def test_statistics_show_kinds_times_and_distance() -> None:
    figure = drawn("slide_statistics", slides(), {"at": {"grip": 0.3}})
    found = texts(figure)
    assert {"front only", "no sliding", "does not slide", "ends facing backwards"} <= set(found)
    assert "(b) how long the rear contact slides" in found
    assert found.count("slip time $T_s$ [s]") == 2
    assert "distance $d$ [m]" in found


def test_statistics_name_what_cannot_be_compared_and_that_nothing_spins() -> None:
    data = slides()
    data["spins"][:] = 0
    data["distance"] = data["distance"].where(data["u_0"] < 25.0)
    figure = drawn("slide_statistics", data, {"at": {"grip": 0.3}})
    assert "not comparable" in texts(figure)
    assert "no run ends facing backwards" in figure.get_suptitle()


def test_statistics_name_failed_runs() -> None:
    data = slides()
    data["first_contact"][{"u_0": slice(10, None), "delta": slice(10, None)}] = -1
    data["status"][{"u_0": slice(10, None), "delta": slice(10, None)}] = 3
    data["status"].attrs = {"flag_values": np.array([0, 3]), "flag_meanings": "ok lift_off"}
    inside = texts(drawn("slide_statistics", data, {"at": {"grip": 0.3}}))
    assert inside.count("failed:\nlift off") == 4


def test_statistics_of_held_contacts_are_refused() -> None:
    wrong("slide_statistics", fleet(), {}, "shows a case whose contacts may slide")
