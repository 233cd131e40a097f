"""What docs/method.md says exists, its example runs, and its figure can be drawn."""

import ast
import hashlib
import importlib.util
import os
import re
import subprocess
import sys
from functools import cache
from itertools import combinations
from pathlib import Path
from types import ModuleType

import pytest
from matplotlib.figure import Figure

import zwang
from zwang import laws
from zwang.codegen import generate
from zwang.expressions import ExpressionError, parse
from zwang.kernel.build import RUNTIME
from zwang.quantities import t
from zwang.store import STATUS

ROOT = Path(__file__).resolve().parent.parent
PACKAGE = ROOT / "src" / "zwang"
DOCS = ROOT / "docs"
PAGE = (DOCS / "method.md").read_text(encoding="utf-8")
EXAMPLE = re.compile(r"^```python\n(.*?)^```$", re.MULTILINE | re.DOTALL)
REFUSED = {"abs", "sign", "min", "max"}  # named because they are not there


def spans(page: str) -> list[str]:
    """Return what stands between single backticks."""
    return re.findall(r"`([^`\n]+)`", EXAMPLE.sub("", page))


@cache
def python_names() -> frozenset[str]:
    """Return every function, class, argument, field and constant of the package."""
    names: set[str] = set()
    for path in PACKAGE.rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.FunctionDef | ast.ClassDef):
                names.add(node.name)
            elif isinstance(node, ast.arg):
                names.add(node.arg)
            elif isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
                names.add(node.id)
    return frozenset(names)


@cache
def c_names() -> frozenset[str]:
    """Return every function, constant and type of the runtime and of a generated kernel."""
    contacts = {"ground": laws.Coulomb()}
    texts = [path.read_text(encoding="utf-8") for path in sorted(RUNTIME.glob("*.h"))]
    texts.append(generate(zwang.systems.block(), {}, {}, contacts).kernel)
    texts = [re.sub(r"__attribute__\(\(.*?\)\)", "", text) for text in texts]
    forms = (
        r"^#define (\w+)",
        r"^(?:static|int|FUNCTION)\b[^;={]*?\b(\w+)\((?=[^;]*\{)",
        r"^\} (\w+);",
    )
    found = [re.findall(form, text, re.MULTILINE) for form in forms for text in texts]
    return frozenset(name for names in found for name in names)


@cache
def dataset_names() -> frozenset[str]:
    """Return every variable of a run and of a sweep of the page's example."""
    scope = run_example()
    return frozenset(map(str, (*scope["run"].variables, *scope["table"].variables)))


@cache
def run_example() -> dict:
    (example,) = EXAMPLE.findall(PAGE)
    scope: dict = {}
    exec(example, scope)
    return scope


def is_there(span: str) -> bool:
    """Return whether a file, a name, or an argument with its value exists as it is written."""
    if span.startswith("python "):
        return (ROOT / span.removeprefix("python ")).is_file()
    if "/" in span or Path(span).suffix in {".py", ".h"}:
        return any((base / span).is_file() for base in (ROOT, PACKAGE, RUNTIME))
    argument = re.fullmatch(r'(\w+)="(\w+)"', span)
    if argument:
        name, value = argument.groups()
        sources = (path.read_text(encoding="utf-8") for path in PACKAGE.rglob("*.py"))
        return name in python_names() and any(f'"{value}"' in text for text in sources)
    statuses = {name for name, _ in STATUS.values()}
    return span in python_names() | c_names() | dataset_names() | statuses


def test_everything_the_page_names_exists() -> None:
    named = spans(PAGE)
    assert len(named) > 50
    assert [span for span in named if span not in REFUSED and not is_there(span)] == []


@pytest.mark.parametrize(
    "wrong",
    [
        "solve_sideways",
        "FASTMATH",
        "src/zwang/kernel/none.h",
        "tests/test_nothing.py",
        'load="gone"',
        "python docs/other.py",
        "divide_out_again",
    ],
)
def test_what_does_not_exist_is_noticed(wrong: str) -> None:
    assert spans(f"a `{wrong}` b") == [wrong]
    assert not is_there(wrong)


@pytest.mark.parametrize("function", sorted(REFUSED))
def test_functions_said_to_be_refused_are(function: str) -> None:
    assert f"`{function}`" in PAGE
    with pytest.raises(ExpressionError):
        parse(f"{function}(t)", {"t": t})


def test_every_source_cited_on_the_page_is_in_the_bibliography() -> None:
    bibliography = (PACKAGE / "references.bib").read_text(encoding="utf-8")
    known = set(re.findall(r"^@\w+\{(\w+),", bibliography, re.MULTILINE))
    cited = set(re.findall(r"\[([A-Z][A-Za-z]+)(?: \(\d+\)| sec\. \d+)?[,\]]", PAGE))
    assert {"Juschkov", "JorbaZou", "Ivanov", "Moreau"} <= cited
    assert cited <= known


def test_the_order_and_the_lanes_are_those_of_the_runtime() -> None:
    lanes = (RUNTIME / "lanes.h").read_text(encoding="utf-8")
    order, count = (
        int(re.search(rf"#define {name} (\d+)", lanes)[1])  # type: ignore[index]
        for name in ("ORDER", "LANES")
    )
    assert f"## 2 Taylor series of order {order}\n" in PAGE
    assert f"x_{{{order}}}" in PAGE
    assert f"x_{{{order - 1}}}" in PAGE
    assert f"{ {2: 'Two', 4: 'Four', 8: 'Eight'}[count] } runs go side by side" in PAGE


def test_the_table_of_files_has_the_whole_runtime() -> None:
    for path in RUNTIME.glob("*.h"):
        assert f"| `src/zwang/kernel/{path.name}` |" in PAGE


def test_the_links_and_images_of_the_page_lead_somewhere() -> None:
    targets = re.findall(r"\]\(([^)\s]+)\)", PAGE)
    assert targets
    assert [target for target in targets if not (DOCS / target).is_file()] == []


def test_the_example_of_the_page_runs() -> None:
    assert {"run", "table"} <= set(run_example())


def script() -> ModuleType:
    specification = importlib.util.spec_from_file_location("method", DOCS / "method.py")
    assert specification
    assert specification.loader
    module = importlib.util.module_from_spec(specification)
    specification.loader.exec_module(module)
    return module


@pytest.fixture(scope="module")
def drawn(tmp_path_factory: pytest.TempPathFactory) -> tuple[Figure, Path]:
    folder, module, figures = tmp_path_factory.mktemp("docs"), script(), []
    draw = module.figure
    module.figure = lambda: figures.append(draw()) or figures[0]
    module.main(folder)
    return figures[0], folder


def test_the_figure_is_written_into_the_folder_asked_for(drawn: tuple[Figure, Path]) -> None:
    folder = drawn[1]
    assert sorted(path.name for path in folder.iterdir()) == ["method.png", "method.svg"]
    assert (folder / "method.png").read_bytes().startswith(b"\x89PNG")
    assert b"<dc:date>" not in (folder / "method.svg").read_bytes()


def test_no_label_of_the_figure_covers_another_or_leaves_the_page(
    drawn: tuple[Figure, Path],
) -> None:
    figure = drawn[0]
    figure.canvas.draw()  # saving left the sizes of another resolution
    labels = [text for axes in figure.axes for text in axes.texts if text.get_text()]
    for axes in figure.axes:
        labels += [axes.xaxis.label, axes.yaxis.label, axes._left_title]
        if axes.axison:
            (left, right), (low, high) = axes.get_xlim(), axes.get_ylim()
            labels += [x for x in axes.get_xticklabels() if left <= x.get_position()[0] <= right]
            labels += [y for y in axes.get_yticklabels() if low <= y.get_position()[1] <= high]
    boxes = [
        (text.get_text(), text.get_window_extent())
        for text in labels
        if text.get_text() and text.get_visible()
    ]
    assert len(boxes) > 30
    page = figure.bbox
    assert [n for n, b in boxes if b.x0 < page.x0 or b.x1 > page.x1 or b.y0 < page.y0] == []
    assert [(a, c) for (a, b), (c, d) in combinations(boxes, 2) if b.overlaps(d)] == []


def test_the_strokes_of_the_figure_mark_every_step(drawn: tuple[Figure, Path]) -> None:
    module = script()
    (strokes,) = drawn[0].axes[1].collections[:1]
    assert len(strokes.get_segments()) == module.steps_until(module.END) - 1


@pytest.mark.slow
def test_two_processes_draw_the_same_bytes(tmp_path: Path) -> None:
    digests = []
    for seed in ("1", "2"):
        out = tmp_path / seed
        out.mkdir()
        environment = {**os.environ, "PYTHONHASHSEED": seed, "PYTHONPATH": str(ROOT / "src")}
        command = [sys.executable, str(DOCS / "method.py"), str(out)]
        subprocess.run(command, check=True, env=environment)
        files = sorted(out.iterdir())
        digests.append([hashlib.sha256(path.read_bytes()).hexdigest() for path in files])
    assert digests[0] == digests[1]
    assert len(digests[0]) == 2
