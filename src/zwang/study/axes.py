"""The runs of a study, from a grid, points or random samples, and what names their axes."""

import math
from collections.abc import Callable, Collection, Iterator, Mapping
from typing import Any

import numpy as np
from scipy.stats import qmc

from zwang.nearest import nearest
from zwang.study.blocks import SAMPLINGS
from zwang.study.sets import Member, Sets
from zwang.study.texts import Texts
from zwang.study.values import Samples

UNREAD = "?"  # unit of a constant that could not be read: told once, not again at each axis
MOST_KEPT = 2000  # runs kept in full
LABEL = "label"  # instead of a unit: the axis goes through the members of a set
Columns = Iterator[tuple[str, Collection[float | str]]]


def read_samples(texts: Texts, units: Mapping[str, str], sets: Sets) -> Samples:
    """The runs; `units` holds the unit of everything that can be an axis."""
    units = {**units, **dict.fromkeys(sets, LABEL)}
    readers: dict[str, Callable[[Texts, Mapping[str, str]], Columns]]
    readers = {"grid": _grid, "points": _points, "random": _random}
    given = [kind for kind in SAMPLINGS if texts.data[kind] is not None]
    if len(given) > 1:
        texts.find(given[1], f"came {' and '.join(given)}; expected one of them")
    kind = given[0] if given else "grid"
    axes = dict(readers[kind](texts, units)) if given else {}
    arrays = {}
    for name, values in axes.items():
        if units[name] == LABEL:
            arrays[name] = np.array(_members(texts, f"{kind}.{name}", values, sets[name]))
        else:
            arrays[name] = np.asarray(values, dtype=float)
        arrays[name].setflags(write=False)
    return Samples(arrays, kind, {n: "" if units[n] == LABEL else units[n] for n in arrays})


def _members(
    texts: Texts, path: str, labels: Collection[Any], members: Mapping[str, Member]
) -> list[str]:
    """The labels of a set's members that an axis goes through."""
    if labels == "all":
        return list(members)
    for label in labels:
        if label not in members:
            texts.find(path, f"came {label}; {nearest(str(label), members)}")
    return [str(label) for label in labels]


def asked_axes(data: Mapping[str, Any]) -> set[str]:
    """Names that a grid, points or random samples give as axes, right or wrong."""
    ranges = (data["random"] or {}).get("ranges", {})
    return {*(data["grid"] or {}), *ranges, *(n for point in data["points"] or () for n in point)}


def _is_axis(texts: Texts, path: str, name: str, units: Mapping[str, str]) -> bool:
    if name not in units:
        texts.find(
            path,
            "names no axis; expected a parameter, a constant, a set or an initial value with _0; "
            + nearest(name, units),
        )
    return name in units and units[name] != UNREAD


def _grid(texts: Texts, units: Mapping[str, str]) -> Columns:
    for name, axis in texts.data["grid"].items():
        path = f"grid.{name}"
        if not _is_axis(texts, path, name, units):
            continue
        ends, unit = [axis["from"], axis["to"], axis["count"]], units[name]
        if unit == LABEL:
            if axis["values"] is None:
                texts.find(f"{path}.values", "missing; give labels of the set, or all")
            yield name, axis["values"] or []
            continue
        if axis["values"] is not None:
            if ends != [None] * 3:
                texts.find(path, "came values and from, to, count; expected one of the two")
            if axis["values"] == "all":
                texts.find(f"{path}.values", "came all, but only a set has members; give values")
                continue
            pairs = enumerate(axis["values"])
            values = np.array([texts.value(f"{path}.values.{i}", v, unit) for i, v in pairs])
            if np.any(np.diff(values) <= 0):
                texts.find(f"{path}.values", "expected values that increase")
            yield name, values
            continue
        first = texts.value(f"{path}.from", axis["from"], unit)
        last = texts.value(f"{path}.to", axis["to"], unit)
        if axis["count"] is None and not texts.skipped("grid", name, "count"):
            texts.find(f"{path}.count", "missing; give the number of values, at least 2")
        if first >= last:
            texts.find(path, f"came from {axis['from']} to {axis['to']}; expected from < to")
        if axis["spacing"] == "log" and not first > 0.0:
            texts.find(path, f"came from {axis['from']} with spacing log; expected from > 0")
            continue
        spread = np.geomspace if axis["spacing"] == "log" else np.linspace
        yield name, spread(first, last, axis["count"] or 2)


def _points(texts: Texts, units: Mapping[str, str]) -> Columns:
    points = texts.data["points"]
    names = [name for name in points[0] if _is_axis(texts, f"points.0.{name}", name, units)]
    if not points[0]:
        texts.find("points.0", "empty; name at least one axis")
    for i, point in enumerate(points):
        if set(point) != set(points[0]):
            texts.find(
                f"points.{i}",
                f"gives {', '.join(point) or 'nothing'}; expected {', '.join(points[0])} "
                "as the first point does",
            )
    for name in names:
        column = [(i, point[name]) for i, point in enumerate(points) if name in point]
        if units[name] == LABEL:
            yield name, [v for _, v in column]
        else:
            yield name, [texts.value(f"points.{i}.{name}", v, units[name]) for i, v in column]


def _random(texts: Texts, units: Mapping[str, str]) -> Columns:
    random = texts.data["random"]
    for key in ("count", "seed"):
        if random[key] is None and not texts.skipped("random", key):
            texts.find(f"random.{key}", "missing; give a whole number")
    if not random["ranges"] and not texts.skipped("random", "ranges"):
        texts.find("random.ranges", "missing; give axes such as u_0: [5 m/s, 25 m/s]")
    lows, highs = {}, {}
    for name, ends in random["ranges"].items():
        path = f"random.ranges.{name}"
        if not _is_axis(texts, path, name, units):
            continue
        if units[name] == LABEL:
            texts.find(path, "a set has no range; choose a member, or use a grid")
            continue
        pair = enumerate(ends)
        lows[name], highs[name] = (texts.value(f"{path}.{i}", v, units[name]) for i, v in pair)
        if lows[name] >= highs[name]:
            texts.find(path, f"came {ends[0]} to {ends[1]}; expected a lower value first")
    if lows:
        count = random["count"] or 1
        # A power of two is drawn and cut, so that a longer study begins with the same runs.
        sobol = qmc.Sobol(len(lows), scramble=True, rng=random["seed"] or 0)
        unit = sobol.random_base2(math.ceil(math.log2(count)))[:count]
        for name, column in zip(lows, unit.T, strict=True):
            yield name, lows[name] + (highs[name] - lows[name]) * column


def read_trajectories(
    texts: Texts, samples: Samples, sets: Sets
) -> tuple[dict[str, float | str], ...]:
    """Axis values of the runs kept in full; all of them where the file says so."""
    kept: list[dict[str, float | str]] = []
    asked = texts.data["trajectories"]
    if asked == "all":
        if samples.size > MOST_KEPT:
            texts.find("trajectories", f"all are {samples.size} runs; at most {MOST_KEPT} are kept")
            return ()
        columns = samples.columns(0, samples.size)
        return tuple({n: c[i].item() for n, c in columns.items()} for i in range(samples.size))
    for i, point in enumerate(asked):
        path = f"trajectories.{i}"
        values: dict[str, float | str] = {}
        for name, text in point.items():
            if name not in samples.axes:
                texts.find(f"{path}.{name}", f"names no axis; {nearest(name, samples.axes)}")
            elif name in sets:
                values[name] = _members(texts, f"{path}.{name}", [text], sets[name])[0]
            else:
                values[name] = texts.value(f"{path}.{name}", text, samples.units[name])
        for name in samples.axes:
            if name not in point and not texts.skipped("trajectories", i, name):
                wanted = f"in {samples.units[name]}" if samples.units[name] else "a label"
                texts.find(f"{path}.{name}", f"missing; give it {wanted}")
        kept.append({name: values[name] for name in samples.axes if name in values})
    return tuple(kept)


def read_map(texts: Texts, samples: Samples, mu: tuple[float, ...]) -> dict[str, Any] | None:
    """Axes, friction coefficient and boundary that the threshold map shows."""
    asked = texts.data["map"]
    if asked is None:
        return None
    if samples.kind != "grid":
        texts.find("map", f"came with {samples.kind}; a map needs a grid")
        return None
    for key in ("x", "y", "boundary"):
        name = asked[key]
        if name is None and key != "boundary" and not texts.skipped("map", key):
            texts.find(f"map.{key}", f"missing; {nearest('', samples.axes)}")
        elif name is not None and name not in samples.axes:
            texts.find(f"map.{key}", f"{name} names no axis; {nearest(name, samples.axes)}")
    if asked["x"] is not None and asked["x"] == asked["y"]:
        texts.find("map.y", f"came {asked['y']} for both x and y; expected two axes")
    shown = {key: item for key, item in asked.items() if item is not None}
    if not mu and asked["mu"] is None:  # contacts that slide have no threshold to show
        return shown
    value = texts.value("map.mu", asked["mu"], "1")
    if value not in mu and not math.isnan(value):
        known = ", ".join(f"{item:g}" for item in mu) or "none"
        texts.find("map.mu", f"came {value:g}; expected one of mu: {known}")
    return shown | {"mu": value}
