"""Verdicts on the limits of families: rows and LaTeX."""

import re

import numpy as np
import pytest
import xarray as xr

from synthetic import meaning
from zwang import limits, verdicts

R = np.geomspace(1e-4, 0.1, 7)
STUDY = "sets: {family: {fast: {title: '$q = 2$'}, slow: {title: '$q = 1/2$'}}}\n"


def family(rates: dict[str, dict[str, float]], predicted: bool = False) -> xr.Dataset:
    """Distances that fall with known orders: rates[member][target], by target and member."""
    targets = ["degenerate", *(["predicted"] if predicted else [])]
    members = list(rates)
    orders = np.array([[rates[m][t] for m in members] for t in targets])
    mean = 0.3 * (R / R[-1]) ** orders[..., None]
    dims = ("target", "family", "r")
    words = meaning("1", "path", r"\Delta r/r") | {"size": 1.0}
    data = xr.Dataset(
        {
            "mean_distance_path": (dims, mean, words),
            "distance_theta": (
                dims,
                2.0 * mean,
                meaning("rad", "heading", r"\theta") | {"size": 1.0},
            ),
        },
        coords={
            "target": np.array(targets, dtype=object),
            "family": np.array(members, dtype=object),
            "r": ("r", R, meaning("1", "distance", r"|\rho|")),
        },
        attrs={"limit_axis": "r", "study": STUDY},
    )
    if predicted:
        rate = np.full(mean.shape, np.nan)
        rate[1] = R ** orders[1][:, None]
        data["rate_theta"] = (dims, rate, meaning("1", "rate", "r"))
    data = limits.with_orders(data, "r")
    return data.assign(goes_to=limits.verdict(data, "r"))


def by_member(found: list[verdicts.Verdict]) -> dict[str, verdicts.Verdict]:
    return {one.member: one for one in found}


GOES = {"fast": {"degenerate": 1.0}, "slow": {"degenerate": 0.0}}
COMPARED = {"fast": {"degenerate": 0.0, "predicted": 1.5}}


def test_a_row_tells_whether_the_family_goes_there_and_the_evidence() -> None:
    found = by_member(verdicts.rows({"one": family(GOES)}, {"one": "First"}))
    assert set(found) == {"$q = 2$", "$q = 1/2$"}
    yes, no = found["$q = 2$"], found["$q = 1/2$"]
    assert (yes.degenerate, no.degenerate) == (True, False)
    assert yes.distance == pytest.approx(0.3e-3)
    assert yes.distance_order == pytest.approx(1.0)
    assert no.distance == pytest.approx(0.3)
    assert yes.title == "First"
    assert yes.predicted is None
    assert np.isnan(yes.predicted_order)


def test_a_predicted_order_stands_beside_the_observed_one() -> None:
    (row,) = verdicts.rows({"one": family(COMPARED, predicted=True)}, {})
    assert (row.degenerate, row.predicted) == (False, True)
    assert row.order == pytest.approx(1.5)
    assert row.predicted_order == pytest.approx(1.5)
    assert row.quantity == r"\theta"
    assert row.title == "one"


def test_the_turn_is_that_at_the_smallest_parameter_whatever_the_order() -> None:
    data = family(COMPARED, predicted=True)
    turn = (("family", "r"), (3.0 + R)[None], meaning("rad", "turn", "t"))
    data = data.assign(bounce_turn=turn, predicted_turn=turn).isel(r=slice(None, None, -1))
    (row,) = verdicts.rows({"one": data}, {})
    assert row.turn == row.predicted_turn == pytest.approx(3.0 + R[0])


def test_sides_and_numbers_name_a_member() -> None:
    one = family(GOES).isel(family=0, drop=True)
    side = xr.IndexVariable("side", [-1.0, 1.0], meaning("1", "side", r"\mathrm{sign}\,\rho"))
    alpha = xr.IndexVariable("alpha", [0.05], meaning("kg*m", "inertia", r"\alpha"))
    data = xr.concat([one, one], dim=side).expand_dims(alpha=[0.05])
    data = data.assign_coords(alpha=alpha)
    data["goes_to"].attrs.clear()
    members = [row.member for row in verdicts.rows({"one": data}, {})]
    assert sorted(members) == [
        r"$\alpha = 0.05\,\mathrm{kg\,m}$, $\rho < 0$",
        r"$\alpha = 0.05\,\mathrm{kg\,m}$, $\rho > 0$",
    ]
    ((_, rows),) = verdicts.merged(verdicts.rows({"one": data}, {}))
    assert [text for text, _ in rows] == [
        r"$\alpha = 0.05\,\mathrm{kg\,m}$, $\rho < 0$ and $\rho > 0$"
    ]


def test_cases_without_a_verdict_have_no_rows() -> None:
    bare = family(GOES).drop_vars("goes_to")
    assert verdicts.rows({"one": bare}, {}) == []
    text = verdicts.latex([], "A title\nof two lines")
    assert all(line.startswith("%") for line in text.splitlines())
    assert "A title of two lines" in text


def test_the_table_is_balanced_latex() -> None:
    data = {"one": family(GOES), "two": family(COMPARED, predicted=True)}
    titles = {"one": "50% & more_or_less", "two": r"$J = \alpha|\rho|_1$"}
    text = verdicts.latex(verdicts.rows(data, titles), "T")
    assert text.count("{") == text.count("}")
    assert text.count(r"\begin{tabular}") == text.count(r"\end{tabular}") == 1
    assert len(re.findall(r"(?<!\\)\$", text)) % 2 == 0
    assert r"50\% \& more\_or\_less" in text
    assert r"$J = \alpha|\rho|_1$" in text
    columns = re.search(r"tabular\}\{(l\w+)\}", text)
    assert columns
    for line in text.splitlines():
        if line.endswith(r"\\") and "multicolumn" not in line:
            assert len(re.findall(r"(?<!\\)&", line)) == len(columns[1]) - 1, line
    assert not re.search(r"[^\x00-\x7f]", text)
    assert "nan" not in text


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (0.0, "$0$"),
        (0.0831, "$0.083$"),
        (1.06, "$1.1$"),
        (0.996, "$1.0$"),
        (12.3, "$12$"),
        (3.16e-5, r"$3.2\cdot 10^{-5}$"),
        (np.nan, "–"),
    ],
)
def test_sizes_have_two_digits(value: float, text: str) -> None:
    assert verdicts._size(value) == text


def test_small_negative_orders_print_as_zero() -> None:
    assert verdicts._fixed(-0.001, 2) == "$0.00$"
    assert verdicts._fixed(-0.26, 2) == "$-0.26$"
