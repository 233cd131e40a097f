"""Time to form the car's equations and solve them, beside sympy's own methods.

Run: python benchmarks/derivation.py [--write]; with --write the table in README.md is replaced.
Every method runs in a fresh process, so that no cache helps; the methods take turns.
"""

import argparse
import statistics
from functools import partial

import measure

ROUNDS = 3
METHODS = {
    "zwang: Maggi, ready to solve": "one_form",
    "zwang: all forms of the car": "all_forms",
    "zwang: all forms and the certificate": "certificate",
    "sympy LagrangesMethod and rhs()": "lagranges_method",
    "sympy KanesMethod and rhs()": "kanes_method",
}


def one_form() -> None:
    """Form Maggi's equations as a linear system for accelerations and reactions."""
    from zwang.formulations import FORMS
    from zwang.systems import car

    FORMS["maggi"](car()).linear()


def all_forms() -> None:
    """Form every applicable form as a linear system."""
    from zwang.stages.certify import applicable
    from zwang.systems import car

    for equations in applicable(car()).values():
        equations.linear()


def certificate() -> None:
    """Form all and prove them equal at 20 states."""
    from zwang.certificate import certify
    from zwang.systems import car

    assert certify(car()).valid


def _car_in_sympy() -> dict:
    """Return the same car in the vocabulary of sympy.physics.mechanics."""
    import sympy as sp
    from sympy.physics import mechanics as me

    q = me.dynamicsymbols("phi theta x y")
    phi, theta, x, y = q
    M1, M2, J1, J2, l1, l2, F1, tau = sp.symbols("M1 M2 J1 J2 l1 l2 F1 tau")
    N = me.ReferenceFrame("N")
    body = N.orientnew("body", "Axis", (phi, N.z))
    axle = body.orientnew("axle", "Axis", (theta, N.z))
    O = me.Point("O")
    O.set_vel(N, 0)
    C = O.locatenew("C", x * N.x + y * N.y)
    C.set_vel(N, x.diff() * N.x + y.diff() * N.y)
    A, B = C.locatenew("A", l1 * body.x), C.locatenew("B", -l2 * body.x)
    for point in (A, B):
        point.v2pt_theory(C, N, body)
    bodies = [
        me.RigidBody("car", C, body, M1, (me.inertia(body, 0, 0, J1), C)),
        me.RigidBody("front", A, axle, M2, (me.inertia(axle, 0, 0, J2), A)),
    ]
    loads = [(C, F1 * body.x), (axle, tau * N.z), (body, -tau * N.z)]
    constraints = [B.vel(N).dot(body.y), A.vel(N).dot(axle.y)]
    return dict(q=q, N=N, bodies=bodies, loads=loads, constraints=constraints)


def lagranges_method() -> None:
    """Form the equations with sympy's LagrangesMethod and solve for the right sides."""
    from sympy.physics import mechanics as me

    car = _car_in_sympy()
    method = me.LagrangesMethod(
        me.Lagrangian(car["N"], *car["bodies"]),
        car["q"],
        forcelist=car["loads"],
        frame=car["N"],
        nonhol_coneqs=car["constraints"],
    )
    method.form_lagranges_equations()
    method.rhs()


def kanes_method() -> None:
    """Form the equations with sympy's KanesMethod and solve for the right sides."""
    from sympy.physics import mechanics as me

    car = _car_in_sympy()
    u = me.dynamicsymbols("u:4")
    kinematics = [v - q.diff() for v, q in zip(u, car["q"], strict=True)]
    rates = {q.diff(): v for v, q in zip(u, car["q"], strict=True)}
    method = me.KanesMethod(
        car["N"],
        q_ind=car["q"],
        u_ind=u[:2],
        u_dependent=u[2:],
        kd_eqs=kinematics,
        velocity_constraints=[c.subs(rates) for c in car["constraints"]],
    )
    method.kanes_equations(car["bodies"], car["loads"])
    method.rhs()


def timed(function: str) -> float:
    """Return the CPU time in s of one call."""
    return measure.cpu_seconds(globals()[function])


def fresh(function: str) -> float:
    """Return the CPU time in s of one run in a fresh process, imports excluded."""
    imports = ("zwang.certificate", "zwang.stages.derive", "sympy.physics.mechanics")
    return float(measure.fresh("derivation", "timed", function, imports=imports))


def table() -> str:
    """Return the measured table as Markdown."""
    works = {name: partial(fresh, function) for name, function in METHODS.items()}
    times = measure.in_turns(works, ROUNDS)
    own = statistics.median(times["zwang: Maggi, ready to solve"])
    rows = []
    for name, values in times.items():
        half = statistics.median(values)
        spread = f"{min(values):.3f} to {max(values):.3f}"
        rows.append([name, f"{half:.3f}", spread, f"{half / own:.1f}"])
    return measure.table(["method", "CPU time [s]", "spread [s]", "ratio"], rows)


def main() -> None:
    """Print the table; with --write put it into README.md."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--write", action="store_true", help="replace the table in README.md")
    chosen = parser.parse_args()
    measured = table()
    print(measured)
    if chosen.write:
        measure.write_section("derivation", measured)


if __name__ == "__main__":
    main()
