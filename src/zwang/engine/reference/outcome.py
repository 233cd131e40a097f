"""Runs of the reference engine as an outcome: ends, paths on the output times, changes of mode."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from zwang.engine.ensemble import ENDED, Ensemble, Outcome, Slip
from zwang.engine.model import Array, Model, Motion
from zwang.engine.reference.run import Piece, Run

Modes = NDArray[np.intc]


def gathered(model: Model, ensemble: Ensemble, done: list[Run]) -> Outcome:
    """Return what became of the runs."""
    t_end = np.array([one.t for one in done])
    ends = [_sampled(one, ensemble, np.array([one.t]), _last(one)) for one in done]
    paths = [_sampled(one, ensemble, ensemble.times, one.pieces) for one in done]
    end = [np.moveaxis(np.array([e[i][:, 0] for e in ends]), 0, -1) for i in range(4)]
    path = [np.moveaxis(np.array([p[i] for p in paths]), 0, 1) for i in range(4)]
    at = np.broadcast_to(ensemble.times, (ensemble.runs, len(ensemble.times)))
    return Outcome(
        status=np.array([one.status for one in done], dtype=np.intc),
        steps=np.array([one.steps for one in done], dtype=np.int_),
        time_reached=t_end,
        pivot=np.full(ensemble.runs, np.nan),
        defect=np.full(ensemble.runs, np.nan),
        maximum=np.array([one.maxima.maximum for one in done]),
        time_of_maximum=np.array([one.maxima.time for one in done]),
        onset=np.array([one.maxima.onset for one in done]),
        slip=_slip(model, ensemble, done, np.array([p[4] for p in paths], dtype=np.intc)),
        end=Motion(ensemble.law_time(t_end), *end),
        path=Motion(ensemble.law_time(at), *path),
        logs=_logs(model, ensemble, Motion(at, *path)),
    )


def _logs(model: Model, ensemble: Ensemble, path: Motion) -> Array:
    """Return ln|Ω| of the velocities with a relative scale, as far as Ω itself can be carried."""
    places = model.columns("velocities", model.names("relative"))
    p = ensemble.parameters[..., None]
    with np.errstate(divide="ignore"):
        return np.asarray(np.log(np.abs(model.velocities(path.t, path.q, path.v, p)[..., places])))


def _last(one: Run) -> list[Piece]:
    """Return the end of a run as a piece."""
    return [Piece(one.t, one.t, lambda t: np.repeat(one.y[:, None], len(t), axis=1), one.mode)]


def _sampled(
    one: Run, ensemble: Ensemble, times: Array, pieces: list[Piece]
) -> tuple[Array, Array, Array, Array, Modes]:
    """Return q, q̇, q̈ (n, times), Λ (k, times) and modes (times, switching).

    NaN and ENDED after the time reached.
    """
    n, model = one.mechanics.n, one.mechanics.model
    q, v, a = (np.full((n, len(times)), np.nan) for _ in range(3))
    reactions = np.full((len(model.names("constraints")), len(times)), np.nan)
    modes = np.full((len(times), len(one.contacts)), ENDED, dtype=np.intc)
    for piece in pieces:
        inside = (times >= piece.start) & (times <= piece.stop)
        if not inside.any():
            continue
        y = piece.dense(times[inside])
        q[:, inside], v[:, inside], modes[inside] = y[:n], y[n : 2 * n], piece.mode.signs
        if np.isfinite(y).all():
            found = one.mechanics.solve(ensemble.law_time(times[inside]), y, piece.mode)
            a[:, inside], reactions[:, inside] = found[0].T, found[1].T
    return q, v, a, reactions, modes


def _slip(model: Model, ensemble: Ensemble, done: list[Run], mode: Modes) -> Slip:
    """Return the record of all changes of mode."""
    runs, count, room = len(done), len(model.names("switching")), ensemble.event_room
    first = np.full((runs, count), np.nan)
    time = np.full((runs, room), np.nan)
    what = np.zeros((runs, room), dtype=np.intc)
    for i, one in enumerate(done):
        for t, c, before, _ in reversed(one.changes):
            if before == 0:
                first[i, c] = t
        for k, (t, c, before, after) in enumerate(one.changes[:room]):
            time[i, k], what[i, k] = t, 9 * c + 3 * (before + 1) + after + 1
    return Slip(
        first,
        np.array([one.duration for one in done]).reshape(runs, count),
        np.array([one.y[len(one.y) - count :] for one in done]).reshape(runs, count),
        np.array([one.mode.signs for one in done], dtype=np.intc).reshape(runs, count),
        mode.reshape(runs, len(ensemble.times), count),
        np.array([len(one.changes) for one in done], dtype=np.int_),
        time,
        what,
    )
