"""Expected values: what can be read, what they select, and when a result is not as expected."""

from pathlib import Path

import numpy as np
import pytest
import xarray as xr

from zwang import expected
from zwang.expected import EVERYWHERE, Expectation, ExpectedError

ENTRY = "{quantity: m, value: 2*a, relative: 1e-6, source: book}"


def read(tmp_path: Path, text: str, findings: tuple[str, ...] = ()) -> tuple[Expectation, ...]:
    file = tmp_path / "expected.yaml"
    file.write_text(text)
    return expected.read(file, lambda *_: list(findings))


def test_an_entry_is_read_in_si_units(tmp_path: Path) -> None:
    text = (
        "- {quantity: m, at: {c: rear, u_0: 36 km/h}, value: 5 km, range: [1 m, 2 km], "
        "absolute: 0.1, source: book}"
    )
    (entry,) = read(tmp_path, text)
    assert entry.at == {"c": "rear", "u_0": 10.0}
    assert float(entry.value) == 5000.0
    assert entry.range == (1.0, 2000.0)
    assert (entry.relative, entry.absolute, entry.source) == (0.0, 0.1, "book")


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        (ENTRY.replace("source", "sorce"), "0.sorce: unknown key; did you mean source"),
        (ENTRY.replace("value: 2*a, ", ""), "0.value: missing"),
        (ENTRY.replace("relative", "absolute: 1, relative"), "one tolerance"),
        (ENTRY.replace("relative: 1e-6, ", ""), "one tolerance"),
        (ENTRY.replace("1e-6", "5 m"), "0: .*expected a pure number"),
        ("words", "0: came 'words'"),
    ],
)
def test_an_entry_that_cannot_be_used_is_a_sentence(
    tmp_path: Path, text: str, sentence: str
) -> None:
    with pytest.raises(ExpectedError, match=sentence):
        read(tmp_path, f"- {text}")


def test_every_finding_is_told_at_once(tmp_path: Path) -> None:
    text = f"- {ENTRY.replace('source', 'sorce')}\n- {ENTRY}"
    with pytest.raises(ExpectedError) as told:
        read(tmp_path, text, ("unknown name a",))
    assert [line.split(":")[0] for line in str(told.value).splitlines()[1:]] == [
        "0.sorce",
        "0.source",
        "1.value",
    ]


@pytest.mark.parametrize("text", ["a: 1", "- [", ""])
def test_a_file_that_is_no_list_is_a_sentence(tmp_path: Path, text: str) -> None:
    with pytest.raises(ExpectedError, match=r"expected\.yaml"):
        read(tmp_path, text)


def result(values: object = ((1.0, 2.0, 3.0), (2.0, 4.0, 6.0))) -> xr.Dataset:
    return xr.Dataset(
        {"m": (("c", "a"), np.array(values))},
        coords={"c": ["rear", "front"], "a": [0.5, 1.0, 1.5]},
    )


def entry(at: dict | None = None, **more: object) -> Expectation:
    given = {"quantity": "m", "value": "v", "relative": 0.0, "absolute": 0.0, "source": "book"}
    return Expectation(**(given | {"range": EVERYWHERE, "at": at or {}} | more))


def test_select_takes_the_places_named() -> None:
    chosen = expected.select(entry({"c": "front", "a": 1.0 + 1e-12}), [xr.Dataset(), result()])
    assert chosen.values.tolist() == [[4.0]]


@pytest.mark.parametrize(
    ("wanted", "sentence"),
    [
        (entry(quantity="mm"), "no result 'mm'; did you mean m"),
        (entry({"aa": 1.0}), "m has no coordinate '?aa'?; did you mean a"),
        (entry({"a": 1.1}), "not given at a = 1.1; there are: 0.5, 1.0, 1.5"),
        (entry({"c": "left"}), "not given at c = left; there are: rear, front"),
    ],
)
def test_select_names_what_is_not_there(wanted: Expectation, sentence: str) -> None:
    with pytest.raises(ExpectedError, match=sentence):
        expected.select(wanted, [result()])


def compare(data: xr.Dataset, factor: float = 2.0, **more: object) -> expected.Comparison:
    """Compare the rear row with factor * a, `factor` given as a constant."""
    chosen = expected.select(entry({"c": "rear"}), [data])
    return expected.compare(
        entry(**more), chosen, lambda _, names: names["k"] * names["a"], {"k": factor}
    )


@pytest.mark.parametrize(
    ("tolerance", "passed"),
    [
        ({"relative": 1.01e-3}, True),
        ({"relative": 0.99e-3}, False),
        ({"absolute": 3.01e-3}, True),  # the largest error is at a = 1.5
        ({"absolute": 2.99e-3}, False),
    ],
)
def test_every_point_must_lie_within_the_tolerance(tolerance: dict, passed: bool) -> None:
    off = result() * 1.0
    off["m"] = off["m"] * (1.0 - 1e-3 / (1.0 + 1e-3))  # expected * (1 - 0.999e-3)
    done = compare(off, **tolerance)
    assert done.points == 3
    assert done.passed is passed


def test_the_worst_point_is_told() -> None:
    done = compare(result(((1.0, 2.5, 3.1), (0, 0, 0))), absolute=0.2)
    assert (done.got, done.expected, done.error, done.passed) == (2.5, 2.0, 0.5, False)
    assert "a = 1.0" in done.where
    assert "c = rear" in done.where


def test_a_missing_result_is_no_match() -> None:
    done = compare(result(((1.0, np.nan, 3.0), (0, 0, 0))), absolute=10.0)
    assert not done.passed
    assert done.error == np.inf


@pytest.mark.parametrize(("last", "passed"), [(np.nan, True), (3.0, False)])
def test_outside_the_range_the_result_must_be_missing(last: float, passed: bool) -> None:
    done = compare(result(((1.0, 2.0, last), (0, 0, 0))), absolute=10.0, range=(0.0, 2.5))
    assert done.points == 2
    assert done.passed is passed


def test_nothing_compared_is_no_match() -> None:
    assert not compare(result().isel(a=slice(0, 0))).passed
    assert not compare(result() * np.nan, range=(9.0, 10.0)).passed
