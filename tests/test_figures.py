"""Figures show what the datasets say, in equal bytes, and refuse what they cannot show."""

import hashlib
import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
import xarray as xr

from ink import overlaps, texts
from synthetic import G, L, meaning, runs, trajectories
from zwang import figures, store, thresholds
from zwang.figures import Results, style

HERE = Path(__file__).resolve().parent
MAP = {"x": "u_0", "y": "theta_0", "mu": 0.3, "boundary": "u_0"}


def analysed(n: int = 25) -> xr.Dataset:
    """Thresholds with the boundary of the steady circle."""
    data = thresholds.analyse(runs(n))
    closed = np.sqrt(data["mu"] * L * G * np.cos(data["theta_0"]) / np.tan(data["theta_0"]))
    closed = closed.where((closed >= 4.0) & (closed <= 20.0)).transpose("theta_0", "mu")
    data["boundary"] = closed.assign_attrs(
        **meaning("m/s", "speed at the boundary", "u_0"), axis="u_0"
    )
    return data


def test_names_are_the_modules() -> None:
    modules = {path.stem for path in Path(figures.__file__).parent.glob("[!_]*.py")}
    assert figures.names() == tuple(sorted(modules - {"style", "results"}))
    assert {"reactions", "threshold_map"} <= set(figures.names())


def test_modules_keep_the_interface() -> None:
    for name in figures.names():
        assert set(figures.needs(name)) <= {"runs", "thresholds", "trajectories", "limits"}
        assert not {"figure", "case", "cases"} & set(figures.options(name))


def test_unknown_figure_names_the_nearest_and_all() -> None:
    with pytest.raises(figures.FigureError, match=r"mean threshold_map\?.*reactions, .*threshold"):
        figures.render("threshhold_map", Results({}))
    with pytest.raises(figures.FigureError, match="no trajectories came"):
        figures.render("reactions", Results.of(thresholds=analysed()))


def test_map_names_every_region_and_converts_angles() -> None:
    figure = figures.render("threshold_map", Results.of(thresholds=analysed()), MAP)
    found = texts(figure)
    for text in ("no sliding", "rear first", "front first", "failed:\nsingular chart"):
        assert text in found
    assert r"initial steering angle $\theta_0$ [°]" in found
    assert "initial speed $u_0$ [m/s]" in found
    np.testing.assert_allclose(figure.axes[0].get_ylim(), np.rad2deg([0.02, 0.9]))
    assert overlaps(figure) == []


def test_small_region_goes_to_the_legend() -> None:
    data = analysed()
    data["first_contact"][{"u_0": 20, "theta_0": 20}] = 3
    figure = figures.render("threshold_map", Results.of(thresholds=data), MAP)
    inside = [text.get_text() for text in figure.axes[0].texts]
    assert "together" not in inside
    assert "together" in texts(figure)


def test_map_takes_the_first_of_other_axes_and_says_so() -> None:
    mass = xr.Variable("M1", [900.0, 1000.0], meaning("kg", "mass", "M_1"))
    data = xr.concat([analysed(), analysed()], dim=xr.IndexVariable("M1", mass, mass.attrs))
    figure = figures.render(
        "threshold_map", Results.of(thresholds=data), {"x": "theta_0", "y": "u_0", "mu": 0.35}
    )
    title = figure.axes[0].get_title(loc="left")
    assert "$M_1$ = 900\N{NO-BREAK SPACE}kg (first of 2)" in title
    assert r"$\mu$ = 0.3 (nearest to 0.35)" in title


@pytest.mark.parametrize("wrong", [{"x": "speed"}, {"x": "u_0", "y": "u_0"}])
def test_map_over_unknown_axes_is_a_sentence(wrong: dict[str, str]) -> None:
    with pytest.raises(figures.FigureError, match="here: u_0, theta_0"):
        figures.render("threshold_map", Results.of(thresholds=analysed()), {**MAP, **wrong})


def test_map_draws_the_contour_where_no_boundary_is_stored() -> None:
    data = analysed().drop_vars("boundary")
    figure = figures.render("threshold_map", Results.of(thresholds=data), MAP)
    assert r"$\mu_{\mathrm{c}}$ = $\mu$" in texts(figure)


@pytest.mark.parametrize("value", [0, 2, -1])
def test_map_of_one_region_only(value: int) -> None:
    data = analysed().drop_vars("boundary")
    data["first_contact"][:] = value
    data["critical_mu_common"][:] = np.nan
    figure = figures.render("threshold_map", Results.of(thresholds=data), MAP)
    assert len(figure.axes[0].texts) == 1


def test_reactions_mark_the_onset() -> None:
    data = trajectories()
    figure = figures.render("reactions", Results.of(trajectories=data), {"mu": 0.3})
    found = texts(figure)
    onset = data["onset"].isel(trajectory=0).sel(mu=0.3)
    first = float(onset.min())
    assert f"slides at $t$ = {first:.3g} s" in found
    assert f"bound exceeded at $t$ = {float(onset.max()):.3g} s" in found
    assert "rear\n$\\Lambda_1$ [kN]" in found
    assert "$A$ = 60\N{NO-BREAK SPACE}N\N{NO-BREAK SPACE}m" in figure.axes[0].get_title(loc="left")
    assert overlaps(figure) == []


def test_reactions_without_onset_and_with_an_early_end() -> None:
    data = trajectories(speed=3.0)
    data["status"][:] = 3
    late = data["t"] > 4.0
    for name in ("reaction_rear", "reaction_front", "normal_load"):
        data[name] = data[name].where(~late)
    figure = figures.render("reactions", Results.of(trajectories=data), {"mu": 0.5})
    title = figure.axes[0].get_title(loc="left")
    assert "nearest to 0.5" in title
    assert "ended: lift off" in title
    assert not any("slides" in text for text in texts(figure))
    assert overlaps(figure) == []


def test_contact_with_several_rows_shows_its_magnitude() -> None:
    data = trajectories().drop_vars("reaction_rear")
    figure = figures.render("reactions", Results.of(trajectories=data), {"mu": 0.3})
    assert "rear\n$|\\Lambda|$ [kN]" in texts(figure)
    assert [text.get_text() for text in figure.axes[0].texts].count(r"$-\mu N$") == 0


@pytest.mark.parametrize(
    ("stored", "printed"),
    [("m/s^2", "m/s²"), ("N*m", "N\N{NO-BREAK SPACE}m"), ("1", ""), ("kg*m**2", "kg\xa0m²")],
)
def test_units_as_printed(stored: str, printed: str) -> None:
    assert style.unit(stored) == printed


def test_symbol_that_cannot_be_set_falls_back_to_the_name() -> None:
    assert style.symbol(xr.DataArray(0.0, name="u", attrs={"symbol": r"\frac{"})) == "u"


@pytest.mark.parametrize(
    ("long_name", "printed"),
    [
        ("", r"$\delta$ [°]"),
        ("steering angle asked for", r"steering angle asked for $\delta$ [°]"),
    ],
)
def test_label_with_and_without_a_meaning(long_name: str, printed: str) -> None:
    words = meaning("rad", long_name, r"\delta")
    assert style.label(xr.DataArray(0.1, name="delta", attrs=words)) == printed


def test_two_processes_draw_the_same_bytes(tmp_path: Path) -> None:
    store.write(analysed(), tmp_path / "thresholds.nc")
    store.write(trajectories(), tmp_path / "trajectories.nc")
    program = (
        "import sys; from pathlib import Path; from zwang import figures, store\n"
        "here, out = Path(sys.argv[1]), Path(sys.argv[2])\n"
        "data = {k: store.read(here / f'{k}.nc') for k in ('thresholds', 'trajectories')}\n"
        "for name in ('reactions', 'threshold_map'):\n"
        "    figure = figures.render(name, figures.Results.of(**data), {'mu': 0.3})\n"
        "    figures.style.save(figure, out / f'{name}.pdf', out / f'{name}.png')\n"
        "assert 'matplotlib.pyplot' not in sys.modules\n"
    )
    digests = []
    for seed in ("1", "2"):
        out = tmp_path / seed
        paths = os.pathsep.join([str(HERE), str(Path(store.__file__).resolve().parents[1])])
        environment = {**os.environ, "PYTHONHASHSEED": seed, "PYTHONPATH": paths}
        command = [sys.executable, "-c", program, str(tmp_path), str(out)]
        subprocess.run(command, check=True, env=environment)
        files = sorted(out.iterdir())
        assert [p.suffix for p in files] == [".pdf", ".png"] * 2
        digests.append([hashlib.sha256(p.read_bytes()).hexdigest() for p in files])
    assert digests[0] == digests[1]
    assert b"/CreationDate" not in (tmp_path / "1" / "reactions.pdf").read_bytes()
