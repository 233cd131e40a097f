"""Time to form the car's equations and solve them, beside sympy's own methods.

Run: python benchmarks/derivation.py [--write]; with --write the table in README.md is replaced.
Every method runs in a fresh process, so that no cache helps; the methods take turns.
"""

import argparse
import statistics
import subprocess
import sys
from pathlib import Path

HERE = Path(__file__).parent
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
    from zwang.stages.derive import applicable
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


def measure(function: str) -> float:
    """Return the CPU time in s of one run in a fresh process, imports excluded."""
    code = (
        "import sys, time; sys.path.insert(0, sys.argv[1]); import derivation, zwang.certificate, "
        "zwang.stages.derive, sympy.physics.mechanics; "
        "start = time.process_time(); getattr(derivation, sys.argv[2])(); "
        "print(time.process_time() - start)"
    )
    done = subprocess.run(
        [sys.executable, "-c", code, str(HERE), function],
        capture_output=True,
        text=True,
        check=True,
    )
    return float(done.stdout)


def table() -> str:
    """Return the measured table as Markdown."""
    times: dict[str, list[float]] = {name: [] for name in METHODS}
    for _ in range(ROUNDS):
        for name, function in METHODS.items():
            times[name].append(measure(function))
    own = statistics.median(times["zwang: Maggi, ready to solve"])
    lines = ["| method | CPU time [s] | spread [s] | ratio |", "|---|---|---|---|"]
    for name, values in times.items():
        middle = statistics.median(values)
        lines.append(
            f"| {name} | {middle:.3f} | {min(values):.3f} to {max(values):.3f} "
            f"| {middle / own:.1f} |"
        )
    return "\n".join(lines)


def main() -> None:
    """Print the table; with --write put it into README.md."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--write", action="store_true", help="replace the table in README.md")
    measured = table()
    print(measured)
    if parser.parse_args().write:
        path = HERE / "README.md"
        start, stop = "<!-- derivation -->\n", "\n<!-- end derivation -->"
        text = path.read_text(encoding="utf-8")
        before, rest = text.split(start)
        path.write_text(before + start + measured + stop + rest.split(stop)[1], encoding="utf-8")


if __name__ == "__main__":
    main()
