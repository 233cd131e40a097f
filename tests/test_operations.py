"""Equations do not grow unnoticed: operations after cse by system and form, against a baseline.

`python tests/test_operations.py` writes the baseline anew; a larger number needs a reason.
"""

import hashlib
import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from zwang.stages.certify import applicable, operations
from zwang.systems import CATALOGUE

BASELINE = Path(__file__).with_name("operations.json")
SINGULAR = {"gauss_example_31", "appell_hamel_ball_heading"}
NAMES = [name for name in CATALOGUE if name not in SINGULAR]


def counted(name: str) -> dict[str, int]:
    return {form: operations(e) for form, e in applicable(CATALOGUE[name]()).items()}


@pytest.mark.parametrize("name", NAMES)
def test_equations_have_not_grown(name: str) -> None:
    baseline = json.loads(BASELINE.read_text(encoding="utf-8"))[name]
    now = counted(name)
    assert now.keys() == baseline.keys()
    grown = {form: (n, baseline[form]) for form, n in now.items() if n > baseline[form]}
    assert not grown


def test_text_does_not_depend_on_the_hash_seed() -> None:
    code = (
        "from zwang.codegen import generate; from zwang.systems import car; "
        "from zwang.stages.certify import equation_table; "
        "made = generate(car(), {'F2': '20*v + v**2', 'L1': 'ramp(1, 2)*sin(t)'}, {}); "
        "print(made.kernel, made.reference, equation_table(car()).latex.values.tolist())"
    )
    texts = {
        hashlib.sha256(
            subprocess.run(
                [sys.executable, "-c", code],
                env={**os.environ, "PYTHONHASHSEED": seed},
                capture_output=True,
                check=True,
            ).stdout
        ).hexdigest()
        for seed in ("1", "77")
    }
    assert len(texts) == 1


if __name__ == "__main__":
    text = json.dumps({name: counted(name) for name in NAMES}, indent=1)
    BASELINE.write_text(text + "\n", encoding="utf-8")
